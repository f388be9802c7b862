// SPDX-License-Identifier: Apache-2.0
// The lanes as an element: pointer and keyboard move what is seen and choose intervals.

import { select } from "d3-selection";
import { type D3ZoomEvent, zoom, zoomIdentity } from "d3-zoom";
import { useEffect, useRef } from "preact/hooks";
import { clean, count, duration, instant } from "../format";
import { AXIS, GUTTER } from "./axis";
import type { Picked } from "./data";
import { chooseLock, chooseOwner } from "./hold";
import { pressed } from "./keys";
import { pickWithin } from "./pick";
import { GROUP_HEIGHT, LANE_HEIGHT, LOCK_HEIGHT } from "./rows";
import { Scene } from "./scene";
import type { TimelineState } from "./state";
import { describe } from "./words";

const MOST_LINES = 640;
/** Pixels that a pointer may move in a click. */
const STILL = 4;

export interface CanvasProps {
  state: TimelineState;
  /** Of the element that lists the keys. */
  keys: string;
  onScene?: (scene: Scene) => void;
  onSearch: () => void;
  onFilter: () => void;
}

export function TimelineCanvas({ state, keys, onScene, onSearch, onFilter }: CanvasProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const base = useRef<HTMLCanvasElement>(null);
  const over = useRef<HTMLCanvasElement>(null);
  const tip = useRef<HTMLDivElement>(null);
  const scene = useRef<Scene | null>(null);
  const rows = state.rows.value;
  const height = Math.min(Math.max(rows.height + AXIS + 8, 120), MOST_LINES);

  useEffect(() => {
    const made = new Scene(state, base.current!, over.current!, scroller.current!);
    scene.current = made;
    onScene?.(made);
    const element = scroller.current!;
    const zooming = attachZoom(made, state, over.current!, element);
    const watch = new ResizeObserver(() => {
      made.resize(element.clientWidth, element.clientHeight);
      zooming.follow();
    });
    watch.observe(element);
    return () => {
      zooming.stop();
      watch.disconnect();
      made.destroy();
    };
  }, [state]);

  const bring = (top: number | null, size: number) => {
    const element = scroller.current;
    if (top === null || !element) return;
    const room = element.clientHeight - AXIS - size - 4;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top > element.scrollTop + room) element.scrollTop = top - room;
  };
  const bringLane = (lane: number | null) =>
    bring(lane === null ? null : state.rows.peek().topOf(lane), LANE_HEIGHT);

  // The chosen lane is brought into sight: also when its group was unfolded for it, once
  // there is room to scroll.
  const before = useRef(rows);
  useEffect(() => {
    const lane = state.lane.peek();
    if (lane !== null && !before.current.has(lane)) bringLane(lane);
    before.current = rows;
  }, [rows]);
  useEffect(() => {
    const stops = [
      state.lane.subscribe(bringLane),
      state.hold.subscribe((hold) =>
        bring(hold && state.rows.peek().topOfLock(hold.lock), LOCK_HEIGHT),
      ),
      state.group.subscribe((name) =>
        bring(
          name === null ? null : (state.rows.peek().groupOf(name)?.top ?? null),
          GROUP_HEIGHT,
        ),
      ),
      state.sought.subscribe((times) => {
        if (!times) return;
        bringLane(state.lane.peek());
        scroller.current?.scrollIntoView({ block: "nearest" });
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [state]);

  const wordsAt = (x: number, y: number) => {
    const held = scene.current?.pickHold(x, y);
    if (held) return state.data.locks.describe(held, held.time);
    const picked = scene.current?.pick(x, y);
    return picked ? describe(state.data, picked) : null;
  };
  const hover = (event: PointerEvent) => {
    const lines = event.buttons ? null : wordsAt(event.offsetX, event.offsetY);
    const element = tip.current!;
    element.hidden = !lines;
    if (!lines) return;
    element.replaceChildren(...lines.slice(0, 8).map(line));
    const left = Math.min(event.offsetX + 14, over.current!.clientWidth - 330);
    element.style.left = `${Math.max(left, 0)}px`;
    element.style.top = `${event.offsetY + 18}px`;
  };
  const key = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    if (pressed(event, state, { onSearch, onFilter })) event.preventDefault();
  };
  return (
    <div
      class="lanes"
      ref={scroller}
      style={{ height: `${height}px` }}
      tabIndex={0}
      role="application"
      aria-label={state.data.label("Timeline of threads")}
      aria-describedby={keys}
      onKeyDown={key}
      onScroll={() => scene.current?.redraw()}>
      <div class="lanes-all" style={{ height: `${rows.height + AXIS}px` }}>
        <div class="lanes-seen">
          <canvas ref={base} aria-hidden="true" />
          <canvas
            ref={over}
            class="over"
            aria-hidden="true"
            onPointerMove={hover}
            onPointerLeave={() => (tip.current!.hidden = true)}
          />
          <div ref={tip} class="tip" hidden aria-hidden="true" />
        </div>
      </div>
    </div>
  );
}

function line([name, value]: readonly [string, string]): HTMLElement {
  const element = document.createElement("div");
  const label = document.createElement("span");
  label.textContent = name;
  element.append(label, ` ${value}`);
  return element;
}

/** Wheel zooms, drag pans both ways, a click chooses. `follow` handles a new width. */
function attachZoom(
  scene: Scene,
  state: TimelineState,
  canvas: HTMLCanvasElement,
  scroller: HTMLElement,
): { follow: () => void; stop: () => void } {
  let own = false;
  const { length } = state.data;
  const behaviour = zoom<HTMLCanvasElement, unknown>()
    .scaleExtent([1, Math.max(length / Math.min(20, length), 1)])
    .extent(() => [
      [GUTTER, 0],
      [GUTTER + scene.plotWidth, 1],
    ])
    .filter((event: MouseEvent) => {
      const edges = [GUTTER, GUTTER + scene.plotWidth] as const;
      behaviour.translateExtent([
        [edges[0], -Infinity],
        [edges[1], Infinity],
      ]);
      const inPlot = event.offsetX >= GUTTER;
      if (event.type === "wheel") return inPlot && !event.shiftKey;
      return inPlot && event.button === 0 && event.type !== "dblclick";
    })
    .on("zoom", (event: D3ZoomEvent<HTMLCanvasElement, unknown>) => {
      if (own) return;
      const { k, x } = event.transform;
      const perPixel = length / scene.plotWidth / k;
      const from = (GUTTER * (1 - k) - x) * perPixel;
      own = true;
      state.look(from, from + length / k);
      own = false;
      const source = event.sourceEvent as MouseEvent | null;
      if (source?.type === "mousemove" && source.movementY)
        scroller.scrollTop -= source.movementY;
    });
  const selection = select(canvas);
  selection.call(behaviour);
  const follow = () => {
    const { from, to } = state.window.peek();
    if (own) return;
    const k = length / (to - from);
    const x = GUTTER * (1 - k) - (from / length) * scene.plotWidth * k;
    own = true;
    behaviour.transform(selection, zoomIdentity.translate(x, 0).scale(k));
    own = false;
  };
  const unfollow = state.window.subscribe(follow);
  let downX = 0;
  let downY = 0;
  const down = (event: PointerEvent) => ([downX, downY] = [event.clientX, event.clientY]);
  const click = (event: MouseEvent) => {
    if (Math.hypot(event.clientX - downX, event.clientY - downY) > STILL) return;
    const row = scene.rowAt(event.offsetY);
    if (row?.kind === "group") {
      state.fold(row.name);
    } else if (row?.kind === "lock") {
      const held = scene.pickHold(event.offsetX, event.offsetY);
      if (held) chooseOwner(state, held, held.time);
      else chooseLock(state, row.lock);
    } else if (row?.kind === "lane") {
      state.lane.value = row.lane;
      choose(state, scene.pick(event.offsetX, event.offsetY));
    }
  };
  const sideways = (event: WheelEvent) => {
    if (!event.shiftKey || event.offsetX < GUTTER) return;
    event.preventDefault();
    state.pan((event.deltaX || event.deltaY) / 800);
  };
  canvas.addEventListener("pointerdown", down);
  canvas.addEventListener("click", click);
  canvas.addEventListener("wheel", sideways, { passive: false });
  const stop = () => {
    unfollow();
    selection.on(".zoom", null);
    canvas.removeEventListener("pointerdown", down);
    canvas.removeEventListener("click", click);
    canvas.removeEventListener("wheel", sideways);
  };
  return { follow, stop };
}

/** Choose a row of the timeline, and say what it is. */
export function choose(state: TimelineState, picked: Picked | null): void {
  state.picked.value = picked;
  if (!picked) return;
  state.lane.value = picked.lane;
  const { label } = state.data.threads[picked.lane]!;
  const said = describe(state.data, picked).map(([name, value]) => `${name} ${value}`);
  state.announced.value = `${clean(label, 80)}: ${said.join(", ")}`;
}

/** The row of a lane before or after the chosen one; the first in the window at first. */
export function chooseBeside(state: TimelineState, step: number): void {
  const { picked, lane } = { picked: state.picked.peek(), lane: state.lane.peek() };
  if (lane === null) return;
  if (picked?.lane !== lane) {
    const { from, to } = state.window.peek();
    choose(state, pickWithin(state.data.lanes, lane, from, to));
    return;
  }
  const { level } = picked;
  const row = picked.row + step;
  if (row < level.first[lane]! || row >= level.first[lane + 1]!) {
    state.announced.value = step < 0 ? "The first interval" : "The last interval";
    return;
  }
  choose(state, { ...picked, row });
  const { from, to } = state.window.peek();
  const [start, end] = [level.start[row]!, level.end[row]!];
  if (end < from || start > to)
    state.look((start + end) / 2 - (to - from) / 2, (start + end) / 2 + (to - from) / 2);
}

export function sayWindow(state: TimelineState): void {
  const { from, to } = state.window.peek();
  state.announced.value =
    `${duration(to - from)} from ${instant(from, (to - from) / 100)}, ` +
    count(state.rows.peek().lanes.length, "thread");
}
