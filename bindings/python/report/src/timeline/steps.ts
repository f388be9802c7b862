// SPDX-License-Identifier: Apache-2.0
// A number that changes over time: threads in a queue, uses of a pool, calls.
import { firstAtOrAfter } from "./sorted";

/** The number is value[i] from time[i] on. */
export interface Steps {
  time: number[];
  value: number[];
  highest: number;
}

/** The number of concurrent stretches, over time. */
export function stepsOf(stretches: readonly (readonly [start: number, end: number])[]): Steps {
  const steps: Steps = { time: [], value: [], highest: 0 };
  const changes = stretches.flatMap(([start, end]) => [
    [start, 1] as const,
    [end, -1] as const,
  ]);
  let now = 0;
  changes.sort((a, b) => a[0] - b[0]);
  changes.forEach(([time, by], at) => {
    now += by;
    if (changes[at + 1]?.[0] === time) return;
    steps.time.push(time);
    steps.value.push(now);
    steps.highest = Math.max(steps.highest, now);
  });
  return steps;
}

/** The last step that is not after an instant; -1: none. */
export function stepAt({ time }: Steps, instant: number): number {
  const at = firstAtOrAfter(time, instant, (value) => value);
  return time[at] === instant ? at : at - 1;
}
