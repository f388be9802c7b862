// SPDX-License-Identifier: Apache-2.0
// Arrows from a thread to one that it let continue. Each kind has a colour and a letter;
// an uncertain arrow is dashed, with a hollow head.
import type { Table } from "../data/pack";
import type { ThreadIndex } from "../data/run";
import type { InteractionKind } from "../described";
import { isCertain } from "../provenance";
import { firstAtOrAfter } from "./sorted";
import type { TimelineState } from "./state";

export interface Kind {
  name: InteractionKind;
  label: string;
  letter: string;
  light: string;
  dark: string;
}

export const KINDS: readonly Kind[] = [
  { name: "start", label: "start", letter: "s", light: "#00785a", dark: "#33c79b" },
  { name: "handoff", label: "handoff", letter: "h", light: "#b04a00", dark: "#ff9b57" },
  { name: "notify", label: "notify", letter: "n", light: "#0f6fb0", dark: "#7cc7f5" },
  { name: "notify_all", label: "notifyAll", letter: "a", light: "#3b3fb5", dark: "#a9aefc" },
  { name: "join", label: "join", letter: "j", light: "#a3477c", dark: "#eaa1c9" },
  { name: "interrupt", label: "interrupt", letter: "i", light: "#8a6d00", dark: "#f0d54a" },
  { name: "unpark", label: "unpark", letter: "u", light: "#4f5668", dark: "#c3cad9" },
  { name: "post", label: "post", letter: "p", light: "#7a4fbf", dark: "#c9a6ff" },
];

/** The most arrows that are drawn; more would be a black square. */
const DRAWN = 1200;
/** Up to this number, each arrow has its letter. */
const LETTERED = 60;
/** More arrows would hide the lanes, so they are faint, and without heads. */
const DENSE = 240;

export interface Arrow {
  row: number;
  kind: number;
  from: number;
  to: number;
  time: number;
  woken: number;
  exact: boolean;
}

export class Arrows {
  readonly all: Arrow[] = [];
  private readonly longest: number = 0;
  private readonly byLane = new Map<number, Arrow[]>();

  constructor(
    readonly table: Table,
    threads: ThreadIndex,
  ) {
    const kindOf = table
      .categories("kind")
      .map((name) => KINDS.findIndex((kind) => kind.name === name));
    const kinds = table.codes("kind");
    const from = threads.column(table, "from_thread_id");
    const to = threads.column(table, "to_thread_id");
    const time = table.numbers("time_ns");
    const woken = table.numbers("woken_ns");
    for (let row = 0; row < table.rows; row++) {
      const kind = kindOf[kinds[row]!] ?? -1;
      if (kind < 0 || from[row]! < 0 || to[row]! < 0) continue;
      // No thread continued, as after an unpark of a thread that was not parked.
      if (table.isNull("woken_ns", row)) continue;
      const arrow: Arrow = {
        row,
        kind,
        from: from[row]!,
        to: to[row]!,
        time: time[row]!,
        woken: woken[row]!,
        exact: isCertain(table.text("provenance", row)),
      };
      this.all.push(arrow);
      this.longest = Math.max(this.longest, arrow.woken - arrow.time);
      this.gather(arrow);
    }
    this.all.sort((a, b) => a.time - b.time);
    for (const arrows of this.byLane.values()) arrows.sort((a, b) => a.woken - b.woken);
  }

  has(kind: number): boolean {
    return this.all.some((arrow) => arrow.kind === kind);
  }

  private gather(arrow: Arrow): void {
    const arrows = this.byLane.get(arrow.to);
    if (arrows) arrows.push(arrow);
    else this.byLane.set(arrow.to, [arrow]);
  }

  /** The interaction by which a thread continued at an instant; null: unknown. */
  waking(lane: number, time: number): Arrow | null {
    const arrows = this.byLane.get(lane) ?? [];
    const at = firstAtOrAfter(arrows, time, ({ woken }) => woken);
    return arrows[at]?.woken === time ? arrows[at]! : null;
  }

