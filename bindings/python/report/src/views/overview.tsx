// SPDX-License-Identifier: Apache-2.0
// The overview: findings in words, facts of the run, and caveats.
import type { Pack } from "../data/pack";
import type { Run } from "../data/run";
import { clean, count, duration, number } from "../format";
import { Elsewhere } from "../part";
import { evidence } from "../state";
import { BLOCKING_STATES, BY_NAME, colour, isIdleIn, STATES } from "../states";
import { Swatch } from "../timeline/swatch";
import { Causes } from "./causes";
import { Finding } from "./finding";

interface Props {
  run: Run;
  timeline: Promise<Pack>;
}

export function OverviewView({ run, timeline }: Props) {
  return (
    <div class="overview">
      <Causes run={run} />
      <section aria-labelledby="findings-title">
        <h2 id="findings-title">
          What is worth looking at{" "}
          <span class="aside">
            {count(run.threads.length, "thread")}, {duration(run.facts.length_ns)}
          </span>{" "}
          <Elsewhere run={run} table="findings" />
        </h2>
        <Findings run={run} timeline={timeline} />
      </section>
      <div class="columns">
        <section aria-labelledby="run-title">
          <h2 id="run-title">The run</h2>
          <Facts run={run} />
        </section>
        <section aria-labelledby="time-title">
          <h2 id="time-title">Where threads were blocked</h2>
          <Blocked run={run} />
        </section>
        <section aria-labelledby="caveats-title">
          <h2 id="caveats-title">What the data cannot show</h2>
          <Caveats run={run} />
        </section>
      </div>
    </div>
  );
}

function Findings({ run, timeline }: Props) {
  const table = run.table("findings");
  const minor = table.numbers("minor");
  const rows = [...Array(table.rows).keys()];
  const cards = rows.filter((row) => minor[row] !== 1);
  const rest = rows.filter((row) => minor[row] === 1);
  const shown = evidence.value;
  const isRestShown = rest.some((row) => table.numbers("rank")[row] === shown);
  const list = (of: number[], start = 1) => (
    <ol class="findings" style={{ counterReset: `finding ${start - 1}` }}>
      {of.map((row) => (
        <Finding key={row} run={run} row={row} timeline={timeline} />
      ))}
    </ol>
  );
  return (
    <>
      {cards.length ? list(cards) : <p class="calm">{clean(run.facts.calm, 1000)}</p>}
      {rest.length ? (
        <details class="minor" open={isRestShown}>
          <summary>{count(rest.length, "finding")} with little to gain</summary>
          {list(rest, cards.length + 1)}
        </details>
      ) : null}
      <NotLookedFor run={run} />
    </>
  );
}

/** The most kinds that the collapsed line names. */
const NAMED = 6;

