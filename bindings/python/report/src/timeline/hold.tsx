// SPDX-License-Identifier: Apache-2.0
// Lanes of locks: their switch, and what is chosen in them.
import { count, duration, number } from "../format";
import { choose } from "./canvas";
import type { HoldAt } from "./locks";
import { pickWithin } from "./pick";
import { firstAtOrAfter } from "./sorted";
import type { TimelineState } from "./state";

/** Choose a lock's lane, or a hold in it, and say what it is. */
export function chooseHold(state: TimelineState, hold: HoldAt): void {
  choose(state, null);
  state.lane.value = null;
  state.hold.value = hold;
  const said = sayHold(state, hold).map(([name, value]) => `${name} ${value}`);
  state.told.value = said.join(", ");
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
    state.told.value = step < 0 ? "The first hold" : "The last hold";
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

export function toggleLocks(state: TimelineState): void {
  state.hold.value = null;
  state.locks.value = !state.locks.value && state.data.locks.all.length > 0;
}

export function LockControls({ state }: { state: TimelineState }) {
  const { locks, tile } = state.data;
  const here = locks.all.length;
  const notes: string[] = [];
  if (locks.total > here)
    notes.push(`${here} of ${count(locks.total, "lock")}, those with the longest blocked time`);
  if (locks.holdTotal > locks.table.rows)
    notes.push(`the longest ${number(locks.table.rows)} of ${count(locks.holdTotal, "hold")}`);
  if (tile > 0) notes.push(`queues without blocks shorter than ${duration(tile)}`);
  return (
    <div class="controls" role="group" aria-label="Locks">
      <button
        type="button"
        aria-pressed={state.locks.value}
        disabled={!here}
        onClick={() => toggleLocks(state)}>
        Locks
      </button>
      {state.locks.value ? (
        <>
          <span class="note inline" data-locks={here}>
            {notes.join("; ") || count(here, "lock")}
          </span>
          <span class="key-line">
            <i class="held" /> certain
          </span>
          <span class="key-line">
            <i class="held estimated" /> estimated
          </span>
          <span class="key-line">
            <i class="held open" /> end not known
          </span>
          <span class="key-line">
            <i class="held queue" /> queue
          </span>
        </>
      ) : null}
    </div>
  );
}

export function HoldPanel({ state, hold }: { state: TimelineState; hold: HoldAt }) {
  const { lock, at } = hold;
  const chosen = state.data.locks.all[lock]!.holds[at];
  return (
    <aside class="panel" aria-label={state.data.label("The chosen hold")}>
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
              What its owner did
            </button>
          ) : null}
        </div>
      ) : null}
    </aside>
  );
}
