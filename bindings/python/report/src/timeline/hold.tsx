// SPDX-License-Identifier: Apache-2.0
// Lanes of locks, pools and endpoints: their switches, and the choice in them.
import { count, duration, number } from "../format";
import { choose } from "./canvas";
import { type HoldAt, KINDS_OF_LANES, type KindOfLane } from "./locks";
import { pickWithin } from "./pick";
import { firstAtOrAfter } from "./sorted";
import type { TimelineState } from "./state";

/** Choose a lock's lane, or a hold in it, and say what it is. */
export function chooseHold(state: TimelineState, hold: HoldAt): void {
  choose(state, null);
  state.lane.value = null;
  state.hold.value = hold;
  const said = sayHold(state, hold).map(([name, value]) => `${name} ${value}`);
  state.announced.value = said.join(", ");
}

function sayHold(state: TimelineState, hold: HoldAt): [name: string, value: string][] {
  const { locks } = state.data;
  const start = locks.all[hold.lock]!.holds[hold.at]?.start;
  return locks.describe(hold, start ?? state.window.peek().from);
}

/** Choose a lock's lane, and in it the first hold that the window shows. */
export function chooseLock(state: TimelineState, lock: number): void {
  const { from, to } = state.window.peek();
  const { holds, longestHold } = state.data.locks.all[lock]!;
  let at = firstAtOrAfter(holds, from - longestHold, ({ start }) => start);
  while (at < holds.length && holds[at]!.end < from) at++;
  chooseHold(state, { lock, at: at < holds.length && holds[at]!.start <= to ? at : -1 });
}

/** Choose the hold before or after the chosen one. */
export function chooseHoldBeside(state: TimelineState, step: number): void {
  const { lock, at } = state.hold.peek()!;
  const { holds } = state.data.locks.all[lock]!;
  const { from, to } = state.window.peek();
  const next =
    at >= 0
      ? at + step
      : firstAtOrAfter(holds, from, ({ start }) => start) - (step < 0 ? 1 : 0);
  const hold = holds[next];
  if (!hold) {
    state.announced.value = `The ${step < 0 ? "first" : "last"} ${NAMES[state.data.locks.all[lock]!.kind][2]}`;
    return;
  }
  chooseHold(state, { lock, at: next });
  const middle = (hold.start + hold.end - (to - from)) / 2;
  if (hold.end < from || hold.start > to) state.look(middle, middle + (to - from));
}

/** Choose what the owner of a hold did at an instant. */
export function chooseOwner(state: TimelineState, { lock, at }: HoldAt, time: number): void {
  const hold = state.data.locks.all[lock]!.holds[at];
  if (!hold || hold.lane < 0) return chooseHold(state, { lock, at });
  state.reveal(hold.lane);
  choose(state, pickWithin(state.data.lanes, hold.lane, time, time));
}

/** Names of a kind: of its switch, of a lane, and of a stretch in it. */
const NAMES: Record<KindOfLane, readonly [title: string, lane: string, hold: string]> = {
  lock: ["Locks", "lock", "hold"],
  pool: ["Pools", "pool", "use"],
  endpoint: ["Endpoints", "endpoint", "call"],
};

/** Show all lanes other than those of threads, or none. */
export function toggleLocks(state: TimelineState): void {
  state.hold.value = null;
  const { locks } = state.data;
  const all = KINDS_OF_LANES.filter((kind) => locks.of(kind).length);
  state.others.value = new Set(state.others.peek().size ? [] : all);
}

function toggle(state: TimelineState, kind: KindOfLane): void {
  state.hold.value = null;
  const others = new Set(state.others.peek());
  if (!others.delete(kind)) others.add(kind);
  state.others.value = others;
}

/** State how many lanes and holds of a kind are in the page, and how many are not. */
function notesOf(state: TimelineState, kind: KindOfLane): string[] {
  const { locks } = state.data;
  const { lanes, holds } = locks.totals[kind];
  const [, lane, hold] = NAMES[kind];
  const here = locks.of(kind).length;
  const notes = [count(here, lane)];
  if (lanes > here)
    notes[0] =
      `${here} of ${count(lanes, lane)}, those with the longest ` +
      (kind === "endpoint"
        ? "calls in all"
        : `${kind === "lock" ? "blocked" : "waiting"} time`);
  if (holds > locks.here(kind))
    notes.push(`the longest ${number(locks.here(kind))} of ${count(holds, hold)}`);
  return notes;
}

export function LockControls({ state }: { state: TimelineState }) {
  const { locks, tile } = state.data;
  const shown = state.others.value;
  const kinds = KINDS_OF_LANES.filter((kind) => shown.has(kind));
  const notes = kinds.flatMap((kind) => notesOf(state, kind));
  if (tile > 0) notes.push(`without blocks, waits and calls shorter than ${duration(tile)}`);
  return (
    <div class="controls" role="group" aria-label="Locks, pools and endpoints">
      {KINDS_OF_LANES.map((kind) => (
        <button
          key={kind}
          type="button"
          aria-pressed={shown.has(kind)}
          disabled={!locks.of(kind).length}
          onClick={() => toggle(state, kind)}>
          {NAMES[kind][0]}
        </button>
      ))}
      {kinds.length ? (
        <span class="note inline" data-lanes={kinds.join(" ")}>
          {notes.join("; ")}
        </span>
      ) : null}
      {shown.has("lock") ? (
        <>
          <Key mark="held" means="certain" />
          <Key mark="held estimated" means="estimated" />
          <Key mark="held open" means="end not known" />
        </>
      ) : null}
      {shown.has("pool") ? <Key mark="held used" means="seen in use" /> : null}
      {shown.has("endpoint") ? <Key mark="held called" means="calls at once" /> : null}
      {shown.has("lock") || shown.has("pool") ? <Key mark="held queue" means="queue" /> : null}
    </div>
  );
}

function Key({ mark, means }: { mark: string; means: string }) {
  return (
    <span class="key-line">
      <i class={mark} /> {means}
    </span>
  );
}

/** The label of the panel for a choice in a lane of a kind. */
const CHOSEN: Record<KindOfLane, string> = {
  lock: "The chosen hold",
  pool: "The chosen use",
  endpoint: "The chosen call",
};

export function HoldPanel({ state, hold }: { state: TimelineState; hold: HoldAt }) {
  const { lock, at } = hold;
  const { kind, holds } = state.data.locks.all[lock]!;
  const chosen = holds[at];
  return (
    <aside class="panel" aria-label={state.data.label(CHOSEN[kind])}>
      <dl class="facts">
        {sayHold(state, hold).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {chosen ? (
        <div class="buttons">
          <button type="button" onClick={() => state.frame(chosen.start, chosen.end)}>
            Zoom to it
          </button>
          {chosen.lane >= 0 ? (
            <button type="button" onClick={() => chooseOwner(state, hold, chosen.start)}>
              What its {kind === "lock" ? "owner" : kind === "pool" ? "user" : "caller"} did
            </button>
          ) : null}
        </div>
      ) : null}
    </aside>
  );
}
