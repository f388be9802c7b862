// SPDX-License-Identifier: Apache-2.0
// The lane of a lock: bars in the colour of the owner, and below them its queue in steps.
// That of a pool has steps of its uses above, that of an endpoint steps of its calls alone.
// Where an owner is certain to have had the lock a bar is full, where that is estimated
// it is light, and where nothing shows the end it is a dashed outline.
import { short } from "../format";
import { BY_NAME, colour } from "../states";
import { GUTTER } from "./axis";
import { fit, readable } from "./drawing";
import type { Hold, KindOfLane, Lock } from "./locks";
import { LOCK_HEIGHT } from "./rows";
import { firstAtOrAfter } from "./sorted";
import { type Steps, stepAt } from "./steps";

const BAR_TOP = 3;
const BAR = 18;
const QUEUE = 14;
const ESTIMATED = 0.35;
/** The least width of a bar with its owner's name. */
const NAMED = 34;

/** Colours of owners. With more owners they repeat, and names distinguish them. */
const COLOURS = [
  "#6a6fd0",
  "#44aa99",
  "#ddcc77",
  "#cc6677",
  "#88ccee",
  "#a8326b",
  "#2c9a4b",
  "#bb66bb",
  "#b07d4f",
  "#a5a53a",
  "#7a8794",
  "#d0743c",
];

/** The colour of uses of a pool and of calls to an endpoint. */
const AT_ONCE: Record<KindOfLane, string> = {
  lock: COLOURS[0]!,
  pool: "#117a8b",
  endpoint: "#7a4fa3",
};

export function ownerColour({ owner }: Hold): string {
  return COLOURS[owner % COLOURS.length]!;
}

interface Placing {
  x: (time: number) => number;
  top: number;
  left: number;
  right: number;
  from: number;
  to: number;
  /** The chosen hold; -1: none. */
  chosen: number;
  ink: string;
}

export function drawLockName(
  context: CanvasRenderingContext2D,
  lock: Lock,
  top: number,
  width: number,
  colours: Record<"text" | "muted" | "line", string>,
): void {
  context.font = "600 12px system-ui, sans-serif";
  context.fillStyle = colours.text;
  context.fillText(fit(context, short(lock.name), GUTTER - 20), 12, top + 13);
  context.font = "11px system-ui, sans-serif";
  context.fillStyle = colours.muted;
  context.fillText(fit(context, `${mostOf(lock)} at most`, GUTTER - 20), 12, top + 29);
  context.fillStyle = colours.line;
  context.fillRect(0, top + LOCK_HEIGHT - 1, width, 1);
}

function mostOf({ kind, queue, atOnce }: Lock): string {
  if (kind === "lock") return `queue: ${queue.highest}`;
  if (kind === "endpoint") return `calls: ${atOnce!.highest}`;
  return `in use: ${atOnce!.highest}, queue: ${queue.highest}`;
}

/** The line of the bar that a place in a lane belongs to. */
export function lineAt({ lines }: Lock, y: number): number {
  return Math.min(Math.max(Math.floor(((y - BAR_TOP) / BAR) * lines), 0), lines - 1);
}

export function drawLock(
  context: CanvasRenderingContext2D,
  lock: Lock,
  placing: Placing,
): void {
  const { top, from, to } = placing;
  const bottom = top + LOCK_HEIGHT - 3;
  drawSteps(context, lock.queue, colour(BY_NAME.get("blocked")!), bottom, QUEUE, placing);
  if (lock.atOnce) {
    const height = lock.kind === "pool" ? BAR : LOCK_HEIGHT - 2 * BAR_TOP;
    const fill = AT_ONCE[lock.kind];
    drawSteps(context, lock.atOnce, fill, top + BAR_TOP + height, height, placing);
    drawChosen(context, lock, placing);
    return;
  }
  const drawn: Record<number, number> = {};
  let at = firstAtOrAfter(lock.holds, from - lock.longestHold, ({ start }) => start);
  for (; at < lock.holds.length && lock.holds[at]!.start <= to; at++) {
    const hold = lock.holds[at]!;
    const x2 = Math.min(placing.x(hold.end), placing.right);
    // If many fall into one pixel, one is drawn.
    if (hold.end < from || x2 - (drawn[hold.line] ?? -Infinity) < 0.5) continue;
    drawn[hold.line] = x2;
    drawHold(context, lock, hold, placing, at === placing.chosen);
  }
}

