// SPDX-License-Identifier: Apache-2.0
// What the reader of a report has chosen; views draw from it and change it.
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
/** Indexes of the threads that statistics are of; none: all. */
export const chosenThreads = signal<ReadonlySet<number>>(new Set());
/** Classes whose callers are listed; none: all. */
export const chosenClasses = signal<ReadonlySet<string>>(new Set());
/** Threads that the timeline shows; null: all. */
export const shownThreads = signal<ReadonlySet<number> | null>(null);
/** A class whose blocking intervals the timeline brings out; null: none. */
export const brightClass = signal<string | null>(null);
/** A place that the timeline is to go to. */
export const goal = signal<Goal | null>(null);

export interface Goal {
  thread: number;
  from: number;
  to: number;
}

export function open(to: View): void {
  view.value = to;
  document.getElementById(`tab-${to}`)?.focus();
}

/** Show an instant of a thread in the timeline. */
export function goTo(to: Goal): void {
  goal.value = to;
  open("timeline");
}
