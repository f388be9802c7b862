// SPDX-License-Identifier: Apache-2.0
// Monitor statistics: threads, the classes that they waited for, and the places.
import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Run, Thread } from "../data/run";
import { clean, count, duration, number, place } from "../format";
import { Grid } from "../grid";
import { brightClass, chosenClasses, chosenThreads, open, shownThreads } from "../state";
import { BLOCKING_STATES, type BlockingState, isIdleIn, labelOf } from "../states";
import { Cells, type Group } from "./cells";
import { CLASS_COLUMNS, callerColumns, threadColumns } from "./columns";
import { Histogram } from "./histogram";

interface Shown {
  title: string;
  group: Group;
  state: BlockingState;
}

const shown = signal<Shown | null>(null);
const search = signal("");
let cellsOf: { run: Run; cells: Cells } | null = null;

function cells(run: Run): Cells {
  if (cellsOf?.run !== run) cellsOf = { run, cells: new Cells(run) };
  return cellsOf.cells;
}

export function StatisticsView({ run }: { run: Run }) {
  const source = cells(run);
  const threads = source.exactByThread && chosenThreads.value.size ? chosenThreads.value : null;
  const classes = useMemo(() => source.group("class", threads, null), [source, threads]);
  const names = useMemo(() => {
    const known = new Set(classes.map(({ className }) => className ?? ""));
    return new Set([...chosenClasses.value].filter((name) => known.has(name)));
  }, [classes, chosenClasses.value]);
  const wanted = names.size ? names : null;
  const callers = useMemo(
    () =>
      source.group(
        "caller",
        threads,
        wanted && new Set([...wanted].map((name) => name || null)),
      ),
    [source, threads, wanted],
  );
  const total = useMemo(
    () => source.total(threads, wanted && new Set([...wanted].map((name) => name || null))),
    [source, threads, wanted],
  );
  // A histogram goes with its choice.
  const now = shown.value;
  const drawn =
    now && (now.group === total || classes.includes(now.group) || callers.includes(now.group))
      ? now
      : null;
  return (
    <div class="statistics">
      <Threads run={run} source={source} />
      <Totals total={total} threads={threads} classes={wanted} run={run} drawn={drawn} />
      <section aria-labelledby="classes-title">
        <h2 id="classes-title">
          By class of the object{" "}
          <span class="aside">{count(classes.length, "class", "classes")}</span>
        </h2>
        <Grid
          sparse
          label="Statistics by class"
          rows={classes}
          columns={CLASS_COLUMNS}
          rowKey={({ key }) => key}
          select="many"
          selected={names}
          onSelect={(keys) => (chosenClasses.value = keys)}
          onOpen={(group) => show(group, clean(group.className) || "(not known)")}
          lines={8}
        />
        <p class="note">
          Choose classes to see their callers; Enter or double-click draws a histogram.
        </p>
        <div class="buttons">
          <button
            type="button"
            disabled={names.size !== 1}
            onClick={() => {
              brightClass.value = [...names][0]!;
              open("timeline");
            }}>
            Highlight in the timeline
          </button>
        </div>
      </section>
      {BLOCKING_STATES.map((state) => (
        <Callers key={state} state={state} groups={callers} idle={false} />
      ))}
      {BLOCKING_STATES.filter(isIdleIn).map((state) => (
        <Callers key={state} state={state} groups={callers} idle={true} />
      ))}
    </div>
  );
}

function show(group: Group, title: string, state?: BlockingState): void {
  const longest = [...BLOCKING_STATES].sort(
    (a, b) => group.states[b].total - group.states[a].total,
  )[0]!;
  shown.value = { group, title, state: state ?? longest };
}

