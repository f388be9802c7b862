// SPDX-License-Identifier: Apache-2.0
// Groups of threads. Threads whose names differ only in a number, and which wait for work
// at the same place, are a pool. Any other thread belongs to its thread group.
import type { Thread } from "../data/run";
import { short } from "../format";
import { IDLE } from "../states";
import type { Lanes } from "./lanes";

/** A name with the last number in it, or all of them, left open. */
const LAST_NUMBER = /\d+(?=\D*$)/;
const NUMBERS = /\d+/g;

/** The pool or group of each thread, by its index. */
export function poolsOf(threads: readonly Thread[], lanes: Lanes): string[] {
  const places = threads.map(({ index }) => idlePlace(lanes, index));
  const found = new Map<number, string>();
  // pool-1-thread-* and pool-2-thread-* are two pools, conn-17-reader-3 may be alone.
  for (const pattern of [LAST_NUMBER, NUMBERS]) {
    const open = threads.filter(({ index }) => !found.has(index));
    const alike = Map.groupBy(open, ({ label }) => label.replace(pattern, "*"));
    for (const [name, members] of alike) {
      if (members.length < 2 || !name.includes("*")) continue;
      const byPlace = Map.groupBy(members, ({ index }) => places[index] ?? "");
      // Threads that were never idle may belong to any of these pools.
      const known = [...byPlace.keys()].filter((place) => place !== "");
      for (const { index } of members)
        found.set(
          index,
          known.length > 1 && places[index] ? `${name} idle in ${short(places[index])}` : name,
        );
    }
  }
  const others = threads.filter(({ index }) => !found.has(index) && places[index]);
  for (const [place, members] of Map.groupBy(others, ({ index }) => places[index]!))
    if (members.length > 1)
      for (const { index } of members) found.set(index, `idle in ${short(place)}`);
  return threads.map(({ index, group }) => found.get(index) ?? group);
}

/** The method in which a thread waits for work longest; null: it never does. */
function idlePlace({ finest, table }: Lanes, lane: number): string | null {
  const times = new Map<number, number>();
  const codes = table.codes("method");
  let best = -1;
  for (let row = finest.first[lane]!; row < finest.first[lane + 1]!; row++) {
    const source = finest.source[row]!;
    if (finest.state[row] !== IDLE || source < 0 || codes[source]! < 0) continue;
    const code = codes[source]!;
    const time = (times.get(code) ?? 0) + finest.end[row]! - finest.start[row]!;
    times.set(code, time);
    if (best < 0 || time > times.get(best)!) best = code;
  }
  return best < 0 ? null : table.categories("method")[best]!;
}
