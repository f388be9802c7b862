// SPDX-License-Identifier: Apache-2.0
// Waits of two runs in the part that their timelines show: a column for each run.
import { useMemo } from "preact/hooks";
import { clean, place } from "../format";
import { type Column, Grid } from "../grid";
import type { Found } from "../range/blocks";
import { placeOf } from "../range/statistics";
import { labelOf } from "../states";
import type { TimelineData } from "../timeline/data";

/** The figures of one run. */
export interface Waits {
  data: TimelineData;
  found: Found;
}

interface Row {
  key: string;
  className: string;
  where: string;
  state: string;
  count: [before: number, after: number];
  total: [before: number, after: number];
}

const COLUMNS: Column<Row>[] = [
  { id: "class", title: "Class", kind: "text", value: ({ className }) => className },
  { id: "where", title: "Called from", kind: "text", value: ({ where }) => where, width: 280 },
  { id: "state", title: "State", kind: "text", value: ({ state }) => state, width: 100 },
  { id: "before", title: "Before", kind: "ns", value: ({ total }) => total[0] },
  { id: "after", title: "After", kind: "ns", value: ({ total }) => total[1] },
  {
    id: "change",
    title: "Change",
    kind: "ns",
    value: ({ total: [before, after] }) => after - before,
  },
  { id: "count_before", title: "× before", kind: "count", value: ({ count }) => count[0] },
  { id: "count_after", title: "× after", kind: "count", value: ({ count }) => count[1] },
];

/** By class, place and state, those that changed most first; idle workers are left out. */
function rowsOf(sides: readonly Waits[]): Row[] {
  const rows = new Map<string, Row>();
  sides.forEach(({ data, found }, run) => {
    const { table } = data.lanes;
    const idle = table.numbers("idle");
    for (const { row, state, start, end } of found.blocks) {
      if (idle[row]) continue;
      const key = `${state}\u0001${placeOf(table, row)}`;
      const known = rows.get(key) ?? {
        key,
        className: clean(table.text("class", row)) || "(not known)",
        where: place(table.text("method", row), table.number("line", row)),
        state: labelOf(state),
        count: [0, 0],
        total: [0, 0],
      };
      rows.set(key, known);
      known.count[run]!++;
      known.total[run]! += end - start;
    }
  });
  const size = ({ total: [before, after] }: Row) => Math.abs(after - before);
  return [...rows.values()].sort((a, b) => size(b) - size(a));
}

export function WaitChanges({ sides }: { sides: readonly Waits[] }) {
  const rows = useMemo(() => rowsOf(sides), [sides]);
  if (!rows.length) return <p class="calm">No thread waited in this part of either run.</p>;
  return (
    <Grid
      label="Waits, before and after"
      rows={rows}
      columns={COLUMNS}
      rowKey={({ key }) => key}
      select="one"
      lines={12}
    />
  );
}
