// SPDX-License-Identifier: Apache-2.0
// The critical path over the lanes: its segments, and the steps from thread to thread.
import type { Table } from "../data/pack";
import type { ThreadIndex } from "../data/run";
import { clean, duration, place } from "../format";

export interface Segment {
  row: number;
  lane: number;
  start: number;
  end: number;
}

export class Path {
  readonly segments: Segment[];

  constructor(
    readonly table: Table,
    threads: ThreadIndex,
  ) {
    const lanes = threads.column(table, "thread_id");
    const start = table.numbers("start_ns");
    const end = table.numbers("end_ns");
    this.segments = Array.from({ length: table.rows }, (_, row) => ({
      row,
      lane: lanes[row]!,
      start: start[row]!,
      end: end[row]!,
    }));
  }

  /** The segment at an instant; the later one if two meet there. */
  at(time: number): number {
    let low = 0;
    let high = this.segments.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.segments[middle]!.start <= time) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** A step in words. */
  say(step: number): string {
    const segment = this.segments[step];
    if (!segment) return "";
    const text = (name: string) => this.table.text(name, segment.row);
    const via = text("via");
    const came = via
      ? ` (came here by ${via.replaceAll("_", " ")}, ${text("provenance")})`
      : "";
    const why = text("unexplained");
    const isLatency = this.table.numbers("latency")[segment.row];
    const what = text("class");
    const where = text("method");
    return (
      `Step ${step + 1} of ${this.segments.length}: ` +
      `${clean(text("thread"), 80) || "a thread"} ${text("state") ?? ""} for ` +
      `${duration(segment.end - segment.start)}${isLatency ? " of wake-up latency" : ""}${what ? `, ${clean(what, 120)}` : ""}` +
      `${where ? ` in ${place(clean(where, 160), this.table.number("line", segment.row))}` : ""}${came}` +
      `${why ? `, unexplained: ${why}` : ""}`
    );
  }

  draw(
    context: CanvasRenderingContext2D,
    window: { from: number; to: number },
    placing: {
      x: (time: number) => number;
      y: (lane: number) => number | null;
      laneHeight: number;
      dark: boolean;
    },
    step: number | null,
  ): void {
    const first = Math.max(this.at(window.from), 0);
    const colour = placing.dark ? "#ffe14d" : "#c8007a";
    const casing = placing.dark ? "#12151c" : "#ffffff";
    const line = new Path2D();
    let lastX = -Infinity;
    let lastY: number | null = null;
    for (let at = first; at < this.segments.length; at++) {
      const segment = this.segments[at]!;
      if (segment.start > window.to) break;
      const y = placing.y(segment.lane);
      const [x1, x2] = [placing.x(segment.start), placing.x(segment.end)];
      // If many segments fall into one pixel, one stroke is drawn.
      if (y === null || (x2 - lastX < 0.5 && y === lastY)) continue;
      const at_ = y + placing.laneHeight / 2 - 2.5;
      // Steps of a filtered thread, or short ones of a long run, are not here: nothing is
      // drawn where they were.
      if (lastY !== null && lastY !== y && x1 - lastX < 1) line.lineTo(x1, at_);
      else line.moveTo(x1, at_);
      line.lineTo(x2, at_);
      lastX = x2;
      lastY = y;
    }
    context.lineJoin = "round";
    context.strokeStyle = casing;
    context.lineWidth = 6;
    context.stroke(line);
    context.strokeStyle = colour;
    context.lineWidth = 3;
    context.stroke(line);
    const chosen = step === null ? undefined : this.segments[step];
    const y = chosen ? placing.y(chosen.lane) : null;
    if (!chosen || y === null) return;
    context.strokeRect(
      placing.x(chosen.start),
      y - placing.laneHeight / 2,
      Math.max(placing.x(chosen.end) - placing.x(chosen.start), 3),
      placing.laneHeight,
    );
  }
}
