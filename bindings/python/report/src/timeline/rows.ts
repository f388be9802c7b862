// SPDX-License-Identifier: Apache-2.0
// The lanes that are shown, their order and place: those of locks, pools and endpoints,
// then those of threads, flat or under the headings of their pools and groups.
import type { Thread } from "../data/run";

export const LANE_HEIGHT = 24;
export const GROUP_HEIGHT = 26;
export const LOCK_HEIGHT = 40;

/** The last group: threads that are not worth a lane. */
export const IDLE_GROUP = "idle or silent";
/** Lanes of locks, pools and endpoints with nothing in the part that is shown. */
export const EMPTY_GROUP = "nothing here";

export type Row =
  | { kind: "lock"; lock: number; top: number }
  | { kind: "lane"; lane: number; top: number }
  | {
      kind: "group";
      name: string;
      /** Indexes of threads, or of locks, which have no sum. */
      members: number[];
      of: "thread" | "lane";
      folded: boolean;
      top: number;
    };

export class Rows {
  readonly rows: Row[] = [];
  readonly height: number;
  private readonly byLane = new Map<number, Row>();
  private readonly byLock = new Map<number, Row>();

  constructor(
    threads: readonly Thread[],
    shown: ReadonlySet<number> | null,
    grouped: boolean,
    folded: ReadonlySet<string>,
    /** Lanes of locks, pools and endpoints, and those of them that are empty. */
    locks: readonly number[],
    empty: ReadonlySet<number>,
    idle: ReadonlySet<number>,
    pools: readonly string[],
  ) {
    // An idle thread that the user chose stays among the lanes.
    const isApart = ({ index }: Thread) => !shown && idle.has(index);
    const apart = threads.filter(isApart);
    const lanes = threads.filter(
      (thread) => (!shown || shown.has(thread.index)) && !isApart(thread),
    );
    let top = 0;
    const addLock = (lock: number) => {
      const row: Row = { kind: "lock", lock, top };
      this.rows.push(row);
      this.byLock.set(lock, row);
      top += LOCK_HEIGHT;
    };
    const addLane = (lane: number) => {
      const row: Row = { kind: "lane", lane, top };
      this.rows.push(row);
      this.byLane.set(lane, row);
      top += LANE_HEIGHT;
    };
    const addHeading = (name: string, members: number[], of: "thread" | "lane") => {
      const isFolded = folded.has(name);
      this.rows.push({ kind: "group", name, members, of, folded: isFolded, top });
      top += GROUP_HEIGHT;
      if (!isFolded) members.forEach(of === "thread" ? addLane : addLock);
    };
    const addGroup = (name: string, members: readonly Thread[]) =>
      addHeading(
        name,
        members.map(({ index }) => index),
        "thread",
      );
    locks.filter((lock) => !empty.has(lock)).forEach(addLock);
    const blank = locks.filter((lock) => empty.has(lock));
    if (blank.length) addHeading(EMPTY_GROUP, blank, "lane");
    if (!grouped) {
      for (const { index } of lanes) addLane(index);
    } else {
      const groups = [...Map.groupBy(lanes, ({ index }) => pools[index]!)];
      groups.sort((a, b) => queued(b[1]) - queued(a[1]));
      for (const [name, members] of groups) addGroup(name, members);
    }
    if (apart.length) addGroup(IDLE_GROUP, apart);
    this.height = top;
  }

  /** The first row that reaches below a line. */
  firstAt(y: number): number {
    let low = 0;
    let high = this.rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.rows[middle]!.top <= y) low = middle + 1;
      else high = middle;
    }
    return Math.max(low - 1, 0);
  }

  at(y: number): Row | null {
    return y < 0 || y >= this.height ? null : (this.rows[this.firstAt(y)] ?? null);
  }

  has(lane: number): boolean {
    return this.byLane.has(lane);
  }

  topOf(lane: number): number | null {
    return this.byLane.get(lane)?.top ?? null;
  }

  topOfLock(lock: number): number | null {
    return this.byLock.get(lock)?.top ?? null;
  }

  /** The heading of a group; null: it has none. */
  groupOf(name: string): (Row & { kind: "group" }) | null {
    for (const row of this.rows) if (row.kind === "group" && row.name === name) return row;
    return null;
  }

  get lanes(): number[] {
    return this.rows.flatMap((row) => (row.kind === "lane" ? [row.lane] : []));
  }
}

/** Time for which threads queued for monitors: groups with more come first. */
function queued(threads: readonly Thread[]): number {
  return threads.reduce((sum, { total }) => sum + total["blocked"]! + total["reentering"]!, 0);
}
