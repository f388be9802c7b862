// SPDX-License-Identifier: Apache-2.0
// The matrix of blocking: a row for each thread that was blocked, a column for each owner.
import { useMemo } from "preact/hooks";
import type { Run } from "../data/run";
import { clean, count, duration, percent } from "../format";

/** Threads on each side; more cannot be distinguished. */
const SHOWN = 30;

interface Side {
  key: string;
  label: string;
  total: number;
}

interface Cell {
  total: number;
  count: number;
  inferred: number;
}

interface Found {
  rows: Side[];
  columns: Side[];
  cells: Map<string, Cell>;
  pairs: number;
  hidden: number;
}

function gather(run: Run): Found {
  const table = run.table("blockers");
  const rows = new Map<string, Side>();
  const columns = new Map<string, Side>();
  const cells = new Map<string, Cell>();
  const side = (sides: Map<string, Side>, row: number, id: string, name: string): Side => {
    const key = table.isNull(id, row) ? "" : String(table.id(id, row));
    let found = sides.get(key);
    if (!found) {
      const label = key
        ? clean(table.text(name, row), 80) || `thread ${key}`
        : "nobody, or not known";
      found = { key, label, total: 0 };
      sides.set(key, found);
    }
    found.total += table.numbers("total_ns")[row]!;
    return found;
  };
  for (let row = 0; row < table.rows; row++) {
    const blocked = side(rows, row, "thread_id", "thread");
    const owner = side(columns, row, "owner_id", "owner");
    cells.set(`${blocked.key}|${owner.key}`, {
      total: table.numbers("total_ns")[row]!,
      count: table.numbers("count")[row]!,
      inferred: table.numbers("inferred_share")[row]!,
    });
  }
  const most = (sides: Map<string, Side>) =>
    [...sides.values()].sort((a, b) => b.total - a.total);
  const [allRows, allColumns] = [most(rows), most(columns)];
  return {
    rows: allRows.slice(0, SHOWN),
    columns: allColumns.slice(0, SHOWN),
    cells,
    pairs: cells.size,
    hidden: Math.max(allRows.length - SHOWN, 0) + Math.max(allColumns.length - SHOWN, 0),
  };
}

export function Matrix({ run }: { run: Run }) {
  const { rows, columns, cells, pairs, hidden } = useMemo(() => gather(run), [run]);
  if (!rows.length) return <p class="calm">No thread was blocked by another.</p>;
  const most = Math.max(...[...cells.values()].map(({ total }) => total), 1);
  return (
    <>
      <div class="scroll" tabIndex={0} role="region" aria-label="Matrix of blocked time">
        <table class="matrix" data-pairs={pairs}>
          <caption class="unseen">
            Blocked time: each row a blocked thread, each column an owner of the lock
          </caption>
          <thead>
            <tr>
              <th scope="col">blocked&nbsp;↓ by&nbsp;→</th>
              {columns.map(({ key, label }) => (
                <th key={key} scope="col" title={label}>
                  <span>{label}</span>
                </th>
              ))}
              <th scope="col" class="figure">
                total
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.key}>
                <th scope="row" title={row.label}>
                  {row.label}
                </th>
                {columns.map((column) => (
                  <Square
                    key={column.key}
                    cell={cells.get(`${row.key}|${column.key}`)}
                    most={most}
                    title={`${row.label} blocked by ${column.label}`}
                    owned={column.key !== ""}
                  />
                ))}
                <td class="figure">{duration(row.total)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {hidden ? (
        <p class="note">
          The {SHOWN} with most time on each side are shown;{" "}
          {count(hidden, "more is", "more are")} left out.
        </p>
      ) : null}
    </>
  );
}

interface SquareProps {
  cell: Cell | undefined;
  most: number;
  title: string;
  owned: boolean;
}

function Square({ cell, most, title, owned }: SquareProps) {
  if (!cell) return <td class="square" />;
  const share = Math.sqrt(cell.total / most);
  // Limited, so that the text stays readable.
  const shade = `color-mix(in oklab, #d55e00 ${Math.round(10 + share * 48)}%, var(--surface))`;
  const tip =
    `${title}: ${duration(cell.total)}, ${count(cell.count, "block")}` +
    (owned ? `, ${percent(cell.inferred)} of it with an inferred owner` : "");
  return (
    <td class="square" style={{ background: shade }} title={tip} data-total={cell.total}>
      {duration(cell.total)}
    </td>
  );
}
