// SPDX-License-Identifier: Apache-2.0
// Labels of intervals that are wide enough for one: the caller, then the state.
import { short } from "../format";
import { isDark, NO_STATE, STATES } from "../states";
import { GUTTER } from "./axis";
import { fit, fitMiddle, readable } from "./drawing";
import { type Lanes, type Level, lastStarted } from "./lanes";
import { GROUP_HEIGHT, type Row } from "./rows";

/** The least width of an interval with a label. */
const WORDS = 56;

export interface LabelPlace {
  lane: number;
  /** The middle line of the lane. */
  y: number;
  x: (time: number) => number;
  from: number;
  to: number;
  /** The right edge of the picture. */
  width: number;
}

/** The caller first: a class that many places wait for is less specific. */
function wordsOf({ table }: Lanes, source: number, state: string): string {
  const method = source < 0 ? null : table.text("method", source);
  if (method !== null) return `${short(method)} · ${state}`;
  const className = source < 0 ? null : table.text("class", source);
  return className === null ? state : `${state} · ${short(className)}`;
}

export function drawLabels(
  context: CanvasRenderingContext2D,
  lanes: Lanes,
  level: Level,
  place: LabelPlace,
): void {
  const { lane, y, x, from, to, width } = place;
  const dark = isDark();
  let at = Math.max(lastStarted(level, lane, from), level.first[lane]!);
  for (; at < level.first[lane + 1]! && level.start[at]! < to; at++) {
    const x1 = Math.max(x(level.start[at]!), GUTTER);
    const x2 = Math.min(x(level.end[at]!), width);
    const state = level.state[at]!;
    if (x2 - x1 < WORDS || state === NO_STATE) continue;
    const look = STATES[state]!;
    if (look.height < 0.55) continue;
    const said = wordsOf(lanes, level.source[at]!, look.label).slice(0, 200);
    const words = fit(context, said, x2 - x1 - 14);
    const size = context.measureText(words).width;
    context.fillStyle = dark ? look.dark : look.light;
    context.fillRect(x1 + 4, y - 7, size + 6, 14);
    context.fillStyle = readable(dark ? look.dark : look.light);
    context.fillText(words, x1 + 7, y + 0.5);
  }
}

export function drawGroupName(
  context: CanvasRenderingContext2D,
  { name, members, folded }: Row & { kind: "group" },
  y: number,
  colours: Record<"raised" | "muted", string>,
): void {
  context.font = "600 12px system-ui, sans-serif";
  context.fillStyle = colours.raised;
  context.fillRect(0, y, GUTTER, GROUP_HEIGHT - 2);
  context.fillStyle = colours.muted;
  const size = ` (${members.length})`;
  const room = GUTTER - 32 - context.measureText(size).width;
  const cut = fitMiddle(context, name, room);
  context.fillText(`${folded ? "▸" : "▾"} ${cut}${size}`, 8, y + 13);
}
