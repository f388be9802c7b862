// SPDX-License-Identifier: Apache-2.0
// The timeline as lanes of rows, at several levels of detail. The finest is what the core
// gave; each coarser one merges rows by the core's own rule (tm_tile_list): rows that
// are long enough stay, shorter neighbours become one, with the time of each state in it.
import type { Table } from "../data/pack";
import type { ThreadIndex } from "../data/run";
import { BY_NAME, IDLE, NO_STATE, STATE_COUNT, STATES } from "../states";

export interface Level {
  /** Rows of a lane l are [first[l], first[l + 1]), by rising time. */
  first: Int32Array;
  start: Float64Array;
  end: Float64Array;
  /** The one state of the row; NO_STATE: a mixture. */
  state: Uint8Array;
  /** Of a mixture: its time in each state, at mix[row] * STATE_COUNT. */
  mix: Int32Array;
  times: Float32Array;
  /** The number of intervals of the row. */
  count: Float64Array;
  /** Row of the table that it is, for its detail; -1: of a coarser level. */
  source: Int32Array;
  tile: number;
}

/** Levels get coarser by this much, and no lane has more rows than this in the last. */
const STEP = 4;
const ENOUGH_ROWS = 1500;

export class Lanes {
  readonly levels: Level[];

  constructor(
    readonly table: Table,
    threads: ThreadIndex,
    laneCount: number,
    readonly tile: number,
    length: number,
  ) {
    const finest = readLevel(table, threads.column(table, "thread_id"), laneCount, tile);
    this.levels = [finest];
    let last = finest;
    const longest = longestLane(finest);
    for (
      let next = firstTile(length / Math.max(longest, 1), tile);
      longestLane(last) > ENOUGH_ROWS && next < length;
      next *= STEP
    ) {
      const merged = merge(last, next);
      // If most rows are long, merging gains little: a level must be worth its memory.
      if (merged.start.length < last.start.length * 0.8) {
        this.levels.push(merged);
        last = merged;
      }
    }
  }

  get finest(): Level {
    return this.levels[0]!;
  }

  /** Extend the last row of each lane to a time: in a run of one instant it has no length. */
  stretch(to: number): void {
    const { first, end } = this.finest;
    for (let lane = 0; lane + 1 < first.length; lane++)
      if (first[lane + 1]! > first[lane]!) end[first[lane + 1]! - 1] = to;
  }

  /** The coarsest level that shows all visible detail at this many ns a pixel. */
  levelFor(nsPerPixel: number): Level {
    let best = this.finest;
    for (const level of this.levels) if (level.tile <= nsPerPixel) best = level;
    return best;
  }

  /** The row of a lane in which an instant lies; -1: none. */
  rowAt(level: Level, lane: number, time: number): number {
    const row = lastStarted(level, lane, time);
    return row >= 0 && level.end[row]! >= time ? row : -1;
  }
}

/** The last row of a lane that starts at or before a time; -1: none does. */
export function lastStarted(level: Level, lane: number, time: number): number {
  let low = level.first[lane]!;
  let high = level.first[lane + 1]!;
  const begin = low;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (level.start[middle]! <= time) low = middle + 1;
    else high = middle;
  }
  return low > begin ? low - 1 : -1;
}

/** Time of a lane in each state. */
export function sumsOf(level: Level, lane: number): Float64Array {
  const times = new Float64Array(STATE_COUNT);
  for (let row = level.first[lane]!; row < level.first[lane + 1]!; row++)
    addTimes(level, row, times, 1);
  return times;
}

function firstTile(wanted: number, tile: number): number {
  return Math.max(wanted, tile * 2, 1);
}

function longestLane(level: Level): number {
  let longest = 0;
  for (let lane = 0; lane + 1 < level.first.length; lane++)
    longest = Math.max(longest, level.first[lane + 1]! - level.first[lane]!);
  return longest;
}

