// SPDX-License-Identifier: Apache-2.0
// Lanes of resources that several threads use at once: pools, with the threads that wait
// for a permit, and endpoints, with the calls of threads.
import type { Pack, Table } from "../data/pack";
import type { Thread, ThreadIndex } from "../data/run";
import { clean } from "../format";
import { BY_NAME } from "../states";
import type { Lanes } from "./lanes";
import type { Hold, Lock } from "./locks";
import { type Steps, stepsOf } from "./steps";

/** Endpoints that have lanes, those with the longest calls in all. */
const ENDPOINTS = 12;

const WAITING = new Set(["waiting", "parked", "blocked"].map((name) => BY_NAME.get(name)));
const IO = BY_NAME.get("io");

/** Pools for which threads waited, by class and by the method that they waited in. */
export function poolLanes(
  pack: Pack,
  lanes: Lanes,
  threads: readonly Thread[],
  index: ThreadIndex,
): Lock[] {
  const pools = pack.table("pools");
  if (!pools.rows) return [];
  const uses = pack.table("uses");
  const places = Array.from({ length: pools.rows }, (_, row) =>
    placeOf(pools, "waiting_method", row),
  );
  const at = new Map(places.map((of, row) => [of, row]));
  const found = queuesOf(lanes, at).map((queue, row) => {
    const name = pools.text("waiting_method", row) ?? pools.text("class", row);
    return lane("pool", clean(name) || "(not known)", queue);
  });
  const users = index.column(uses, "thread_id");
  for (let row = 0; row < uses.rows; row++) {
    const pool = found[at.get(placeOf(uses, "waiting_method", row)) ?? -1];
    const user = users[row]!;
    const label =
      threads[user]?.label ||
      clean(uses.text("thread", row), 200) ||
      `thread ${uses.id("thread_id", row)}`;
    const [start, end] = ["start_ns", "end_ns"].map((of) => uses.number(of, row) ?? 0);
    pool?.holds.push(hold(row, user, label, start!, end!));
  }
  return found.map(withSteps);
}

function placeOf(table: Table, method: string, row: number): string {
  return `${table.text("class", row)}\u0001${table.text(method, row)}`;
}

/** The number of threads that waited at each place, by unmerged intervals. */
function queuesOf({ table, finest }: Lanes, at: ReadonlyMap<string, number>): Steps[] {
  const stretches = [...at].map((): [start: number, end: number][] => []);
  for (let row = 0; row < finest.start.length; row++) {
    if (finest.count[row] !== 1 || !WAITING.has(finest.state[row])) continue;
    const of = stretches[at.get(placeOf(table, "method", row)) ?? -1];
    of?.push([finest.start[row]!, finest.end[row]!]);
  }
  return stretches.map(stepsOf);
}

/** Endpoints of threads' calls, without those in which idle workers wait. */
export function endpointLanes(
  { table, finest }: Lanes,
  threads: readonly Thread[],
): { lanes: Lock[]; total: number } {
  const calls = new Map<number, Hold[]>();
  const times = new Map<number, number>();
  const codes = table.codes("object");
  for (let lane = 0; lane + 1 < finest.first.length; lane++)
    for (let row = finest.first[lane]!; row < finest.first[lane + 1]!; row++) {
      const code = codes[row]!;
      if (finest.count[row] !== 1 || finest.state[row] !== IO || code < 0) continue;
      const [start, end] = [finest.start[row]!, finest.end[row]!];
      const one = hold(row, lane, threads[lane]!.label, start, end);
      one.certainFrom = start;
      one.certainTo = end;
      const there = calls.get(code);
      if (there) there.push(one);
      else calls.set(code, [one]);
      times.set(code, (times.get(code) ?? 0) + end - start);
    }
  const longest = [...times].sort((a, b) => b[1] - a[1]).slice(0, ENDPOINTS);
  const lanes = longest.map(([code]) => {
    const it = lane("endpoint", clean(table.categories("object")[code]!), stepsOf([]));
    it.holds = calls.get(code)!.sort((a, b) => a.start - b.start);
    return withSteps(it);
  });
  return { lanes, total: times.size };
}

function lane(kind: Lock["kind"], name: string, queue: Steps): Lock {
  return { kind, name, holds: [], lines: 1, queue, atOnce: null, longestHold: 0 };
}

/** Uses: thread, start and end; all have the same colour. */
function hold(row: number, lane: number, label: string, start: number, end: number): Hold {
  return {
    row,
    lane,
    owner: 0,
    label,
    start,
    end,
    isEndKnown: true,
    certainFrom: Infinity,
    certainTo: -Infinity,
    line: -1,
  };
}

function withSteps(of: Lock): Lock {
  return { ...of, atOnce: stepsOf(of.holds.map(({ start, end }) => [start, end])) };
}