function Threads({ run, source }: { run: Run; source: Cells }) {
  const exact = source.exactByThread;
  const all = useMemo(
    () => threadColumns(({ index }, state) => source.idleOf(index, state)),
    [source],
  );
  const key = ({ index }: Thread) => String(index);
  const selected = useMemo(
    () => new Set([...chosenThreads.value].map(String)),
    [chosenThreads.value],
  );
  return (
    <section aria-labelledby="threads-title">
      <h2 id="threads-title">
        Threads <span class="aside">{count(run.threads.length, "thread")}</span>
      </h2>
      <div class="controls">
        <label>
          Search
          <input
            type="search"
            value={search.value}
            onInput={(event) => (search.value = event.currentTarget.value)}
          />
        </label>
        <button
          type="button"
          disabled={!selected.size}
          onClick={() => (chosenThreads.value = new Set())}>
          Choose none
        </button>
        <button
          type="button"
          disabled={!selected.size}
          onClick={() => {
            shownThreads.value = new Set(chosenThreads.value);
            open("timeline");
          }}>
          Show in the timeline
        </button>
      </div>
      <Grid
        sparse
        label="Threads"
        rows={run.threads}
        columns={all}
        rowKey={key}
        select={exact ? "many" : "none"}
        selected={selected}
        onSelect={(keys) => (chosenThreads.value = new Set([...keys].map(Number)))}
        onOpen={(thread) => {
          shownThreads.value = new Set([thread.index]);
          open("timeline");
        }}
        lines={9}
        search={search.value}
      />
      <p class="note">
        {exact
          ? "Choose threads, several with Ctrl or Shift, to see totals of just these. Sums, " +
            "counts, extremes and percentiles of a choice equal those of the model."
          : "Threads and places are too many for this file to sum up a choice of threads: " +
            "query the model."}
      </p>
    </section>
  );
}

interface TotalsProps {
  total: Group;
  threads: ReadonlySet<number> | null;
  classes: ReadonlySet<string> | null;
  run: Run;
  drawn: Shown | null;
}

function Totals({ total, threads, classes, run, drawn }: TotalsProps) {
  const of = [
    threads
      ? count(threads.size, "chosen thread")
      : `all ${count(run.threads.length, "thread")}`,
    classes ? count(classes.size, "chosen class", "chosen classes") : "all classes",
  ].join(", ");
  return (
    <section class="totals" aria-live="polite" aria-labelledby="totals-title">
      <h2 id="totals-title">
        Total <span class="aside">{of}</span>
      </h2>
      <div class="cards">
        {BLOCKING_STATES.map((state) => {
          const figures = total.states[state];
          const { count: times, total: time, idle, min, p50, p90, p99, max } = figures;
          // Percentiles of a choice of threads may not be in the file.
          const known = Object.entries({ p50, p99, max }).filter(([, value]) => value !== null);
          return (
            <button
              key={state}
              type="button"
              class={`card state-${state}`}
              disabled={!times}
              data-state={state}
              data-count={times}
              data-total={time}
              data-idle={idle}
              data-min={min}
              data-p50={p50}
              data-p90={p90}
              data-p99={p99}
              data-max={max}
              onClick={() => show(total, of, state)}
              title="Draw a histogram">
              <span class="label">{labelOf(state)}</span>
              <span class="value">{duration(time)}</span>
              <span class="small">
                {idle > 0 && `${duration(idle)} of it idle, `}
                {number(times)}×{known.map(([name, value]) => `, ${name} ${duration(value)}`)}
              </span>
            </button>
          );
        })}
        <div class="card" data-objects={total.objects ?? ""} data-threads={total.threads ?? ""}>
          <span class="label">distinct</span>
          <span class="value">{total.objects === null ? "–" : number(total.objects)}</span>
          <span class="small">
            {total.objects === null ? "objects are not in this file" : "objects"}, by{" "}
            {total.threads === null ? "–" : count(total.threads, "thread")}
          </span>
        </div>
      </div>
      {drawn ? (
        <Histogram
          title={drawn.title}
          state={drawn.state}
          buckets={(cellsOf as { cells: Cells }).cells.histogram(drawn.group, drawn.state)}
          onClose={() => (shown.value = null)}
        />
      ) : null}
    </section>
  );
}

interface CallersProps {
  state: BlockingState;
  groups: readonly Group[];
  /** The places where workers waited for work, or all others. */
  idle: boolean;
}

function Callers({ state, groups, idle }: CallersProps) {
  const label = idle ? `idle, ${labelOf(state)} for work` : labelOf(state);
  const id = idle ? `idle-${state}` : state;
  const rows = useMemo(
    () =>
      groups
        .filter(({ states }) => states[state].count > 0 && states[state].idle > 0 === idle)
        .sort((a, b) => b.states[state].total - a.states[state].total),
    [groups, state, idle],
  );
  const columns = useMemo(() => callerColumns(state), [state]);
  if (!rows.length) return null;
  return (
    <section aria-labelledby={`${id}-title`} data-callers={id}>
      <h2 id={`${id}-title`}>
        {label[0]!.toUpperCase() + label.slice(1)}, by caller{" "}
        <span class="aside">{count(rows.length, "place")}</span>
      </h2>
      <Grid
        sparse
        label={`${label}, by caller`}
        rows={rows}
        columns={columns}
        rowKey={({ key }) => key}
        select="one"
        onOpen={(group) => show(group, place(group.method, group.line), state)}
        lines={8}
      />
    </section>
  );
}
