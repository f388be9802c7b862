// SPDX-License-Identifier: Apache-2.0
// Locks: who had each when, and how many threads queued for it.
import type { Pack, Table } from "../data/pack";
import type { Thread, ThreadIndex } from "../data/run";
import { clean, duration, instant, MICROSECOND, number, place } from "../format";
import { isCertain } from "../provenance";
import { BY_NAME } from "../states";
import type { Lanes } from "./lanes";
import { firstAtOrAfter } from "./sorted";

export interface Hold {
  row: number;
  /** The owner's thread; -1: it is not among those of the timeline. */
  lane: number;
  /** One number an owner, from 0. */
  owner: number;
  label: string;
  start: number;
  /** Without a known release, where the next hold begins. */
  end: number;
  isEndKnown: boolean;
  /** Between these the owner is certain to have had it; none where that is no stretch. */
  certainFrom: number;
  certainTo: number;
  /** One of several at a time, which have a line of the bar each; -1: it has it whole. */
  line: number;
}

/** Threads in a queue: length[i] from time[i] on. */
export interface Queue {
  time: number[];
  length: number[];
  longest: number;
}

export interface Lock {
  name: string;
  holds: Hold[];
  lines: number;
  queue: Queue;
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

/** Lines of a bar; of more owners at a time the rest share the last. */
const LINES = 3;

export class Locks {
  readonly all: Lock[];
  /** Locks for which threads were blocked, and holds of those that are here. */
  readonly total: number;
  readonly holdTotal: number;
  readonly table: Table;

  constructor(
    pack: Pack,
    lanes: Lanes,
    private readonly threads: readonly Thread[],
    index: ThreadIndex,
    length: number,
  ) {
    const locks = pack.table("locks");
    this.table = pack.table("holds");
    this.total = pack.value<number>("locks_total") ?? 0;
    this.holdTotal = pack.value<number>("holds_total") ?? 0;
    const names = Array.from(
      { length: locks.rows },
      (_, row) => locks.text("object", row) ?? "",
    );
    const queues = queuesOf(names, lanes);
    this.all = names.map((name, at) => ({
      name: clean(name),
      holds: [],
      lines: 1,
      queue: queues[at]!,
      longestHold: 0,
    }));
    this.read(new Map(names.map((name, at) => [name, at])), index);
    for (const lock of this.all) finish(lock, length);
  }

  private read(lockOf: ReadonlyMap<string, number>, index: ThreadIndex): void {
    const { table } = this;
    const owners = new Map<bigint, number>();
    const lane = index.column(table, "thread_id");
    const certain = (column: string, row: number) => isCertain(table.text(column, row));
    for (let row = 0; row < table.rows; row++) {
      const lock = this.all[lockOf.get(table.text("object", row) ?? "") ?? -1];
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

  /** Of the holds on a line in a stretch of time the longest; -1: none is known. */
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

  /** In words: a lock at an instant, and who then had it. */
  describe({ lock, at }: HoldAt, time: number): [name: string, value: string][] {
    const { name, holds, queue } = this.all[lock]!;
    const hold = holds[at];
    const queued = queue.length[stepAt(queue, time)] ?? 0;
    const lines: [string, string][] = [["lock", name]];
    if (hold) lines.push(...this.describeHold(hold));
    else lines.push(["owner", "none, or not known"]);
    lines.push(["queue", `${number(queued)} at ${instant(time, MICROSECOND)}`]);
    return lines;
  }

  private describeHold({ row, label, start, end, isEndKnown }: Hold): [string, string][] {
    const { table } = this;
    const by = (column: string) => table.text(column, row) ?? "unknown";
    const is = (column: string) => table.numbers(column)[row] === 1;
    const lines: [string, string][] = [
      ["owner", label],
      ["from", `${instant(start, MICROSECOND)}, ${by("start_provenance")}`],
      [
        "to",
        isEndKnown
          ? `${instant(end, MICROSECOND)}, ${by("end_provenance")}`
          : "not known, or still held",
      ],
    ];
    if (isEndKnown) lines.push(["for", duration(end - start)]);
    if (table.text("method", row) !== null)
      lines.push(["acquired in", place(table.text("method", row), table.number("line", row))]);
    if (is("shared")) lines.push(["shared", "one of several owners"]);
    if (is("contested")) lines.push(["note", "the recording contradicts itself about the end"]);
    return lines;
  }
}

/** How many threads queued for each lock when, by the intervals that are here one by one. */
function queuesOf(names: readonly string[], { table, finest }: Lanes): Queue[] {
  const lockOf = table.categories("object").map((name) => names.indexOf(name));
  const codes = table.codes("object");
  const changes = names.map((): [time: number, by: number][] => []);
  for (let row = 0; row < finest.start.length; row++) {
    const of = changes[lockOf[codes[row]!] ?? -1];
    if (!of || finest.count[row] !== 1 || !QUEUED.has(finest.state[row])) continue;
    of.push([finest.start[row]!, 1], [finest.end[row]!, -1]);
  }
  return changes.map((all) => {
    const queue: Queue = { time: [], length: [], longest: 0 };
    let now = 0;
    all.sort((a, b) => a[0] - b[0]);
    all.forEach(([time, by], at) => {
      now += by;
      if (all[at + 1]?.[0] === time) return;
      queue.time.push(time);
      queue.length.push(now);
      queue.longest = Math.max(queue.longest, now);
    });
    return queue;
  });
}

/** Let holds whose end is not known last to the next one, and lay out shared ones. */
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

/** The last step of a queue that is not after an instant; -1: none. */
export function stepAt({ time }: Queue, instant: number): number {
  const at = firstAtOrAfter(time, instant, (value) => value);
  return time[at] === instant ? at : at - 1;
}
