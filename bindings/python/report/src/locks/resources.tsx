// SPDX-License-Identifier: Apache-2.0
// Resources without an owner that threads waited for: pools, semaphores, latches, queues.
import { useMemo, useState } from "preact/hooks";
import type { Run } from "../data/run";
import { clean, count, duration } from "../format";
import { type Column, Grid } from "../grid";
import { Elsewhere } from "../part";
import { Steps } from "../views/steps";
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

/** The number of a resource's permits in use, over the run. */
function InUse({ run, row }: { run: Run; row: Row }) {
  const values = run.answers.value<Record<string, number[]>>("permits")[row.row];
  if (!values) return null;
  const most = Math.max(row.figures["permits"] ?? 1, 1);
  const place = row.texts["waiting_method"]!;
  const whole = Math.max(...values, most);
  return (
    <Steps
      values={values}
      whole={whole}
      fill="var(--accent)"
      words={`Seen in use of what was waited for in ${place}, up to ${count(most, "permit")}`}>
      <span>0</span>
      <span>
        seen in use of what was waited for in {place}, {most} at most of one object; a use that
        no wait or release shows is not counted
      </span>
      <span>{duration(run.facts.length_ns)}</span>
    </Steps>
  );
}

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
  const [chosen, choose] = useState<string | null>(null);
  const shown =
    rows.find(({ row }) => String(row) === chosen) ?? rows.find((row) => row.figures["uses"]);
  if (!rows.length) return <p class="calm">No thread waited for what nobody owns.</p>;
  return (
    <>
      <Grid
        label="Resources"
        rows={rows}
        columns={COLUMNS}
        rowKey={({ row }) => String(row)}
        select="one"
        onSelect={(keys) => choose([...keys][0] ?? null)}
        lines={8}
      />
      {shown && <InUse run={run} row={shown} />}
      <h3>
        Users meanwhile <Elsewhere run={run} table="users" />
      </h3>
      <Blame run={run} of={OF_RESOURCES} />
    </>
  );
}
