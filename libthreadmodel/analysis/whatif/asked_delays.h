/* SPDX-License-Identifier: Apache-2.0 */
/* The delays that a question is about: sleeps and I/O in a method, also where sleeps
 * have no stack; or I/O with an endpoint. */
#ifndef TM_ANALYSIS_WHATIF_ASKED_DELAYS_H
#define TM_ANALYSIS_WHATIF_ASKED_DELAYS_H

#include <threadmodel/whatif.h>

#include "base/triple_map.h"
#include "model/state/model.h"

/** The subject of a question, and of a method its sleeps with a stack by length. */
typedef struct tm__asked_delays {
    tm__memory *memory;
    const uint8_t *stacks;   ///< a stack is in the method; NULL: no method is asked of
    const uint32_t *objects; ///< an object is the endpoint if it is in a group, and not
                             ///< TM__NONE; NULL: no endpoint is asked of
    const uint8_t *idle;     ///< a stack is where threads wait for work, or NULL
    tm__triple_map counts;   ///< (thread or TM__NONE, length or any, all or within)
} tm__asked_delays;

/** A change that makes delays longer or shorter, and no lock or permit. */
static inline int tm__is_of_delays(uint32_t change)
{
    return change == TM_WHATIF_METHOD || change == TM_WHATIF_IO;
}

/** A change of what is held or used. */
static inline int tm__is_of_claims(uint32_t change)
{
    return !tm__is_of_delays(change) && change != TM_WHATIF_PROCESSORS;
}

/** A change that there is more of something, and nothing takes less time. */
static inline int tm__is_of_more(uint32_t change)
{
    return change == TM_WHATIF_PERMITS || change == TM_WHATIF_PROCESSORS;
}

/**
 * Ask about a method: count the sleeps of each thread and of all.
 * @param stacks  lent: whether each stack is in the method
 * @return TM_OK or TM_ENOMEM; to be freed in either case
 */
int tm__asked_delays_gather(tm__asked_delays *delays, const tm_model *model,
                            tm__memory *memory, const uint8_t *stacks);
void tm__asked_delays_free(tm__asked_delays *delays);

/**
 * The part of an interval that is asked about, 0 of anything else than a delay. A sleep
 * and I/O have it by the stack, 0 or 1. A sleep without a stack: the share of the
 * method in the sleeps of this thread that are about as long; that of a thread that
 * always sleeps in it, or never; or in the sleeps of all threads that are about as
 * long. Idle I/O has no part: the next request comes when a client sends it.
 */
double tm__asked_delay_share(const tm__asked_delays *delays, const tm_model *model,
                             uint32_t thread, uint32_t interval);

#endif
