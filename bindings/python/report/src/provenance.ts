// SPDX-License-Identifier: Apache-2.0
// The provenance of answers.

/** Whether it was reported or follows from the events for certain; else it is inferred. */
export function isCertain(provenance: string | null): boolean {
  return provenance === "exact" || provenance === "reported";
}
