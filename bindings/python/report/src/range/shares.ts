// SPDX-License-Identifier: Apache-2.0
// Owners of the locks and users of the resources that threads waited for, in a part of the
// run: shares of blocks, cut at its edges and added up as the model adds them up.
import { type Made, MadeTable, numbers } from "../data/made";
import type { Table } from "../data/pack";

const PROVENANCES = ["reported", "exact", "inferred"] as const;

interface Group {
  /** A row with the names of the group. */
  row: number;
  count: number;
  total: number;
  max: number;
  latency: number;
  sure: Record<string, number>;
}

/** Shares of one block are adjacent in the table. */
interface Share {
  row: number;
  /** The number of the block. */
  block: number;
  ns: number;
}

/** The shares that lie in a part of the run. */
export function sharesWithin(table: Table, from: number, to: number): Share[] {
  const found: Share[] = [];
  if (!table.rows) return found;
  const [start, end, begun] = ["start_ns", "end_ns", "block_start_ns"].map((of) =>
    table.numbers(of),
  );
  const threads = table.ids("thread_id");
  const blocks = new Map<string, number>();
  for (let row = 0; row < table.rows; row++) {
    const [first, last] = [start![row]!, end![row]!];
    const isAtOnce = first === last && first >= from && first < to;
    if (!isAtOnce && (last <= from || first >= to)) continue;
    const key = `${threads[row]} ${begun![row]}`;
    const block = blocks.get(key) ?? blocks.size;
    blocks.set(key, block);
    found.push({ row, block, ns: Math.min(last, to) - Math.max(first, from) });
  }
  return found;
}

/** Add shares up by some columns, the longest total first. */
export function grouped(
  name: string,
  table: Table,
  shares: readonly Share[],
  by: readonly string[],
): Table {
  const groups = new Map<string, Group>();
  const owed = new Map<string, number>();
  let whole = 0;
  for (const { row, block, ns } of shares) {
    const key = by.map((column) => String(table.value(column, row))).join("\u0001");
    let group = groups.get(key);
    if (!group) {
      group = { row, count: 0, total: 0, max: 0, latency: 0, sure: {} };
      groups.set(key, group);
    }
    const of = `${block} ${key}`;
    if (!owed.has(of)) group.count++;
    owed.set(of, (owed.get(of) ?? 0) + ns);
    group.max = Math.max(group.max, owed.get(of)!);
    group.total += ns;
    whole += ns;
    if (table.text("share", row) === "latency") group.latency += ns;
    const sure = table.text("provenance", row) ?? "unknown";
    group.sure[sure] = (group.sure[sure] ?? 0) + ns;
  }
  const all = [...groups.values()].sort((a, b) => b.total - a.total);
  const share = (part: number, of: number) => (of > 0 ? part / of : 0);
  const columns: [string, Made][] = [
    ["count", numbers(all.map(({ count }) => count))],
    ["total_ns", numbers(all.map(({ total }) => total))],
    ["max_ns", numbers(all.map(({ max }) => max))],
    ["latency_ns", numbers(all.map(({ latency }) => latency))],
    ["share", numbers(all.map(({ total }) => share(total, whole)))],
    ...PROVENANCES.map((sure): [string, Made] => [
      `${sure}_share`,
      numbers(all.map((group) => share(group.sure[sure] ?? 0, group.total))),
    ]),
  ];
  const rows = Int32Array.from(all, ({ row }) => row);
  return new MadeTable(name, all.length, new Map(columns), { table, rows });
}

/** The rows with a value in a column. */
export function withValue(table: Table, column: string): readonly number[] {
  return Array.from({ length: table.rows }, (_, row) => row).filter(
    (row) => !table.isNull(column, row),
  );
}
