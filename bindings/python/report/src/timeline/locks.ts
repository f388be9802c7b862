// SPDX-License-Identifier: Apache-2.0
// Locks, pools and endpoints: their owners or users over time, and the number of waiters.
import type { Pack, Table } from "../data/pack";
import type { Thread, ThreadIndex } from "../data/run";
import { clean, duration, instant, MICROSECOND, number, place } from "../format";
import { isCertain } from "../provenance";
import { BY_NAME } from "../states";
import type { Lanes } from "./lanes";
import { endpointLanes, poolLanes } from "./resources";
import { firstAtOrAfter } from "./sorted";
import { type Steps, stepAt, stepsOf } from "./steps";

/** The kinds of lanes above those of threads, in their order. */
export const KINDS_OF_LANES = ["lock", "pool", "endpoint"] as const;
export type KindOfLane = (typeof KINDS_OF_LANES)[number];

/** A hold of a lock, a use of a pool, or a call to an endpoint. */
export interface Hold {
  /** The row of its table. */
  row: number;
  /** The owner's thread; -1: it is not among those of the timeline. */
  lane: number;
  /** The number of the owner, from 0. */
  owner: number;
  label: string;
  start: number;
  /** Without a known release, where the next hold begins. */
  end: number;
  isEndKnown: boolean;
  /** The owner certainly held the lock between these; nowhere if the stretch is empty. */
  certainFrom: number;
  certainTo: number;
  /** One of several at a time, which have a line of the bar each; -1: it has it whole. */
  line: number;
}

export interface Lock {
  kind: KindOfLane;
  name: string;
  holds: Hold[];
  lines: number;
  /** The number of threads that waited for it; 0 for an endpoint. */
  queue: Steps;
  /** Concurrent uses of a pool or calls to an endpoint; null: a lock. */
  atOnce: Steps | null;
  longestHold: number;
}

/** A hold of a lock, by numbers. */
export interface HoldAt {
  lock: number;
  at: number;
}

const QUEUED = new Set(
  ["blocked", "reentering", "parked", "deadlocked"].map((name) => BY_NAME.get(name)),
);

/** Lines of a bar; with more concurrent owners, the rest share the last line. */
const LINES = 3;

/** The number of possible lanes, and of holds, uses or calls in the page. */
export interface Totals {
  lanes: number;
  holds: number;
}

export class Locks {
  readonly all: Lock[];
  readonly totals: Record<KindOfLane, Totals>;
  /** The table of the holds of a kind. */
  private readonly tables: Record<KindOfLane, Table>;

  constructor(
    pack: Pack,
    lanes: Lanes,
    private readonly threads: readonly Thread[],
    index: ThreadIndex,
    length: number,
  ) {
    const locks = pack.table("locks");
    this.tables = {
      lock: pack.table("holds"),
      pool: pack.table("uses"),
      endpoint: lanes.table,
    };
    const names = Array.from(
      { length: locks.rows },
      (_, row) => locks.text("object", row) ?? "",
    );
    const queues = queuesOf(names, lanes);
    const own = names.map(
      (name, at): Lock => ({
        kind: "lock",
        name: clean(name),
        holds: [],
        lines: 1,
        queue: queues[at]!,
        atOnce: null,
        longestHold: 0,
      }),
    );
    this.read(own, new Map(names.map((name, at) => [name, at])), index);
    const endpoints = endpointLanes(lanes, threads);
    this.all = [...own, ...poolLanes(pack, lanes, threads, index), ...endpoints.lanes];
    for (const lock of this.all) finish(lock, length);
    const total = (name: string) => pack.value<number>(name) ?? 0;
    this.totals = {
      lock: { lanes: total("locks_total"), holds: total("holds_total") },
      pool: { lanes: total("pools_total"), holds: total("uses_total") },
      endpoint: { lanes: endpoints.total, holds: 0 },
    };
  }

  /** The lanes of a kind, by their numbers. */
  of(kind: KindOfLane): number[] {
    return this.all.flatMap((lock, at) => (lock.kind === kind ? [at] : []));
  }

  /** The number of holds of a kind in the page. */
  here(kind: KindOfLane): number {
    return this.of(kind).reduce((sum, at) => sum + this.all[at]!.holds.length, 0);
  }

  /** Whether there is something to draw in a stretch of time. */
  isSeen(lock: number, from: number, to: number): boolean {
    const { holds, longestHold, queue } = this.all[lock]!;
    let at = firstAtOrAfter(holds, from - longestHold, ({ start }) => start);
    for (; at < holds.length && holds[at]!.start <= to; at++)
      if (holds[at]!.end >= from) return true;
    for (let step = Math.max(stepAt(queue, from), 0); step < queue.time.length; step++) {
      if (queue.time[step]! > to) break;
      if (queue.value[step]! > 0) return true;
    }
    return false;
  }

