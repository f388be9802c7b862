// SPDX-License-Identifier: Apache-2.0
// What threads waited for and nobody owns: pools, semaphores, latches, queues.
import { useMemo } from "preact/hooks";
import type { Run } from "../data/run";
import { clean } from "../format";
import { type Column, Grid } from "../grid";
import { Blame, OF_RESOURCES } from "./blame";

interface Row {
  row: number;
  texts: Record<string, string>;
  figures: Record<string, number | null>;
}

const TEXTS = ["class", "waiting_method", "releasing_method", "use_method"] as const;
const FIGURES = ["wait_total_ns", "waits", "threads", "permits", "uses", "use_p50_ns"] as const;

const COLUMNS: Column<Row>[] = [
  { id: "class", title: "Class", kind: "text", value: ({ texts }) => texts["class"]! },
  {
    id: "waiting",
    title: "Waited for in",
    kind: "text",
    width: 240,
    value: ({ texts }) => texts["waiting_method"]!,
  },
  {
    id: "releasing",
    title: "Released in",
    kind: "text",
    width: 240,
    value: ({ texts }) => texts["releasing_method"]!,
  },
  {
    id: "total",
    title: "Waiting time",
    kind: "ns",
    sort: "desc",
    width: 135,
    value: ({ figures }) => figures["wait_total_ns"]!,
  },
  {
    id: "waits",
    title: "Waits",
    kind: "count",
    value: ({ figures }) => figures["waits"]!,
    width: 90,
  },
  {
    id: "threads",
    title: "Threads",
    kind: "count",
    width: 90,
    value: ({ figures }) => figures["threads"]!,
  },
  {
    id: "permits",
    title: "At once",
    kind: "count",
    width: 90,
    value: ({ figures }) => figures["permits"]!,
    tip: "The most uses of one object at the same time",
  },
  {
    id: "uses",
    title: "Uses",
    kind: "count",
    value: ({ figures }) => figures["uses"]!,
    width: 80,
  },
  {
    id: "use",
    title: "Median use",
    kind: "ns",
    value: ({ figures }) => figures["use_p50_ns"]!,
    width: 115,
  },
  {
    id: "spent",
    title: "Spent in",
    kind: "text",
    width: 240,
    value: ({ texts }) => texts["use_method"]!,
  },
];

export function Resources({ run }: { run: Run }) {
  const table = run.table("resources");
  const rows = useMemo(() => {
    const idle = table.numbers("idle");
    return Array.from(
      { length: table.rows },
      (_, row): Row => ({
        row,
        texts: Object.fromEntries(TEXTS.map((name) => [name, clean(table.text(name, row))])),
        figures: Object.fromEntries(FIGURES.map((name) => [name, table.number(name, row)])),
      }),
    ).filter(({ row }) => !idle[row]);
  }, [table]);
  if (!rows.length) return <p class="calm">No thread waited for what nobody owns.</p>;
  return (
    <>
      <Grid
        label="Resources"
        rows={rows}
        columns={COLUMNS}
        rowKey={({ row }) => String(row)}
        select="one"
        lines={8}
      />
      <h3>Who used them meanwhile</h3>
      <Blame run={run} of={OF_RESOURCES} />
    </>
  );
}
