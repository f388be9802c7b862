/* SPDX-License-Identifier: Apache-2.0 */
/* The locks and permits that requests have for themselves alone, and for how long. */
#ifndef TM_ANALYSIS_WHATIF_REQUEST_CLAIMS_H
#define TM_ANALYSIS_WHATIF_REQUEST_CLAIMS_H

#include "analysis/whatif/candidates.h"
#include "analysis/whatif/request_play.h"
#include "analysis/whatif/throughput_load.h"
#include "base/sort.h"

/** A hold of a lock, or a use of a permit. */
typedef struct tm__claim {
    int64_t start_ns;
    int64_t end_ns;
    uint32_t thread;
    uint32_t station;
    uint32_t is_scaled; ///< what is spent in it changes
    uint32_t is_asked;  ///< it is of the station that the change is about
} tm__claim;

typedef struct tm__claims {
    TM__ARRAY(tm__claim, items); ///< by thread, then by rising start
    uint32_t *first;             ///< items[] of each thread, one more than threads
    uint32_t asked;              ///< stations[] that the change is about; TM__NONE
    tm__triple_map by_lock;      ///< (object, 0, 0): stations[] + 1
    tm__triple_map by_queue;     ///< (queue of resources, 0, 0): stations[] + 1
} tm__claims;

/**
 * Find the stations of locks and pools, and who had them when.
 * @param to  gets the stations
 * @return TM_OK or TM_ENOMEM; to be freed whatever is returned
 */
int tm__claims_find(tm__claims *claims, tm__requests *to, const tm__load *load,
                    const tm__candidates *all, const tm__candidate *it);

void tm__claims_free(tm__claims *claims, const tm__load *load, tm__memory *memory);

/** waits[] of the resources by which a thread waits in an interval, or TM__NONE. */
uint32_t tm__wait_at(const tm__resources *all, uint32_t thread, uint32_t interval);

#endif
