// SPDX-License-Identifier: Apache-2.0
// Statistics over any choice of threads and classes. The page holds what each thread did
// at each place: count, total, least and greatest time, and a histogram, of each kind of
// blocking interval. All of these merge without loss, so a sum over chosen threads is what the
// model itself would answer for them; percentiles come from the same buckets by the same
// rule.
import type { Table } from "../data/pack";
import type { Run } from "../data/run";
import { BLOCKING_STATES, type BlockingState, isIdleIn, isQueueing } from "../states";

export interface Figures {
  count: number;
  total: number;
  /** The part of the total in which workers waited for work. */
  idle: number;
  /** The part of the total in which the lock was free and the next owner was being woken. */
  latency: number;
  min: number | null;
  max: number | null;
  mean: number | null;
  p50: number | null;
  p90: number | null;
  p99: number | null;
}

export interface Group {
  key: string;
  className: string | null;
  method: string | null;
  source: string | null;
  line: number | null;
  /** Distinct objects; null: the report does not have them. */
  objects: number | null;
  threads: number | null;
  states: Record<BlockingState, Figures>;
  cells: number[];
  /** Its cells are those of all threads. */
  ofAll: boolean;
}

export interface Bucket {
  low: number;
  high: number;
  count: number;
}

/** Buckets of one kind of blocking interval. */
interface Buckets {
  low: Float64Array;
  high: Float64Array;
  count: Float64Array;
}

/** Those of cell c are [first[c], first[c + 1]). */
interface CellBuckets extends Buckets {
  first: Int32Array;
}

/** All threads in one; those of a place are the rows from, to. */
interface PlaceBuckets extends Buckets {
  places: Map<string, [number, number]>;
}

const PERCENTILES = [0.5, 0.9, 0.99] as const;

export class Cells {
  readonly table: Table;
  private readonly thread: Int32Array;
  private readonly buckets = new Map<BlockingState, CellBuckets | null>();
  private readonly placeBuckets = new Map<BlockingState, PlaceBuckets>();
  private readonly idle = new Map<BlockingState, Map<number, number>>();
  private readonly objectsOf: Map<string, Map<number, string[]>> | null;

  constructor(private readonly run: Run) {
    this.table = run.table("cells");
    this.thread = run.byThread
      ? run.index.column(this.table, "thread_id")
      : new Int32Array(this.table.rows).fill(-1);
    this.objectsOf = run.has("cell_objects") ? this.readObjects() : null;
  }

  get exactByThread(): boolean {
    return this.run.byThread;
  }

  /** Group cells by class, or by class and caller. */
  group(
    by: "class" | "caller",
    threads: ReadonlySet<number> | null,
    classes: ReadonlySet<string | null> | null,
  ): Group[] {
    const groups = new Map<string, Group>();
    for (let cell = 0; cell < this.table.rows; cell++) {
      if (threads && this.run.byThread && !threads.has(this.thread[cell]!)) continue;
      const className = this.table.text("class", cell);
      if (classes && !classes.has(className)) continue;
      const key = by === "class" ? (className ?? "") : placeKey(this.table, cell);
      let group = groups.get(key);
      if (!group) {
        group = this.emptyGroup(key, cell, by, threads === null);
        groups.set(key, group);
      }
      group.cells.push(cell);
    }
    for (const group of groups.values()) this.fill(group);
    return [...groups.values()];
  }

  /** The whole choice as one group. */
  total(
    threads: ReadonlySet<number> | null,
    classes: ReadonlySet<string | null> | null,
  ): Group {
    const all = this.emptyGroup("", -1, "class", threads === null);
    for (const group of this.group("class", threads, classes))
      for (const cell of group.cells) all.cells.push(cell);
    this.fill(all);
    return all;
  }

  /** Lengths of a group's blocking intervals of a state; null: not in the report. */
  histogram(group: Group, state: BlockingState): Bucket[] | null {
    if (!group.states[state].count) return [];
    const buckets = this.bucketsOf(state);
    const merged = new Map<number, Bucket>();
    const add = ({ low, high, count }: Buckets, from: number, to: number) => {
      for (let at = from; at < to; at++) {
        const bucket = merged.get(low[at]!);
        if (bucket) bucket.count += count[at]!;
        else merged.set(low[at]!, { low: low[at]!, high: high[at]!, count: count[at]! });
      }
    };
    if (buckets) {
      for (const cell of group.cells)
        add(buckets, buckets.first[cell]!, buckets.first[cell + 1]!);
    } else if (group.ofAll && this.run.has(`place_buckets_${state}`)) {
      const { places, ...all } = this.placeBucketsOf(state);
      for (const place of new Set(group.cells.map((cell) => placeKey(this.table, cell))))
        add(all, ...(places.get(place) ?? [0, 0]));
    } else {
      return null;
    }
    return [...merged.values()].sort((a, b) => a.low - b.low);
  }

  /** The threads of a group's blocking intervals. */
  threadsOf(group: Group): Set<number> {
    return new Set(group.cells.map((cell) => this.thread[cell]!).filter((t) => t >= 0));
  }

  /** The time for which a thread, by its index, waited for work in a state. */
  idleOf(thread: number, state: BlockingState): number {
    const sums = entry(this.idle, state, () => {
      const found = new Map<number, number>();
      const isIdle = this.table.numbers("idle");
      const totals = this.table.numbers(`${state}_total_ns`);
      this.thread.forEach((of, cell) => {
        if (isIdle[cell] && totals[cell]) found.set(of, (found.get(of) ?? 0) + totals[cell]!);
      });
      return found;
    });
    return sums.get(thread) ?? 0;
  }

