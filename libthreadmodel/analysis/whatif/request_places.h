/* SPDX-License-Identifier: Apache-2.0 */
/* Where requests sleep or wait for what is not a station: see request_places.c. */
#ifndef TM_ANALYSIS_WHATIF_REQUEST_PLACES_H
#define TM_ANALYSIS_WHATIF_REQUEST_PLACES_H

#include "analysis/whatif/request_claims.h"

/** A method in which requests sleep or wait. */
typedef struct tm__place_sum {
    uint32_t station; ///< stations[] of the place
    uint32_t pool;    ///< stations[] whose uses most of it is in; TM__NONE
    double in_pool_ns;
    double total_ns; ///< of requests that were seen to use a pool
    uint32_t now, most;
} tm__place_sum;

typedef struct tm__places {
    tm__triple_map by_method; ///< (method, 0, 0): sums[] + 1
    TM__ARRAY(tm__place_sum, sums);
    TM__ARRAY(tm__sortable, edges);
    double running_ns; ///< of all requests
} tm__places;

/**
 * Find the places of all requests, and how many were in each at once.
 * @param to  gets their stations
 * @return TM_OK or TM_ENOMEM; to be freed whatever is returned
 */
int tm__places_find(tm__places *places, tm__requests *to, const tm__load *load,
                    const tm__claims *claims);

/** @return stations[] of what a part of a request is spent at; TM__NONE: at nothing */
uint32_t tm__place_of(const tm__places *places, const tm__load *load, uint32_t thread,
                      const tm__unit_part *part);

void tm__places_free(tm__places *places, tm__memory *memory);

#endif
