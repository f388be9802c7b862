// SPDX-License-Identifier: Apache-2.0
// How an answer is known.

/** Whether the producer reported it or the events leave no other; else it is inferred. */
export function isCertain(provenance: string | null): boolean {
  return provenance === "exact" || provenance === "reported";
}
