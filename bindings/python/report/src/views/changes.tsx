// SPDX-License-Identifier: Apache-2.0
// Changes between two runs, for each request or task: causes as a flame graph of the
// difference, and as a table with a column for each run.
import { useCallback, useMemo } from "preact/hooks";
import type { Table } from "../data/pack";
import { duration } from "../format";
import { type Column, Grid } from "../grid";
import { build, type Cause } from "./causes";
import { change, changed, type Source } from "./flame";
import { Flames, type Frame } from "./flames";

interface Changed extends Frame {
  /** Time of each unit, or of all threads, before and after. */
  shares: [before: number, after: number];
  depth: number;
  children: Changed[];
}

/** The least change in the table, as a share of the time of both runs. */
const LEAST = 0.002;

type Pair = readonly [Cause | undefined, Cause | undefined];

function merge(pair: Pair, units: readonly [number, number], depth = 0): Changed {
  const shares = [0, 1].map((run) => (pair[run]?.value ?? 0) / units[run]!);
  const keys = new Set(pair.flatMap((cause) => cause?.children.map(({ key }) => key) ?? []));
  const children = [...keys].map((key) => {
    const [before, after] = pair.map((cause) =>
      cause?.children.find((child) => child.key === key),
    );
    return merge([before, after], units, depth + 1);
  });
  const size = ({ shares: [before, after] }: Changed) => Math.abs(after - before);
  children.sort((a, b) => size(b) - size(a));
  return {
    name: (pair[0] ?? pair[1])!.name,
    value: shares[0]! + shares[1]!,
    shares: [shares[0]!, shares[1]!],
    depth,
    children,
  };
}

/** A row and what is below it, in the order of the tree. */
function listed(root: Changed): Changed[] {
  const found: Changed[] = [];
  const walk = (node: Changed) => {
    const [before, after] = node.shares;
    if (Math.abs(after - before) < root.value * LEAST) return;
    found.push(node);
    for (const child of node.children) walk(child);
  };
  walk(root);
  return found;
}

const COLUMNS: Column<Changed>[] = [
  {
    id: "cause",
    title: "Cause",
    kind: "text",
    width: 520,
    value: ({ name, depth }) => `${"\u2003".repeat(Math.min(depth, 12))}${name}`,
  },
  { id: "before", title: "Before", kind: "ns", value: ({ shares }) => shares[0] },
  { id: "after", title: "After", kind: "ns", value: ({ shares }) => shares[1] },
  {
    id: "change",
    title: "Change",
    kind: "ns",
    value: ({ shares: [before, after] }) => after - before,
  },
];

export function CauseChanges({ sources }: { sources: readonly [Source, Source] }) {
  const tables: Table[] = sources.map((source) => source.table("causes"));
  const roots = useMemo(
    () => tables.map((table) => (table.rows ? build(table) : null)),
    tables,
  );
  const [before, after] = roots;
  const isOfUnits = [before, after].map((root) => root?.cause === "units");
  const isAlike = isOfUnits[0] === isOfUnits[1];
  const root = useMemo(() => {
    if (!before || !after || !isAlike) return null;
    const units = [before, after].map(({ count }) => (isOfUnits[0] ? Math.max(count, 1) : 1));
    return merge([before, after], [units[0]!, units[1]!]);
  }, [before, after, isAlike]);
  const rows = useMemo(() => (root ? listed(root) : []), [root]);
  const fill = useCallback((frame: Frame) => changed((frame as Changed).shares), []);
  const name = useCallback((frame: Frame) => frame.name, []);
  const figures = useCallback((frame: Frame) => change((frame as Changed).shares), []);
  if (!before || !after) return null;
  return (
    <section class="causes" aria-labelledby="changes-title">
      <h2 id="changes-title">
        What changed, {isOfUnits[0] ? "for each request or task" : "of the time of all threads"}{" "}
        {root ? <span class="aside">{change(root.shares)}</span> : null}
      </h2>
      {root?.value ? (
        <>
          <Flames
            root={root}
            fill={fill}
            name={name}
            figures={figures}
            label="Changes of causes, each above its own"
          />
          <Grid
            label="Causes, before and after"
            rows={rows}
            columns={COLUMNS}
            rowKey={(row) => String(rows.indexOf(row))}
            lines={12}
          />
          <p class="note">
            A cause is as wide as its time in both runs together. The table has those that
            changed by {duration(root.value * LEAST)} or more.
          </p>
        </>
      ) : (
        <p class="calm">
          {isAlike
            ? "There is no time to divide by cause."
            : "One run has requests and the other has none: their causes cannot be compared."}
        </p>
      )}
    </section>
  );
}
