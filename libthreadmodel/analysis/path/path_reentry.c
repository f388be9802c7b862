/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A waiter that was notified wants its monitor back. The notifier, or a third thread,
 * may keep that for long, and then decides when the waiter goes on:
 *
 *     main    ══n══[ sleeps ]══r            n: notify, r: the monitor is released
 *     waiter  ──┘  reenters    └══          the path is with main from n to r
 */
#include "analysis/path/path_reentry.h"
#include "model/entities/reports.h"
#include "model/intervals/interval.h"
#include "model/ownership/tenure.h"
#include "model/ownership/tenure_bounds.h"
#include "model/ownership/wakeup_latency.h"

/* The assumed length of a wake-up where the run shows none. */
enum { UNKNOWN_WAKEUP_NS = 100000 };
/* Owners that are looked through, of a monitor that goes from hand to hand. */
enum { OWNERS_LOOKED_AT = 256 };

/* The last owner before the thread itself, that had the object at some time after the
 * block began. */
static const tm__tenure *last_owner(const tm_model *model, uint32_t thread,
                                    const tm__interval *block, int64_t end_ns,
                                    const tm__tenure **next)
{
    const tm__tenure *it = tm__tenure_at(model, block->tenure);

    for (int i = 0; it && i < OWNERS_LOOKED_AT; i++) {
        *next = tm__tenure_next(model, it);
        if (!*next || (*next)->got_ns >= end_ns)
            return it->owner == thread ? NULL : it;
        it = *next;
    }
    return NULL;
}

void tm__path_reentry(const tm_model *model, uint32_t thread, uint32_t first,
                      uint32_t end, tm__wakeup_edge *edge)
{
    const tm__thread *it = &model->entities.threads[thread];
    const tm__interval *block = &it->intervals[first];
    int64_t usual_ns = tm__wakeup_ns(&model->ownership, TM__WAKEUP_MONITOR), end_ns;
    const tm__tenure *owner, *next = NULL;
    tm__bounds bounds;
    int is_certain;

    if (block->state != TM_STATE_REENTERING || block->object == TM__NONE ||
        end >= it->interval_count)
        return;
    end_ns = it->intervals[end].start_ns;
    if (end_ns - block->start_ns <=
        TM__WAKEUP_MUCH_LONGER * (usual_ns ? usual_ns : UNKNOWN_WAKEUP_NS))
        return;
    owner = last_owner(model, thread, block, end_ns, &next);
    if (!owner || owner->owner == TM__NONE)
        return;
    tm__tenure_bounds(&bounds, model, block->object, owner, next, end_ns, TM__NONE);
    if (bounds.released_ns - block->start_ns <= usual_ns)
        return;
    /* Where releases are not reported, another may have had it unseen in between. */
    is_certain = tm__owners_are_reported(model) && tm__tenure_is_reported_over(owner) &&
                 owner->had_provenance > TM_PROVENANCE_INFERRED;
    *edge = (tm__wakeup_edge){.from = owner->owner,
                              .row = TM__NONE,
                              .from_ns = bounds.released_ns,
                              .kind = TM_INTERACTION_HANDOFF,
                              .provenance = is_certain ? TM_PROVENANCE_EXACT
                                                       : TM_PROVENANCE_INFERRED};
}
