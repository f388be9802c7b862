// SPDX-License-Identifier: Apache-2.0
// Searching what is sorted by time.

/** The first of items of rising time that is not before one; their number: none is. */
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
