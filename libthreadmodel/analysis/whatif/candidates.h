/* SPDX-License-Identifier: Apache-2.0 */
/* A what-if question while it is answered: its candidates, and what they are tried on.
 */
#ifndef TM_ANALYSIS_WHATIF_CANDIDATES_H
#define TM_ANALYSIS_WHATIF_CANDIDATES_H

#include <threadmodel/whatif.h>

#include "analysis/path/path.h"
#include "analysis/whatif/forecast.h"
#include "model/model.h"

/** One what-if: holds of the places that match, TM__NONE for any. */
typedef struct tm__candidate {
    uint32_t class_name; ///< strings
    uint32_t method;     ///< strings
    int64_t holds;
    int64_t hold_ns;
    int64_t gain_ns;
} tm__candidate;

typedef struct tm__candidates {
    const tm_model *model;
    const tm_whatif_options *options;
    tm__memory memory;
    tm__time_merge merge;
    tm__holds holds;
    tm__path path;
    uint8_t *chosen;     ///< an object; NULL: none is asked about
    uint32_t *masks;     ///< a place
    tm__triple_map seen; ///< classes on the path; (class, method) that are candidates
    TM__ARRAY(tm__candidate, items);
} tm__candidates;

/** Begin without any; nothing can fail. To be closed. */
void tm__candidates_open(tm__candidates *all, const tm_model *model,
                         const tm_whatif_options *options);

/** Walk the path and gather the holds. @return TM_OK or TM_ENOMEM */
int tm__candidates_gather(tm__candidates *all);

/** Add one by name. @return TM_OK or TM_ENOMEM */
int tm__candidates_add(tm__candidates *all, uint32_t class_name, uint32_t method);

/** Add those that the path goes through, `count` at most: those held longest. */
int tm__candidates_find(tm__candidates *all, uint32_t count);

/** Count the holds of each, and work out its gain. @return TM_OK or TM_ENOMEM */
int tm__candidates_forecast(tm__candidates *all);

/** The largest gain first, then the longest held. @return TM_OK or TM_ENOMEM */
int tm__candidates_sort(tm__candidates *all);

void tm__candidates_close(tm__candidates *all);

#endif
