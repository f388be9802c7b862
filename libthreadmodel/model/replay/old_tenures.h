/* SPDX-License-Identifier: Apache-2.0 */
/* Records of owners that a memory limit drops. */
#ifndef TM_MODEL_OLD_TENURES_H
#define TM_MODEL_OLD_TENURES_H

#include <threadmodel/model.h>

/**
 * Drop the records of each lock that are of before an instant, up to its first one that
 * is later or not over; their hold times go into sums. While the timelines of their
 * owners are there.
 * @return how many were dropped; 0 where there is no memory to find out
 */
uint64_t tm__drop_tenures(tm_model *model, int64_t cut_ns);

#endif
