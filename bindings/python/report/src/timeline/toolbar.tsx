// SPDX-License-Identifier: Apache-2.0
// Controls of the timeline: grouping, filter, arrows by kind, critical path, locks, search.
import type { RefObject } from "preact";
import { useState } from "preact/hooks";
import { count, number } from "../format";
import { scheme } from "../scheme";
import { IDLE, isDark, OPTIONAL, STATES } from "../states";
import { KINDS } from "./arrows";
import { choose } from "./canvas";
import { LockControls } from "./hold";
import { pickWithin } from "./pick";
import type { TimelineState } from "./state";
import { Swatch } from "./swatch";

interface Props {
  state: TimelineState;
  filter: () => void;
  search: RefObject<HTMLInputElement | null>;
}

export function Toolbar({ state, filter, search }: Props) {
  const { data } = state;
  const shown = state.rows.value.lanes.length;
  const filtered = state.shown.value?.size;
  const toggleKind = (kind: number) => {
    const kinds = new Set(state.kinds.value);
    if (!kinds.delete(kind)) kinds.add(kind);
    state.kinds.value = kinds;
  };
  const { drawn, total } = state.arrowCount.value;
  const isAll = state.allArrows.value;
  void scheme.value;
  return (
    <div class="toolbar">
      <div class="controls">
        <button
          type="button"
          aria-pressed={state.grouped.value}
          onClick={() => (state.grouped.value = !state.grouped.value)}>
          Group threads
        </button>
        <button type="button" onClick={filter} data-shown={shown}>
          Filter:{" "}
          {filtered === undefined
            ? `all ${count(data.threads.length, "thread")}`
            : `${number(filtered)} of ${count(data.threads.length, "thread")}`}
        </button>
        <span class="gap" />
        <button type="button" aria-label="Zoom in" onClick={() => state.zoom(0.5)}>
          +
        </button>
        <button type="button" aria-label="Zoom out" onClick={() => state.zoom(2)}>
          −
        </button>
        <button type="button" onClick={() => state.look(0, data.length)}>
          Whole run
        </button>
        <span class="gap" />
        <Search state={state} input={search} />
      </div>
      <PathControls state={state} />
      <LockControls state={state} />
      <div class="controls" role="group" aria-label="Arrows">
        <button
          type="button"
          aria-pressed={isAll}
          onClick={() => {
            state.allArrows.value = !isAll;
          }}>
          All arrows
        </button>
        {KINDS.map((kind, index) =>
          kind.name === "post" && !data.arrows.has(index) ? null : (
            <button
              key={kind.name}
              type="button"
              class="kind"
              data-kind={kind.name}
              aria-pressed={state.kinds.value.has(index)}
              onClick={() => toggleKind(index)}>
              <span
                class="dot"
                style={{
                  background: isDark() ? kind.dark : kind.light,
                  color: isDark() ? "#10141d" : "#ffffff",
                }}>
                {kind.letter}
              </span>
              {kind.label}
            </button>
          ),
        )}
        <span class="note inline" aria-live="polite">
          {total > drawn
            ? `${number(drawn)} of ${count(total, "arrow")} drawn: zoom in for all`
            : isAll || total || state.lane.value !== null
              ? count(total, "arrow")
              : "choose a thread to see its own"}
        </span>
        <span class="key-line">
          <i class="solid" /> certain
        </span>
        <span class="key-line">
          <i class="dashed" /> inferred
        </span>
      </div>
    </div>
  );
}

function PathControls({ state }: { state: TimelineState }) {
  const { path } = state.data;
  const step = state.step.value;
  const last = path.segments.length - 1;
  const start = () => {
    const { from, to } = state.window.peek();
    state.goStep(path.at((from + to) / 2));
  };
  return (
    <div class="controls" role="group" aria-label="Critical path">
      <button
        type="button"
        aria-pressed={state.path.value}
        disabled={last < 0}
        onClick={() => (state.path.value = !state.path.value)}>
        Critical path
      </button>
      {state.path.value ? (
        <>
          <button type="button" onClick={() => state.goStep(0)}>
            First
          </button>
          <button type="button" disabled={!step} onClick={() => state.goStep(step! - 1)}>
            ← Back
          </button>
          <button
            type="button"
            disabled={step === last}
            onClick={() => (step === null ? start() : state.goStep(step + 1))}>
            {step === null ? "Follow it" : "On →"}
          </button>
          <button type="button" onClick={() => state.goStep(last)}>
            Last
          </button>
          <span class="note inline" data-step={step ?? ""}>
            {step === null ? `${count(last + 1, "step")}` : path.say(step)}
          </span>
        </>
      ) : null}
    </div>
  );
}

