// SPDX-License-Identifier: Apache-2.0
// The timeline by keyboard.
import { choose, chooseBeside, sayWindow } from "./canvas";
import { pickWithin } from "./pick";
import type { TimelineState } from "./state";

export const KEYS: readonly (readonly [string, string])[] = [
  ["↑ ↓", "the thread above or below"],
  ["← →", "its interval before or after"],
  ["Enter", "zoom to the interval"],
  ["+ −", "zoom in and out"],
  ["A D", "pan left and right"],
  ["0", "the whole run"],
  ["Home End", "the beginning or the end of the run"],
  ["P", "critical path on and off"],
  ["[ ]", "the step of the path before or after"],
  ["G", "group threads or not"],
  ["F", "filter threads"],
  ["/", "search"],
];

interface Doors {
  onSearch: () => void;
  onFilter: () => void;
}

/** @returns whether the key meant something */
export function pressed(event: KeyboardEvent, state: TimelineState, doors: Doors): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const actions: Record<string, () => void> = {
    ArrowUp: () => moveLane(state, -1),
    ArrowDown: () => moveLane(state, 1),
    ArrowLeft: () => chooseBeside(state, -1),
    ArrowRight: () => chooseBeside(state, 1),
    Enter: () => frameChosen(state),
    "+": () => zoom(state, 0.5),
    "=": () => zoom(state, 0.5),
    "-": () => zoom(state, 2),
    a: () => pan(state, -0.25),
    d: () => pan(state, 0.25),
    "0": () => all(state),
    Home: () => pan(state, -Infinity),
    End: () => pan(state, Infinity),
    p: () => (state.path.value = !state.path.value),
    "[": () => state.goStep((state.step.peek() ?? 1) - 1),
    "]": () => state.goStep((state.step.peek() ?? -1) + 1),
    g: () => (state.grouped.value = !state.grouped.value),
    f: doors.onFilter,
    "/": doors.onSearch,
    Escape: () => choose(state, null),
  };
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const action = Object.hasOwn(actions, key) ? actions[key] : undefined;
  action?.();
  return action !== undefined;
}

function moveLane(state: TimelineState, step: number): void {
  const { lanes } = state.rows.peek();
  const lane = state.lane.peek();
  const at = lane === null ? -1 : lanes.indexOf(lane);
  const next = lanes[Math.min(Math.max(at + step, 0), lanes.length - 1)];
  if (next === undefined) return;
  state.lane.value = next;
  const { from, to } = state.window.peek();
  choose(state, pickWithin(state.data.lanes, next, from, to));
  if (state.picked.peek() === null) state.told.value = state.data.threads[next]!.label;
}

function frameChosen(state: TimelineState): void {
  const picked = state.picked.peek();
  if (!picked) return;
  state.frame(picked.level.start[picked.row]!, picked.level.end[picked.row]!);
  sayWindow(state);
}

function zoom(state: TimelineState, factor: number): void {
  const picked = state.picked.peek();
  const { from, to } = state.window.peek();
  const middle = picked && (picked.level.start[picked.row]! + picked.level.end[picked.row]!) / 2;
  const around = middle !== null && middle >= from && middle <= to ? middle : undefined;
  state.zoom(factor, around);
  sayWindow(state);
}

function pan(state: TimelineState, share: number): void {
  if (Number.isFinite(share)) {
    state.pan(share);
  } else {
    const { from, to } = state.window.peek();
    const start = share < 0 ? 0 : state.data.length - (to - from);
    state.look(start, start + (to - from));
  }
  sayWindow(state);
}

function all(state: TimelineState): void {
  state.look(0, state.data.length);
  sayWindow(state);
}
