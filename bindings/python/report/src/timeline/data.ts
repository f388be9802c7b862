// SPDX-License-Identifier: Apache-2.0
// All that a timeline draws, whether it came with a page or from a notebook's kernel.
import type { Pack, Table } from "../data/pack";
import type { Thread, ThreadIndex } from "../data/run";
import type { Stacks } from "../data/stacks";
import { Arrows } from "./arrows";
import { Lanes, type Level } from "./lanes";
import { Locks } from "./locks";
import { Path } from "./path";

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
  /** Ask for more detail of some lanes; not there where there is nobody to ask. */
  more?: (from: number, to: number, lanes: number[]) => Promise<Detail>;
}

export class TimelineData {
  readonly lanes: Lanes;
  readonly arrows: Arrows;
  readonly path: Path;
  readonly locks: Locks;
  readonly length: number;
  /** The run has no length, as a thread dump has none: of each lane its state is shown. */
  readonly isInstant: boolean;
  /** Intervals shorter than this were merged; 0: none was. */
  readonly tile: number;

  constructor(
    readonly pack: Pack,
    readonly source: Source,
  ) {
    this.isInstant = pack.value<number>("length_ns") === 0;
    this.length = Math.max(pack.value<number>("length_ns"), 1);
    this.tile = pack.value<number>("tile_ns");
    const { index, threads } = source;
    this.lanes = new Lanes(pack.table("tiles"), index, threads.length, this.tile, this.length);
    if (this.isInstant) this.lanes.stretch(this.length);
    this.arrows = new Arrows(pack.table("interactions"), index);
    this.path = new Path(pack.table("critical_path"), index);
    this.locks = new Locks(pack, this.lanes, threads, index, this.length);
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