  private read(
    locks: readonly Lock[],
    lockOf: ReadonlyMap<string, number>,
    index: ThreadIndex,
  ): void {
    const table = this.tables.lock;
    const owners = new Map<bigint, number>();
    const lane = index.column(table, "thread_id");
    const certain = (column: string, row: number) => isCertain(table.text(column, row));
    for (let row = 0; row < table.rows; row++) {
      const lock = locks[lockOf.get(table.text("object", row) ?? "") ?? -1];
      if (!lock) continue;
      const id = table.id("thread_id", row) ?? 0n;
      if (!owners.has(id)) owners.set(id, owners.size);
      const start = table.number("start_ns", row) ?? 0;
      const end = table.number("end_ns", row);
      const isSure = certain("start_provenance", row);
      lock.holds.push({
        row,
        lane: lane[row]!,
        owner: owners.get(id)!,
        label:
          this.threads[lane[row]!]?.label ||
          clean(table.text("thread", row), 200) ||
          `thread ${id}`,
        start,
        end: end ?? Infinity,
        isEndKnown: end !== null,
        certainFrom: isSure ? (table.number("start_latest_ns", row) ?? start) : Infinity,
        certainTo:
          end !== null && certain("end_provenance", row)
            ? end
            : (table.number("end_earliest_ns", row) ?? -Infinity),
        line: table.numbers("shared")[row] === 1 ? 0 : -1,
      });
    }
  }

  /** The longest hold on a line in a stretch of time; -1: none. */
  holdAt(lock: Lock, from: number, to: number, line: number): number {
    let best = -1;
    let most = -1;
    let at = firstAtOrAfter(lock.holds, from - lock.longestHold, ({ start }) => start);
    for (; at < lock.holds.length && lock.holds[at]!.start <= to; at++) {
      const hold = lock.holds[at]!;
      if (hold.end < from || (hold.line >= 0 && hold.line !== line)) continue;
      const overlap = Math.min(hold.end, to) - Math.max(hold.start, from);
      if (overlap > most) [best, most] = [at, overlap];
    }
    return best;
  }

  /** Describe a lane at an instant, with its owners or users then. */
  describe({ lock, at }: HoldAt, time: number): [name: string, value: string][] {
    const it = this.all[lock]!;
    const { kind, name, holds, queue, atOnce } = it;
    const hold = holds[at];
    const when = instant(time, MICROSECOND);
    const value = (steps: Steps) =>
      `${number(steps.value[stepAt(steps, time)] ?? 0)} at ${when}`;
    const lines: [string, string][] = [[kind, name]];
    if (atOnce)
      lines.push([
        kind === "pool" ? "in use" : "calls",
        `${value(atOnce)}, ${number(atOnce.highest)} at most`,
      ]);
    if (hold) lines.push(...this.describeHold(it, hold));
    else lines.push([WHO[kind], "none, or not known"]);
    if (kind !== "endpoint") lines.push(["queue", value(queue)]);
    return lines;
  }

  private describeHold({ kind }: Lock, hold: Hold): [string, string][] {
    const { row, label, start, end, isEndKnown } = hold;
    const table = this.tables[kind];
    const by = (column: string) => {
      if (kind === "lock") return `, ${table.text(column, row) ?? "unknown"}`;
      return kind === "pool" ? ", inferred" : "";
    };
    const is = (column: string) => kind === "lock" && table.numbers(column)[row] === 1;
    const lines: [string, string][] = [
      [WHO[kind], label],
      ["from", instant(start, MICROSECOND) + by("start_provenance")],
      [
        "to",
        isEndKnown
          ? instant(end, MICROSECOND) + by("end_provenance")
          : "not known, or still held",
      ],
    ];
    if (isEndKnown) lines.push(["for", duration(end - start)]);
    if (kind !== "pool" && table.text("method", row) !== null)
      lines.push([
        kind === "lock" ? "acquired in" : "called from",
        place(table.text("method", row), table.number("line", row)),
      ]);
    if (is("shared")) lines.push(["shared", "one of several owners"]);
    if (is("contested")) lines.push(["note", "the recording contradicts itself about the end"]);
    return lines;
  }
}

/** The noun for a thread that owns or uses the object of a lane. */
const WHO: Record<KindOfLane, string> = { lock: "owner", pool: "user", endpoint: "caller" };

/** The number of threads that queued for each lock over time, by unmerged intervals. */
function queuesOf(names: readonly string[], { table, finest }: Lanes): Steps[] {
  const lockOf = table.categories("object").map((name) => names.indexOf(name));
  const codes = table.codes("object");
  const stretches = names.map((): [start: number, end: number][] => []);
  for (let row = 0; row < finest.start.length; row++) {
    const of = stretches[lockOf[codes[row]!] ?? -1];
    if (!of || finest.count[row] !== 1 || !QUEUED.has(finest.state[row])) continue;
    of.push([finest.start[row]!, finest.end[row]!]);
  }
  return stretches.map(stepsOf);
}

/** Extend holds without a known end to the next one, and lay out shared ones. */
function finish(lock: Lock, length: number): void {
  const free = new Array<number>(LINES).fill(-Infinity);
  lock.holds.forEach((hold, at) => {
    if (!hold.isEndKnown)
      hold.end =
        hold.line < 0 ? Math.max(lock.holds[at + 1]?.start ?? length, hold.start) : length;
    hold.certainTo = Math.min(hold.certainTo, hold.end);
    if (hold.line >= 0) {
      const line = free.findIndex((time) => time <= hold.start);
      hold.line = line < 0 ? LINES - 1 : line;
      free[hold.line] = Math.max(hold.end, free[hold.line]!);
      lock.lines = Math.max(lock.lines, hold.line + 1);
    }
    lock.longestHold = Math.max(lock.longestHold, hold.end - hold.start);
  });
}
