// SPDX-License-Identifier: Apache-2.0
// The lane of a group: the number of its threads in each state, by pixel.
import { NO_STATE, STATE_COUNT } from "../states";
import { type Lanes, type Level, lastStarted } from "./lanes";
import type { Paint } from "./paint";
import type { Frame } from "./raster";

/** For larger groups a cell is wider than a pixel, so that a frame takes no longer. */
const FINE = 64;
const WIDEST = 8;

/** Time in each state by cell, which is some pixels; kept, for most frames sum the same. */
interface Sums {
  from: number;
  nsPerPixel: number;
  width: number;
  step: number;
  times: Float64Array;
}

const kept = new WeakMap<readonly number[], Sums>();

export function paintSum(
  frame: Frame,
  lanes: Lanes,
  members: readonly number[],
  top: number,
  height: number,
  paint: Paint,
): void {
  const { pixels, width, from, nsPerPixel } = frame;
  const first = Math.max(top, 0);
  const last = Math.min(top + height, frame.height);
  if (last - first < 1) return;
  const { times, step } = sumsFor(frame, lanes, members);
  const shift = Math.floor(from / nsPerPixel) % 60;
  const all = members.length * nsPerPixel * step;
  const strip = new Uint32Array(width * height);
  for (let x = 0; x < width; x++) {
    const at = Math.floor(x / step) * STATE_COUNT;
    const shares = times.subarray(at, at + STATE_COUNT);
    paint.mixture(strip, width, x, 0, height, shares, all, x + shift, false);
  }
  pixels.set(strip.subarray((first - top) * width, (last - top) * width), first * width);
}

function sumsFor(frame: Frame, lanes: Lanes, members: readonly number[]): Sums {
  const { from, nsPerPixel, width } = frame;
  const known = kept.get(members);
  if (known?.from === from && known.nsPerPixel === nsPerPixel && known.width === width)
    return known;
  const step = Math.min(Math.ceil(members.length / FINE), WIDEST);
  const cells = { from, width: Math.ceil(width / step), nsPerPixel: nsPerPixel * step };
  const level = lanes.levelFor(cells.nsPerPixel);
  const times = new Float64Array(cells.width * STATE_COUNT);
  for (const lane of members) addLane(times, cells, level, lane);
  const sums = { from, nsPerPixel, width, step, times };
  kept.set(members, sums);
  return sums;
}

type Cells = Pick<Frame, "from" | "nsPerPixel" | "width">;

function addLane(times: Float64Array, cells: Cells, level: Level, lane: number): void {
  const { from, nsPerPixel, width } = cells;
  const to = from + width * nsPerPixel;
  const last = level.first[lane + 1]!;
  let row = Math.max(lastStarted(level, lane, from), level.first[lane]!);
  for (; row < last && level.start[row]! < to; row++) {
    const start = Math.max(level.start[row]!, from);
    const end = Math.min(level.end[row]!, to);
    const length = level.end[row]! - level.start[row]!;
    const begin = Math.floor((start - from) / nsPerPixel);
    for (let x = begin; x < width; x++) {
      const left = Math.max(start, from + x * nsPerPixel);
      const ns = Math.min(end, from + (x + 1) * nsPerPixel) - left;
      // At an edge of pixels the first one may be missed by a rounding error.
      if (ns <= 0 && x > begin) break;
      if (ns <= 0) continue;
      addShare(times, x * STATE_COUNT, level, row, ns / length);
    }
  }
}

/** Add a share of a row's time in each state. */
function addShare(
  times: Float64Array,
  to: number,
  level: Level,
  row: number,
  share: number,
): void {
  const state = level.state[row]!;
  if (state !== NO_STATE) {
    times[to + state]! += (level.end[row]! - level.start[row]!) * share;
    return;
  }
  const at = level.mix[row]! * STATE_COUNT;
  if (at < 0) return;
  for (let index = 0; index < STATE_COUNT; index++)
    times[to + index]! += level.times[at + index]! * share;
}
