// SPDX-License-Identifier: Apache-2.0
// Lock order as a graph: an arrow from a held class to a wanted one. Arrows that
// close a cycle that can deadlock stand out.
import { useMemo } from "preact/hooks";
import type { Table } from "../data/pack";
import type { Run } from "../data/run";
import type { Stacks } from "../data/stacks";
import { clean, count, place } from "../format";
import { isCertain } from "../provenance";
import { StackList } from "../stack";
import { type Edge, Graph } from "./graph";

/** The most nodes; a graph with more would be unreadable. */
const NODES = 60;
const UNKNOWN = "(not known)";

interface Found {
  /** Whether nodes are single objects; else they are classes. */
  objects: boolean;
  nodes: string[];
  edges: Edge[];
  hidden: number;
}

/** By object if they are few; else by class, which is less precise and smaller. */
function gather(run: Run): Found {
  const byObject = gatherBy(run, "object");
  return byObject.hidden || byObject.nodes.includes(UNKNOWN)
    ? gatherBy(run, "class")
    : byObject;
}

function gatherBy(run: Run, what: "object" | "class"): Found {
  const table = run.table("lock_edges");
  const cycles = run.table("lock_order");
  const ends = (of: Table, row: number) =>
    [
      of.text(`held_${what}`, row) ?? UNKNOWN,
      of.text(`wanted_${what}`, row) ?? UNKNOWN,
    ] as const;
  const key = (held: string, wanted: string) => `${held}\u0001${wanted}`;
  const cyclic = new Set<string>();
  for (let row = 0; row < cycles.rows; row++) cyclic.add(key(...ends(cycles, row)));
  const edges = new Map<string, Edge>();
  const weight = new Map<string, number>();
  for (let row = 0; row < table.rows; row++) {
    const [held, wanted] = ends(table, row);
    const times = table.numbers("count")[row]!;
    const name = key(held, wanted);
    const inferred = !isCertain(table.text("provenance", row));
    const edge = edges.get(name);
    if (edge) {
      edge.count += times;
      edge.inferred &&= inferred;
    } else {
      edges.set(name, { held, wanted, count: times, cyclic: cyclic.has(name), inferred });
    }
    const rank = times + (cyclic.has(name) ? 1e12 : 0);
    for (const end of [held, wanted]) weight.set(end, (weight.get(end) ?? 0) + rank);
  }
  const all = [...weight].sort((a, b) => b[1] - a[1]).map(([name]) => name);
  const nodes = all.slice(0, NODES);
  const shown = new Set(nodes);
  return {
    objects: what === "object",
    nodes,
    edges: [...edges.values()].filter(
      ({ held, wanted }) => shown.has(held) && shown.has(wanted),
    ),
    hidden: all.length - nodes.length,
  };
}

export function Order({ run, stacks }: { run: Run; stacks: Stacks }) {
  const { objects, nodes, edges, hidden } = useMemo(() => gather(run), [run]);
  if (!nodes.length)
    return <p class="calm">No thread was blocked by a lock while it held another.</p>;
  return (
    <>
      <Graph nodes={nodes} edges={edges} />
      {hidden ? (
        <p class="note">{count(hidden, "class", "classes")} more are left out.</p>
      ) : null}
      <p class="note">
        {objects ? "Each node is an object." : "Each node is a class."} An arrow leads from a
        lock that is held to one that is wanted. Dashed: that the first was held is inferred.
      </p>
      <Cycles run={run} stacks={stacks} />
    </>
  );
}

function Cycles({ run, stacks }: { run: Run; stacks: Stacks }) {
  const table = run.table("lock_order");
  if (!table.rows) return <p class="calm">No conflicting lock orders were observed.</p>;
  const cycles = new Map<number, number[]>();
  table.numbers("cycle").forEach((cycle, row) => {
    cycles.set(cycle, [...(cycles.get(cycle) ?? []), row]);
  });
  const text = (name: string, row: number) => clean(table.text(name, row), 120);
  return (
    <>
      {[...cycles].slice(0, 50).map(([cycle, rows]) => (
        <details key={cycle} class="cycle">
          <summary>
            {rows.map((row) => text("held_object", row) || text("held_class", row)).join(" → ")}
            {" → "}
            {text("held_object", rows[0]!) || text("held_class", rows[0]!)}{" "}
            <span class="badge">
              {text("level", rows[0]!) === "class" ? "same classes" : "same objects"}
            </span>
          </summary>
          {rows.map((row) => (
            <div class="member" key={row}>
              <p>
                {text("thread", row)} had{" "}
                <strong>{text("held_object", row) || text("held_class", row)}</strong>
                {table.isNull("held_method", row)
                  ? ""
                  : `, acquired in ${place(table.text("held_method", row), table.number("held_line", row))},`}{" "}
                and wanted{" "}
                <strong>{text("wanted_object", row) || text("wanted_class", row)}</strong>,{" "}
                {count(table.numbers("count")[row]!, "time")}{" "}
                <span class="badge">{text("provenance", row)}</span>
              </p>
              <StackList lines={stacks.lines(table.number("stack", row))} />
            </div>
          ))}
        </details>
      ))}
      {cycles.size > 50 ? (
        <p class="note">{cycles.size - 50} more cycles are left out.</p>
      ) : null}
    </>
  );
}
