// SPDX-License-Identifier: Apache-2.0
// The complete timeline: legend, tools, minimap, lanes, the choice, and a table. A report
// and a notebook show the same.
import type { Signal } from "@preact/signals";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { clean, count, duration, number } from "../format";
import { TimelineCanvas } from "./canvas";
import { FilterDialog } from "./filter";
import { KEYS } from "./keys";
import { Listing } from "./listing";
import { Minimap } from "./minimap";
import { Panel } from "./panel";
import type { Scene } from "./scene";
import type { TimelineState } from "./state";
import { Legend, Toolbar } from "./toolbar";

interface Props {
  state: TimelineState;
  shown: Signal<ReadonlySet<number> | null>;
  bright: Signal<string | null>;
  onStatistics?: (lane: number, className: string | null) => void;
  onShownStatistics?: () => void;
  /** The element that lists the keys, where another timeline has it. */
  keys?: string;
}

declare global {
  /** The timeline that was drawn last, for tests and benchmarks. */
  var threadmodelTimeline: { state: TimelineState; scene: Scene } | undefined;
}

export function Timeline(props: Props) {
  const { state, shown, bright } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const own = useId();
  const keys = props.keys ?? own;
  const [listed, setListed] = useState(false);
  const filter = () => dialog.current?.showModal();
  useEffect(
    () => () => {
      globalThis.threadmodelTimeline = undefined;
    },
    [],
  );
  return (
    <div class="timeline">
      <Toolbar state={state} filter={filter} search={search} />
      <Legend state={state} />
      <Notes state={state} />
      {bright.value !== null ? (
        <p class="note">
          Intervals of <strong>{clean(bright.value) || "(not known)"}</strong> are highlighted
          where they are wider than a pixel: zoom in for the others.{" "}
          <button type="button" class="link" onClick={() => (bright.value = null)}>
            Show all alike
          </button>
        </p>
      ) : null}
      {state.failed.value ? (
        <p class="note cut" role="alert">
          {clean(state.failed.value)}
        </p>
      ) : null}
      {state.data.isInstant ? null : <Minimap state={state} />}
      <div class="timeline-body">
        <TimelineCanvas
          state={state}
          keys={keys}
          onSearch={() => search.current?.focus()}
          onFilter={filter}
          onScene={(scene) => (globalThis.threadmodelTimeline = { state, scene })}
        />
        <Panel
          state={state}
          {...(props.onStatistics && { onStatistics: props.onStatistics })}
        />
      </div>
      {props.keys === undefined ? <Keys id={keys} /> : null}
      <p class="unseen" role="status" aria-live="polite">
        {state.announced.value}
      </p>
      <div class="buttons">
        <button type="button" aria-expanded={listed} onClick={() => setListed(!listed)}>
          {listed ? "Hide the table" : "Show as a table"}
        </button>
        {props.onShownStatistics ? (
          <button type="button" onClick={props.onShownStatistics}>
            Statistics of the threads shown
          </button>
        ) : null}
      </div>
      {listed ? <Listing state={state} /> : null}
      <FilterDialog threads={state.data.threads} shown={shown} dialog={dialog} />
    </div>
  );
}

export function Keys({ id }: { id: string }) {
  return (
    <p id={id} class="note">
      {KEYS.map(([key, means]) => (
        <span key={key} class="key">
          <kbd>{key}</kbd> {means}
        </span>
      ))}
      <span class="key">
        <kbd>wheel</kbd> zoom, with Shift pan; over names: scroll
      </span>
    </p>
  );
}

/** Notes on data that is not in the page. */
function Notes({ state }: { state: TimelineState }) {
  const { data } = state;
  const notes: string[] = [];
  if (data.isInstant)
    notes.push("The run is one instant: a lane shows the state in which its thread was.");
  if (data.tile > 0 && !data.source.more)
    notes.push(
      `The run has ${count(data.intervals, "interval")}. Those shorter than ` +
        `${duration(data.tile)} are merged with their neighbours, so that the file stays ` +
        "small: their time is right, with idle workers among those that wait or are parked; " +
        "their stacks and objects are not in this file.",
    );
  const { table } = data.arrows;
  if (table.total > table.rows)
    notes.push(
      `Of ${count(table.total, "interaction")}, ${number(table.rows)} are here, first those ` +
        "that ended an interval which is here by itself, the others spread evenly: a missing " +
        "arrow means nothing.",
    );
  const path = data.path.table;
  if (path.total > path.rows)
    notes.push(
      `Of ${count(path.total, "step")} of the critical path the longest ${number(path.rows)} ` +
        "are here.",
    );
  return (
    <>
      {notes.map((note) => (
        <p class="note cut" key={note}>
          {note}
        </p>
      ))}
    </>
  );
}
