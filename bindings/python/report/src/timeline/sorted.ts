// SPDX-License-Identifier: Apache-2.0
// Searching lists that are sorted by time.

/** The index of the first item, by rising time, not before a time; else their number. */
export function firstAtOrAfter<T>(
  items: readonly T[],
  time: number,
  of: (item: T) => number,
): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (of(items[middle]!) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
