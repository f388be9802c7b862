// SPDX-License-Identifier: Apache-2.0
// The drawing of a timeline: lanes below, and over them names, arrows, the critical path
// and what is chosen. It draws at most once a frame, whatever changed how often.
import { effect } from "@preact/signals";
import { Palette, scheme } from "../scheme";
import { isDark } from "../states";
import { drawArrows, ofChosen } from "./arrows";
import { AXIS, drawAxis, drawPauses, GUTTER } from "./axis";
import type { Picked } from "./data";
import { fitMiddle } from "./drawing";
import { FinerRows } from "./finer";
import { drawGroupName, drawLabels } from "./labels";
import type { Lanes } from "./lanes";
import { drawLock, drawLockName, lineAt } from "./locklane";
import type { HoldAt } from "./locks";
import { Paint } from "./paint";
import { pickWithin } from "./pick";
import { type Bright, paintCut, paintLane } from "./raster";
import { GROUP_HEIGHT, LANE_HEIGHT, LOCK_HEIGHT, type Row } from "./rows";
import type { TimelineState } from "./state";
import { paintSum } from "./sumlane";

/** Room above and below the painted part of a lane. */
const INSET = 3;

export class Scene {
  private readonly base: CanvasRenderingContext2D;
  private readonly over: CanvasRenderingContext2D;
  private width = 0;
  private height = 0;
  private ratio = 1;
  private scheduled = 0;
  private image: ImageData | null = null;
  private readonly finer: FinerRows;
  private readonly stop: () => void;
  private readonly stopScheme: () => void;
  private readonly palette: Palette;
  private colours: Record<"text" | "muted" | "line" | "raised" | "surface" | "accent", string>;
  /** The number of frames drawn, and the times of the last ones, for a benchmark. */
  readonly frames: number[] = [];

  constructor(
    private readonly state: TimelineState,
    base: HTMLCanvasElement,
    over: HTMLCanvasElement,
    private readonly scroller: HTMLElement,
  ) {
    this.base = base.getContext("2d")!;
    this.over = over.getContext("2d")!;
    this.palette = new Palette(scroller);
    this.finer = new FinerRows(state, () => this.redraw());
    this.colours = this.readColours();
    this.stop = effect(() => {
      void [
        state.window.value,
        state.rows.value,
        state.kinds.value,
        state.allArrows.value,
        state.path.value,
        state.step.value,
        state.picked.value,
        state.lane.value,
        state.bright.value,
        state.hold.value,
        state.group.value,
      ];
      this.redraw();
    });
    this.stopScheme = scheme.subscribe(() => {
      this.colours = this.readColours();
      this.redraw();
    });
  }

  private readColours(): Scene["colours"] {
    const names = ["text", "muted", "line", "raised", "surface", "accent"] as const;
    const found = names.map((name) => [name, this.palette.get(`--${name}`)]);
    return Object.fromEntries(found) as Scene["colours"];
  }

