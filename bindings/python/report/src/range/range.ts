// SPDX-License-Identifier: Apache-2.0
// The run as it is in the part that the timeline shows: the tables that can be computed
// from the rows in the page are about that part; others remain those of the model.
import { someRows } from "../data/made";
import type { Pack, Table } from "../data/pack";
import { type Part, Run } from "../data/run";
import type { Lanes } from "../timeline/lanes";
import { type Block, blocksWithin, type Found } from "./blocks";
import { grouped, sharesWithin, withValue } from "./shares";
import { Cells, cellTables, flameTable, placeOf, threadTable } from "./statistics";

/** Compute the tables of a part from the rows of the timeline and of shares. */
export function within(run: Run, pack: Pack, lanes: Lanes, from: number, to: number): Run {
  const found = blocksWithin(lanes, from, to);
  const tables = new Map<string, Table>();
  const put = (table: Table) => tables.set(table.name, table);
  put(threadTable(found.blocks, run.table("threads")));
  put(flameTable(found.blocks, lanes.table));
  const hasShares = pack.has("shares");
  const locksNs = hasShares ? putShares(put, pack, from, to) : null;
  for (const table of statistics(run, pack, lanes, found, from, to)) put(table);
  put(deadlocksWithin(run.table("deadlocks"), from, to));
  const part: Part = {
    from,
    to,
    merged: found.merged,
    locksNs,
    waits: (className, method) => waitsOf(lanes.table, found.blocks, className, method),
  };
  return new Run(run.answers, { part, tables });
}

function statistics(
  run: Run,
  pack: Pack,
  lanes: Lanes,
  found: Found,
  from: number,
  to: number,
): Table[] {
  const cells = new Cells(lanes.table, run.byThread);
  cells.add(found.blocks);
  const hasShares = pack.has("shares");
  for (const name of hasShares ? ["shares", "use_shares"] : []) {
    const table = pack.table(name);
    const threads = run.index.column(table, "thread_id");
    for (const { row, ns } of sharesWithin(table, from, to))
      if (table.text("share", row) === "latency")
        cells.addLatency(
          threads[row]!,
          placeOf(table, row),
          table.text("state", row) ?? "",
          ns,
        );
  }
  return cellTables(cells, lanes.table, run.threads, run.byThread, hasShares);
}

/** Put tables of owners and users.
 * @returns the time for which threads were blocked by locks */
export function putShares(
  put: (table: Table) => void,
  pack: Pack,
  from: number,
  to: number,
): number {
  const owner = ["class", "owner_id", "owner_method", "owner_source", "owner_line"];
  const table = pack.table("shares");
  const shares = sharesWithin(table, from, to);
  put(grouped("blame", table, shares, owner));
  put(grouped("blockers", table, shares, ["thread_id", "owner_id"]));
  const uses = pack.table("use_shares");
  const users = grouped("users", uses, sharesWithin(uses, from, to), owner);
  put(someRows(users, withValue(users, "owner_id")));
  return shares.reduce((sum, { ns }) => sum + ns, 0);
}

function waitsOf(
  table: Table,
  blocks: readonly Block[],
  className: string | null,
  method: string | null,
): { count: number; ns: number } {
  const wanted = (of: string, text: string | null) => {
    const code = text === null ? null : table.categories(of).indexOf(text);
    const codes = table.codes(of);
    return (row: number) => code === null || (code >= 0 && codes[row] === code);
  };
  const isClass = wanted("class", className);
  const isMethod = wanted("method", method);
  const sum = { count: 0, ns: 0 };
  for (const { row, start, end } of blocks)
    if (isClass(row) && isMethod(row)) {
      sum.count++;
      sum.ns += end - start;
    }
  return sum;
}

/** Deadlocks that stood in the part. */
function deadlocksWithin(table: Table, from: number, to: number): Table {
  const rows = Array.from({ length: table.rows }, (_, row) => row).filter((row) => {
    const until = table.number("resolved_ns", row);
    return table.numbers("time_ns")[row]! < to && (until === null || until > from);
  });
  return someRows(table, rows);
}
