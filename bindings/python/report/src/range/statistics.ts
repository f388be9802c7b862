// SPDX-License-Identifier: Apache-2.0
// Statistics of a part of the run: the tables that the views of statistics, of stacks and
// of the overview read, from the blocking intervals in it.
import { codes, type Made, MadeTable, numbers } from "../data/made";
import type { Table } from "../data/pack";
import type { Thread } from "../data/run";
import { BLOCKING_STATES, isQueueing } from "../states";
import type { Block } from "./blocks";
import { boundsOf, Sums } from "./sums";

/** A thread at a place, or all threads there: statistics are sums of these. */
interface Cell {
  lane: number;
  /** A row of the timeline at its place. */
  row: number;
  idle: number;
  states: Map<string, Sums>;
  objects: Map<number, number>;
  lanes: Set<number>;
  latency: Map<string, number>;
}

/** Numbers for values, from 0 on, in order of their first occurrence. */
class Numbers<K> {
  private readonly known = new Map<K, number>();

  of(key: K): number {
    const found = this.known.get(key);
    if (found !== undefined) return found;
    this.known.set(key, this.known.size);
    return this.known.size - 1;
  }
}

const PLACE = ["class", "method", "source"] as const;

/** Cells of blocks, in order of their first occurrence. */
export class Cells {
  readonly all: Cell[] = [];
  private readonly sites = new Numbers<string>();
  private readonly siteOf = new Map<number, number>();
  private readonly byKey = new Map<number, Cell>();

  constructor(
    private readonly table: Table,
    private readonly byThread: boolean,
  ) {}

  add(blocks: readonly Block[]): void {
    const idle = this.table.numbers("idle");
    const objects = this.table.codes("object");
    for (const { lane, row, state, start, end } of blocks) {
      if (state === "sleeping") continue;
      const cell = this.at(lane, this.site(row), idle[row]!, row);
      const sums = cell.states.get(state) ?? new Sums();
      cell.states.set(state, sums);
      sums.add(end - start);
      cell.lanes.add(lane);
      if (objects[row]! >= 0) cell.objects.set(objects[row]!, row);
    }
  }

  /** Time for which the object of a wait had no owner, by the names of the place. */
  addLatency(lane: number, place: string, state: string, ns: number): void {
    const cell = this.byKey.get(this.key(lane, this.sites.of(place), 0));
    if (cell) cell.latency.set(state, (cell.latency.get(state) ?? 0) + ns);
  }

  private key(lane: number, site: number, idle: number): number {
    return ((this.byThread ? lane + 1 : 0) * 2 ** 28 + site) * 2 + idle;
  }

  private at(lane: number, site: number, idle: number, row: number): Cell {
    const key = this.key(lane, site, idle);
    let cell = this.byKey.get(key);
    if (!cell) {
      cell = {
        lane,
        row,
        idle,
        states: new Map(),
        objects: new Map(),
        lanes: new Set(),
        latency: new Map(),
      };
      this.byKey.set(key, cell);
      this.all.push(cell);
    }
    return cell;
  }

  /** Rows with the same names have one site, which is looked up by codes first. */
  private site(row: number): number {
    const [className, method, source] = PLACE.map((of) => this.table.codes(of)[row]! + 1);
    const line = this.table.isNull("line", row) ? -1 : this.table.numbers("line")[row]!;
    const short =
      className! < 2 ** 12 && method! < 2 ** 16 && source! < 2 ** 12 && line < 2 ** 12;
    const code = ((className! * 2 ** 16 + method!) * 2 ** 12 + source!) * 2 ** 13 + line + 1;
    const known = short ? this.siteOf.get(code) : undefined;
    if (known !== undefined) return known;
    const site = this.sites.of(placeOf(this.table, row));
    if (short) this.siteOf.set(code, site);
    return site;
  }
}

/** A place by its names. */
export function placeOf(table: Table, row: number): string {
  const line = table.number("line", row) ?? "";
  return `${PLACE.map((of) => table.text(of, row) ?? "\0").join("\u0001")}\u0001${line}`;
}

/** Columns that name the place of some rows of the timeline. */
function places(table: Table, rows: readonly number[]): [string, Made][] {
  const lines = rows.map((row) => table.number("line", row));
  return [
    ...PLACE.map((of): [string, Made] => {
      const all = table.codes(of);
      return [
        of,
        codes(
          rows.map((row) => all[row]!),
          table.categories(of),
        ),
      ];
    }),
    [
      "line",
      numbers(
        lines.map((line) => line ?? 0),
        Uint8Array.from(lines, (line) => (line === null ? 0 : 1)),
      ),
    ],
  ];
}

function ids(of: readonly bigint[]): Made {
  return { type: "uint64", values: BigUint64Array.from(of) };
}

