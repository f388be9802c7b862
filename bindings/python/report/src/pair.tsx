// SPDX-License-Identifier: Apache-2.0
// Two runs, before and after: their timelines under one another on one scale, and the
// flame graph of their difference.
import { effect, type Signal, signal } from "@preact/signals";
import { render } from "preact";
import { useEffect } from "preact/hooks";
import { embedded, type Pack } from "./data/pack";
import { ThreadIndex, threadsOf } from "./data/run";
import { Stacks } from "./data/stacks";
import { clean, count, duration } from "./format";
import { watchScheme } from "./scheme";
import { TimelineData } from "./timeline/data";
import { TimelineState } from "./timeline/state";
import { Keys, Timeline } from "./timeline/timeline";
import { FlameView, type Source } from "./views/flame";

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
    table: (name) => pack.table(name),
  };
}

/** Have both show the same stretch of time since the parts that are compared began.
 * @return ends it */
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
  return (
    <>
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
      <FlameView sources={sides} />
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
  before!.state.look(from, from + Math.max(to - from, end - start));
  host.replaceChildren();
  render(<Pair sides={sides} />, host);
}
