// SPDX-License-Identifier: Apache-2.0
// Reading a pack of tables; threadmodel/pack.py has the format. A column is decoded when
// it is first read, so that a page opens without decoding data that nobody views.

import type { Type } from "../described";

interface ColumnIndex {
  name: string;
  type: Type;
  width: number;
  planes: (number | null)[];
  categories?: string[];
  valid?: number | null;
}

interface TableIndex {
  rows: number;
  total: number;
  caveats: string[];
  columns: ColumnIndex[];
}

interface PackIndex {
  tables: Record<string, TableIndex>;
  values: Record<string, unknown>;
}

export type Value = number | bigint | string | boolean | null;

export class Pack {
  private readonly index: PackIndex;
  private readonly data: Uint8Array;
  private readonly tables = new Map<string, Table>();

  constructor(bytes: Uint8Array) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const length = view.getUint32(0, true);
    const text = new TextDecoder().decode(bytes.subarray(4, 4 + length));
    this.index = JSON.parse(text) as PackIndex;
    this.data = bytes.subarray(4 + length);
  }

  value<T>(name: string): T {
    return this.index.values[name] as T;
  }

  has(name: string): boolean {
    return name in this.index.tables;
  }

  /** A table by name; without rows and columns if it does not exist. */
  table(name: string): Table {
    let table = this.tables.get(name);
    if (!table) {
      const empty = { rows: 0, total: 0, caveats: [], columns: [] };
      table = new Table(name, this.index.tables[name] ?? empty, this.data);
      this.tables.set(name, table);
    }
    return table;
  }
}

export class Table {
  readonly rows: number;
  /** Rows that the model answered with; more than `rows` where the table was cut. */
  readonly total: number;
  readonly caveats: readonly string[];
  readonly columns: readonly string[];
  private readonly byName: Map<string, ColumnIndex>;
  private readonly numberCache = new Map<string, Float64Array>();
  private readonly idCache = new Map<string, BigUint64Array>();
  private readonly codeCache = new Map<string, Int32Array>();

  constructor(
    readonly name: string,
    index: TableIndex,
    private readonly data: Uint8Array,
  ) {
    this.rows = index.rows;
    this.total = index.total;
    this.caveats = index.caveats;
    this.byName = new Map(index.columns.map((column) => [column.name, column]));
    this.columns = [...this.byName.keys()];
  }

  type(column: string): Type | undefined {
    return this.byName.get(column)?.type;
  }

  /** Numbers or truth values as 64-bit floats; 0 where null. Exact up to 2^53. */
  numbers(column: string): Float64Array {
    return cached(this.numberCache, column, () => this.decodeNumbers(column));
  }

  /** Unsigned 64-bit numbers; ids of threads need all of their bits. */
  ids(column: string): BigUint64Array {
    return cached(this.idCache, column, () => {
      const bytes = this.interleave(column);
      return new BigUint64Array(bytes.buffer, 0, this.rows);
    });
  }

  /** Codes of strings, for `categories`; -1 where null. */
  codes(column: string): Int32Array {
    return cached(this.codeCache, column, () => {
      if (!this.byName.has(column)) return new Int32Array(this.rows).fill(-1);
      return new Int32Array(this.interleave(column).buffer, 0, this.rows);
    });
  }

  categories(column: string): readonly string[] {
    return this.byName.get(column)?.categories ?? [];
  }

  isNull(column: string, row: number): boolean {
    const index = this.byName.get(column);
    if (!index) return true;
    if (index.type === "string") return this.codes(column)[row] === -1;
    if (index.valid === undefined) return false;
    if (index.valid === null) return true;
    return (((this.data[index.valid + (row >> 3)] ?? 0) >> (row & 7)) & 1) === 0;
  }

  text(column: string, row: number): string | null {
    return this.categories(column)[this.codes(column)[row] ?? -1] ?? null;
  }

