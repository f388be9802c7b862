// SPDX-License-Identifier: Apache-2.0
// The address of a report states what it shows, so that a link shows the same:
//
//     run.html#timeline&thread=26&at=1250000000&from=1200000000&to=1300000000
//     run.html#overview&finding=2
import { effect } from "@preact/signals";
import type { Run } from "./data/run";
import * as state from "./state";

/** Browsers allow few changes of the address a second; a drag would make sixty. */
const QUIET_MS = 250;

/** Show the state in the address, now and when it changes, and keep it up to date. */
export function followAddress(run: Run): void {
  read(run);
  const range = run.answers.value<[number, number] | undefined>("range");
  // The state that the page was made for, unless the address states more.
  if (range && state.goal.value === null) lookAt(-1, range[0], range[1], null);
  addEventListener("hashchange", () => read(run));
  let timer = 0;
  effect(() => {
    const hash = write(run);
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (location.hash !== hash) history.replaceState(null, "", hash);
    }, QUIET_MS);
  });
}

/** The address of the present state, without the file. */
export function write(run: Run): string {
  const parts = new URLSearchParams();
  const view = state.view.value;
  const put = (name: string, value: string | number | bigint) =>
    parts.append(name, String(value));
  if (view === "overview" && state.evidence.value !== null)
    put("finding", state.evidence.value);
  // The range stays as it is while other views are open.
  const { thread, from, to, at } = state.place.value ?? { thread: -1 };
  if (view === "timeline" && thread >= 0) put("thread", run.threads[thread]!.id);
  if (from !== undefined) put("from", Math.round(from));
  if (to !== undefined) put("to", Math.round(to));
  if (view === "timeline") {
    if (at !== undefined && at !== null) put("at", Math.round(at));
    for (const lane of state.shownThreads.value ?? []) put("shown", run.threads[lane]!.id);
    if (state.brightClass.value !== null) put("class", state.brightClass.value);
  }
  if (view === "statistics") {
    for (const lane of state.chosenThreads.value) put("shown", run.threads[lane]!.id);
    for (const name of state.chosenClasses.value) put("class", name);
  }
  const said = parts.toString();
  return said || view !== "overview" ? `#${view}${said && "&"}${said}` : "#";
}

/** Show a part of the run in the timeline, now or when it is opened. */
function lookAt(thread: number, from: number, to: number, at: number | null): void {
  const goal = { thread, from, to, at };
  state.goal.value = goal;
  // The address keeps it until the timeline takes it.
  if (state.view.value !== "timeline") state.place.value = goal;
}

/** Show the state in the address, without parts that this run does not have. */
function read(run: Run): void {
  const [name, ...rest] = location.hash.slice(1).split("&");
  const view = state.VIEWS.find(({ id }) => id === name)?.id ?? "overview";
  const parts = new URLSearchParams(rest.join("&"));
  const number = (key: string): number | null => {
    const value = Number(parts.get(key) ?? Number.NaN);
    return Number.isFinite(value) && value >= 0 ? value : null;
  };
  const lane = (id: string | null) =>
    id !== null && /^\d{1,20}$/.test(id) ? run.index.find(BigInt(id)) : -1;
  const shown = new Set(parts.getAll("shown").map(lane));
  shown.delete(-1);
  const rank = number("finding");
  state.evidence.value = rank !== null && run.findingAt(rank) >= 0 ? rank : null;
  if (view === "statistics") {
    state.chosenThreads.value = shown;
    state.chosenClasses.value = new Set(parts.getAll("class"));
  }
  if (view === "timeline") {
    state.shownThreads.value = shown.size ? shown : null;
    state.brightClass.value = parts.get("class");
  }
  const [from, to] = [number("from"), number("to")];
  const thread = view === "timeline" ? lane(parts.get("thread")) : -1;
  state.view.value = view;
  if (thread >= 0 || (from !== null && to !== null))
    lookAt(thread, from ?? 0, to ?? run.facts.length_ns, number("at"));
}