function readLevel(table: Table, lane: Int32Array, lanes: number, tile: number): Level {
  const rows = table.rows;
  const start = table.rows ? table.numbers("start_ns") : new Float64Array();
  const count = table.rows ? table.numbers("intervals") : new Float64Array();
  const state = new Uint8Array(rows);
  const mix = new Int32Array(rows).fill(-1);
  const end = new Float64Array(start);
  const columns = STATES.map(({ name }) => table.numbers(`${name}_ns`));
  // Time in state dead counts too, but is not drawn: the thread ran again after that end.
  for (const column of [...columns, table.numbers("dead_ns")])
    for (let row = 0; row < rows; row++) end[row]! += column[row]!;
  // Codes of this table's own dictionary of states.
  const stateOf = table.categories("state").map((name) => BY_NAME.get(name) ?? NO_STATE);
  const codes = table.codes("state");
  const isIdle = table.numbers("idle");
  let mixtures = 0;
  for (let row = 0; row < rows; row++) {
    const main = stateOf[codes[row]!] ?? NO_STATE;
    const alone = main !== NO_STATE && columns[main]![row] === end[row]! - start[row]!;
    state[row] = alone || count[row] === 1 ? (isIdle[row] ? IDLE : main) : NO_STATE;
    if (state[row] === NO_STATE && count[row]! > 1) mix[row] = mixtures++;
  }
  const times = new Float32Array(mixtures * STATE_COUNT);
  columns.forEach((column, index) => {
    for (let row = 0; row < rows; row++)
      if (mix[row]! >= 0) times[mix[row]! * STATE_COUNT + index] = column[row]!;
  });
  const first = new Int32Array(lanes + 1);
  for (const index of lane) if (index >= 0) first[index + 1]!++;
  for (let index = 0; index < lanes; index++) first[index + 1]! += first[index]!;
  const source = Int32Array.from({ length: rows }, (_, row) => row);
  return { first, start, end, state, mix, times, count, source, tile };
}

/** The next coarser level: rows that each stand for a run of the finer one's. */
function merge(from: Level, tile: number): Level {
  const lanes = from.first.length - 1;
  const first = new Int32Array(lanes + 1);
  const begins: number[] = [];
  const ends: number[] = [];
  for (let lane = 0; lane < lanes; lane++) {
    first[lane] = begins.length;
    const last = from.first[lane + 1]!;
    for (let row = from.first[lane]!; row < last; ) {
      const begin = row++;
      while (
        row < last &&
        from.end[row - 1]! - from.start[begin]! < tile &&
        from.end[row]! - from.start[row]! < tile &&
        from.start[row] === from.end[row - 1]
      )
        row++;
      begins.push(begin);
      ends.push(row);
    }
  }
  first[lanes] = begins.length;
  const rows = begins.length;
  const level: Level = {
    first,
    start: new Float64Array(rows),
    end: new Float64Array(rows),
    state: new Uint8Array(rows),
    mix: new Int32Array(rows).fill(-1),
    times: new Float32Array(0),
    count: new Float64Array(rows),
    source: new Int32Array(rows).fill(-1),
    tile,
  };
  const times: number[] = [];
  for (let row = 0; row < rows; row++) addUp(from, begins[row]!, ends[row]!, level, row, times);
  level.times = Float32Array.from(times);
  return level;
}

const sums = new Float64Array(STATE_COUNT);

function addUp(
  from: Level,
  begin: number,
  end: number,
  level: Level,
  row: number,
  times: number[],
): void {
  level.start[row] = from.start[begin]!;
  level.end[row] = from.end[end - 1]!;
  if (end === begin + 1) level.source[row] = from.source[begin]!;
  let state = from.state[begin]!;
  for (let at = begin; at < end; at++) {
    level.count[row]! += from.count[at]!;
    if (from.state[at] !== state) state = NO_STATE;
  }
  level.state[row] = state;
  if (state !== NO_STATE) return;
  sums.fill(0);
  for (let at = begin; at < end; at++) addTimes(from, at, sums, 1);
  level.mix[row] = times.length / STATE_COUNT;
  times.push(...sums);
}

/** Add a row's time in each state, times a factor. */
export function addTimes(
  level: Level,
  row: number,
  to: Float64Array | Float32Array,
  factor: number,
): void {
  const state = level.state[row]!;
  if (state !== NO_STATE) {
    to[state]! += (level.end[row]! - level.start[row]!) * factor;
    return;
  }
  const at = level.mix[row]! * STATE_COUNT;
  if (at < 0) return;
  for (let index = 0; index < STATE_COUNT; index++)
    to[index]! += level.times[at + index]! * factor;
}
