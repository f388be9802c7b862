// SPDX-License-Identifier: Apache-2.0
// The part of the run that all views are of: the one that the timeline shows. Tables that
// cannot be computed from the rows in the page state which part they are about.
import { useEffect, useState } from "preact/hooks";
import type { Pack } from "./data/pack";
import type { Run } from "./data/run";
import { clean, duration } from "./format";
import { within } from "./range/range";
import { goal, place } from "./state";
import { timelineState } from "./timeline/view";

declare global {
  /** The run as its tables are shown, for tests. */
  var threadmodelPart: Run | null;
}

/** The run as it is in the part that the timeline shows; null: not known yet.
 * @param isWanted whether it is visible: the timeline changes its part all the time
 */
export function useShownPart(run: Run, timeline: Promise<Pack>, isWanted: boolean): Run | null {
  const length = run.facts.length_ns;
  const from = Math.max(Math.round(place.value?.from ?? 0), 0);
  const to = Math.min(Math.round(place.value?.to ?? length), length);
  const isAsked = from === run.asked[0] && to === run.asked[1];
  const [made, setMade] = useState<Run | null>(null);
  useEffect(() => {
    if (isAsked || !isWanted) return;
    let isLate = false;
    timelineState(run, timeline).then(
      ({ data }) => !isLate && setMade(within(run, data.pack, data.lanes, from, to)),
      () => undefined,
    );
    return () => {
      isLate = true;
    };
  }, [run, timeline, from, to, isAsked, isWanted]);
  const isMade = made?.part?.from === from && made.part.to === to;
  const shown = isAsked ? run : isMade ? made : null;
  globalThis.threadmodelPart = shown;
  return shown;
}

/** A time as in options: exact, in ms. */
function option(ns: number): string {
  return `${(ns / 1e6).toFixed(6).replace(/\.?0+$/, "")}ms`;
}

/** A name as a shell takes it. */
function quoted(name: string): string {
  return /^[\w./@%+=:,-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
}

function named(run: Run): string {
  const [from, to] = run.asked;
  const isAll = from === 0 && to === run.facts.length_ns;
  return isAll ? "whole run" : `${duration(from)} to ${duration(to)}`;
}

/** A note beside the title of a table about another part than the one that is shown. */
export function Elsewhere({ run, table }: { run: Run; table: string }) {
  return run.isElsewhere(table) ? <span class="badge elsewhere">{named(run)}</span> : null;
}

export function PartNote({ run }: { run: Run }) {
  const { part } = run;
  if (!part) return null;
  const length = run.facts.length_ns;
  const file = quoted(clean(run.facts.source ?? "run.tmt", 1000));
  return (
    <p class="note part" role="note">
      This view is of the part from {duration(part.from)} to {duration(part.to)}, which the
      timeline shows, except where it says <span class="badge">{named(run)}</span>. All of it
      for that part:{" "}
      <code>
        threadmodel report {file} --from {option(part.from)} --to {option(part.to)} -o part.html
      </code>{" "}
      {part.merged > 0
        ? `Short intervals, which this file has merged, are in none of these tables: ${duration(part.merged)} of all threads added up. `
        : ""}
      <button
        type="button"
        class="link"
        onClick={() => {
          place.value = null;
          goal.value = { thread: -1, from: 0, to: length, at: null };
        }}>
        Show the whole run
      </button>
    </p>
  );
}
