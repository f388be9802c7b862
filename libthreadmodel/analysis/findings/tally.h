/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of time by up to three keys. */
#ifndef TM_ANALYSIS_FINDINGS_TALLY_H
#define TM_ANALYSIS_FINDINGS_TALLY_H

#include "base/triple_map.h"
#include "model/state/model.h"

/** A sum of times under up to three keys. */
typedef struct tm__tally_item {
    uint32_t a, b, c;
    int64_t total_ns;
    int64_t count;
    int64_t worst_ns;      ///< the largest that was added
    uint32_t worst_thread; ///< whose it was
    uint32_t first_thread; ///< whose the first one was
    int is_of_many;        ///< others are not that one's
} tm__tally_item;

typedef struct tm__tally {
    tm__triple_map map;
    TM__ARRAY(tm__tally_item, items);
} tm__tally;

/** @return the sum, after adding; valid until the next call. NULL: no memory */
tm__tally_item *tm__tally_add(tm__tally *tally, tm__memory *memory, uint32_t a,
                              uint32_t b, uint32_t c, int64_t time_ns, uint32_t thread);
/** @return the largest sum whose first key is `a` and whose last is `c`, or NULL */
const tm__tally_item *tm__tally_top(const tm__tally *tally, uint32_t a, uint32_t c);
void tm__tally_free(tm__tally *tally, tm__memory *memory);

#endif
