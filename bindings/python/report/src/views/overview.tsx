// SPDX-License-Identifier: Apache-2.0
// What there is to know first: findings in words, what the run was, what it cannot show.
import type { Table } from "../data/pack";
import type { Run } from "../data/run";
import { clean, count, duration, number, place } from "../format";
import { brightClass, chosenClasses, goTo, open, type View } from "../state";
import { BLOCKING_STATES, BY_NAME, colour, STATES } from "../states";
import { Swatch } from "../timeline/swatch";

export function OverviewView({ run }: { run: Run }) {
  return (
    <div class="overview">
      <section aria-labelledby="findings-title">
        <h2 id="findings-title">What is worth looking at</h2>
        <Findings run={run} />
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

function Findings({ run }: { run: Run }) {
  const table = run.table("findings");
  const minor = table.numbers("minor");
  const rows = Array.from({ length: table.rows }, (_, row) => row);
  const cards = rows.filter((row) => minor[row] !== 1);
  const rest = rows.filter((row) => minor[row] === 1);
  return (
    <>
      {cards.length ? (
        <ol class="findings">
          {cards.map((row) => (
            <Finding key={row} run={run} table={table} row={row} />
          ))}
        </ol>
      ) : (
        <p class="calm">{clean(run.facts.calm, 1000)}</p>
      )}
      {rest.length ? (
        <details class="minor">
          <summary>{count(rest.length, "finding")} with little to gain</summary>
          <ol class="findings" start={cards.length + 1}>
            {rest.map((row) => (
              <Finding key={row} run={run} table={table} row={row} />
            ))}
          </ol>
        </details>
      ) : null}
    </>
  );
}

/** The view that shows what a finding rests on. */
const EVIDENCE: Record<string, View> = {
  deadlocks: "locks",
  blame: "locks",
  resources: "locks",
  lock_order: "locks",
  callers: "statistics",
  interactions: "timeline",
  timeline: "timeline",
};

function Finding({ run, table, row }: { run: Run; table: Table; row: number }) {
  const kind = table.text("kind", row) ?? "";
  const className = table.text("class", row);
  const thread = run.index.find(table.id("thread_id", row));
  const evidence = EVIDENCE[table.text("evidence_table", row) ?? ""] ?? "statistics";
  const show = () => {
    if (className !== null) {
      chosenClasses.value = new Set([className]);
      brightClass.value = className;
    }
    if (evidence === "timeline" && thread >= 0)
      goTo({ thread, from: 0, to: run.facts.length_ns });
    else open(evidence);
  };
  const impact = table.number("impact_ns", row);
  const bound = table.number("bound_ns", row);
  const suspected = table.numbers("suspected")[row] === 1;
  return (
    <li class={`finding ${kind}`}>
      <div class="finding-head">
        <h3>{clean(table.text("title", row), 400)}</h3>
        {suspected ? <span class="badge">suspected</span> : null}
        <span class="kind">{kind.replaceAll("_", " ")}</span>
      </div>
      {impact && bound ? (
        <Bound bound={bound} impact={impact} length={run.facts.length_ns} />
      ) : null}
      <dl class="card">
        {PARTS.map(([column, name]) => {
          const text = table.text(column, row);
          return text === null ? null : (
            <div key={column}>
              <dt>{name}</dt>
              <dd>{clean(text, 2000)}</dd>
            </div>
          );
        })}
      </dl>
      <div class="finding-foot">
        {table.text("method", row) !== null ? (
          <code>{place(table.text("method", row), table.number("line", row))}</code>
        ) : null}
        <button type="button" class="link" onClick={show}>
          Show the evidence
        </button>
      </div>
    </li>
  );
}

/** What a card says, in its order. */
const PARTS: [string, string][] = [
  ["waits", "Waits"],
  ["holds", "Holds"],
  ["gain", "Gain"],
  ["advice", "Try"],
  ["caveat", "Not known"],
];

/** Of the run's length, what the thread that lost most by it lost. */
function Bound({ bound, impact, length }: { bound: number; impact: number; length: number }) {
  const share = Math.min(1, bound / Math.max(1, length));
  const words = `${duration(impact)} lost by all threads; at most ${duration(bound)} by one, of ${duration(length)}`;
  return (
    <div class="bound">
      <svg viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label={words}>
        <rect class="whole" width="100" height="6" />
        <rect class="lost" width={share * 100} height="6" />
      </svg>
      <span class="figure">{words}</span>
    </div>
  );
}

function Facts({ run: { facts, threads } }: { run: Run }) {
  const virtual = threads.filter((thread) => thread.virtual).length;
  const rows: [string, string | null][] = [
    ["Source", facts.source],
    ["Format", facts.format],
    ["Recorded by", facts.producer],
    ["VM", facts.vm],
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

function Blocked({ run }: { run: Run }) {
  const sums = [...BLOCKING_STATES, "sleeping"].map((name) => ({
    state: STATES[BY_NAME.get(name)!]!,
    total: run.threads.reduce((sum, thread) => sum + thread.total[name]!, 0),
    count: run.threads.reduce((sum, thread) => sum + thread.count[name]!, 0),
  }));
  const most = Math.max(...sums.map(({ total }) => total), 1);
  return (
    <>
      <table class="bars">
        <caption class="unseen">Time of all threads, by state</caption>
        <tbody>
          {sums.map(({ state, total, count: times }) => (
            <tr key={state.name}>
              <th scope="row">
                <Swatch state={BY_NAME.get(state.name)!} /> {state.label}
              </th>
              <td class="bar">
                <span
                  style={{
                    width: `${(total / most) * 100}%`,
                    background: colour(BY_NAME.get(state.name)!),
                  }}
                />
              </td>
              <td class="figure">{duration(total)}</td>
              <td class="figure">{number(times)}×</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="note">Of all threads added up; the run took {duration(run.facts.length_ns)}.</p>
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
