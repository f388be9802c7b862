// SPDX-License-Identifier: Apache-2.0
// The whole run in one strip: how much of all threads' time went into each state, and
// which part of it the lanes show. It is dragged, and moved by arrow keys.
import { useEffect, useRef } from "preact/hooks";
import { duration } from "../format";
import { scheme } from "../scheme";
import { STATE_COUNT } from "../states";
import { addTimes } from "./lanes";
import { Paint } from "./paint";
import { GUTTER } from "./scene";
import type { TimelineState } from "./state";

const HEIGHT = 44;
/** Columns of the strip, stretched to the width there is. */
const COLUMNS = 900;
/** Rows that are added up for it; with more, lanes are left out evenly. */
const ENOUGH_ROWS = 400_000;

/** Time of the shown threads in each state, column by column. */
function gather(state: TimelineState): Float64Array {
  const { data } = state;
  const level = data.lanes.levelFor(data.length / COLUMNS);
  const lanes = state.rows.value.lanes;
  const sums = new Float64Array(COLUMNS * STATE_COUNT);
  const perColumn = data.length / COLUMNS;
  const rows = lanes.reduce((sum, lane) => sum + level.first[lane + 1]! - level.first[lane]!, 0);
  const step = Math.max(1, Math.ceil(rows / ENOUGH_ROWS));
  for (let at = 0; at < lanes.length; at += step) {
    const lane = lanes[at]!;
    for (let row = level.first[lane]!; row < level.first[lane + 1]!; row++) {
      const [start, end] = [level.start[row]!, level.end[row]!];
      if (end <= start) continue;
      const last = Math.min(Math.floor(end / perColumn), COLUMNS - 1);
      for (let column = Math.floor(start / perColumn); column <= last; column++) {
        const part =
          Math.min(end, (column + 1) * perColumn) - Math.max(start, column * perColumn);
        const to = sums.subarray(column * STATE_COUNT, (column + 1) * STATE_COUNT);
        addTimes(level, row, to, part / (end - start));
      }
    }
  }
  return sums;
}

export function Minimap({ state }: { state: TimelineState }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const strip = useRef<HTMLDivElement>(null);
  const rows = state.rows.value;
  const dark = scheme.value;
  useEffect(() => {
    const context = canvas.current!.getContext("2d")!;
    const image = context.createImageData(COLUMNS, HEIGHT);
    const pixels = new Uint32Array(image.data.buffer);
    const sums = gather(state);
    const paint = new Paint();
    const most = new Float64Array(COLUMNS).map((_, column) =>
      sums.subarray(column * STATE_COUNT, (column + 1) * STATE_COUNT).reduce((a, b) => a + b, 0),
    );
    const highest = Math.max(...most, 1);
    for (let column = 0; column < COLUMNS; column++)
      paint.mixture(
        pixels, COLUMNS, column, 0, HEIGHT,
        sums.subarray(column * STATE_COUNT, (column + 1) * STATE_COUNT), highest, column,
        false,
      );
    context.putImageData(image, 0, 0);
  }, [rows, dark, state]);

  const { length } = state.data;
  const { from, to } = state.window.value;
  const timeAt = (event: PointerEvent) => {
    const box = strip.current!.getBoundingClientRect();
    return ((event.clientX - box.left) / box.width) * length;
  };
  const drag = useRef<number | null>(null);
  const down = (event: PointerEvent) => {
    const time = timeAt(event);
    const inside = time >= from && time <= to && to - from < length;
    if (!inside) state.look(time - (to - from) / 2, time + (to - from) / 2);
    drag.current = time - state.window.peek().from;
    strip.current!.setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent) => {
    if (drag.current === null) return;
    const start = Math.min(Math.max(timeAt(event) - drag.current, 0), length - (to - from));
    state.look(start, start + (to - from));
  };
  const key = (event: KeyboardEvent) => {
    const share = { ArrowLeft: -0.1, ArrowRight: 0.1 }[event.key];
    if (share !== undefined) state.pan(share);
    else if (event.key === "+" || event.key === "-") state.zoom(event.key === "+" ? 0.5 : 2);
    else return;
    event.preventDefault();
  };
  return (
    <div class="minimap" style={{ marginLeft: `${GUTTER}px` }} ref={strip} tabIndex={0}
      role="slider" aria-label="Part of the run that is shown" aria-valuemin={0}
      aria-valuemax={Math.round(length)} aria-valuenow={Math.round(from)}
      aria-valuetext={`${duration(to - from)} from ${duration(from)}`}
      onPointerDown={down} onPointerMove={move} onPointerUp={() => (drag.current = null)}
      onKeyDown={key}>
      <canvas ref={canvas} width={COLUMNS} height={HEIGHT} aria-hidden="true" />
      <div class="lens" style={{
        left: `${(from / length) * 100}%`, width: `${((to - from) / length) * 100}%`,
      }} />
    </div>
  );
}
