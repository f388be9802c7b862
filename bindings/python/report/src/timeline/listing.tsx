// SPDX-License-Identifier: Apache-2.0
// The timeline as a table, for screen readers and for sorting.
import { useMemo } from "preact/hooks";
import { clean, count } from "../format";
import { type Column, Grid } from "../grid";
import { NO_STATE, STATES } from "../states";
import { choose } from "./canvas";
import type { TimelineData } from "./data";
import { chooseHold } from "./hold";
import { lastStarted } from "./lanes";
import type { Hold, HoldAt, Lock } from "./locks";
import type { TimelineState } from "./state";

const MOST_ROWS = 20_000;

interface Item {
  lane: number;
  row: number;
  data: TimelineData;
}

function text(item: Item, column: string): string {
  const { lanes } = item.data;
  const source = lanes.finest.source[item.row]!;
  return source < 0 ? "" : clean(lanes.table.text(column, source));
}

const COLUMNS: Column<Item>[] = [
  {
    id: "thread",
    title: "Thread",
    kind: "text",
    value: ({ data, lane }) => data.threads[lane]!.label,
    width: 180,
  },
  {
    id: "start",
    title: "From",
    kind: "instant",
    value: ({ data, row }) => data.lanes.finest.start[row]!,
  },
  {
    id: "length",
    title: "For",
    kind: "ns",
    value: ({ data, row }) => data.lanes.finest.end[row]! - data.lanes.finest.start[row]!,
  },
  {
    id: "state",
    title: "State",
    kind: "text",
    width: 120,
    value: ({ data, row }) => {
      const state = data.lanes.finest.state[row]!;
      return state === NO_STATE
        ? data.lanes.finest.count[row]! > 1
          ? "several"
          : "dead"
        : STATES[state]!.label;
    },
  },
  {
    id: "intervals",
    title: "Intervals",
    kind: "count",
    value: ({ data, row }) => data.lanes.finest.count[row]!,
    width: 90,
  },
  { id: "object", title: "Object", kind: "text", value: (item) => text(item, "object") },
  {
    id: "method",
    title: "Called from",
    kind: "text",
    value: (item) => text(item, "method"),
    width: 280,
  },
];

interface Held extends HoldAt {
  of: Lock;
  hold: Hold;
}

const HELD: Column<Held>[] = [
  { id: "lock", title: "Of", kind: "text", value: ({ of }) => of.name },
  { id: "owner", title: "By", kind: "text", value: ({ hold }) => hold.label, width: 180 },
  { id: "start", title: "From", kind: "instant", value: ({ hold }) => hold.start },
  {
    id: "length",
    title: "For",
    kind: "ns",
    value: ({ hold }) => (hold.isEndKnown ? hold.end - hold.start : null),
  },
];

/** Holds, uses and calls of the objects that have lanes. */
function Holds({ state }: { state: TimelineState }) {
  const { from, to } = state.window.value;
  const { locks } = state.data;
  const kinds = state.others.value;
  const { items, total } = useMemo(() => {
    const found = locks.all.flatMap((of, lock) =>
      kinds.has(of.kind)
        ? of.holds
            .map((hold, at): Held => ({ lock, at, of, hold }))
            .filter(({ hold }) => hold.end >= from && hold.start <= to)
        : [],
    );
    return { items: found.slice(0, MOST_ROWS), total: found.length };
  }, [locks, kinds, from, to]);
  const key = ({ lock, at }: HoldAt) => `${lock}:${at}`;
  return (
    <>
      <Grid
        label="Holds of the part of the run that is shown"
        rows={items}
        columns={HELD}
        rowKey={key}
        select="one"
        lines={14}
        onSelect={(keys) => {
          const item = items.find((one) => keys.has(key(one)));
          if (item) chooseHold(state, { lock: item.lock, at: item.at });
        }}
      />
      {total > items.length ? (
        <p class="note">
          {count(total, "row")}; the first {items.length} are listed.
        </p>
      ) : null}
    </>
  );
}

export function Listing({ state }: { state: TimelineState }) {
  const { from, to } = state.window.value;
  const shown = state.rows.value;
  const { data } = state;
  const { items, total } = useMemo(() => {
    const { finest } = data.lanes;
    const found: Item[] = [];
    let seen = 0;
    for (const lane of shown.lanes) {
      let row = Math.max(lastStarted(finest, lane, from), finest.first[lane]!);
      for (; row < finest.first[lane + 1]! && finest.start[row]! <= to; row++) {
        if (finest.end[row]! < from) continue;
        seen++;
        if (found.length < MOST_ROWS) found.push({ lane, row, data });
      }
    }
    return { items: found, total: seen };
  }, [data, shown, from, to]);
  return (
    <>
      <Grid
        label="Intervals of the part of the run that is shown"
        rows={items}
        columns={COLUMNS}
        rowKey={({ row }) => String(row)}
        select="one"
        lines={14}
        onSelect={(keys) => {
          const item = items.find(({ row }) => keys.has(String(row)));
          if (!item) return;
          const { lanes } = data;
          choose(state, {
            lane: item.lane,
            table: lanes.table,
            level: lanes.finest,
            row: item.row,
          });
        }}
      />
      <p class="note">
        {count(total, "row")} in the part of the run that is shown
        {total > items.length ? `; the first ${items.length} are listed` : ""}.
      </p>
      {state.others.value.size ? <Holds state={state} /> : null}
    </>
  );
}