  /** Those of the chosen kinds that touch a window; `total` counts them all. `isShown` is
   * asked of each. */
  within(
    from: number,
    to: number,
    kinds: ReadonlySet<number>,
    isShown: (arrow: Arrow) => boolean,
  ): { arrows: Arrow[]; total: number } {
    const arrows: Arrow[] = [];
    let total = 0;
    let at = firstAtOrAfter(this.all, from - this.longest, ({ time }) => time);
    for (; at < this.all.length && this.all[at]!.time <= to; at++) {
      const arrow = this.all[at]!;
      if (arrow.woken < from || !kinds.has(arrow.kind)) continue;
      if (!isShown(arrow)) continue;
      total++;
      arrows.push(arrow);
    }
    if (total > DRAWN) {
      // Arrows that are spread evenly represent the window best.
      const step = total / DRAWN;
      const kept = Array.from({ length: DRAWN }, (_, i) => arrows[Math.floor(i * step)]!);
      return { arrows: kept, total };
    }
    return { arrows, total };
  }
}

/** Whether an arrow is one of those that the reader asked for: all; else those of the
 * chosen thread; else those within its chosen interval, with the ends included. */
export function ofChosen(state: TimelineState): (arrow: Arrow) => boolean {
  if (state.allArrows.peek()) return () => true;
  const lane = state.lane.peek();
  const picked = state.picked.peek();
  if (lane === null) return () => false;
  if (picked?.lane !== lane) return ({ from, to }) => from === lane || to === lane;
  const [start, end] = [picked.level.start[picked.row]!, picked.level.end[picked.row]!];
  const isWithin = (time: number) => time >= start && time <= end;
  return (arrow) =>
    (arrow.to === lane && isWithin(arrow.woken)) ||
    (arrow.from === lane && isWithin(arrow.time));
}

interface Placing {
  x: (time: number) => number;
  /** The middle line of a lane. */
  y: (lane: number) => number;
  laneHeight: number;
  dark: boolean;
}

export function drawArrows(
  context: CanvasRenderingContext2D,
  arrows: readonly Arrow[],
  placing: Placing,
): void {
  const lettered = arrows.length <= LETTERED;
  const dense = arrows.length > DENSE;
  context.save();
  context.lineWidth = dense ? 1 : 1.4;
  if (dense) context.globalAlpha = Math.max(DENSE / arrows.length, 0.3);
  for (const arrow of arrows) {
    const kind = KINDS[arrow.kind]!;
    const colour = placing.dark ? kind.dark : kind.light;
    const up = placing.y(arrow.to) < placing.y(arrow.from);
    const edge = placing.laneHeight / 2 - 2;
    const x1 = placing.x(arrow.time);
    const x2 = placing.x(arrow.woken);
    const y1 = placing.y(arrow.from) + (up ? -edge : edge);
    const y2 = placing.y(arrow.to) + (up ? edge : -edge);
    context.strokeStyle = colour;
    context.fillStyle = colour;
    context.setLineDash(arrow.exact ? [] : [5, 4]);
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
    context.stroke();
    context.setLineDash([]);
    if (!dense) drawHead(context, x1, y1, x2, y2, arrow.exact);
    if (!lettered) continue;
    context.beginPath();
    context.arc(x1, y1, 6, 0, 2 * Math.PI);
    context.fill();
    context.fillStyle = placing.dark ? "#10141d" : "#ffffff";
    context.font = "700 9px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(kind.letter, x1, y1 + 0.5);
  }
  context.restore();
}

function drawHead(
  context: CanvasRenderingContext2D,
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  filled: boolean,
): void {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
  const [bx, by] = [x2 - ux * 8, y2 - uy * 8];
  context.beginPath();
  context.moveTo(x2, y2);
  context.lineTo(bx - uy * 4, by + ux * 4);
  context.lineTo(bx + uy * 4, by - ux * 4);
  context.closePath();
  if (filled) context.fill();
  else context.stroke();
}