/** The tables `cells`, `cell_objects` and those of buckets. */
export function cellTables(
  cells: Cells,
  table: Table,
  threads: readonly Thread[],
  byThread: boolean,
  hasLatency: boolean,
): Table[] {
  const { all } = cells;
  const named = (of: readonly { lane: number; row: number }[]): [string, Made][] => [
    ...(byThread
      ? [["thread_id", ids(of.map(({ lane }) => threads[lane]!.id))] as [string, Made]]
      : []),
    ...places(
      table,
      of.map(({ row }) => row),
    ),
  ];
  const columns = named(all);
  columns.push(
    ["idle", numbers(all.map(({ idle }) => idle))],
    ["objects", numbers(all.map(({ objects }) => objects.size))],
    ["threads", numbers(all.map(({ lanes }) => lanes.size))],
  );
  for (const state of BLOCKING_STATES) {
    const sums = all.map(({ states }) => states.get(state));
    const valid = Uint8Array.from(sums, (of) => (of ? 1 : 0));
    columns.push(
      [`${state}_count`, numbers(sums.map((of) => of?.count ?? 0))],
      [`${state}_total_ns`, numbers(sums.map((of) => of?.total ?? 0))],
      [
        `${state}_min_ns`,
        numbers(
          sums.map((of) => of?.min ?? 0),
          valid,
        ),
      ],
      [
        `${state}_max_ns`,
        numbers(
          sums.map((of) => of?.max ?? 0),
          valid,
        ),
      ],
    );
    if (hasLatency && isQueueing(state))
      columns.push([
        `${state}_latency_ns`,
        numbers(all.map(({ latency }) => latency.get(state) ?? 0)),
      ]);
  }
  const held = all.flatMap(({ lane, objects }) =>
    [...objects].map(([object, row]) => ({ lane, row, object })),
  );
  const objects = named(held);
  objects.push([
    "object",
    codes(
      held.map(({ object }) => object),
      table.categories("object"),
    ),
  ]);
  return [
    new MadeTable("cells", all.length, new Map(columns)),
    new MadeTable("cell_objects", held.length, new Map(objects)),
    ...BLOCKING_STATES.map((state) => bucketTable(all, state)),
  ];
}

/** Buckets of each cell, one after the other, in the order of the cells. */
function bucketTable(cells: readonly Cell[], state: string): Table {
  const found = cells.flatMap(({ states }) =>
    [...(states.get(state)?.buckets ?? [])]
      .sort((a, b) => a[0] - b[0])
      .map(([bucket, count]) => [...boundsOf(bucket), count] as const),
  );
  const columns = ["low_ns", "high_ns", "count"].map((name, at): [string, Made] => [
    name,
    numbers(found.map((row) => row[at]!)),
  ]);
  return new MadeTable(`buckets_${state}`, found.length, new Map(columns));
}

/** The table `threads`, with the counts and totals of these blocks. */
export function threadTable(blocks: readonly Block[], base: Table): Table {
  const made = new Map<string, Made>();
  for (const state of [...BLOCKING_STATES, "sleeping"]) {
    made.set(`${state}_count`, numbers(new Float64Array(base.rows)));
    made.set(`${state}_total_ns`, numbers(new Float64Array(base.rows)));
  }
  for (const { lane, state, start, end } of blocks) {
    const [count, total] = [`${state}_count`, `${state}_total_ns`].map(
      (name) => made.get(name)!.values as Float64Array,
    );
    count![lane]!++;
    total![lane]! += end - start;
  }
  const rows = Int32Array.from({ length: base.rows }, (_, row) => row);
  return new MadeTable("threads", base.rows, made, { table: base, rows });
}

/** The table `flame`: times by stack, those of idle workers apart. */
export function flameTable(blocks: readonly Block[], table: Table): Table {
  const idle = table.numbers("idle");
  const byStack = new Map<string, { row: number; totals: Map<string, number> }>();
  for (const { row, state, start, end } of blocks) {
    if (state === "sleeping") continue;
    const key = `${table.number("stack", row)} ${idle[row]}`;
    const found = byStack.get(key) ?? { row, totals: new Map<string, number>() };
    byStack.set(key, found);
    found.totals.set(state, (found.totals.get(state) ?? 0) + end - start);
  }
  const all = [...byStack.values()];
  const stacks = all.map(({ row }) => table.number("stack", row));
  const columns: [string, Made][] = [
    [
      "stack",
      numbers(
        stacks.map((stack) => stack ?? 0),
        Uint8Array.from(stacks, (stack) => (stack === null ? 0 : 1)),
      ),
    ],
    ["idle", numbers(all.map(({ row }) => idle[row]!))],
    ...BLOCKING_STATES.map((state): [string, Made] => [
      `${state}_total_ns`,
      numbers(all.map(({ totals }) => totals.get(state) ?? 0)),
    ]),
  ];
  return new MadeTable("flame", all.length, new Map(columns));
}
