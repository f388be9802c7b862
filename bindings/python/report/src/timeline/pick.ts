// SPDX-License-Identifier: Apache-2.0
// Finding the row at a place in the picture.

import { RUNNING } from "../states";
import type { Picked } from "./data";
import { type Lanes, lastStarted } from "./lanes";

/** The most rows that are searched for the one at a pixel. */
const PICKED_ROWS = 2000;

/** The longest blocking interval of a lane that touches a stretch of time. */
export function pickWithin(
  lanes: Lanes,
  lane: number,
  from: number,
  to: number,
): Picked | null {
  const level = lanes.finest;
  const first = level.first[lane]!;
  let best = -1;
  let bestLength = -1;
  const begin = Math.max(lastStarted(level, lane, from), first);
  const last = Math.min(level.first[lane + 1]!, begin + PICKED_ROWS);
  for (let row = begin; row < last && level.start[row]! <= to; row++) {
    if (level.end[row]! < from) continue;
    const overlap = Math.min(level.end[row]!, to) - Math.max(level.start[row]!, from);
    const held = level.state[row] === RUNNING ? 0 : 1;
    const weight = overlap * (1 + held);
    if (weight > bestLength) [best, bestLength] = [row, weight];
  }
  return best < 0 ? null : { lane, table: lanes.table, level, row: best };
}
