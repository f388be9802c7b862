/* SPDX-License-Identifier: Apache-2.0 */
/* The VM's answers about blocked threads, kept until they are known to belong to the
 * blocking interval that was asked about. */
#include "blocked/long_blocked_answers.h"

#include <threadmodel/error.h>
#include <threadmodel/model.h>

#include "blocked/deadlock_watch.h"
#include "blocked/long_blocked_ask.h"
#include "rings/clock.h"
#include "ring/recording_state.h"

static int64_t pending_ns = INT64_MAX; /* all answers before that were emitted */
static int is_urgent; /* one to be confirmed is of a thread that may close a cycle */

void tm__long_blocked_move(tm__long_blocked *it, enum tm__long_blocked_stage to)
{
    tm__long_blocked_unlist(it);
    it->stage = (uint8_t)to;
    if (to != TM__LONG_BLOCKED_KNOWN || tm__long_blocked_may_change(it))
        tm__long_blocked_list(it);
}

/* It waits for a thread that waits as well, or holds what others may wait for. */
static int may_close_cycle(const tm__long_blocked *it)
{
    return it->state != TM_STATE_WAITING &&
           (it->held_count || (it->owner && tm__long_blocked_find(it->owner)));
}

void tm__long_blocked_answered(tm__long_blocked *it, int is_worth_it)
{
    if (!is_worth_it) {
        tm__long_blocked_move(it, TM__LONG_BLOCKED_KNOWN);
        return;
    }
    it->asked_ns = tm__now_ns();
    tm__long_blocked_move(it, TM__LONG_BLOCKED_ASKED);
    if (it->asked_ns < pending_ns)
        pending_ns = it->asked_ns;
    is_urgent |= may_close_cycle(it);
}

int tm__long_blocked_is_urgent(void)
{
    return is_urgent;
}

static int emit_answer(const tm__long_blocked *it, int64_t time_ns)
{
    const tm_sink *sink = tm__the_recording.sink;
    int rc = TM_OK;

    if (!it->is_held_known)
        return TM_OK;
    /* A thread that holds nothing and is not blocked tells nothing new. */
    if (it->state != TM_STATE_BLOCKED && !it->held_count)
        return TM_OK;
    /* The first, without an object, says that those which follow are all. */
    for (uint32_t i = 0; i <= it->held_count && rc >= 0; i++) {
        tm_event event = {
            .time_ns = time_ns,
            .thread = it->thread,
            .object = i > 0 ? it->held[i - 1] : 0,
            .kind = TM_EVENT_HELD,
            .flags = TM_EVENT_PEER_REPORTED | TM_EVENT_CONFIRMED,
        };

        rc = sink->events(sink->payload, &event, 1);
    }
    return rc;
}

int64_t tm__long_blocked_pending_ns(void)
{
    return pending_ns;
}

/* When one ended that had begun before it was first seen is known to a round: whether
 * its answer was of it is known at the end of one. */
int tm__long_blocked_emit_before(int64_t until_ns)
{
    int rc = TM_OK;

    pending_ns = INT64_MAX;
    for (tm__long_blocked *it = tm__long_blocked_first(TM__LONG_BLOCKED_ASKED);
         it && rc >= 0; it = it->next) {
        if (it->is_emitted || it->is_fed || it->is_older)
            continue;
        if (it->asked_ns >= until_ns) {
            pending_ns = it->asked_ns;
            break;
        }
        rc = emit_answer(it, it->asked_ns);
        it->is_emitted = 1;
    }
    return rc;
}

int tm__long_blocked_emit(JNIEnv *jni, int64_t horizon_ns)
{
    tm__long_blocked *it = tm__long_blocked_first(TM__LONG_BLOCKED_ASKED);
    int rc = TM_OK;

    while (it && rc >= 0) {
        tm__long_blocked *next = it->next;

        if (it->asked_ns < horizon_ns) {
            if (!it->is_emitted && !it->is_fed)
                rc = emit_answer(it, horizon_ns - 1);
            tm__deadlock_watch_feed(it);
            it->is_fed = it->state != TM_STATE_WAITING;
            tm__long_blocked_move(it, TM__LONG_BLOCKED_KNOWN);
        }
        it = next;
    }
    is_urgent = is_urgent && tm__long_blocked_first(TM__LONG_BLOCKED_ASKED);
    return rc >= 0 ? tm__deadlock_watch_report(jni, horizon_ns) : rc;
}
