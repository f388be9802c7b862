/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles of threads, searched for inside ingest. */
#ifndef TM_MODEL_DEADLOCK_SEARCH_H
#define TM_MODEL_DEADLOCK_SEARCH_H

#include <threadmodel/model.h>

#include "model/entities/fact.h"

typedef struct tm__deadlock {
    int64_t time_ns;
    int64_t resolved_ns;   ///< INT64_MIN: it stands
    uint32_t member_first; ///< deadlock_members[]
    uint32_t member_count;
    uint8_t suspected; ///< an owner in it was inferred
    uint8_t confirmed; ///< the VM was asked and agreed
    uint8_t withdrawn; ///< it was not so; not listed
    uint8_t reserved[5];
} tm__deadlock;

typedef struct tm__deadlock_member {
    int64_t deadline_ns; ///< it waits no longer than that; INT64_MAX: for ever
    uint32_t thread;
    uint32_t object;
    uint32_t stack;
    uint8_t state; ///< its state before DEADLOCKED
    uint8_t provenance;
    uint8_t seen_again; ///< a later snapshot found it so
    uint8_t reserved;
} tm__deadlock_member;

/** How far a thread's chain of blockers was found to lead, as long as none on it went.
 */
typedef struct tm__lead {
    uint64_t edges_gone; ///< model->ownership.edges_gone at that time
    uint32_t to;         ///< threads[]
    uint32_t reserved;
} tm__lead;

/** Limit of the steps of searches for each event; the usual one takes one or two. */
enum { TM__SEARCH_STEPS = 256 };

/** Look for a cycle that goes through `thread`. @return TM_OK, TM_ENOMEM, or the
 * callback's status */
int tm__deadlock_check(tm_model *model, uint32_t thread);
/** An owner changed: a suspicion is now certain, or refuted and withdrawn. */
void tm__deadlock_review(tm_model *model, uint32_t deadlock);
/** A member gets away: the cycle is resolved, or was a wrong suspicion. */
void tm__deadlock_leave(tm_model *model, uint32_t thread, int64_t time_ns);
/** Remove a suspicion that the VM did not confirm, as if it had never been raised. */
void tm__deadlock_withdraw(tm_model *model, uint32_t deadlock);

#endif
