// SPDX-License-Identifier: Apache-2.0
// Painting lanes. Each pixel shows how its time was spent: one state with its texture, or
// shares one above the other where several fall into it. What is painted is therefore
// true to time at every zoom, however many intervals there are.
import { NO_STATE, STATE_COUNT } from "../states";
import { addTimes, type Level, lastStarted } from "./lanes";
import type { Paint } from "./paint";

export interface Frame {
  pixels: Uint32Array;
  width: number;
  height: number;
  /** The instant at the left edge, and the time of a pixel. */
  from: number;
  nsPerPixel: number;
}

export interface Bright {
  /** Whether a row of the finest level is emphasized. */
  has: (source: number) => boolean;
  paint: Paint;
}

const shares = new Float64Array(STATE_COUNT);

/** Paint one lane between two lines of pixels. */
export function paintLane(
  frame: Frame,
  level: Level,
  lane: number,
  top: number,
  height: number,
  paint: Paint,
  bright: Bright | null,
): void {
  const { from, nsPerPixel, width } = frame;
  const to = from + width * nsPerPixel;
  const last = level.first[lane + 1]!;
  // Textures are fixed to time, so that they move with their intervals.
  const shift = Math.floor(from / nsPerPixel) % 60;
  let pending = -1;
  let pendingSum = 0;
  const flush = () => {
    if (pending >= 0 && pendingSum > 0)
      paint.mixture(
        frame.pixels,
        width,
        pending,
        top,
        height,
        shares,
        // A pixel that is partly outside the thread's life is filled only partly.
        Math.max(pendingSum, nsPerPixel * 0.999),
        pending + shift,
      );
    shares.fill(0);
    pending = -1;
    pendingSum = 0;
  };
  const add = (x: number, row: number, ns: number) => {
    if (x !== pending) {
      flush();
      pending = x;
    }
    const length = level.end[row]! - level.start[row]!;
    if (length > 0) addTimes(level, row, shares, ns / length);
    pendingSum += ns;
  };
  shares.fill(0);
  let row = Math.max(lastStarted(level, lane, from), level.first[lane]!);
  for (; row < last && level.start[row]! < to; row++) {
    const start = Math.max(level.start[row]!, from);
    const end = Math.min(level.end[row]!, to);
    if (end <= start) continue;
    const x0 = (start - from) / nsPerPixel;
    const x1 = (end - from) / nsPerPixel;
    const p0 = Math.floor(x0);
    const p1 = Math.min(Math.floor(x1), width - 1);
    if (p0 >= p1) {
      if (p0 < width) add(p0, row, end - start);
      continue;
    }
    let solid = p0;
    if (x0 > p0) {
      add(p0, row, (p0 + 1 - x0) * nsPerPixel);
      solid++;
    }
    if (solid < p1 || x1 >= width) {
      flush();
      const use = bright?.has(level.source[row]!) ? bright.paint : paint;
      paintSpan(frame, level, row, solid, x1 >= width ? width : p1, top, height, use, shift);
    }
    if (x1 > p1 && x1 < width) add(p1, row, (x1 - p1) * nsPerPixel);
  }
  flush();
}

const spanShares = new Float64Array(STATE_COUNT);

function paintSpan(
  frame: Frame,
  level: Level,
  row: number,
  x0: number,
  x1: number,
  top: number,
  height: number,
  paint: Paint,
  shift: number,
): void {
  const state = level.state[row]!;
  if (state !== NO_STATE) {
    for (let x = x0; x < x1; x++)
      paint.column(frame.pixels, frame.width, x, top, height, state, x + shift);
    return;
  }
  spanShares.fill(0);
  addTimes(level, row, spanShares, 1);
  const sum = level.end[row]! - level.start[row]!;
  for (let x = x0; x < x1; x++)
    paint.mixture(frame.pixels, frame.width, x, top, height, spanShares, sum, x + shift);
}

/** Paint a lane that lies only partly in the picture. */
export const paintCut: typeof paintLane = (frame, level, lane, top, height, paint, bright) => {
  const strip = { ...frame, pixels: new Uint32Array(frame.width * height), height };
  paintLane(strip, level, lane, 0, height, paint, bright);
  const skip = Math.max(-top, 0);
  const lines = Math.min(height, frame.height - top) - skip;
  if (lines <= 0) return;
  const from = skip * frame.width;
  frame.pixels.set(
    strip.pixels.subarray(from, from + lines * frame.width),
    (top + skip) * frame.width,
  );
};
