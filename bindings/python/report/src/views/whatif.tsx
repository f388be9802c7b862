// SPDX-License-Identifier: Apache-2.0
// The predicted gains of changes, ranked, as bars.

import { Caveats } from "../caveats";
import type { Run } from "../data/run";
import { clean, count, duration, percent, place } from "../format";
import { Elsewhere } from "../part";

export function WhatIfView({ run }: { run: Run }) {
  const table = run.table("whatif");
  const length = run.facts.length_ns;
  const tried = run.answers.value<number | null>("whatif_tried");
  const rows = Array.from({ length: table.rows }, (_, row) => ({
    row,
    className: clean(table.text("class", row)) || "any class",
    method: table.text("method", row),
    isKnown: !table.isNull("gain_ns", row),
    gain: table.numbers("gain_ns")[row]!,
    low: table.numbers("gain_low_ns")[row]!,
    high: table.numbers("gain_high_ns")[row]!,
    holds: table.numbers("scaled")[row]!,
    held: table.numbers("scaled_ns")[row]!,
    note: table.text("note", row),
  }));
  // One scale for all bars, which fits the bounds of every gain.
  const most = Math.max(...rows.flatMap((it) => [it.gain, it.low, it.high].map(Math.abs)), 1);
  return (
    <section class="whatif">
      <h2>
        What if a lock were held for no time? <Elsewhere run={run} table="whatif" />
      </h2>
      <p class="note">
        Each bar is the time by which the run of {duration(length)} would be shorter: it is
        replayed with the holds of that lock gone, and locks are fought for anew. Holds that
        nobody waited for are not seen, and stay as long as they were.
      </p>
      {tried !== null ? (
        <p class="note">
          {tried
            ? `The run is long, and this page tries ${count(tried, "change")} of the locks held longest.`
            : "The run is too long for this page to replay it; the overview has the gains of its findings."}{" "}
          The command <code>threadmodel whatif</code> tries all changes.
        </p>
      ) : null}
      {rows.length ? (
        <table class="bars wide">
          <thead>
            <tr>
              <th scope="col">Lock</th>
              <th scope="col">Gained</th>
              <th scope="col" class="figure">
                Time
              </th>
              <th scope="col" class="figure">
                Between
              </th>
              <th scope="col" class="figure">
                Of the run
              </th>
              <th scope="col" class="figure">
                Holds
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((it) => (
              <tr key={it.row} data-gain={it.gain}>
                <th scope="row">
                  {it.className}
                  {it.method !== null ? (
                    <span class="small">only those acquired in {place(it.method, null)}</span>
                  ) : (
                    <span class="small">all its locks</span>
                  )}
                  {it.note !== null ? <span class="small">{clean(it.note, 500)}</span> : null}
                </th>
                <td class="bar">
                  <span
                    class={it.gain < 0 ? "loss" : "gain"}
                    style={{ width: `${(Math.abs(it.gain) / most) * 100}%` }}
                  />
                  {it.gain >= 0 && it.high > it.low ? (
                    <i
                      class="between"
                      style={{
                        left: `${(Math.max(it.low, 0) / most) * 100}%`,
                        width: `${((it.high - Math.max(it.low, 0)) / most) * 100}%`,
                      }}
                    />
                  ) : null}
                </td>
                <td class="figure">{it.isKnown ? duration(it.gain) : "unknown"}</td>
                <td class="figure">
                  {it.isKnown ? `${duration(it.low)} and ${duration(it.high)}` : ""}
                </td>
                <td class="figure">{length && it.isKnown ? percent(it.gain / length) : ""}</td>
                <td class="figure">
                  {count(it.holds, "hold")}, {duration(it.held)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : tried === 0 ? null : (
        <p class="calm">
          No request waits for a lock, and the critical path goes through none: there is nothing
          to gain.
        </p>
      )}
      <Caveats run={run} table={table} />
    </section>
  );
}
