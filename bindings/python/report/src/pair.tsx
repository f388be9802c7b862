// SPDX-License-Identifier: Apache-2.0
// Two runs, before and after: their timelines under one another on one scale, their waits
// in the part that is shown, and the differences of their stacks and causes.
import { effect, type Signal, signal } from "@preact/signals";
import { render } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { embedded, type Pack, type Table } from "./data/pack";
import { ThreadIndex, threadsOf } from "./data/run";
import { Stacks } from "./data/stacks";
import { clean, count, duration } from "./format";
import { blocksWithin } from "./range/blocks";
import { putShares } from "./range/range";
import { flameTable } from "./range/statistics";
import { watchScheme } from "./scheme";
import { TimelineData } from "./timeline/data";
import { TimelineState } from "./timeline/state";
import { Keys, Timeline } from "./timeline/timeline";
import { CauseChanges } from "./views/changes";
import { FlameView, type Source } from "./views/flame";
import { WaitChanges, type Waits } from "./views/waits";

const KEYS = "keys";
const TITLES = ["Before", "After"] as const;

interface Side extends Source {
  title: string;
  name: string;
  facts: string;
  state: TimelineState;
  shown: Signal<ReadonlySet<number> | null>;
  bright: Signal<string | null>;
  /** Where the part that is compared begins. */
  begins: number;
  pack: Pack;
}

function sideOf(pack: Pack, at: number, longest: number): Side {
  const threads = threadsOf(pack.table("threads"));
  const index = new ThreadIndex(threads);
  const stacks = new Stacks(pack.table("stacks"));
  const length = pack.value<number>("length_ns");
  const data = new TimelineData(pack, { threads, index, stacks, name: TITLES[at]! }, longest);
  const shown = signal<ReadonlySet<number> | null>(null);
  const bright = signal<string | null>(null);
  return {
    title: TITLES[at]!,
    name: clean(pack.value<string>("name")),
    facts: `${duration(length)}, ${count(threads.length, "thread")}`,
    state: new TimelineState(data, shown, bright),
    shown,
    bright,
    begins: pack.value<[number, number]>("range")[0],
    pack,
    table: (name) => pack.table(name),
  };
}

/** The data of a run in the part that its timeline shows, by names of tables. */
interface Shown extends Source, Waits {
  from: number;
  to: number;
}

/** The part that a timeline shows, and the tables that can be computed for it. */
function shownOf({ state, pack, table }: Side): Shown {
  const { data } = state;
  const window = state.rested.value;
  const from = Math.max(Math.round(window.from), 0);
  const to = Math.min(Math.round(window.to), data.own);
  const found = blocksWithin(data.lanes, from, to);
  const tables = new Map<string, Table>();
  const put = (made: Table) => tables.set(made.name, made);
  const [start, end] = pack.value<[number, number]>("range");
  if (from !== start || to !== end) {
    put(flameTable(found.blocks, data.lanes.table));
    if (pack.has("shares")) putShares(put, pack, from, to);
  }
  return { data, found, from, to, table: (name) => tables.get(name) ?? table(name) };
}

/** State the shown part in the address, in the first run's time. */
function keepAddress({ state }: Side): () => void {
  return effect(() => {
    const { from, to } = state.rested.value;
    const isAll = from <= 0 && to >= state.data.length;
    const hash = isAll ? "#" : `#from=${Math.round(from)}&to=${Math.round(to)}`;
    if (location.hash !== hash && !(isAll && !location.hash))
      history.replaceState(null, "", hash);
  });
}

/** The part that the address asks for; null: none. */
function asked(): [from: number, to: number] | null {
  const parts = new URLSearchParams(location.hash.slice(1));
  const [from, to] = ["from", "to"].map((name) => Number(parts.get(name) ?? Number.NaN));
  return from! >= 0 && to! > from! ? [from!, to!] : null;
}

/** Keep both timelines at the same time since the start of the compared parts.
 * @return a function that ends it */
function couple([one, other]: readonly [Side, Side]): () => void {
  const shift = other.begins - one.begins;
  const lead = (from: Side, to: Side, by: number) =>
    effect(() => {
      const window = from.state.window.value;
      to.state.look(window.from + by, window.to + by);
    });
  const stops = [lead(one, other, shift), lead(other, one, -shift)];
  return () => {
    for (const stop of stops) stop();
  };
}

function Pair({ sides }: { sides: readonly [Side, Side] }) {
  useEffect(watchScheme, []);
  useEffect(() => couple(sides), [sides]);
  useEffect(() => keepAddress(sides[0]), [sides]);
  const [before, after] = sides.map(({ state }) => state.rested.value);
  const shown = useMemo(() => sides.map(shownOf), [sides, before, after]);
  const merged = shown.reduce((sum, { found }) => sum + found.merged, 0);
  return (
    <>
      <CauseChanges sources={sides} />
      {sides.map(({ title, name, facts, state, shown, bright }) => (
        <section key={title} aria-labelledby={title}>
          <h2 id={title}>
            {title}: {name} <span class="aside">{facts}</span>
          </h2>
          {state.data.threads.length ? (
            <Timeline state={state} shown={shown} bright={bright} keys={KEYS} />
          ) : (
            <p class="calm">This run has no threads: there is nothing to draw.</p>
          )}
        </section>
      ))}
      <Keys id={KEYS} />
      <section aria-labelledby="waits-title">
        <h2 id="waits-title">
          Waits in the part that is shown{" "}
          <span class="aside">
            {shown.map(({ from, to }) => `${duration(from)} to ${duration(to)}`).join("; ")}
          </span>
        </h2>
        <WaitChanges sides={shown} />
        {merged > 0 ? (
          <p class="note">
            Without short intervals, which this file has merged: {duration(merged)} of all
            threads of both runs.
          </p>
        ) : null}
      </section>
      <FlameView sources={shown} />
    </>
  );
}

/** Draw both runs of a page into an element of it. */
export async function showPair(host: HTMLElement): Promise<void> {
  const packs = await Promise.all([embedded("pack-before"), embedded("pack-after")]);
  const longest = Math.max(...packs.map((pack) => pack.value<number>("length_ns")));
  const [before, after] = packs.map((pack, at) => sideOf(pack, at, longest));
  const sides: readonly [Side, Side] = [before!, after!];
  const [from, to] = packs[0].value<[number, number]>("range");
  const [start, end] = packs[1].value<[number, number]>("range");
  const part = asked() ?? [from, from + Math.max(to - from, end - start)];
  before!.state.look(part[0], part[1]);
  host.replaceChildren();
  render(<Pair sides={sides} />, host);
}
