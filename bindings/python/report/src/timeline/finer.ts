// SPDX-License-Identifier: Apache-2.0
// Rows that are finer than those of the whole run, for the part that is shown: asked of
// the server of the page, a moment after the view has come to rest.
import type { Detail, Picked } from "./data";
import type { Lanes } from "./lanes";
import type { TimelineState } from "./state";

export class FinerRows {
  private detail: Detail | null = null;
  private asked = 0;

  constructor(
    private readonly state: TimelineState,
    private readonly redraw: () => void,
  ) {}

  /** The finer rows that were received; undefined before any. */
  get lanes(): Lanes | undefined {
    return this.detail?.lanes;
  }

  /** Whether an interval continues beyond the finer rows. */
  cuts({ level, row }: Picked): boolean {
    const { from, to } = this.detail!;
    return level.start[row]! <= from + 1 || level.end[row]! >= to - 1;
  }

  /** The rows in which a lane is drawn from one time to another. */
  lanesFor(lane: number, from: number, to: number, nsPerPixel: number): Lanes {
    const { detail } = this;
    const { lanes, tile } = this.state.data;
    const covers = detail && detail.from <= from && detail.to >= to && detail.asked.has(lane);
    return covers && nsPerPixel < tile ? detail.lanes : lanes;
  }

  /** Ask for finer rows if the pixels are finer than the present ones. */
  ask(lanes: readonly number[], nsPerPixel: number): void {
    const { data } = this.state;
    const { more } = data.source;
    const { from, to } = this.state.window.peek();
    if (!more || nsPerPixel >= data.tile) return;
    const { detail } = this;
    const covers = detail && detail.from <= from && detail.to >= to;
    // A shorter part of the run may have finer rows.
    const finest =
      detail && (detail.lanes.tile <= nsPerPixel || detail.to - detail.from < 3 * (to - from));
    if (covers && finest && lanes.every((lane) => detail.asked.has(lane))) return;
    const mine = ++this.asked;
    setTimeout(() => {
      if (mine !== this.asked) return;
      const room = (to - from) / 2;
      more(Math.max(from - room, 0), Math.min(to + room, data.length), [...lanes]).then(
        (detail) => {
          if (mine !== this.asked) return;
          this.detail = detail;
          this.state.failed.value = "";
          this.redraw();
        },
        (failure: Error) => {
          this.state.failed.value = `More detail is not available: ${failure.message}`;
        },
      );
    }, 120);
  }
}
