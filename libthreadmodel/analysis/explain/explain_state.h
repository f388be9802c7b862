/* SPDX-License-Identifier: Apache-2.0 */
/* A chain of reasons, and what it is found in. */
#ifndef TM_ANALYSIS_EXPLAIN_EXPLAIN_STATE_H
#define TM_ANALYSIS_EXPLAIN_EXPLAIN_STATE_H

#include "analysis/listing/selection.h"
#include "base/memory.h"
#include "model/entities/entity_names.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"

enum { TM__SENTENCE_BYTES = 900 };

/** Why a thread did not run. The first ones lead on to another thread. */
enum tm__reason {
    TM__REASON_OWNER,   ///< it was blocked by a lock that another owned
    TM__REASON_JOINED,  ///< it waited for another's end
    TM__REASON_WAKER,   ///< it waited, and another woke it later
    TM__REASON_STARTER, ///< it was not there yet, and another started it later
    TM__REASON_RUNNING,
    TM__REASON_NO_PROCESSOR,
    TM__REASON_ASLEEP,
    TM__REASON_IO,
    TM__REASON_NATIVE,
    TM__REASON_TIMEOUT,
    TM__REASON_IDLE,
    TM__REASON_WAKEUP, ///< the lock was free, and the next owner being woken
    TM__REASON_DEADLOCK,
    TM__REASON_NO_OWNER,
    TM__REASON_NO_WAKER,
    TM__REASON_NOT_STARTED,
    TM__REASON_ENDED,
    TM__REASON_NOT_RECORDED,
    TM__REASON_END
};

typedef struct tm__step_of_chain {
    uint32_t thread;    ///< threads[]
    uint32_t interval;  ///< intervals[] of the thread, or TM__NONE: none at that time
    uint32_t next;      ///< threads[] that it leads on to, or TM__NONE
    int64_t end_ns;     ///< of the blocking interval; INT64_MIN: it goes on
    uint8_t reason;     ///< enum tm__reason
    uint8_t provenance; ///< of what leads on, or of the lock's being free
    const char *why;    ///< why no owner or waker is known; NULL: no other word
} tm__step_of_chain;

/** The owners at the instant are looked up in these. */
typedef struct tm__explanation {
    const tm_model *model;
    tm__memory memory;
    tm__scope whole;
    int64_t at_ns;           ///< on the model's clock
    int64_t *short_holds_ns; ///< of each object, see tm__dealer
    tm__labels labels;
    size_t length; ///< of the sentence
    char text[TM__SENTENCE_BYTES];
} tm__explanation;

/** An instant of a thread that a chain is asked for. */
typedef struct tm__question {
    int64_t length_ns; ///< of the blocking interval
    int64_t at_ns;     ///< on the model's clock
    uint32_t thread;
    int rank; ///< those of a lower one come first
} tm__question;

typedef struct tm__questions {
    tm__question *all; ///< the longest blocking interval first
    uint32_t count;
    uint32_t room;
} tm__questions;

/** No instant was named. */
#define TM__NO_INSTANT INT64_MIN

#endif
