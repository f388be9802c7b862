/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of several kinds, beside one another. */
#ifndef TM_ANALYSIS_WHATIF_RANKING_H
#define TM_ANALYSIS_WHATIF_RANKING_H

#include "analysis/whatif/candidates.h"
#include "analysis/whatif/gain_ask.h"

enum { TM__RANKED_KINDS = 16, TM__RANKED_LABEL = 1024 };

/** Changes of one kind: locks, or one of another kind. */
typedef struct tm__ranked {
    tm_whatif_options options;
    tm__gain_question question; ///< of one of another kind
    char object[TM__RANKED_LABEL];
    tm__candidates all;
} tm__ranked;

typedef struct tm__ranking {
    const tm_model *model;
    tm__memory memory;
    tm_whatif_options options; ///< as asked
    tm__load load;
    tm__ranked *items[TM__RANKED_KINDS]; ///< the locks first
    uint32_t count;
} tm__ranking;

/** @return TM_OK, TM_EINVAL: a factor that is negative, no number, or too large */
int tm__whatif_check_factor(const tm_model *model, double factor);

/**
 * Try the locks that the critical path goes through or requests wait for.
 * @param options  lent; of a ranking
 * @return TM_OK or TM_ENOMEM; to be closed in either case
 */
int tm__ranking_open(tm__ranking *ranking, const tm_model *model,
                     const tm_whatif_options *options);

/** Try a change of another kind, unless it was tried. @return TM_OK or TM_ENOMEM */
int tm__ranking_add(tm__ranking *ranking, const tm__gain_question *question);

/** Try the methods that most CPU samples are in. @return TM_OK or TM_ENOMEM */
int tm__ranking_add_methods(tm__ranking *ranking);

/** @return TM_OK or TM_ENOMEM */
int tm__ranking_answer(tm_table **out, tm__ranking *ranking);

void tm__ranking_close(tm__ranking *ranking);

#endif
