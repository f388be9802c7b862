/* SPDX-License-Identifier: Apache-2.0 */
/* A model in the process that is recorded, beside the trace. */
#ifndef TM_AGENT_WRITER_MODEL_TEE_H
#define TM_AGENT_WRITER_MODEL_TEE_H

#include <stddef.h>
#include <stdint.h>

#include <threadmodel/model.h>
#include <threadmodel/sink.h>

/** Whatever is emitted into `sink` goes into `next`, and then into the model. */
typedef struct tm__model_tee {
    tm_sink sink;
    const tm_sink *next;
    tm_model *model;
    uint64_t lost; ///< events and definitions that the model had no memory for
} tm__model_tee;

/**
 * Make a model that keeps its memory under a limit, in front of a sink.
 * @param next         gets all first, and alone decides whether emitting goes on; it
 *                     is used as long as `live` is
 * @param limit_bytes  old intervals are evicted into sums beyond
 * @return TM_OK or TM_ENOMEM, and then there is nothing to close
 */
int tm__model_tee_open(tm__model_tee *live, const tm_sink *next, size_t limit_bytes);

/** Free the model. */
void tm__model_tee_close(tm__model_tee *live);

#endif
