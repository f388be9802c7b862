// SPDX-License-Identifier: Apache-2.0
// The time above the lanes, and how much room it and their names take.
import { duration, instant } from "../format";
import type { Stretch } from "./data";
import { niceStep } from "./drawing";

export const GUTTER = 190;
export const AXIS = 26;

export function drawAxis(
  context: CanvasRenderingContext2D,
  { from, to }: { from: number; to: number },
  width: number,
  colours: Record<"line" | "muted" | "surface", string>,
  isInstant: boolean,
): void {
  const plot = Math.max(width - GUTTER, 1);
  context.fillStyle = colours.surface;
  context.fillRect(0, 0, width, AXIS);
  context.fillStyle = colours.line;
  context.fillRect(0, AXIS - 1, width, 1);
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  context.textAlign = "center";
  const step = niceStep((to - from) / Math.max(plot / 110, 1));
  for (let tick = Math.ceil(from / step) * step; tick <= to; tick += step) {
    const x = GUTTER + ((tick - from) / (to - from)) * plot;
    context.fillStyle = colours.line;
    context.fillRect(x, AXIS - 6, 1, 6);
    if (x < GUTTER + 30 || x > width - 30) continue;
    context.fillStyle = colours.muted;
    context.fillText(instant(tick, step), x, AXIS / 2 - 1);
  }
  context.textAlign = "left";
  context.fillStyle = colours.muted;
  context.fillText(isInstant ? "one instant" : `${duration(to - from)} shown`, 12, AXIS / 2);
}

/** Bands over all lanes in which the collector stopped every thread. */
export function drawPauses(
  context: CanvasRenderingContext2D,
  pauses: readonly Stretch[],
  x: (time: number) => number,
  width: number,
  height: number,
): void {
  context.fillStyle = "rgb(190 40 90 / 30%)";
  let drawn = -1;
  for (const { start, end } of pauses) {
    const x1 = Math.max(x(start), GUTTER);
    const x2 = Math.min(Math.max(x(end), x1 + 1), width);
    // If many fall into one pixel, one is drawn.
    if (x2 <= Math.max(x1, drawn)) continue;
    context.fillRect(Math.max(x1, drawn), AXIS, x2 - Math.max(x1, drawn), height - AXIS);
    drawn = x2;
  }
}
