// SPDX-License-Identifier: Apache-2.0
// The lane of a group: of its threads, how many were in which state at each pixel.
import { NO_STATE, STATE_COUNT } from "../states";
import { type Lanes, type Level, lastStarted } from "./lanes";
import type { Paint } from "./paint";
import type { Frame } from "./raster";

/** Of larger groups coarser rows are summed: the frame takes as long. */
const FINE = 32;

/** Time in each state by pixel; kept, for most frames sum the same. */
interface Sums {
  from: number;
  nsPerPixel: number;
  width: number;
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
  const { times } = sumsFor(frame, lanes, members);
  const shift = Math.floor(from / nsPerPixel) % 60;
  const all = members.length * nsPerPixel;
  const strip = new Uint32Array(width * height);
  for (let x = 0; x < width; x++) {
    const shares = times.subarray(x * STATE_COUNT, (x + 1) * STATE_COUNT);
    paint.mixture(strip, width, x, 0, height, shares, all, x + shift, false);
  }
  pixels.set(strip.subarray((first - top) * width, (last - top) * width), first * width);
}

function sumsFor(frame: Frame, lanes: Lanes, members: readonly number[]): Sums {
  const { from, nsPerPixel, width } = frame;
  const known = kept.get(members);
  if (known?.from === from && known.nsPerPixel === nsPerPixel && known.width === width)
    return known;
  const level = lanes.levelFor(nsPerPixel * Math.max(members.length / FINE, 1));
  const times = new Float64Array(width * STATE_COUNT);
  for (const lane of members) addLane(times, frame, level, lane);
  const sums = { from, nsPerPixel, width, times };
  kept.set(members, sums);
  return sums;
}

function addLane(times: Float64Array, frame: Frame, level: Level, lane: number): void {
  const { from, nsPerPixel, width } = frame;
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
