// SPDX-License-Identifier: Apache-2.0
// The choices of the user in a timeline. Each timeline has its own: a notebook may show
// several.
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { KINDS } from "./arrows";
import type { Picked, TimelineData } from "./data";
import { type HoldAt, KINDS_OF_LANES, type KindOfLane } from "./locks";
import { EMPTY_GROUP, IDLE_GROUP, Rows } from "./rows";

export interface Window {
  from: number;
  to: number;
}

/** If there are many threads, a pool of at least this size is one lane at first. */
const MANY = 48;
const LARGE = 8;
/** A window that has not moved for this time has come to rest. */
const REST_MS = 250;

export class TimelineState {
  readonly window = signal<Window>({ from: 0, to: 1 });
  readonly grouped = signal(true);
  readonly folded = signal<ReadonlySet<string>>(new Set([IDLE_GROUP, EMPTY_GROUP]));
  readonly kinds = signal<ReadonlySet<number>>(new Set(KINDS.map((_, kind) => kind)));
  /** Show arrows of all threads; else of the chosen one, or its interval. */
  readonly allArrows = signal(false);
  readonly path = signal(false);
  readonly step = signal<number | null>(null);
  readonly picked = signal<Picked | null>(null);
  readonly lane = signal<number | null>(null);
  /** The kinds of lanes besides threads that are shown. */
  readonly others = signal<ReadonlySet<KindOfLane>>(new Set());
  /** The choice in a lock's lane, while no thread's is chosen. */
  readonly hold = signal<HoldAt | null>(null);
  /** A folded group that is chosen, while no thread is. */
  readonly group = signal<string | null>(null);
  /** Increases when the chosen lane should be scrolled into sight. */
  readonly sought = signal(0);
  /** The text for screen readers. */
  readonly announced = signal("");
  /** Why less is shown than there should be. */
  readonly failed = signal("");
  /** Arrows in the window, and how many of them are drawn. */
  readonly arrowCount = signal({ drawn: 0, total: 0 });
  /** The window when it last came to rest: lanes do not come and go while it moves. */
  readonly rested = signal<Window>({ from: 0, to: 1 });
  readonly rows: ReadonlySignal<Rows>;

  constructor(
    readonly data: TimelineData,
    readonly shown: ReadonlySignal<ReadonlySet<number> | null>,
    readonly bright: ReadonlySignal<string | null>,
  ) {
    this.window.value = { from: 0, to: data.length };
    let timer = 0;
    this.window.subscribe((now) => {
      clearTimeout(timer);
      timer = setTimeout(() => (this.rested.value = now), REST_MS);
    });
    this.rested.value = this.window.peek();
    const locks = computed(() =>
      KINDS_OF_LANES.flatMap((kind) =>
        this.others.value.has(kind) ? data.locks.of(kind) : [],
      ),
    );
    const empty = computed(() => {
      const { from, to } = this.rested.value;
      return new Set(locks.value.filter((lock) => !data.locks.isSeen(lock, from, to)));
    });
    const pools = Map.groupBy(data.threads, ({ index }) => data.pools[index]!);
    this.grouped.value = pools.size > 1;
    if (pools.size > 1 && data.threads.length > MANY)
      this.folded.value = new Set([
        IDLE_GROUP,
        EMPTY_GROUP,
        ...[...pools].flatMap(([name, { length }]) => (length >= LARGE ? [name] : [])),
      ]);
    this.rows = computed(
      () =>
        new Rows(
          data.threads,
          this.shown.value,
          this.grouped.value,
          this.folded.value,
          locks.value,
          empty.value,
          data.idle,
          data.pools,
        ),
    );
    this.lane.subscribe((lane) => {
      if (lane === null) return;
      this.hold.value = null;
      this.group.value = null;
    });
    this.hold.subscribe((hold) => {
      if (hold !== null) this.group.value = null;
    });
  }

  /** Set the window, kept within the run and not below what can be distinguished. */
  look(from: number, to: number): void {
    const { length } = this.data;
    const size = Math.min(Math.max(to - from, Math.min(20, length)), length);
    const start = Math.min(Math.max(from + (to - from - size) / 2, 0), length - size);
    const now = this.window.peek();
    if (now.from === start && now.to === start + size) return;
    this.window.value = { from: start, to: start + size };
  }

  zoom(factor: number, around?: number): void {
    const { from, to } = this.window.peek();
    const centre = around ?? (from + to) / 2;
    this.look(centre - (centre - from) * factor, centre + (to - centre) * factor);
  }

  pan(share: number): void {
    const { from, to } = this.window.peek();
    const size = to - from;
    const start = Math.min(Math.max(from + size * share, 0), this.data.length - size);
    this.look(start, start + size);
  }

  /** Bring an instant into sight. */
  bring(time: number): void {
    const { from, to } = this.window.peek();
    const half = (to - from) / 2;
    if (time < from || time > to) this.look(time - half, time + half);
  }

  /** Show a stretch of time with some room on both sides. */
  frame(from: number, to: number): void {
    const room = Math.max((to - from) * 0.5, this.data.length * 1e-7, 10);
    this.look(from - room, to + room);
  }

  /** Choose a thread, and unfold the group that it may be in. */
  reveal(lane: number): void {
    const shown = this.shown.peek();
    if (!this.rows.peek().has(lane) && (!shown || shown.has(lane))) this.unfold(lane);
    this.lane.value = lane;
    this.sought.value++;
  }

  /** The group whose heading is above a lane. */
  groupOf(lane: number): string {
    const { idle, pools } = this.data;
    return !this.shown.peek() && idle.has(lane) ? IDLE_GROUP : pools[lane]!;
  }

  unfold(lane: number): void {
    const folded = new Set(this.folded.peek());
    if (folded.delete(this.groupOf(lane))) this.folded.value = folded;
  }

  /** Fold a group, or unfold it. */
  fold(name: string): void {
    const folded = new Set(this.folded.peek());
    if (!folded.delete(name)) folded.add(name);
    this.folded.value = folded;
  }

  goStep(step: number): void {
    const { path } = this.data;
    const at = Math.min(Math.max(step, 0), path.segments.length - 1);
    const segment = path.segments[at];
    if (!segment) return;
    this.path.value = true;
    this.step.value = at;
    this.reveal(segment.lane);
    this.frame(segment.start, segment.end);
    this.announced.value = path.say(at);
  }
}
