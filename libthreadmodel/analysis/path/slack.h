/* SPDX-License-Identifier: Apache-2.0 */
/* How much later each thread may be before a path's end is. */
#ifndef TM_ANALYSIS_PATH_SLACK_H
#define TM_ANALYSIS_PATH_SLACK_H

#include "analysis/path/path_state.h"

/** The end does not hang on it. */
#define TM__SLACK_ANY INT64_MAX

/**
 * The least slack of anything that a thread did up to the path's end.
 * @param slack_ns  as many as the model has threads, filled
 * @return TM_OK or TM_ENOMEM
 */
int tm__slack_find(int64_t *slack_ns, const tm_model *model, tm__memory *memory,
                   const tm__path *path);

#endif
