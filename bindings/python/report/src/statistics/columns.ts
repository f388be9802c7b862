// SPDX-License-Identifier: Apache-2.0
// The columns of the statistics tables.
import type { Thread } from "../data/run";
import { clean } from "../format";
import type { Column } from "../grid";
import { BLOCKING_STATES, type BlockingState, isIdleIn, labelOf } from "../states";
import type { Figures, Group } from "./cells";

const IDLE_TIP = "Of that time, how long workers waited for work while there was none";

/** Columns of threads.
 * @param idleOf the part of a thread's time in a state in which it was idle */
export function threadColumns(
  idleOf: (thread: Thread, state: BlockingState) => number,
): Column<Thread>[] {
  return THREAD_COLUMNS.flatMap((column) => {
    const state = BLOCKING_STATES.find((name) => column.id === `${name}_total_ns`);
    if (!state || !isIdleIn(state)) return [column];
    return [column, idleColumn(state, (thread: Thread) => idleOf(thread, state))];
  });
}

function idleColumn<T>(state: BlockingState, value: (row: T) => number): Column<T> {
  return { id: `${state}_idle`, title: "of it idle", kind: "ns", value, tip: IDLE_TIP };
}

const THREAD_COLUMNS: Column<Thread>[] = [
  { id: "name", title: "Thread", kind: "text", value: ({ label: name }) => name, width: 200 },
  { id: "id", title: "Id", kind: "text", value: ({ id }) => String(id), width: 90 },
  { id: "group", title: "Group", kind: "text", value: ({ group }) => group, width: 130 },
  {
    id: "state",
    title: "At the end",
    kind: "text",
    value: ({ state }) => labelOf(state),
    width: 110,
  },
  ...[...BLOCKING_STATES, "sleeping"].flatMap((name): Column<Thread>[] => [
    {
      id: `${name}_total_ns`,
      title: labelOf(name),
      kind: "ns",
      value: ({ total }) => total[name]!,
      tip: `Time ${labelOf(name)}`,
      ...(name === "blocked" ? { sort: "desc" as const } : {}),
    },
    {
      id: `${name}_count`,
      title: "×",
      kind: "count",
      value: ({ count }) => count[name]!,
      tip: `How often ${labelOf(name)}`,
      width: 70,
    },
  ]),
];

const FIGURES: [keyof Figures, string, "ns" | "count"][] = [
  ["total", "total", "ns"],
  ["count", "×", "count"],
  ["latency", "wake-up", "ns"],
  ["min", "min", "ns"],
  ["mean", "mean", "ns"],
  ["p50", "p50", "ns"],
  ["p90", "p90", "ns"],
  ["p99", "p99", "ns"],
  ["max", "max", "ns"],
];

const TIPS: Partial<Record<keyof Figures, string>> = {
  count: "how often",
  latency: "of the total, released and the next owner not running yet",
};

function figures(state: BlockingState): Column<Group>[] {
  return FIGURES.map(([figure, title, kind]) => ({
    id: `${state}_${figure}`,
    title: figure === "total" ? labelOf(state) : title,
    kind,
    value: ({ states }) => states[state][figure],
    tip: `${labelOf(state)}: ${TIPS[figure] ?? title}`,
    width: { count: 80, total: 112 }[figure as string] ?? 95,
  }));
}

const DISTINCT: Column<Group>[] = [
  {
    id: "objects",
    title: "Objects",
    kind: "count",
    value: ({ objects }) => objects,
    tip: "Distinct objects",
    width: 90,
  },
  {
    id: "threads",
    title: "Threads",
    kind: "count",
    value: ({ threads }) => threads,
    tip: "Distinct threads",
    width: 90,
  },
];

export const CLASS_COLUMNS: Column<Group>[] = [
  {
    id: "class",
    title: "Class",
    kind: "text",
    width: 260,
    value: ({ className }) => clean(className) || "(not known)",
  },
  ...BLOCKING_STATES.flatMap((state) => {
    const [total, ...others] = figures(state);
    if (!isIdleIn(state)) return [total!, ...others];
    return [total!, idleColumn<Group>(state, ({ states }) => states[state].idle), ...others];
  }),
  ...DISTINCT,
];

/** Columns of one kind of blocking interval, by caller method. */
export function callerColumns(state: BlockingState): Column<Group>[] {
  return [
    {
      id: "method",
      title: "Called from",
      kind: "text",
      width: 320,
      value: ({ method }) => clean(method) || "(not known)",
    },
    { id: "line", title: "Line", kind: "count", value: ({ line }) => line, width: 70 },
    {
      id: "class",
      title: "Class",
      kind: "text",
      value: ({ className }) => clean(className) || "(not known)",
    },
    ...figures(state),
    ...DISTINCT,
  ];
}