function drawHold(
  context: CanvasRenderingContext2D,
  { lines }: Lock,
  hold: Hold,
  placing: Placing,
  isChosen: boolean,
): void {
  const { x, left, right } = placing;
  const height = hold.line < 0 ? BAR : BAR / lines;
  const y = placing.top + BAR_TOP + Math.max(hold.line, 0) * height;
  const within = (time: number) => Math.min(Math.max(x(time), left - 2), right + 2);
  const [x1, x2] = [within(hold.start), within(hold.end)];
  const width = Math.max(x2 - x1, 1);
  const hex = ownerColour(hold);
  context.fillStyle = hex;
  context.strokeStyle = hex;
  context.lineWidth = 1;
  if (hold.isEndKnown) {
    context.globalAlpha = ESTIMATED;
    context.fillRect(x1, y, width, height);
    context.globalAlpha = 1;
  } else if (width > 4) {
    context.setLineDash([4, 3]);
    context.strokeRect(x1 + 0.5, y + 0.5, width - 1, height - 1);
    context.setLineDash([]);
  }
  if (hold.certainTo > hold.certainFrom) {
    const begin = within(hold.certainFrom);
    context.fillRect(begin, y, Math.max(within(hold.certainTo) - begin, 1), height);
  }
  if (width >= NAMED && height > 12) {
    const words = fit(context, hold.label, width - 12);
    const size = context.measureText(words).width;
    context.fillRect(x1 + 3, y + 2, size + 6, height - 4);
    context.fillStyle = readable(hex);
    context.fillText(words, x1 + 6, y + height / 2 + 0.5);
  }
  if (!isChosen) return;
  context.strokeStyle = placing.ink;
  context.lineWidth = 2;
  context.strokeRect(x1 - 1, y - 1, width + 2, height + 2);
}

/** The start and the end of the chosen use or call. */
function drawChosen(context: CanvasRenderingContext2D, lock: Lock, placing: Placing): void {
  const hold = lock.holds[placing.chosen];
  if (!hold) return;
  const within = (time: number) =>
    Math.min(Math.max(placing.x(time), placing.left - 2), placing.right + 2);
  const [x1, x2] = [within(hold.start), within(hold.end)];
  context.strokeStyle = placing.ink;
  context.lineWidth = 2;
  context.strokeRect(x1 - 1, placing.top + 2, Math.max(x2 - x1, 1) + 2, LOCK_HEIGHT - 5);
}

/** The height of a step, relative to the highest one. */
function drawSteps(
  context: CanvasRenderingContext2D,
  steps: Steps,
  fill: string,
  bottom: number,
  room: number,
  { x, left, right, from, to }: Placing,
): void {
  context.fillStyle = fill;
  let drawn = -Infinity;
  let highest = 0;
  for (let at = Math.max(stepAt(steps, from), 0); at < steps.time.length; at++) {
    if (steps.time[at]! >= to) break;
    const value = steps.value[at]!;
    const x1 = Math.max(x(steps.time[at]!), left);
    const x2 = Math.min(Math.max(x(steps.time[at + 1] ?? to), x1 + 1), right);
    // If several steps fall into one pixel, the highest is drawn.
    if (!value || (x2 - drawn < 0.5 && value <= highest)) continue;
    const height = Math.max((value / steps.highest) * room, 2);
    context.fillRect(x1, bottom - height, x2 - x1, height);
    drawn = x2;
    highest = value;
  }
}
