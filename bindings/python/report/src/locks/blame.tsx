// SPDX-License-Identifier: Apache-2.0
// Blame by owner: blocked time by lock, owner and place; and the same for resources,
// which threads use without owning them.
import { useMemo } from "preact/hooks";
import { Caveats } from "../caveats";
import type { Run } from "../data/run";
import { clean } from "../format";
import { type Column, Grid } from "../grid";

interface Row {
  row: number;
  className: string;
  owner: string;
  method: string;
  line: number | null;
  figures: Record<string, number>;
}

const SHARES = ["reported", "exact", "inferred"] as const;

const COLUMNS: Column<Row>[] = [
  { id: "class", title: "Class", kind: "text", value: ({ className }) => className },
  { id: "owner", title: "Held by", kind: "text", value: ({ owner }) => owner, width: 160 },
  {
    id: "method",
    title: "Acquired in",
    kind: "text",
    value: ({ method }) => method,
    width: 260,
  },
  { id: "line", title: "Line", kind: "count", value: ({ line }) => line, width: 70 },
  {
    id: "total",
    title: "Blocked time",
    kind: "ns",
    value: ({ figures }) => figures["total_ns"]!,
    sort: "desc",
    width: 145,
  },
  {
    id: "share",
    title: "Share",
    kind: "share",
    value: ({ figures }) => figures["share"]!,
    tip: "Of all blocked time",
    width: 90,
  },
  {
    id: "latency",
    title: "Wake-up latency",
    kind: "ns",
    value: ({ figures }) => figures["latency_ns"]!,
    width: 130,
    tip: "Of the blocked time: the lock was free, and the next owner was being woken",
  },
  {
    id: "count",
    title: "Blocks",
    kind: "count",
    value: ({ figures }) => figures["count"]!,
    width: 90,
  },
  { id: "max", title: "Longest", kind: "ns", value: ({ figures }) => figures["max_ns"]! },
  ...SHARES.map(
    (name): Column<Row> => ({
      id: name,
      title: name,
      kind: "share",
      value: ({ figures }) => figures[`${name}_share`]!,
      tip: `Share of the time for which the owner is ${name}`,
    }),
  ),
];

const OF_LOCKS = {
  table: "blame",
  label: "Blame by owner",
  none: "No thread was blocked by another.",
  note:
    "Where releases are not recorded, that an owner kept the lock until the next event is " +
    "inferred. The last three columns show the provenance.",
};

export const OF_RESOURCES: typeof OF_LOCKS = {
  table: "users",
  label: "Blame by user",
  none: "No thread waited for what another used.",
  note:
    "The user is the thread from which the waiter got its connection or permit, and before " +
    "that the thread from which that one got it. All of it is inferred.",
};

export function Blame({ run, of = OF_LOCKS }: { run: Run; of?: typeof OF_LOCKS }) {
  const table = run.table(of.table);
  const rows = useMemo(
    () =>
      Array.from(
        { length: table.rows },
        (_, row): Row => ({
          row,
          className: clean(table.text("class", row)) || "(not known)",
          owner:
            clean(table.text("owner", row)) ||
            (table.numbers("latency_ns")[row] === table.numbers("total_ns")[row]
              ? "nobody"
              : "nobody, or not known"),
          method: clean(table.text("owner_method", row)) || "(not known)",
          line: table.number("owner_line", row),
          figures: Object.fromEntries(
            [
              "count",
              "total_ns",
              "max_ns",
              "latency_ns",
              "share",
              ...SHARES.map((name) => `${name}_share`),
            ].map((name) => [name, table.numbers(name)[row]!]),
          ),
        }),
      ),
    [table],
  );
  if (!rows.length) return <p class="calm">{of.none}</p>;
  return (
    <>
      <Grid
        label={of.label}
        rows={rows}
        columns={COLUMNS}
        rowKey={({ row }) => String(row)}
        select="one"
        lines={10}
      />
      <p class="note">{of.note}</p>
      <Caveats run={run} table={table} />
    </>
  );
}
