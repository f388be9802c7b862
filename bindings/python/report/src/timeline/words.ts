// SPDX-License-Identifier: Apache-2.0
// A row of the timeline in words: for the tip, the panel and a screen reader.
import { clean, count, duration, instant, MICROSECOND, percent, place } from "../format";
import { NO_STATE, STATE_COUNT, STATES } from "../states";
import { type Arrow, KINDS } from "./arrows";
import type { Picked, TimelineData } from "./data";
import { addTimes } from "./lanes";

export type Line = readonly [name: string, value: string];

export function describe(data: TimelineData, picked: Picked): Line[] {
  const { level, row } = picked;
  const [start, end] = [level.start[row]!, level.end[row]!];
  const lines: Line[] = [["thread", data.threads[picked.lane]!.label]];
  const state = level.state[row]!;
  if (level.count[row]! > 1) {
    lines.push(["shows", `${count(level.count[row]!, "interval")}, merged`]);
    lines.push(...shares(picked));
  } else {
    lines.push([
      "state",
      `${STATES[state]?.label ?? "dead"}${isOpen(picked) ? ", not over" : ""}`,
    ]);
  }
  if (!data.isInstant)
    lines.push(
      ["from", instant(start, Math.min((end - start) / 10, MICROSECOND))],
      ["for", duration(end - start)],
    );
  if (level.count[row] === 1) lines.push(...detail(picked));
  return lines;
}

function isOpen({ level, table, row }: Picked): boolean {
  const source = level.source[row]!;
  return source >= 0 && table.numbers("open")[source] === 1;
}

function shares({ level, row }: Picked): Line[] {
  const times = new Float64Array(STATE_COUNT);
  addTimes(level, row, times, 1);
  const length = level.end[row]! - level.start[row]!;
  return [...times.keys()]
    .filter((state) => times[state]! > 0)
    .sort((a, b) => times[b]! - times[a]!)
    .map(
      (state): Line => [
        STATES[state]!.label,
        `${duration(times[state]!)}, ${percent(times[state]! / length)}`,
      ],
    );
}

function detail({ level, table, row }: Picked): Line[] {
  const source = level.source[row]!;
  if (source < 0) return [];
  const text = (name: string) => table.text(name, source);
  const lines: Line[] = [];
  if (text("object") !== null) lines.push(["object", clean(text("object"))]);
  if (text("class") !== null) lines.push(["class", clean(text("class"))]);
  if (text("method") !== null)
    lines.push(["called from", place(text("method"), table.number("line", source))]);
  if (table.numbers("unsplit")[source] === 1)
    lines.push(["note", "its notify was not seen: it may hide queueing for the monitor"]);
  if (table.numbers("sampled")[source] === 1)
    lines.push(["note", "the stack is that of another blocking interval like it"]);
  return lines;
}

/** Which thread owned the object or is joined; null: none is known. */
export function peerOf(data: TimelineData, picked: Picked): number | null {
  const source = picked.level.source[picked.row]!;
  if (source < 0 || picked.level.state[picked.row] === NO_STATE) return null;
  const lane = data.source.index.find(picked.table.id("peer_id", source));
  return lane < 0 ? null : lane;
}

/** An interaction in words, seen from one of its ends. */
export function sayArrow(data: TimelineData, arrow: Arrow): string {
  const { table } = data.arrows;
  const from = data.threads[arrow.from]!.label;
  const to = data.threads[arrow.to]!.label;
  const where = table.text("from_method", arrow.row);
  return (
    `${KINDS[arrow.kind]!.label}: ${from} let ${to} go on at ${instant(arrow.woken, MICROSECOND)}` +
    `${where === null ? "" : `, in ${clean(where, 160)}`}` +
    ` (${table.text("provenance", arrow.row) ?? "unknown"})`
  );
}
