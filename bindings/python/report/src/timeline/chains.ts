// SPDX-License-Identifier: Apache-2.0
// Why threads did not run, as the model answered: of each of the longest blocking intervals
// the chain at its middle, from the thread down to the root cause.
import type { Table } from "../data/pack";
import type { ThreadIndex } from "../data/run";
import { firstAtOrAfter } from "./sorted";

export interface Chain {
  /** The instant of the chain. */
  at: number;
  steps: { lane: number; text: string }[];
  /** The chain is longer than its maximum, and cut. */
  isCut: boolean;
}

/** After one of these the next thread is asked about. */
const LEADS_ON = ["owner", "joined", "waker"];

export class Chains {
  /** How many there are. */
  readonly count: number;
  /** By lane: the first row of each of its chains, by time. */
  private readonly byLane = new Map<number, number[]>();
  private readonly lane: Int32Array;

  constructor(
    private readonly table: Table,
    threads: ThreadIndex,
  ) {
    this.lane = threads.column(table, "thread_id");
    const [chain, at] = [table.numbers("chain"), table.numbers("at_ns")];
    this.count = table.rows ? chain[table.rows - 1]! : 0;
    for (let row = 0; row < table.rows; row++) {
      if (row && chain[row] === chain[row - 1]) continue;
      const rows = this.byLane.get(this.lane[row]!);
      if (rows) rows.push(row);
      else this.byLane.set(this.lane[row]!, [row]);
    }
    for (const rows of this.byLane.values()) rows.sort((a, b) => at[a]! - at[b]!);
  }

  /** The chain of a thread at an instant; null: it is not here. */
  of(lane: number, time: number): Chain | null {
    const [chain, at] = [this.table.numbers("chain"), this.table.numbers("at_ns")];
    const rows = this.byLane.get(lane) ?? [];
    const first = rows[firstAtOrAfter(rows, time, (row) => at[row]!)];
    if (first === undefined || at[first] !== time) return null;
    const steps: Chain["steps"] = [];
    let row = first;
    for (; row < chain.length && chain[row] === chain[first]; row++)
      steps.push({ lane: this.lane[row]!, text: this.table.text("text", row) ?? "" });
    const isCut = LEADS_ON.includes(this.table.text("reason", row - 1) ?? "");
    return { at: time, steps, isCut };
  }
}