  resize(width: number, height: number): void {
    this.width = width;
    this.height = height;
    this.ratio = Math.min(devicePixelRatio || 1, 2);
    for (const { canvas } of [this.base, this.over]) {
      canvas.width = Math.round(width * this.ratio);
      canvas.height = Math.round(height * this.ratio);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    this.image = null;
    this.redraw();
  }

  destroy(): void {
    this.stop();
    this.stopScheme();
    cancelAnimationFrame(this.scheduled);
  }

  redraw(): void {
    this.scheduled ||= requestAnimationFrame(() => {
      this.scheduled = 0;
      if (this.width <= GUTTER || this.height <= AXIS) return;
      const began = performance.now();
      this.draw();
      this.scroller.dataset["drawn"] = "";
      this.frames.push(performance.now() - began);
      if (this.frames.length > 600) this.frames.splice(0, 300);
    });
  }

  get plotWidth(): number {
    return Math.max(this.width - GUTTER, 1);
  }

  private get nsPerPixel(): number {
    const { from, to } = this.state.window.peek();
    return (to - from) / this.plotWidth;
  }

  x(time: number): number {
    return GUTTER + (time - this.state.window.peek().from) / this.nsPerPixel;
  }

  timeAt(x: number): number {
    return this.state.window.peek().from + (x - GUTTER) * this.nsPerPixel;
  }

  rowAt(y: number): Row | null {
    return y < AXIS ? null : this.state.rows.peek().at(y - AXIS + this.scroller.scrollTop);
  }

  /** The interval at a point: the longest blocking one that falls into its pixel. */
  pick(x: number, y: number): Picked | null {
    const row = this.rowAt(y);
    if (row?.kind !== "lane" || x < GUTTER) return null;
    const [from, to] = [this.timeAt(x), this.timeAt(x + 1)];
    const lanes = this.lanesFor(row.lane, from, to);
    const picked = pickWithin(lanes, row.lane, from, to);
    if (!picked || lanes !== this.finer.lanes || !this.finer.cuts(picked)) return picked;
    const whole = pickWithin(this.state.data.lanes, row.lane, from, to);
    return whole?.level.count[whole.row] === 1 ? whole : picked;
  }

  /** The lock in whose lane a point is, and its owner there. */
  pickHold(x: number, y: number): (HoldAt & { time: number }) | null {
    const row = this.rowAt(y);
    if (row?.kind !== "lock" || x < GUTTER) return null;
    const { locks } = this.state.data;
    const lock = locks.all[row.lock]!;
    const line = lineAt(lock, y - AXIS + this.scroller.scrollTop - row.top);
    const time = this.timeAt(x);
    return { lock: row.lock, at: locks.holdAt(lock, time, this.timeAt(x + 1), line), time };
  }

  private lanesFor(lane: number, from: number, to: number): Lanes {
    return this.finer.lanesFor(lane, from, to, this.nsPerPixel);
  }

  private visible(): Row[] {
    const rows = this.state.rows.peek();
    const top = this.scroller.scrollTop;
    const found: Row[] = [];
    for (let at = rows.firstAt(top); at < rows.rows.length; at++) {
      const row = rows.rows[at]!;
      if (row.top - top > this.height - AXIS) break;
      found.push(row);
    }
    return found;
  }

  private draw(): void {
    const rows = this.visible();
    this.finer.ask(
      rows.flatMap((row) => (row.kind === "lane" ? [row.lane] : [])),
      this.nsPerPixel,
    );
    this.drawLanes(rows);
    const { over, ratio } = this;
    over.setTransform(ratio, 0, 0, ratio, 0, 0);
    over.clearRect(0, 0, this.width, this.height);
    this.drawRows(rows);
    over.save();
    over.beginPath();
    over.rect(GUTTER, AXIS, this.plotWidth, this.height - AXIS);
    over.clip();
    drawPauses(over, this.state.data.pauses, (time) => this.x(time), this.width, this.height);
    this.drawLocks(rows);
    this.drawWords(rows);
    this.drawInteractions();
    this.drawPath();
    this.drawPicked();
    over.restore();
    const { isInstant } = this.state.data;
    drawAxis(over, this.state.window.peek(), this.width, this.colours, isInstant);
  }

  private drawLanes(rows: readonly Row[]): void {
    const { ratio } = this;
    const { from, to } = this.state.window.peek();
    const width = Math.round(this.plotWidth * ratio);
    const height = Math.round((this.height - AXIS) * ratio);
    if (this.image?.width !== width || this.image.height !== height)
      this.image = new ImageData(width, height);
    const pixels = new Uint32Array(this.image.data.buffer);
    pixels.fill(0);
    const nsPerPixel = (to - from) / width;
    const frame = { pixels, width, height, from, nsPerPixel };
    const top = this.scroller.scrollTop;
    const paint = new Paint(this.state.bright.peek() !== null);
    for (const row of rows) {
      if (row.kind === "lock") continue;
      const size = row.kind === "group" ? GROUP_HEIGHT : LANE_HEIGHT;
      // A lane that is cut by an edge of the picture is painted as far as it fits.
      const y0 = Math.round((row.top - top + INSET) * ratio);
      const y1 = Math.round((row.top - top + size - INSET) * ratio);
      if (row.kind === "group") {
        if (row.of === "lane") continue;
        paintSum(frame, this.state.data.lanes, row.members, y0, y1 - y0, paint);
        continue;
      }
      const lanes = this.lanesFor(row.lane, from, to);
      const level = lanes.levelFor(nsPerPixel);
      const bright = this.bright(lanes);
      const paintIt = y0 < 0 || y1 > height ? paintCut : paintLane;
      paintIt(frame, level, row.lane, y0, y1 - y0, paint, bright);
    }
    this.base.setTransform(1, 0, 0, 1, 0, 0);
    this.base.clearRect(0, 0, this.base.canvas.width, this.base.canvas.height);
    this.base.putImageData(this.image, Math.round(GUTTER * ratio), Math.round(AXIS * ratio));
  }

  private bright(lanes: Lanes): Bright | null {
    const wanted = this.state.bright.peek();
    if (wanted === null) return null;
    const code = lanes.table.categories("class").indexOf(wanted);
    const codes = lanes.table.codes("class");
    return {
      has: (source) => source >= 0 && code >= 0 && codes[source] === code,
      paint: new Paint(),
    };
  }

  private drawRows(rows: readonly Row[]): void {
    const { over, state } = this;
    const top = this.scroller.scrollTop;
    over.textBaseline = "middle";
    over.textAlign = "left";
    const chosen = this.state.lane.peek();
    for (const row of rows) {
      const y = AXIS + row.top - top;
      if (row.kind === "group") {
        drawGroupName(over, row, y, this.colours);
        if (row.name === state.group.peek()) this.highlight(y, GROUP_HEIGHT);
        continue;
      }
      const isLock = row.kind === "lock";
      const height = isLock ? LOCK_HEIGHT : LANE_HEIGHT;
      if (isLock ? row.lock === this.state.hold.peek()?.lock : row.lane === chosen) {
        this.highlight(y, height);
      }
      if (isLock) {
        drawLockName(over, this.state.data.locks.all[row.lock]!, y, this.width, this.colours);
        continue;
      }
      over.font = "12px system-ui, sans-serif";
      over.fillStyle = this.colours.text;
      const { label } = this.state.data.threads[row.lane]!;
      over.fillText(fitMiddle(over, label, GUTTER - 20), 12, y + LANE_HEIGHT / 2);
    }
    over.fillStyle = this.colours.line;
    over.fillRect(GUTTER - 1, AXIS, 1, this.height - AXIS);
  }

  private highlight(y: number, height: number): void {
    const { over } = this;
    over.fillStyle = this.colours.accent;
    over.globalAlpha = 0.14;
    over.fillRect(0, y, this.width, height);
    over.globalAlpha = 1;
    over.fillRect(0, y, 3, height);
  }

  private drawLocks(rows: readonly Row[]): void {
    const { over, state } = this;
    const { from, to } = state.window.peek();
    const hold = state.hold.peek();
    over.font = "600 11px system-ui, sans-serif";
    for (const row of rows) {
      if (row.kind !== "lock") continue;
      drawLock(over, state.data.locks.all[row.lock]!, {
        x: (time) => this.x(time),
        top: AXIS + row.top - this.scroller.scrollTop,
        left: GUTTER,
        right: this.width,
        from,
        to,
        chosen: hold?.lock === row.lock ? hold.at : -1,
        ink: this.colours.text,
      });
    }
  }

  private drawWords(rows: readonly Row[]): void {
    const { from, to } = this.state.window.peek();
    this.over.font = "600 11px system-ui, sans-serif";
    for (const row of rows) {
      if (row.kind !== "lane") continue;
      const lanes = this.lanesFor(row.lane, from, to);
      drawLabels(this.over, lanes, lanes.levelFor(this.nsPerPixel), {
        lane: row.lane,
        y: AXIS + row.top - this.scroller.scrollTop + LANE_HEIGHT / 2,
        x: (time) => this.x(time),
        from,
        to,
        width: this.width,
      });
    }
  }

  private drawInteractions(): void {
    const { state } = this;
    const kinds = state.kinds.peek();
    const { from, to } = state.window.peek();
    const rows = state.rows.peek();
    const top = this.scroller.scrollTop;
    const middle = (lane: number) => AXIS + rows.topOf(lane)! - top + LANE_HEIGHT / 2;
    const isChosen = ofChosen(state);
    const { arrows, total } = state.data.arrows.within(
      from,
      to,
      kinds,
      (arrow) => isChosen(arrow) && rows.has(arrow.from) && rows.has(arrow.to),
    );
    const inside = arrows.filter((arrow) => {
      const [y1, y2] = [middle(arrow.from), middle(arrow.to)];
      return Math.max(y1, y2) > AXIS && Math.min(y1, y2) < this.height;
    });
    drawArrows(this.over, inside, {
      x: (time) => this.x(time),
      y: middle,
      laneHeight: LANE_HEIGHT,
      dark: isDark(),
    });
    const known = state.arrowCount.peek();
    if (known.drawn !== arrows.length || known.total !== total)
      state.arrowCount.value = { drawn: arrows.length, total };
  }

  private drawPath(): void {
    const { state } = this;
    if (!state.path.peek()) return;
    const rows = state.rows.peek();
    const top = this.scroller.scrollTop;
    state.data.path.draw(
      this.over,
      state.window.peek(),
      {
        x: (time) => this.x(time),
        y: (lane) => {
          const line = rows.topOf(lane);
          return line === null ? null : AXIS + line - top + LANE_HEIGHT / 2;
        },
        laneHeight: LANE_HEIGHT,
        dark: isDark(),
      },
      state.step.peek(),
    );
  }

  private drawPicked(): void {
    const picked = this.state.picked.peek();
    const line = picked && this.state.rows.peek().topOf(picked.lane);
    if (!picked || line === null || line === undefined) return;
    const x1 = this.x(picked.level.start[picked.row]!);
    const x2 = this.x(picked.level.end[picked.row]!);
    this.over.strokeStyle = this.colours.text;
    this.over.lineWidth = 2;
    const y = AXIS + line - this.scroller.scrollTop;
    this.over.strokeRect(x1 - 1, y + 1, Math.max(x2 - x1, 2) + 2, LANE_HEIGHT - 2);
  }
}
