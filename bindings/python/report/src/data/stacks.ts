// SPDX-License-Identifier: Apache-2.0
// Frames of stacks, by the number that other tables name a stack by.
import { place } from "../format";
import type { Table } from "./pack";

/** A placeholder for missing frames. */
export const CUT = "… cut: outer frames were not recorded";
/** A placeholder for frames that the file has no room for. */
export const LEFT_OUT = "… not in this file";

export class Stacks {
  private readonly first = new Map<number, number>();
  private readonly stacks: Float64Array;

  constructor(private readonly table: Table) {
    this.stacks = table.numbers("stack");
    for (let row = this.stacks.length - 1; row >= 0; row--)
      this.first.set(this.stacks[row]!, row);
  }

  /** Rows of a stack's frames, innermost first. */
  rows(stack: number | null): number[] {
    const found: number[] = [];
    if (stack === null) return found;
    for (let row = this.first.get(stack) ?? Infinity; this.stacks[row] === stack; row++)
      found.push(row);
    return found;
  }

  /** The frames as text, innermost first, and whether they are complete. */
  lines(stack: number | null): string[] {
    const rows = this.rows(stack);
    if (this.isLeftOut(stack)) return [LEFT_OUT];
    const lines = rows.map((row) =>
      place(this.table.text("method", row), this.table.number("line", row)),
    );
    return this.isCut(rows) ? [...lines, CUT] : lines;
  }

  /** Whether frames lie below the outermost of these. */
  isCut(rows: readonly number[]): boolean {
    return rows.length > 0 && this.table.numbers("truncated")[rows[0]!] === 1;
  }

  /** Whether there is a stack without frames in the file. */
  isLeftOut(stack: number | null): boolean {
    return stack !== null && !this.first.has(stack) && this.table.total > this.table.rows;
  }

  method(row: number): string {
    return this.table.text("method", row) ?? "(not known)";
  }
}