  /** A number; null where it is null or not there. */
  number(column: string, row: number): number | null {
    return this.isNull(column, row) ? null : (this.numbers(column)[row] ?? null);
  }

  id(column: string, row: number): bigint | null {
    return this.isNull(column, row) ? null : (this.ids(column)[row] ?? null);
  }

  value(column: string, row: number): Value {
    switch (this.type(column)) {
      case undefined:
        return null;
      case "string":
        return this.text(column, row);
      case "uint64":
        return this.id(column, row);
      case "bool":
        return this.isNull(column, row) ? null : this.numbers(column)[row] === 1;
      default:
        return this.number(column, row);
    }
  }

  row(row: number): Record<string, Value> {
    return Object.fromEntries(this.columns.map((name) => [name, this.value(name, row)]));
  }

  allRows(): Record<string, Value>[] {
    return Array.from({ length: this.rows }, (_, row) => this.row(row));
  }

  private decodeNumbers(column: string): Float64Array {
    const index = this.byName.get(column);
    const values = new Float64Array(this.rows);
    if (!index) return values;
    if (index.type === "bool") {
      const offset = index.planes[0];
      if (offset === null || offset === undefined) return values;
      for (let row = 0; row < this.rows; row++)
        values[row] = ((this.data[offset + (row >> 3)] ?? 0) >> (row & 7)) & 1;
      return values;
    }
    if (index.type === "double")
      return new Float64Array(this.interleave(column).buffer, 0, this.rows);
    if (index.type === "int32") {
      values.set(new Int32Array(this.interleave(column).buffer, 0, this.rows));
      return values;
    }
    this.addPlanes(index, values);
    return values;
  }

  /** Whole numbers of 8 bytes, plane by plane: times of a run fill five or six. */
  private addPlanes(index: ColumnIndex, values: Float64Array): void {
    let negative: number | null = null;
    index.planes.forEach((offset, byte) => {
      if (offset === null) return;
      const factor = 2 ** (8 * byte);
      if (byte === 7 && index.type === "int64") negative = offset;
      for (let row = 0; row < values.length; row++)
        values[row]! += this.data[offset + row]! * factor;
    });
    if (negative === null) return;
    const planes = index.planes;
    for (let row = 0; row < values.length; row++) {
      if (this.data[negative + row]! < 128) continue;
      // For a negative number the complement is added up, so that no bit is lost.
      let complement = 0;
      planes.forEach((offset, byte) => {
        const bits = offset === null ? 0 : this.data[offset + row]!;
        complement += (255 - bits) * 2 ** (8 * byte);
      });
      values[row] = -complement - 1;
    }
  }

  private interleave(column: string): Uint8Array {
    const index = this.byName.get(column);
    const width = index?.width ?? 8;
    // A whole number of 8 bytes, so that any typed array fits on it.
    const bytes = new Uint8Array(Math.ceil((this.rows * width) / 8) * 8);
    index?.planes.forEach((offset, byte) => {
      if (offset === null) return;
      for (let row = 0, to = byte; row < this.rows; row++, to += width)
        bytes[to] = this.data[offset + row]!;
    });
    return bytes;
  }
}

function cached<T>(cache: Map<string, T>, key: string, make: () => T): T {
  let value = cache.get(key);
  if (value === undefined) {
    value = make();
    cache.set(key, value);
  }
  return value;
}

/** Unpack the content of a script element: base64 of a compressed pack. */
export async function embedded(id: string): Promise<Pack> {
  const element = document.getElementById(id);
  const bytes = fromBase64(element?.textContent ?? "");
  element?.remove();
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Pack(new Uint8Array(await new Response(stream).arrayBuffer()));
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const direct = (Uint8Array as unknown as Base64Reader).fromBase64;
  if (direct) return direct.call(Uint8Array, text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Newer browsers decode base64 themselves, ten times as fast. */
interface Base64Reader {
  fromBase64?: (text: string) => Uint8Array<ArrayBuffer>;
}
