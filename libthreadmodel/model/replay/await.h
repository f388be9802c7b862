/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for what no thread owns. */
#ifndef TM_MODEL_AWAIT_H
#define TM_MODEL_AWAIT_H

#include <threadmodel/model.h>

#include "model/entities/fact.h"

/** Permits of an object that were given and not yet seen to be taken. */
typedef struct tm__post {
    int64_t time_ns;
    int64_t permits; ///< that are left, where nobody waited for them; else 1
    uint32_t thread; ///< threads[]: who gave it
    uint32_t stack;  ///< stacks[] or TM__NONE
    uint32_t object;
    uint32_t waiter; ///< threads[] that is thought to have got it, or TM__NONE
    uint32_t next;   ///< in the object's list, or the list of free ones
    uint32_t previous;
    uint32_t group; ///< of the rows of one post, or TM__NONE
    uint8_t is_named;
    uint8_t candidates; ///< posts that may have let the waiter go, as far as is known
    uint8_t reserved[2];
} tm__post;

/* Ingest calls tm__wake_reserve() before each of these. */
void tm__on_await(tm_model *model, const tm__fact *fact);
void tm__on_awaited(tm_model *model, const tm__fact *fact);
/** @return TM_OK or TM_ENOMEM, and then nobody got a permit */
int tm__on_post(tm_model *model, const tm__fact *fact);
/** A wait is over: the permit that the thread got for it is no other's. */
void tm__await_left(tm_model *model, uint32_t thread);

#endif
