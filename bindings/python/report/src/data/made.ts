// SPDX-License-Identifier: Apache-2.0
// Tables that the page computes, with the columns of the model's answers.
import type { Type } from "../described";
import { Table } from "./pack";

type Values = Float64Array | BigUint64Array | Int32Array;

/** Values of a column; for strings they are codes into `categories`, -1 for null. */
export interface Made {
  type: Type;
  values: Values;
  categories?: readonly string[];
  /** 1 where there is a value; undefined: every row has one. */
  valid?: Uint8Array;
}

export class MadeTable extends Table {
  private readonly copied = new Map<string, Values>();

  /** @param base has the other columns, for the same rows */
  constructor(
    name: string,
    rows: number,
    private readonly made: ReadonlyMap<string, Made>,
    private readonly base: { table: Table; rows: Int32Array } | null = null,
  ) {
    const types = new Map<string, Type>();
    for (const column of base?.table.columns ?? [])
      types.set(column, base!.table.type(column)!);
    for (const [column, { type }] of made) types.set(column, type);
    const columns = [...types].map(([name, type]) => ({ name, type, width: 8, planes: [] }));
    const caveats = [...(base?.table.caveats ?? [])];
    super(name, { rows, total: rows, caveats, columns }, new Uint8Array());
  }

  override type(column: string): Type | undefined {
    return this.made.get(column)?.type ?? this.base?.table.type(column);
  }

  override numbers(column: string): Float64Array {
    return this.column(column, (table) => table.numbers(column), Float64Array);
  }

  override ids(column: string): BigUint64Array {
    return this.column(column, (table) => table.ids(column), BigUint64Array);
  }

  override codes(column: string): Int32Array {
    const found = this.column(column, (table) => table.codes(column), Int32Array);
    return this.type(column) === undefined ? found.fill(-1) : found;
  }

  /** Computed values, or those of the base, which are copied once. */
  private column<T extends Values>(
    name: string,
    read: (table: Table) => T,
    empty: new (length: number) => T,
  ): T {
    const made = this.made.get(name)?.values ?? this.copied.get(name);
    if (made) return made as T;
    const found = new empty(this.rows);
    if (this.base?.table.type(name)) {
      const values = read(this.base.table);
      for (let at = 0; at < this.rows; at++) found[at] = values[this.base.rows[at]!]!;
    }
    this.copied.set(name, found);
    return found;
  }

  override categories(column: string): readonly string[] {
    return this.made.get(column)?.categories ?? this.base?.table.categories(column) ?? [];
  }

  override isNull(column: string, row: number): boolean {
    const made = this.made.get(column);
    if (!made) return this.base?.table.isNull(column, this.base.rows[row]!) ?? true;
    if (made.type === "string") return made.values[row] === -1;
    return made.valid ? made.valid[row] === 0 : false;
  }
}

/** Some rows of a table. */
export function someRows(table: Table, rows: readonly number[]): Table {
  return new MadeTable(table.name, rows.length, new Map(), {
    table,
    rows: Int32Array.from(rows),
  });
}

export function numbers(values: ArrayLike<number>, valid?: Uint8Array): Made {
  const made: Made = { type: "int64", values: Float64Array.from(values) };
  return valid ? { ...made, valid } : made;
}

export function codes(values: ArrayLike<number>, categories: readonly string[]): Made {
  return { type: "string", values: Int32Array.from(values), categories };
}
