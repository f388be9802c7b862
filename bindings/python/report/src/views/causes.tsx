// SPDX-License-Identifier: Apache-2.0
// Where the time of requests went, or of threads: each wait is divided by what ended it.
import { useCallback, useMemo } from "preact/hooks";
import type { Table } from "../data/pack";
import type { Run } from "../data/run";
import { clean, count, duration, percent } from "../format";
import { Elsewhere } from "../part";
import { BY_NAME, colour } from "../states";
import { Flames, type Frame } from "./flames";

export interface Cause extends Frame {
  cause: string;
  depth: number;
  /** The key that identifies the same cause in another run. */
  key: string;
  count: number;
  children: Cause[];
}

/** The least share of a row of the table; and the most rows. */
const LEAST = 0.01;
const ROWS = 12;

/** The state whose colour a cause has; others have that of unknown. */
const STATE_OF: Record<string, string> = {
  lock: "blocked",
  deadlock: "deadlocked",
  handover: "runnable",
  wait: "waiting",
  timeout: "waiting",
  join: "joining",
  asleep: "sleeping",
  io: "io",
  native: "native",
  processor: "running",
  no_processor: "runnable",
  collector: "reentering",
  idle: "idle",
};

const KEY = ["cause", "name", "class", "method"] as const;

/** Rows are in the order of the tree: a row, then what is below it. */
export function build(table: Table): Cause | null {
  const ids = table.numbers("id");
  const known = new Map<number, Cause>();
  let root: Cause | null = null;
  for (let row = 0; row < table.rows; row++) {
    const parent = table.number("parent", row);
    const node: Cause = {
      name: clean(table.text("text", row), 500),
      value: table.numbers("time_ns")[row]!,
      cause: table.text("cause", row) ?? "unknown",
      depth: table.numbers("depth")[row]!,
      key: KEY.map((column) => table.text(column, row) ?? "").join("\u0001"),
      count: table.numbers("count")[row]!,
      children: [],
    };
    known.set(ids[row]!, node);
    if (parent === null) root = node;
    else known.get(parent)?.children.push(node);
  }
  return root;
}

/** Causes that are worth a row, in the order of the tree. */
function tallest(root: Cause): Cause[] {
  const found: Cause[] = [];
  const walk = (node: Cause) => {
    for (const child of node.children) {
      if (child.value < root.value * LEAST) continue;
      found.push(child);
      walk(child);
    }
  };
  walk(root);
  const least = found.map(({ value }) => value).sort((a, b) => b - a)[ROWS - 1] ?? 0;
  return found.filter(({ value }) => value >= least).slice(0, ROWS);
}

export function Causes({ run }: { run: Run }) {
  const table = run.table("causes");
  const root = useMemo(() => (table.rows ? build(table) : null), [table]);
  const fill = useCallback(
    (frame: Frame) => colour(BY_NAME.get(STATE_OF[(frame as Cause).cause] ?? "unknown")!),
    [],
  );
  const name = useCallback((frame: Frame) => frame.name, []);
  const figures = useCallback(
    ({ value }: Frame) => `${duration(value)}, ${percent(value / (root?.value || 1))}`,
    [root],
  );
  if (!root?.value || !root.children.length) return null;
  const isOfUnits = root.cause === "units";
  const times = table.numbers("count")[0] ?? 0;
  const each = Math.max(times, 1);
  const whose = isOfUnits
    ? count(times, "request or task", "requests or tasks")
    : count(times, "thread");
  return (
    <section class="causes" aria-labelledby="causes-title">
      <h2 id="causes-title">
        Where the time of {isOfUnits ? "requests" : "threads"} went{" "}
        <span class="aside">
          {whose}, {duration(root.value / each)} each
        </span>{" "}
        <Elsewhere run={run} table="causes" />
      </h2>
      <div class="beside">
        <div>
          <Flames
            root={root}
            fill={fill}
            name={name}
            figures={figures}
            label="Causes, each above its own"
          />
        </div>
        <table class="plain">
          <caption class="unseen">The largest causes</caption>
          <thead>
            <tr>
              <th scope="col">Share</th>
              <th scope="col">Each</th>
              <th scope="col">Cause</th>
            </tr>
          </thead>
          <tbody>
            {tallest(root).map((node, row) => (
              <tr key={row}>
                <td class="figure">{percent(node.value / root.value)}</td>
                <td class="figure">{duration(node.value / each)}</td>
                <td style={{ paddingLeft: `${Math.min(node.depth, 8)}em` }}>{node.name}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {table.total > table.rows ? (
        <p class="note">{count(table.total - table.rows, "smaller cause")} not in this file.</p>
      ) : null}
    </section>
  );
}
