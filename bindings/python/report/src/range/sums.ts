// SPDX-License-Identifier: Apache-2.0
// Count, total, extremes and histogram of some times, by the library's rules: 32 buckets
// an octave (base/histogram.h).

const OCTAVE_BITS = 5;
const OCTAVE = 2 ** OCTAVE_BITS;

export class Sums {
  count = 0;
  total = 0;
  min = Infinity;
  max = 0;
  readonly buckets = new Map<number, number>();

  add(ns: number): void {
    this.count++;
    this.total += ns;
    this.min = Math.min(this.min, ns);
    this.max = Math.max(this.max, ns);
    const bucket = bucketOf(ns);
    this.buckets.set(bucket, (this.buckets.get(bucket) ?? 0) + 1);
  }
}

export function bucketOf(ns: number): number {
  if (ns < OCTAVE) return ns;
  const shift = Math.floor(Math.log2(ns)) - OCTAVE_BITS;
  // The logarithm of a number just below a power of two may be rounded up to it.
  const exact = 2 ** (shift + OCTAVE_BITS) > ns ? shift - 1 : shift;
  return exact * OCTAVE + Math.floor(ns / 2 ** exact);
}

/** The times [low, high) of a bucket. */
export function boundsOf(bucket: number): readonly [low: number, high: number] {
  if (bucket < 2 * OCTAVE) return [bucket, bucket + 1];
  const width = 2 ** (Math.floor(bucket / OCTAVE) - 1);
  const low = (OCTAVE + (bucket % OCTAVE)) * width;
  return [low, low + width];
}
