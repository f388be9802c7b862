/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a path: where the program's own work ends, and in which thread. */
#ifndef TM_ANALYSIS_PATH_PATH_END_H
#define TM_ANALYSIS_PATH_PATH_END_H

#include "analysis/path/path_state.h"

/** Fill a path but for its segments; the same returns. */
int tm__path_end(tm__path *path, const tm_model *model, const tm_path_options *options);

#endif
