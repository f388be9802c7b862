/* SPDX-License-Identifier: Apache-2.0 */
/* Why a stretch of a path is unexplained, and what recording would explain it. */
#ifndef TM_ANALYSIS_PATH_PATH_WHY_H
#define TM_ANALYSIS_PATH_PATH_WHY_H

#include "analysis/path/path_state.h"

/**
 * Why nothing says who ended a blocking interval, the intervals [first, end) of a
 * thread.
 * @return enum tm__why, never TM__WHY_EXPLAINED
 */
int tm__path_why(const tm_model *model, uint32_t thread, uint32_t first, uint32_t end);

/**
 * Call in doubt what is before unexplained blocks that are more than a hundredth of the
 * path: who was blocked for long was not what others waited for.
 */
void tm__path_doubt(tm__path *path);

/** In words; NULL for what is explained. */
const char *tm__why_name(int why);

/** @return the time of the path that nothing explains */
int64_t tm__path_unexplained_ns(const tm__path *path);

/** Add the model's caveats, and how much of the path is unexplained, and why. */
void tm__path_put_caveats(const tm__path *path, const tm_model *model,
                          tm__builder *builder);

#endif