  private emptyGroup(key: string, cell: number, by: "class" | "caller", ofAll: boolean): Group {
    const states = {} as Record<BlockingState, Figures>;
    for (const state of BLOCKING_STATES)
      states[state] = {
        count: 0,
        total: 0,
        idle: 0,
        latency: 0,
        min: null,
        max: null,
        mean: null,
        p50: null,
        p90: null,
        p99: null,
      };
    const at = by === "caller" && cell >= 0;
    return {
      key,
      className: cell < 0 ? null : this.table.text("class", cell),
      method: at ? this.table.text("method", cell) : null,
      source: at ? this.table.text("source", cell) : null,
      line: at ? this.table.number("line", cell) : null,
      objects: null,
      threads: null,
      states,
      cells: [],
      ofAll,
    };
  }

  private fill(group: Group): void {
    for (const state of BLOCKING_STATES) this.fillState(group, state);
    const { cells } = group;
    if (cells.length === 1) {
      group.objects = this.table.number("objects", cells[0]!);
      group.threads = this.table.number("threads", cells[0]!);
      return;
    }
    if (this.run.byThread) group.threads = this.threadsOf(group).size;
    if (!this.objectsOf) return;
    const objects = new Set<string>();
    for (const cell of cells)
      for (const object of this.objectsOf
        .get(placeKey(this.table, cell))
        ?.get(this.thread[cell]!) ?? [])
        objects.add(object);
    group.objects = objects.size;
  }

  private fillState(group: Group, state: BlockingState): void {
    const figures = group.states[state];
    const counts = this.table.numbers(`${state}_count`);
    const totals = this.table.numbers(`${state}_total_ns`);
    const least = this.table.numbers(`${state}_min_ns`);
    const greatest = this.table.numbers(`${state}_max_ns`);
    const idle = isIdleIn(state) ? this.table.numbers("idle") : null;
    const latency = isQueueing(state) ? this.table.numbers(`${state}_latency_ns`) : null;
    for (const cell of group.cells) {
      if (!counts[cell]) continue;
      if (idle?.[cell]) figures.idle += totals[cell]!;
      figures.latency += latency?.[cell] ?? 0;
      figures.count += counts[cell]!;
      figures.total += totals[cell]!;
      figures.min = Math.min(figures.min ?? Infinity, least[cell]!);
      figures.max = Math.max(figures.max ?? 0, greatest[cell]!);
    }
    if (!figures.count) return;
    figures.mean = Math.floor((figures.total + Math.floor(figures.count / 2)) / figures.count);
    const buckets = this.histogram(group, state);
    if (!buckets) return;
    const [p50, p90, p99] = PERCENTILES.map((share) => quantile(buckets, figures, share));
    Object.assign(figures, { p50, p90, p99 });
  }

  /** The buckets of each cell lie one after the other, in the order of the cells, and
   * their counts add up to the cell's. */
  private bucketsOf(state: BlockingState): CellBuckets | null {
    return entry(this.buckets, state, () => {
      const name = `buckets_${state}`;
      if (!this.run.has(name)) return null;
      const found = readBuckets(this.run.table(name));
      const first = new Int32Array(this.table.rows + 1);
      let at = 0;
      this.table.numbers(`${state}_count`).forEach((wanted, cell) => {
        first[cell] = at;
        for (let seen = 0; seen < wanted && at < found.count.length; at++)
          seen += found.count[at]!;
      });
      first[this.table.rows] = at;
      return { ...found, first };
    });
  }

  private placeBucketsOf(state: BlockingState): PlaceBuckets {
    return entry(this.placeBuckets, state, () => {
      const table = this.run.table(`place_buckets_${state}`);
      const places = new Map<string, [number, number]>();
      for (let row = 0; row < table.rows; row++)
        entry(places, placeKey(table, row), () => [row, row])[1] = row + 1;
      return { ...readBuckets(table), places };
    });
  }

  private readObjects(): Map<string, Map<number, string[]>> {
    const table = this.run.table("cell_objects");
    const threads = this.run.byThread
      ? this.run.index.column(table, "thread_id")
      : new Int32Array(table.rows).fill(-1);
    const found = new Map<string, Map<number, string[]>>();
    for (let row = 0; row < table.rows; row++) {
      const object = table.text("object", row);
      if (object === null) continue;
      const byThread = entry(found, placeKey(table, row), () => new Map());
      entry(byThread, threads[row]!, () => []).push(object);
    }
    return found;
  }
}

function readBuckets(table: Table): Buckets {
  return {
    low: table.numbers("low_ns"),
    high: table.numbers("high_ns"),
    count: table.numbers("count"),
  };
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}

function placeKey(table: Table, row: number): string {
  const line = table.number("line", row) ?? "";
  const names = ["class", "method", "source"].map((name) => table.text(name, row) ?? "\0");
  return `${names.join("\u0001")}\u0001${line}`;
}

/** The value of a rank, from 1, by the rule of the library: the middle of its bucket,
 * within the least and the greatest value. */
export function quantile(
  buckets: readonly Bucket[],
  { count, min, max }: Pick<Figures, "count" | "min" | "max">,
  share: number,
): number | null {
  if (!count || min === null || max === null) return null;
  const exact = share * count - 1e-6;
  if (!(exact >= 1)) return min;
  if (exact >= count - 1) return max;
  const rank = Math.floor(exact) + 1;
  let seen = 0;
  for (const { low, high, count: some } of buckets) {
    seen += some;
    if (seen >= rank) return Math.min(Math.max(low + Math.floor((high - low) / 2), min), max);
  }
  return max;
}