/** The kinds of findings that the data does not support, by what it lacks. */
function NotLookedFor({ run }: { run: Run }) {
  const table = run.table("finding_kinds");
  const reasons = new Map<string, string[]>();
  for (let row = 0; row < table.rows; row++) {
    const remedy = table.text("remedy", row);
    if (remedy === null) continue;
    const reason = `${table.text("why", row)} ${remedy}`;
    const kind = (table.text("kind", row) ?? "").replaceAll("_", " ");
    reasons.set(reason, [...(reasons.get(reason) ?? []), kind]);
  }
  if (!reasons.size) return null;
  const kinds = [...reasons.values()].flat();
  return (
    <details class="not-looked-for">
      <summary>
        Not looked for: {kinds.slice(0, NAMED).join(", ")}
        {kinds.length > NAMED ? ` and ${kinds.length - NAMED} more` : ""}
      </summary>
      <dl>
        {[...reasons].map(([reason, of]) => (
          <div key={reason}>
            <dt>{of.join(", ")}</dt>
            <dd>{reason}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

function Facts({ run: { facts, threads } }: { run: Run }) {
  const virtual = threads.filter((thread) => thread.virtual).length;
  const rows: [string, string | null][] = [
    ["Source", facts.source],
    ["Format", facts.format],
    ["Recorded by", facts.producer],
    ["Runtime", facts.vm],
    ["Command", facts.command],
    ["Process", facts.pid === null ? null : String(facts.pid)],
    ["Began", began(facts.start)],
    ["Length", duration(facts.length_ns)],
    ["Threads", number(threads.length) + (virtual ? `, ${number(virtual)} virtual` : "")],
    ["Events", number(facts.events)],
  ];
  return (
    <dl class="facts">
      {rows.map(([name, value]) =>
        value ? (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{clean(value, 400)}</dd>
          </div>
        ) : null,
      )}
    </dl>
  );
}

/** To the second: 2026-11-20T20:04:21.824983775Z is 2026-11-20 20:04:21 UTC. */
function began(start: string | null): string | null {
  return start?.replace(/^([\d-]+)T([\d:]+)(\.\d+)?Z$/, "$1 $2 UTC") ?? null;
}

const IDLE_MEANS = "workers that waited for work while there was none";

interface Bar {
  label: string;
  total: number;
  count: number;
  /** Its swatch; null: idle. */
  state: number | null;
}

/** Time of all threads by state, with idle time apart. */
function bars(run: Run): Bar[] {
  const cells = run.table("cells");
  const isIdle = cells.numbers("idle");
  const idle: Bar = { label: "idle", total: 0, count: 0, state: null };
  const sums = [...BLOCKING_STATES, "sleeping"].map((name) => {
    const state = BY_NAME.get(name)!;
    const bar: Bar = { label: STATES[state]!.label, total: 0, count: 0, state };
    for (const thread of run.threads) {
      bar.total += thread.total[name]!;
      bar.count += thread.count[name]!;
    }
    if (!isIdleIn(name)) return bar;
    const [totals, counts] = ["total_ns", "count"].map((of) => cells.numbers(`${name}_${of}`));
    for (let row = 0; row < cells.rows; row++) {
      if (!isIdle[row]) continue;
      bar.total -= totals![row]!;
      bar.count -= counts![row]!;
      idle.total += totals![row]!;
      idle.count += counts![row]!;
    }
    return bar;
  });
  return [...sums, idle].filter(({ count: times }) => times > 0);
}

function Blocked({ run }: { run: Run }) {
  const sums = bars(run);
  if (!sums.length) return <p class="calm">No thread was blocked, waited or slept.</p>;
  const most = Math.max(...sums.map(({ total }) => total), 1);
  const { part, facts } = run;
  const length = part ? part.to - part.from : facts.length_ns;
  const locks = part ? part.locksNs : facts.locks_ns;
  return (
    <>
      <table class="bars">
        <caption class="unseen">Time of all threads, by state</caption>
        <tbody>
          {sums.map(({ label, state, total, count: times }) => (
            <tr key={label} title={state === null ? IDLE_MEANS : undefined}>
              <th scope="row">
                {state === null ? null : <Swatch state={state} />} {label}
              </th>
              <td class="bar">
                <span
                  style={{
                    width: `${(total / most) * 100}%`,
                    background: state === null ? "var(--line)" : colour(state),
                  }}
                />
              </td>
              <td class="figure">{duration(total)}</td>
              <td class="figure">{number(times)}×</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="note">
        Of all threads added up; the {run.part ? "part" : "run"} took {duration(length)}.
        {locks === null
          ? ""
          : ` By locks of all kinds, threads were blocked for ${duration(locks)}.`}
      </p>
    </>
  );
}

function Caveats({ run }: { run: Run }) {
  const { facts } = run;
  const sentences = [...facts.caveats];
  if (facts.damage) sentences.unshift(`Only partly read: ${facts.damage}`);
  if (facts.threshold_ns > 0)
    sentences.push(
      `Blocks and waits shorter than ${duration(facts.threshold_ns)} were not recorded.`,
    );
  if (!run.byThread)
    sentences.push("Threads and places are too many to sum up by choice of threads.");
  const odd = run.table("diagnostics");
  return (
    <>
      {sentences.length ? (
        <ul class="caveats">
          {sentences.map((sentence) => (
            <li key={sentence}>{clean(sentence, 1000)}</li>
          ))}
        </ul>
      ) : (
        <p class="calm">Nothing is known to be missing.</p>
      )}
      {odd.rows ? (
        <details>
          <summary>{count(odd.rows, "oddity", "oddities")} of the events</summary>
          <table class="plain">
            <thead>
              <tr>
                <th scope="col">Cause</th>
                <th scope="col">Count</th>
              </tr>
            </thead>
            <tbody>
              {Array.from({ length: odd.rows }, (_, row) => (
                <tr key={row}>
                  <td>{(odd.text("cause", row) ?? "").replaceAll("_", " ")}</td>
                  <td class="figure">{number(Number(odd.ids("count")[row]!))}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      ) : null}
    </>
  );
}
