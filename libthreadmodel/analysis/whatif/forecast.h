/* SPDX-License-Identifier: Apache-2.0 */
/* When everything of a run would have happened, had some holds been shorter. */
#ifndef TM_ANALYSIS_WHATIF_FORECAST_H
#define TM_ANALYSIS_WHATIF_FORECAST_H

#include "analysis/whatif/holds.h"
#include "analysis/timeline/time_merge.h"

/** As many what-ifs are worked out in one march over the run. */
enum { TM__FORECAST_LANES = 32 };

typedef struct tm__forecast {
    const tm__holds *holds;
    const uint32_t *masks; ///< a place: bit l: its holds are scaled in lane l
    uint32_t lane_count;
    double factor;
    uint32_t last_thread; ///< that the run ends with, see tm__path_end(); or TM__NONE
    int64_t gain_ns[TM__FORECAST_LANES]; ///< the answer
} tm__forecast;

/** @return TM_OK or TM_ENOMEM */
int tm__forecast_run(tm__forecast *forecast, const tm_model *model, tm__memory *memory,
                     tm__time_merge *merge);

#endif
