/* SPDX-License-Identifier: Apache-2.0 */
/* Timelines and stacks as tables. */
#ifndef TM_ANALYSIS_LISTING_TIMELINE_H
#define TM_ANALYSIS_LISTING_TIMELINE_H

#include "analysis/listing/listing.h"

/**
 * Cut an interval to the part of a run that is asked about.
 * @param[in,out] start_ns  of the interval, on the model's clock
 * @param[in,out] end_ns    the same
 * @return 1, or 0: none of it is asked about
 */
int tm__interval_cut(const tm_model *model, const tm__scope *scope,
                     const tm__interval *it, int64_t *start_ns, int64_t *end_ns);

/** Columns of an interval from `object` on, as tm_timeline_list() has them. */
void tm__put_interval_detail(tm__listing *list, const tm_model *model,
                             const tm__thread *thread, uint32_t index);

#endif
