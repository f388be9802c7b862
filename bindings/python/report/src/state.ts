// SPDX-License-Identifier: Apache-2.0
// The choices of the user of a report; views draw from them and change them.
import { signal } from "@preact/signals";

export const VIEWS = [
  { id: "overview", title: "Overview" },
  { id: "timeline", title: "Timeline" },
  { id: "statistics", title: "Statistics" },
  { id: "locks", title: "Locks" },
  { id: "whatif", title: "What if" },
  { id: "flame", title: "Flame graph" },
] as const;

export type View = (typeof VIEWS)[number]["id"];

export const view = signal<View>("overview");
/** Rank of the finding whose evidence is shown; null: none. */
export const evidence = signal<number | null>(null);
/** Indexes of the threads of the statistics; empty: all. */
export const chosenThreads = signal<ReadonlySet<number>>(new Set());
/** Classes whose callers are listed; empty: all. */
export const chosenClasses = signal<ReadonlySet<string>>(new Set());
/** Threads that the timeline shows; null: all. */
export const shownThreads = signal<ReadonlySet<number> | null>(null);
/** A class whose blocking intervals the timeline emphasizes; null: none. */
export const brightClass = signal<string | null>(null);
/** A place that the timeline should show next. */
export const goal = signal<Goal | null>(null);
/** The state of the timeline; null: it shows the whole run, and nothing is chosen. */
export const place = signal<Goal | null>(null);

export interface Goal {
  /** -1: none. */
  thread: number;
  from: number;
  to: number;
  /** An instant of the chosen interval; null: none is chosen. */
  at: number | null;
}

export function open(to: View): void {
  view.value = to;
  document.getElementById(`tab-${to}`)?.focus();
}

/** Show a stretch of time of a thread in the timeline. */
export function goTo(to: Goal): void {
  goal.value = to;
  open("timeline");
}