function Search({
  state,
  input,
}: {
  state: TimelineState;
  input: RefObject<HTMLInputElement | null>;
}) {
  const [found, setFound] = useState<{ at: number; total: number } | null>(null);
  const find = (step: number) => {
    const wanted = input.current!.value.trim().toLowerCase();
    if (!wanted) return setFound(null);
    const hits = search(state, wanted);
    if (!hits.length) return setFound({ at: 0, total: 0 });
    const at =
      found && found.total === hits.length ? (found.at + step + hits.length) % hits.length : 0;
    setFound({ at, total: hits.length });
    goToHit(state, hits[at]!);
  };
  return (
    <label class="search">
      Search
      <input
        ref={input}
        type="search"
        placeholder="thread, class, method"
        onInput={() => setFound(null)}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          find(event.shiftKey ? -1 : 1);
        }}
      />
      <button type="button" aria-label="Find the next" onClick={() => find(1)}>
        →
      </button>
      <span class="note inline" aria-live="polite">
        {found === null
          ? ""
          : found.total
            ? `${found.at + 1} of ${number(found.total)}`
            : "not found"}
      </span>
    </label>
  );
}

interface Hit {
  lane: number;
  row: number | null;
}

const MOST_HITS = 10_000;

/** Threads by name, then intervals by class, object or method. */
function search(state: TimelineState, wanted: string): Hit[] {
  const { data } = state;
  // Threads of closed groups are searched, but not threads that the user filtered out.
  const shown = state.shown.peek();
  const threads = data.threads.filter(({ index }) => !shown || shown.has(index));
  const hits: Hit[] = threads
    .filter(({ label }) => label.toLowerCase().includes(wanted))
    .map(({ index }) => ({ lane: index, row: null }));
  const { table, finest } = data.lanes;
  const columns = ["class", "object", "method"].map((name) => ({
    codes: table.codes(name),
    match: table.categories(name).map((text) => text.toLowerCase().includes(wanted)),
  }));
  for (const { index: lane } of threads)
    for (let row = finest.first[lane]!; row < finest.first[lane + 1]!; row++) {
      if (hits.length >= MOST_HITS) return hits;
      if (columns.some(({ codes, match }) => match[codes[row]!])) hits.push({ lane, row });
    }
  return hits;
}

function goToHit(state: TimelineState, { lane, row }: Hit): void {
  const { lanes } = state.data;
  state.reveal(lane);
  if (row === null) {
    const { from, to } = state.window.peek();
    choose(state, pickWithin(lanes, lane, from, to));
    return;
  }
  choose(state, { lane, table: lanes.table, level: lanes.finest, row });
  state.frame(lanes.finest.start[row]!, lanes.finest.end[row]!);
}

export function Legend({ state }: { state: TimelineState }) {
  const { data } = state;
  const { table, finest } = data.lanes;
  const isReported = (index: number) =>
    table.rows > 0 && table.numbers(`${STATES[index]!.name}_ns`).some((time) => time > 0);
  const shown = (index: number) =>
    OPTIONAL.has(index) ? isReported(index) : index !== IDLE || finest.state.includes(IDLE);
  return (
    <ul class="legend" aria-label="States">
      {STATES.map((state, index) =>
        shown(index) ? (
          <li key={state.name} title={state.meaning}>
            <Swatch state={index} /> {state.label}
          </li>
        ) : null,
      )}
      {data.pauses.length ? (
        <li title="All threads stood still while the collector worked">
          <span class="pause-mark" /> collector pause
        </li>
      ) : null}
    </ul>
  );
}
