/* SPDX-License-Identifier: Apache-2.0 */
/* A critical path in memory, for the questions that ask for it or go on from it. */
#ifndef TM_ANALYSIS_PATH_PATH_H
#define TM_ANALYSIS_PATH_PATH_H

#include "analysis/path/path_state.h"

/**
 * Walk a path. The path of a whole run is walked once and kept by the model: nobody
 * changes its segments.
 * @param path     to be freed, whatever is returned
 * @param options  checked here
 * @return TM_OK, TM_ENOMEM, TM_EINVAL, TM_ENOTFOUND
 */
int tm__path_walk(tm__path *path, const tm_model *model,
                  const tm_path_options *options);

void tm__path_free(tm__path *path);

#endif
