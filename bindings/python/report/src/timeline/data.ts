// SPDX-License-Identifier: Apache-2.0
// All that a timeline draws, whether it came with a page or from a notebook's kernel.
import type { Pack, Table } from "../data/pack";
import type { Thread, ThreadIndex } from "../data/run";
import type { Stacks } from "../data/stacks";
import { IDLE, RUNNING, STATE_COUNT } from "../states";
import { Arrows } from "./arrows";
import { Chains } from "./chains";
import { Lanes, type Level, sumsOf } from "./lanes";
import { Locks } from "./locks";
import { Path } from "./path";
import { poolsOf } from "./pools";

/** A thread that is idle for this part of its life is in the folded group. */
const MOST = 0.95;

export interface Stretch {
  start: number;
  end: number;
}

/** Finer rows of a window, for the lanes that were asked about. */
export interface Detail {
  lanes: Lanes;
  asked: ReadonlySet<number>;
  from: number;
  to: number;
}

export interface Source {
  threads: Thread[];
  index: ThreadIndex;
  stacks: Stacks;
  /** The name of this run, where a page has several. */
  name?: string;
  /** Ask for more detail of some lanes; undefined if there is no server. */
  more?: (from: number, to: number, lanes: number[]) => Promise<Detail>;
}

export class TimelineData {
  readonly lanes: Lanes;
  readonly arrows: Arrows;
  readonly path: Path;
  readonly chains: Chains;
  readonly locks: Locks;
  /** Length of the drawing: of two runs on one scale, that of the longer one. */
  readonly length: number;
  /** Length of the run. */
  readonly own: number;
  /** The run has no length, as a thread dump: each lane shows only its state. */
  readonly isInstant: boolean;
  /** Stretches in which the garbage collector stopped all threads. */
  readonly pauses: readonly Stretch[];
  /** Lanes of threads that were idle all the time or have no events. */
  readonly idle: ReadonlySet<number>;
  /** The pool or thread group of each lane. */
  readonly pools: readonly string[];
  /** Time of all threads in each state. */
  readonly sums = new Float64Array(STATE_COUNT);
  /** Intervals shorter than this were merged; 0: none was. */
  readonly tile: number;

  constructor(
    readonly pack: Pack,
    readonly source: Source,
    /** Draw at least this time, the length of another run on the same scale. */
    least = 1,
  ) {
    this.isInstant = pack.value<number>("length_ns") === 0;
    this.own = Math.max(pack.value<number>("length_ns"), 1);
    this.length = Math.max(this.own, least);
    this.tile = pack.value<number>("tile_ns");
    const { index, threads } = source;
    this.lanes = new Lanes(pack.table("tiles"), index, threads.length, this.tile, this.length);
    if (this.isInstant) this.lanes.stretch(this.length);
    this.arrows = new Arrows(pack.table("interactions"), index);
    this.path = new Path(pack.table("critical_path"), index);
    this.chains = new Chains(pack.table("chains"), index);
    const pauses = pack.table("pauses");
    this.pauses = Array.from({ length: pauses.rows }, (_, row) => ({
      start: pauses.numbers("start_ns")[row]!,
      end: pauses.numbers("end_ns")[row]!,
    }));
    this.idle = this.idleLanes();
    this.pools = poolsOf(threads, this.lanes);
    this.locks = new Locks(pack, this.lanes, threads, index, this.length);
  }

  private idleLanes(): Set<number> {
    const found = new Set<number>();
    const { finest } = this.lanes;
    for (const { index, daemon } of this.threads) {
      const times = sumsOf(finest, index);
      times.forEach((time, state) => {
        this.sums[state]! += time;
      });
      const lived = times.reduce((sum, time) => sum + time, 0);
      const [first, last] = [finest.first[index]!, finest.first[index + 1]!];
      // A daemon that existed all the time without an event.
      const isSilent =
        daemon &&
        last === first + 1 &&
        finest.count[first] === 1 &&
        finest.state[first] === RUNNING &&
        lived >= MOST * this.own;
      if (lived > 0 && (isSilent || times[IDLE]! >= MOST * lived)) found.add(index);
    }
    return this.isInstant || found.size === this.threads.length ? new Set() : found;
  }

  /** The id of an element of this timeline. */
  label(text: string): string {
    return this.source.name ? `${text}, ${this.source.name}` : text;
  }

  get threads(): readonly Thread[] {
    return this.source.threads;
  }

  /** How many intervals the run has, merged ones counted one by one. */
  get intervals(): number {
    return this.lanes.finest.count.reduce((sum, count) => sum + count, 0);
  }
}

/** One row of the timeline that the reader looks at. */
export interface Picked {
  lane: number;
  table: Table;
  level: Level;
  row: number;
}
