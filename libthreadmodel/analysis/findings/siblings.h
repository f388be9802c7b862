/* SPDX-License-Identifier: Apache-2.0 */
/* Siblings: threads that one thread started at one place. */
#ifndef TM_ANALYSIS_FINDINGS_SIBLINGS_H
#define TM_ANALYSIS_FINDINGS_SIBLINGS_H

#include "analysis/findings/finding.h"

/** @return of each thread, by which interaction it was started, or TM__NONE; NULL: no
 * memory */
uint32_t *tm__siblings_open(tm__findings *findings);

/** @param started  NULL is fine */
void tm__siblings_close(tm__findings *findings, uint32_t *started);

/** Look-ups of one sibling that a kind of finding is worth, in all: for each of many
 * waits all of very many threads would take hours. */
#define TM__SIBLING_STEPS UINT64_C(200000000)

int tm__are_siblings(const tm__findings *findings, const uint32_t *started,
                     uint32_t left, uint32_t right);

/** Whether two threads were blocked as often. They did the same: one of them came later
 * to it, or had the processor later, and has no more work to hand over. */
int tm__did_the_same(const tm_model *model, uint32_t left, uint32_t right);

/** For how much longer the first of two threads had no processor, though it could run:
 * so much later it ends with the same work. 0 where that is not known. */
int64_t tm__kept_from_cpu_ns(const tm_model *model, uint32_t late, uint32_t other);

#endif
