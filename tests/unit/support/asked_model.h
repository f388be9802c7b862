/* SPDX-License-Identifier: Apache-2.0 */
/* A model that is asked with options of other sizes. */
#ifndef TEST_ASKED_MODEL_H
#define TEST_ASKED_MODEL_H

#include "support/sized.h"

#include "formats/source.h"
#include "support/recorder.h"
#include "support/statistics_runs.h"

static tm_model *asked;

static inline int make_run(void **state)
{
    (void)state;
    asked = small_run(NULL);
    return 0;
}

static inline int free_run(void **state)
{
    (void)state;
    tm_model_free(asked);
    return 0;
}

#endif
