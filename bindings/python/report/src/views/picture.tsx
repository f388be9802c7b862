// SPDX-License-Identifier: Apache-2.0
// The one picture of a finding: of a deadlock its ring, of anything else how many threads
// were waiting at its place, over the run.
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Pack, Table } from "../data/pack";
import type { Run } from "../data/run";
import { duration } from "../format";
import { gather, Ring } from "../locks/deadlocks";
import { BLOCKING_STATES, BY_NAME, colour, STATES } from "../states";
import { Steps } from "./steps";

const BUCKETS = 150;
const WAITED = [...BLOCKING_STATES, "sleeping", "deadlocked"].map((name) => `${name}_ns`);

export function Picture({ run, row, timeline }: Props) {
  const table = run.table("findings");
  const isDeadlock = table.text("kind", row) === "deadlock";
  if (isDeadlock) return <Chain run={run} rank={table.numbers("rank")[row]!} />;
  return <Queue run={run} row={row} timeline={timeline} />;
}

interface Props {
  run: Run;
  /** Of the finding. */
  row: number;
  timeline: Promise<Pack>;
}

function Chain({ run, rank }: { run: Run; rank: number }) {
  const deadlock = useMemo(() => gather(run, run.table(`evidence_${rank}`))[0], [run, rank]);
  return deadlock ? <Ring members={deadlock.members} /> : null;
}

interface Queued {
  /** Threads on average, in each part of the run. */
  threads: Float64Array;
  most: number;
  /** The state in which most of it was spent. */
  state: number;
}

/** Rows with a value in a column; null: any value. */
function saying(table: Table, column: string, text: string | null): (row: number) => boolean {
  if (text === null) return () => true;
  const code = table.categories(column).indexOf(text);
  const codes = table.codes(column);
  return (row) => code >= 0 && codes[row] === code;
}

/** The number of threads that waited for a class at a place, over the run; null: none. */
export function queueAt(
  table: Table,
  className: string | null,
  method: string | null,
  length: number,
): Queued | null {
  const isClass = saying(table, "class", className);
  const isPlace = saying(table, "method", method);
  const start = table.numbers("start_ns");
  const times = WAITED.map((name) => table.numbers(name));
  const sums = new Float64Array(WAITED.length);
  const threads = new Float64Array(BUCKETS);
  const bucket = length / BUCKETS;
  for (let row = 0; row < table.rows; row++) {
    if (!isClass(row) || !isPlace(row)) continue;
    // A row of a class is one interval, of one state.
    const state = times.findIndex((of) => of[row]! > 0);
    if (state < 0) continue;
    sums[state]! += times[state]![row]!;
    const end = start[row]! + times[state]![row]!;
    for (
      let at = Math.max(Math.floor(start[row]! / bucket), 0);
      at < BUCKETS && at * bucket < end;
      at++
    )
      threads[at]! +=
        (Math.min(end, (at + 1) * bucket) - Math.max(start[row]!, at * bucket)) / bucket;
  }
  const most = Math.max(...threads);
  if (most === 0) return null;
  const state = WAITED[sums.indexOf(Math.max(...sums))]!.slice(0, -"_ns".length);
  return { threads, most, state: BY_NAME.get(state)! };
}

function Queue({ run, row, timeline }: Props) {
  const [pack, setPack] = useState<Pack | null>(null);
  useEffect(() => void timeline.then(setPack, () => undefined), [timeline]);
  const table = run.table("findings");
  const length = run.facts.length_ns;
  const className = table.text("class", row);
  const method = table.text("method", row);
  const queued = useMemo(() => {
    if (!pack || !length || (className === null && method === null)) return null;
    const tiles = pack.table("tiles");
    return (
      queueAt(tiles, className, method, length) ??
      (className === null ? null : queueAt(tiles, className, null, length))
    );
  }, [pack, className, method, length]);
  if (!queued) return <div class="picture" />;
  const { threads, most, state } = queued;
  const whole = Math.max(Math.ceil(most - 0.05), 1);
  const figure = most < 9.95 ? most.toFixed(1) : most.toFixed(0);
  const words = `threads ${STATES[state]!.label} here, on average in each ${threads.length}th of the run: ${figure} at most`;
  const tile = pack!.value<number>("tile_ns");
  return (
    <Steps values={threads} whole={whole} fill={colour(state)} words={words}>
      <span>0</span>
      <span>
        {words}
        {tile > 0 ? `; those for less than ${duration(tile)} not counted` : ""}
      </span>
      <span>{duration(length)}</span>
    </Steps>
  );
}
