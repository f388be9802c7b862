// SPDX-License-Identifier: Apache-2.0
// The timeline by keyboard.
import { clean, count } from "../format";
import { choose, chooseBeside, sayWindow } from "./canvas";
import { chooseHoldBeside, chooseLock, chooseOwner, toggleLocks } from "./hold";
import { pickWithin } from "./pick";
import { EMPTY_GROUP, type Row } from "./rows";
import type { TimelineState } from "./state";

export const KEYS: readonly (readonly [string, string])[] = [
  ["↑ ↓", "the thread or lock above or below"],
  ["← →", "its interval or hold before or after"],
  ["Enter", "zoom to the interval"],
  ["+ −", "zoom in and out"],
  ["A D", "pan left and right"],
  ["0", "the whole run"],
  ["Home End", "the beginning or the end of the run"],
  ["P", "critical path on and off"],
  ["[ ]", "the step of the path before or after"],
  ["R", "arrows of all, or of what is chosen"],
  ["L", "locks, pools and endpoints on and off"],
  ["O", "from a hold to its owner"],
  ["G", "group threads or not"],
  ["U", "collapse the group of the thread, or expand it"],
  ["F", "filter threads"],
  ["/", "search"],
];

interface Doors {
  onSearch: () => void;
  onFilter: () => void;
}

/** @returns whether the key has a meaning */
export function pressed(event: KeyboardEvent, state: TimelineState, doors: Doors): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const actions: Record<string, () => void> = {
    ArrowUp: () => moveLane(state, -1),
    ArrowDown: () => moveLane(state, 1),
    ArrowLeft: () => beside(state, -1),
    ArrowRight: () => beside(state, 1),
    Enter: () => (state.group.peek() === null ? frameChosen(state) : foldGroup(state)),
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
    r: () => {
      state.allArrows.value = !state.allArrows.value;
    },
    l: () => toggleLocks(state),
    o: () => goToOwner(state),
    g: () => (state.grouped.value = !state.grouped.value),
    u: () => foldGroup(state),
    f: doors.onFilter,
    "/": doors.onSearch,
    Escape: () => {
      state.hold.value = null;
      state.group.value = null;
      choose(state, null);
    },
  };
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const action = Object.hasOwn(actions, key) ? actions[key] : undefined;
  action?.();
  return action !== undefined;
}

/** A line that the keyboard stops at: an unfolded group has its threads for that. */
function isStop(row: Row): boolean {
  return row.kind !== "group" || row.folded;
}

function isChosen(state: TimelineState, row: Row): boolean {
  if (row.kind === "lock") return row.lock === state.hold.peek()?.lock;
  if (row.kind === "group") return row.name === state.group.peek();
  return state.hold.peek() === null && row.lane === state.lane.peek();
}

function moveLane(state: TimelineState, step: number): void {
  const stops = state.rows.peek().rows.filter(isStop);
  const at = stops.findIndex((row) => isChosen(state, row));
  const next = stops[Math.min(Math.max(at + step, 0), stops.length - 1)];
  if (next?.kind === "lock") return chooseLock(state, next.lock);
  if (next?.kind === "group") return chooseGroup(state, next.name);
  if (!next) return;
  state.lane.value = next.lane;
  const { from, to } = state.window.peek();
  choose(state, pickWithin(state.data.lanes, next.lane, from, to));
  if (state.picked.peek() === null)
    state.announced.value = state.data.threads[next.lane]!.label;
}

function chooseGroup(state: TimelineState, name: string): void {
  const group = state.rows.peek().groupOf(name);
  state.hold.value = null;
  choose(state, null);
  state.lane.value = null;
  state.group.value = name;
  const folded = group?.folded ? "collapsed, Enter expands it" : "expanded";
  const size = count(group?.members.length ?? 0, group?.of ?? "thread");
  state.announced.value = `${clean(name, 80)}: ${size}, ${folded}`;
}

/** Fold or unfold the chosen group, or the one of the chosen thread. */
function foldGroup(state: TimelineState): void {
  const lane = state.lane.peek();
  const ofHold = state.hold.peek() === null ? null : EMPTY_GROUP;
  const name = state.group.peek() ?? ofHold ?? (lane === null ? null : state.groupOf(lane));
  if (name === null || !state.rows.peek().groupOf(name)) return;
  state.fold(name);
  chooseGroup(state, name);
}

function beside(state: TimelineState, step: number): void {
  if (state.hold.peek()) chooseHoldBeside(state, step);
  else chooseBeside(state, step);
}

function goToOwner(state: TimelineState): void {
  const hold = state.hold.peek();
  const chosen = hold && state.data.locks.all[hold.lock]!.holds[hold.at];
  if (chosen) chooseOwner(state, hold, chosen.start);
}

/** The chosen interval or hold. */
function stretch(state: TimelineState): { start: number; end: number } | null {
  const hold = state.hold.peek();
  if (hold) return state.data.locks.all[hold.lock]!.holds[hold.at] ?? null;
  const picked = state.picked.peek();
  if (!picked) return null;
  return { start: picked.level.start[picked.row]!, end: picked.level.end[picked.row]! };
}

function frameChosen(state: TimelineState): void {
  const chosen = stretch(state);
  if (!chosen) return;
  state.frame(chosen.start, chosen.end);
  sayWindow(state);
}

function zoom(state: TimelineState, factor: number): void {
  const chosen = stretch(state);
  const { from, to } = state.window.peek();
  const middle = chosen && (chosen.start + chosen.end) / 2;
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
