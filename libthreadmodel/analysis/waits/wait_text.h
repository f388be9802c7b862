/* SPDX-License-Identifier: Apache-2.0 */
/* Names of threads, places, objects and instants, in sentences about waits. */
#ifndef TM_ANALYSIS_WAITS_WAIT_TEXT_H
#define TM_ANALYSIS_WAITS_WAIT_TEXT_H

#include "analysis/waits/wait_state.h"
#include "base/printf.h"
#include "model/entities/entity_names.h"

enum { TM__WORDS_BYTES = 2000 };

/** A text that grows up to what it has room for. */
typedef struct tm__words {
    size_t length;
    char bytes[TM__WORDS_BYTES];
} tm__words;

/** Threads that cannot go on, all of it lent. */
typedef struct tm__wait_case {
    const tm_model *model;
    const tm__wait_graph *graph;
    tm__labels *labels;
    const uint32_t *order; ///< threads[]
    uint32_t count;
    uint32_t unlisted; ///< such threads that order[] lacks
    /** The barrier that was asked for last, and its party that has ended: all that wait
     * there have the same one, and it is sought in the history of all threads. */
    uint32_t meeting, party;
    int has_meeting;
} tm__wait_case;

void tm__write_words(tm__words *words, const char *format, ...) TM__PRINTF(2, 3);
void tm__write_thread(tm__words *words, const tm_model *model, uint32_t thread);
/** "3 threads". */
void tm__write_count(tm__words *words, uint32_t count);
/** An instant of the model's clock, since the run began. */
void tm__write_instant(tm__words *words, const tm__wait_case *it, int64_t time_ns);
/** Whether it is known when a wait began: at the first dump it already lasted. */
int tm__wait_is_dated(const tm__wait_case *it, int64_t since_ns);
/** "Account.transfer:42", or "an unknown method". */
void tm__write_place(tm__words *words, const tm__wait_case *it, uint32_t stack);
/** "ReentrantLock$NonfairSync@1b2c": an object without its packages. */
void tm__write_object(tm__words *words, tm__wait_case *it, uint32_t object);
/** Whether an object is called by what it is outside of the program: "10.0.0.7:5432".
 */
int tm__is_endpoint(const tm_model *model, uint32_t object);

#endif
