// SPDX-License-Identifier: Apache-2.0
// The blocking intervals of a part of the run, cut at its edges, as the library sums them
// up: a cycle that closes while a thread is blocked does not end the block.
import type { Table } from "../data/pack";
import { BLOCKING_STATES, DEADLOCKED, STATE_COUNT, STATES } from "../states";
import { addTimes, type Lanes, type Level, lastStarted } from "../timeline/lanes";

export interface Block {
  lane: number;
  /** Of the timeline's table. */
  row: number;
  state: string;
  start: number;
  end: number;
}

export interface Found {
  blocks: Block[];
  /** Blocking time of the part in merged rows, which is not in any block. */
  merged: number;
}

const SUMMED = new Set<string>([...BLOCKING_STATES, "sleeping"]);
const BLOCKING = [...BLOCKING_STATES].map((name) =>
  STATES.findIndex((state) => state.name === name),
);

export function blocksWithin({ finest, table }: Lanes, from: number, to: number): Found {
  const found: Found = { blocks: [], merged: 0 };
  const names = table.categories("state");
  const codes = table.codes("state");
  const times = new Float64Array(STATE_COUNT);
  for (let lane = 0; lane + 1 < finest.first.length; lane++) {
    const last = finest.first[lane + 1]!;
    let row = firstOf(finest, lane, from);
    while (row < last && finest.start[row]! < to) {
      const state = names[codes[row]!] ?? "unknown";
      const end = finest.count[row] === 1 ? endOf(finest, table, row, last) : row + 1;
      const block = cut(
        { lane, row, state, start: finest.start[row]!, end: 0 },
        from,
        to,
        finest.end[end - 1]!,
      );
      if (block && finest.count[row]! > 1) {
        const length = finest.end[row]! - finest.start[row]!;
        if (length > 0) addTimes(finest, row, times, (block.end - block.start) / length);
      } else if (block && SUMMED.has(state)) {
        found.blocks.push(block);
      }
      row = end;
    }
  }
  found.merged = BLOCKING.reduce((sum, state) => sum + times[state]!, 0);
  return found;
}

/** The first row that may reach into the part, or the row that it continues. */
function firstOf(level: Level, lane: number, from: number): number {
  let row = Math.max(lastStarted(level, lane, from), level.first[lane]!);
  // There may be several rows at one instant.
  while (row > level.first[lane]! && level.end[row - 1]! >= from) row--;
  while (row > level.first[lane]! && level.state[row] === DEADLOCKED) row--;
  return row;
}

/** The row after the block that begins with a row. */
function endOf(level: Level, table: Table, row: number, last: number): number {
  const objects = table.codes("object");
  const state = level.state[row]!;
  let end = row + 1;
  if (state === DEADLOCKED) return end;
  while (
    end < last &&
    level.count[end] === 1 &&
    level.start[end] === level.end[end - 1] &&
    objects[end] === objects[row] &&
    (level.state[end] === DEADLOCKED ||
      (level.state[end] === state && level.state[end - 1] === DEADLOCKED))
  )
    end++;
  return end;
}

/** Its time within the part; null: none. A block without length lies at its start. */
function cut(block: Block, from: number, to: number, end: number): Block | null {
  const { start } = block;
  if (end <= from && !(start === end && start === from)) return null;
  return { ...block, start: Math.max(start, from), end: Math.min(end, to) };
}
