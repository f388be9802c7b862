// SPDX-License-Identifier: Apache-2.0
// The rows that a finding rests on, each with a link to its place in the timeline.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Table } from "../data/pack";
import type { Run } from "../data/run";
import { clean, count, number } from "../format";
import { type Column, Grid, type Kind } from "../grid";
import { brightClass, type Goal, goTo, open } from "../state";

/** Columns of the place of a row, by table: thread, start, end. */
const PLACES: readonly (readonly [thread: string, from: string, to: string])[] = [
  ["thread_id", "start_ns", "end_ns"],
  ["thread_id", "time_ns", "resolved_ns"],
  ["from_thread_id", "time_ns", "woken_ns"],
];

/** Columns of instants; all else in ns is a length of time. */
const INSTANTS = new Set(
  [
    "time",
    "at",
    "start",
    "end",
    "woken",
    "resolved",
    "deadline",
    "block_start",
    "block_end",
  ].map((name) => `${name}_ns`),
);

function kindOf(table: Table, name: string): Kind {
  if (INSTANTS.has(name) || /_(earliest|latest)_ns$/.test(name)) return "instant";
  if (name.endsWith("_ns")) return "ns";
  if (name.endsWith("_share") || name === "share" || name === "fraction")
    return table.type(name) === "double" ? "share" : "text";
  return ["int32", "int64", "double"].includes(table.type(name)!) ? "count" : "text";
}

interface Item {
  row: number;
}

/** Columns that are not empty in all rows; ids are left out beside names. */
function columnsOf(table: Table): Column<Item>[] {
  const rows = [...Array(table.rows).keys()];
  const says = (name: string) =>
    rows.some((row) => ![null, 0, 0n, false].includes(table.value(name, row) as null));
  return table.columns.filter(says).map((name) => {
    const kind = kindOf(table, name);
    return {
      id: name,
      title: name.replace(/_ns$/, "").replaceAll("_", " "),
      kind,
      value: ({ row }) => {
        const value = table.value(name, row);
        return kind === "text" && value !== null ? String(value) : (value as number | null);
      },
      width: /method$|^class$|^object$/.test(name) ? 260 : kind === "text" ? 140 : 110,
    };
  });
}

function goalOf(run: Run, table: Table, row: number): Goal | null {
  for (const [thread, from, to] of PLACES) {
    const start = table.number(from, row);
    const lane = run.index.find(table.id(thread, row));
    if (start === null || lane < 0) continue;
    const end = table.number(to, row) ?? run.facts.length_ns;
    const room = Math.max((end - start) * 0.5, 1000);
    return { thread: lane, from: start - room, to: end + room, at: (start + end) / 2 };
  }
  return null;
}

export function Evidence({ run, rank }: { run: Run; rank: number }) {
  const table = run.table(`evidence_${rank}`);
  const named = run.table("findings").text("evidence_table", run.findingAt(rank)) ?? "";
  const rows = useMemo(
    () => Array.from({ length: table.rows }, (_, row) => ({ row })),
    [table],
  );
  const columns = useMemo(() => columnsOf(table), [table]);
  const [chosen, choose] = useState(0);
  const host = useRef<HTMLElement>(null);
  useEffect(() => host.current?.scrollIntoView({ block: "nearest" }), []);
  const goal = table.rows ? goalOf(run, table, chosen) : null;
  const className = table.text("class", chosen);
  const isDeadlock = named === "deadlocks" || named === "lock_order";
  return (
    <section class="evidence" ref={host} aria-label="Evidence" data-rows={table.rows}>
      {table.rows ? (
        <Grid
          label={`Evidence of finding ${rank}`}
          rows={rows}
          columns={columns}
          rowKey={({ row }) => String(row)}
          select="one"
          selected={new Set([String(chosen)])}
          onSelect={(keys) => choose(Number([...keys][0] ?? 0))}
          onOpen={({ row }) => {
            const to = goalOf(run, table, row);
            if (to) goTo(to);
          }}
          lines={8}
        />
      ) : (
        <p class="calm">Its names are too long for a condition: no rows are named.</p>
      )}
      <div class="buttons">
        <span class="note inline">
          {count(table.total, "row")} of {clean(named.replaceAll("_", " "))}
          {table.total > table.rows ? `, the first ${number(table.rows)} are here` : ""}
        </span>
        {goal ? (
          <button type="button" onClick={() => goTo(goal)}>
            The chosen row in the timeline
          </button>
        ) : className !== null ? (
          <button
            type="button"
            onClick={() => {
              brightClass.value = className;
              open("timeline");
            }}>
            Its intervals in the timeline
          </button>
        ) : null}
        {isDeadlock ? (
          <button type="button" onClick={() => open("locks")}>
            In the view of locks
          </button>
        ) : null}
      </div>
    </section>
  );
}
