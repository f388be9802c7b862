/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An event whose ids are looked up. replay.c reserves memory before it calls a part of
 * the replay, so that none of these can fail unless it says so.
 */
#ifndef TM_MODEL_FACT_H
#define TM_MODEL_FACT_H

#include <threadmodel/model.h>

/** Beyond this a difference of two times would not fit; 146 years. */
#define TM__TIME_LIMIT_NS ((INT64_C(1) << 62) - 1)

/** An event with its ids interned; TM__NONE where an id is 0. */
typedef struct tm__fact {
    int64_t time_ns;
    int64_t value;
    uint32_t thread;
    uint32_t object;
    uint32_t peer;
    uint32_t stack;
    uint16_t kind;
    uint16_t flags;
} tm__fact;

/**
 * Give an event's ids their indexes. An event without a thread gets none.
 * @return TM_OK or TM_ENOMEM
 */
int tm__fact_resolve(tm_model *model, const tm_event *event, tm__fact *fact);

#endif
