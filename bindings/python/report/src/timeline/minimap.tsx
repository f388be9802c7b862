// SPDX-License-Identifier: Apache-2.0
// The whole run in one strip: how much of all threads' time went into each state, and
// which part of it the lanes show. It is dragged, and moved by arrow keys.
import { useEffect, useRef } from "preact/hooks";
import { duration, instant } from "../format";
import { scheme } from "../scheme";
import { STATE_COUNT } from "../states";
import { GUTTER } from "./axis";
import { addTimes } from "./lanes";
import { Paint } from "./paint";
import type { TimelineState } from "./state";

const HEIGHT = 44;
/** Columns of the strip, which are stretched to its width. */
const COLUMNS = 900;

const whole = new Float64Array(STATE_COUNT);

/** Time of the shown threads in each state, column by column. Of a row, the columns that
 * it only touches are added one by one; of those that it fills, the first and the last
 * are noted, and summed up at the end: rows are many, and may fill all columns. */
function gather(state: TimelineState): Float64Array {
  const { data } = state;
  const level = data.lanes.levelFor(data.length / COLUMNS);
  const lanes = state.rows.value.lanes;
  const perColumn = data.length / COLUMNS;
  const sums = new Float64Array(COLUMNS * STATE_COUNT);
  const changes = new Float64Array((COLUMNS + 1) * STATE_COUNT);
  const part = (column: number, row: number, share: number) =>
    addTimes(
      level,
      row,
      sums.subarray(column * STATE_COUNT, (column + 1) * STATE_COUNT),
      share,
    );
  for (const lane of lanes)
    for (let row = level.first[lane]!; row < level.first[lane + 1]!; row++) {
      const [start, end] = [level.start[row]!, level.end[row]!];
      const length = end - start;
      if (length <= 0) continue;
      const first = Math.min(Math.floor(start / perColumn), COLUMNS - 1);
      const last = Math.min(Math.floor(end / perColumn), COLUMNS - 1);
      if (first === last) {
        part(first, row, 1);
        continue;
      }
      part(first, row, ((first + 1) * perColumn - start) / length);
      part(last, row, (end - last * perColumn) / length);
      if (last === first + 1) continue;
      whole.fill(0);
      addTimes(level, row, whole, perColumn / length);
      for (let at = 0; at < STATE_COUNT; at++) {
        changes[(first + 1) * STATE_COUNT + at]! += whole[at]!;
        changes[last * STATE_COUNT + at]! -= whole[at]!;
      }
    }
  whole.fill(0);
  for (let at = 0; at < sums.length; at++) {
    whole[at % STATE_COUNT]! += changes[at]!;
    sums[at]! += Math.max(whole[at % STATE_COUNT]!, 0);
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
      sums
        .subarray(column * STATE_COUNT, (column + 1) * STATE_COUNT)
        .reduce((a, b) => a + b, 0),
    );
    const highest = Math.max(...most, 1);
    for (let column = 0; column < COLUMNS; column++)
      paint.mixture(
        pixels,
        COLUMNS,
        column,
        0,
        HEIGHT,
        sums.subarray(column * STATE_COUNT, (column + 1) * STATE_COUNT),
        highest,
        column,
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
    <div
      class="minimap"
      style={{ marginLeft: `${GUTTER}px` }}
      ref={strip}
      tabIndex={0}
      role="slider"
      aria-label="Part of the run that is shown"
      aria-valuemin={0}
      aria-valuemax={Math.round(length)}
      aria-valuenow={Math.round(from)}
      aria-valuetext={`${duration(to - from)} from ${instant(from, (to - from) / 100)}`}
      onPointerDown={down}
      onPointerMove={move}
      onPointerUp={() => (drag.current = null)}
      onKeyDown={key}>
      <canvas ref={canvas} width={COLUMNS} height={HEIGHT} aria-hidden="true" />
      <div
        class="lens"
        style={{
          left: `${(from / length) * 100}%`,
          width: `${((to - from) / length) * 100}%`,
        }}
      />
    </div>
  );
}
