/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The replay of one event: its time is put in order, memory is reserved for all that it
 * may add, and the part of the replay is called that its kind belongs to. Everything
 * but a look at the thread's last interval and an append is rare.
 */
#include "base/error.h"
#include "model/replay/block_end.h"
#include "model/replay/held.h"
#include "model/replay/monitor.h"
#include "model/replay/park_permit.h"
#include "model/replay/replay.h"
#include "base/map.h"
#include "base/memory.h"
#include "model/deadlocks/deadlock_search.h"
#include "model/entities/event_needs.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/intervals/context.h"
#include "model/intervals/cpu.h"
#include "model/intervals/interaction.h"
#include "model/intervals/interval.h"
#include "model/intervals/lost_events.h"
#include "model/ownership/stated_nesting.h"
#include "model/ownership/tenure.h"
#include "model/replay/await.h"
#include "model/replay/thread_life.h"
#include "model/replay/thread_state_facts.h"
#include "model/replay/unit.h"
#include "model/replay/wait.h"
#include "model/state/model.h"
#include "model/wakeups/binding_list.h"

int64_t tm__settle_time(tm_model *model, int64_t time_ns)
{
    if (time_ns <= TM__TIME_LIMIT_NS && time_ns >= -TM__TIME_LIMIT_NS)
        return time_ns;
    model->diagnostics[TM_DIAGNOSTIC_TIME_RANGE]++;
    return time_ns < 0 ? -TM__TIME_LIMIT_NS : TM__TIME_LIMIT_NS;
}

static void note_time(tm_model *model, int64_t time_ns)
{
    if (model->first_ns == INT64_MIN) {
        model->first_ns = time_ns;
        model->last_ns = time_ns;
    } else if (time_ns > model->last_ns) {
        model->last_ns = time_ns;
    } else if (time_ns < model->first_ns) {
        model->first_ns = time_ns;
    }
}

/* A new edge starts at the thread; where the peer proved to own an object that
 * others want as well, theirs are new too. */
static int check(tm_model *model, const tm__fact *fact)
{
    int rc = tm__deadlock_check(model, fact->thread);

    if (rc == TM_OK && fact->peer != TM__NONE && fact->object != TM__NONE &&
        model->entities.objects[fact->object].wanted > 1)
        rc = tm__deadlock_check(model, fact->peer);
    return rc;
}

/* Whom an event read to own a lock may want what those who want it own. */
static int check_read(tm_model *model, const tm__fact *fact)
{
    return fact->flags & TM_EVENT_OWNER_READ && (uint32_t)fact->value != TM__NONE &&
                   model->entities.threads[fact->value].wanted > 0
               ? tm__deadlock_check(model, (uint32_t)fact->value)
               : TM_OK;
}

/* A dump is all snapshots of one time. */
static int note_dump(tm_model *model, int64_t time_ns)
{
    if (!tm__model_is_of_dumps(model) ||
        (model->replay.dumps_count &&
         model->replay.dumps[model->replay.dumps_count - 1] >= time_ns))
        return TM_OK;
    if (tm__reserve(&model->memory, &model->replay.dumps, &model->replay.dumps_capacity,
                    (size_t)model->replay.dumps_count + 1,
                    sizeof(*model->replay.dumps)) < 0)
        return tm__failure();
    model->replay.dumps[model->replay.dumps_count++] = time_ns;
    return TM_OK;
}

static int dispatch(tm_model *model, const tm__fact *fact)
{
    switch (fact->kind) {
    case TM_EVENT_THREAD_START_CALLED: tm__on_start_called(model, fact); break;
    case TM_EVENT_THREAD_START: tm__on_start(model, fact); break;
    case TM_EVENT_THREAD_END: return tm__on_end(model, fact);
    case TM_EVENT_CONTENDED_ENTER: tm__on_enter(model, fact); return check(model, fact);
    case TM_EVENT_CONTENDED_ENTERED: tm__on_entered(model, fact); break;
    case TM_EVENT_ACQUIRED: tm__on_acquired(model, fact); break;
    case TM_EVENT_RELEASED: tm__on_released(model, fact); break;
    case TM_EVENT_WAIT: tm__on_wait(model, fact); return check(model, fact);
    case TM_EVENT_WAITED: tm__on_waited(model, fact); break;
    case TM_EVENT_NOTIFY:
    case TM_EVENT_NOTIFY_ALL: return tm__on_notify(model, fact);
    case TM_EVENT_INTERRUPT_CALLED: tm__on_interrupt_called(model, fact); break;
    case TM_EVENT_INTERRUPTED: tm__on_interrupted(model, fact); break;
    case TM_EVENT_SLEEP: tm__on_sleep(model, fact); break;
    case TM_EVENT_SLEPT: tm__on_slept(model, fact); break;
    case TM_EVENT_JOIN: tm__on_join(model, fact); return check(model, fact);
    case TM_EVENT_JOINED: tm__on_joined(model, fact); break;
    case TM_EVENT_PARK: tm__on_park(model, fact); return check(model, fact);
    case TM_EVENT_UNPARKED:
        tm__on_unparked(model, fact);
        return check_read(model, fact);
    case TM_EVENT_UNPARK_CALLED:
        tm__on_unpark_called(model, fact);
        return check_read(model, fact);
    case TM_EVENT_VIRTUAL_MOUNT: tm__on_mount(model, fact); break;
    case TM_EVENT_VIRTUAL_UNMOUNT:
        model->entities.threads[fact->thread].flags |= TM_THREAD_VIRTUAL;
        model->entities.threads[fact->thread].carrier = TM__NONE;
        break;
    case TM_EVENT_HELD: tm__on_held(model, fact); return check(model, fact);
    case TM_EVENT_NESTED: tm__order_stated(model, fact); break;
    case TM_EVENT_SNAPSHOT:
        if (fact->value < TM_STATE_UNKNOWN || fact->value >= TM_STATE_END ||
            fact->value == TM_STATE_DEADLOCKED || fact->value == TM_STATE_DEAD) {
            model->diagnostics[TM_DIAGNOSTIC_UNKNOWN_STATE]++;
            return TM_OK;
        }
        if (note_dump(model, fact->time_ns) < 0)
            return tm__failure();
        tm__on_snapshot(model, fact);
        return check(model, fact);
    case TM_EVENT_SHUTDOWN:
        tm__must_run(model, fact);
        if (model->replay.shutdown_by == TM__NONE) {
            model->replay.shutdown_by = fact->thread;
            model->replay.shutdown_ns = fact->time_ns;
        }
        break;
    case TM_EVENT_AWAIT: tm__on_await(model, fact); break;
    case TM_EVENT_AWAITED: tm__on_awaited(model, fact); break;
    case TM_EVENT_POST: return tm__on_post(model, fact);
    case TM_EVENT_RUNNABLE: tm__on_runnable(model, fact); break;
    case TM_EVENT_ON_CPU: tm__on_cpu(model, fact); break;
    case TM_EVENT_OFF_CPU: tm__off_cpu(model, fact); break;
    case TM_EVENT_CPU_SAMPLE:
        model->entities.threads[fact->thread].samples++;
        if (fact->stack != TM__NONE)
            model->entities.stacks[fact->stack].samples++;
        tm__context_add(&model->intervals, fact);
        break;
    default: break;
    }
    return TM_OK;
}

/* An event that is not about a thread. */
static int read_other(tm_model *model, const tm_event *event)
{
    if (!event->kind || event->kind >= TM_EVENT_KIND_END) {
        model->diagnostics[TM_DIAGNOSTIC_UNKNOWN_KIND]++;
    } else if (event->kind == TM_EVENT_LOST) {
        model->diagnostics[TM_DIAGNOSTIC_LOST_BY_PRODUCER] +=
            event->value > 0 ? (uint64_t)event->value : 0;
        model->intervals.losses++;
        model->ownership.edges_gone++;
        model->intervals.loss_ns = tm__settle_time(model, event->time_ns);
        note_time(model, model->intervals.loss_ns);
        if (event->flags & TM_EVENT_PAUSED)
            return tm__on_pause(model, model->intervals.loss_ns);
        /* Its object is the time of the first. */
        return tm__loss_note(model,
                             event->object && event->object <= TM__TIME_LIMIT_NS
                                 ? (int64_t)event->object
                                 : model->intervals.loss_ns,
                             model->intervals.loss_ns);
    } else {
        model->diagnostics[TM_DIAGNOSTIC_NO_THREAD]++;
    }
    return TM_OK;
}

/* Room for whatever one event may add. */
static int reserve(tm_model *model, const tm__fact *fact)
{
    /* Intervals: a block with no end, a wait for a processor, what began and a
     * withdrawn suspicion, five at most. */
    int rc = tm__interval_reserve(model, fact->thread, 5);

    if (rc == TM_OK)
        rc = tm__interaction_reserve(model, 4);
    if (rc == TM_OK && fact->peer != TM__NONE)
        rc = tm__interval_reserve(model, fact->peer, 1);
    if (rc == TM_OK && tm__event_needs[fact->kind] & TM__NEEDS_LIST)
        rc = tm__binding_reserve(model);
    if (rc == TM_OK && fact->kind == TM_EVENT_CPU_SAMPLE)
        rc = tm__context_reserve(model);
    if (rc == TM_OK)
        rc = tm__tenure_reserve(model);
    if (rc == TM_OK && tm__event_needs[fact->kind] & TM__NEEDS_WAKES)
        rc = tm__wake_reserve(model);
    return rc;
}

/* Beside the thread's states: neither its clock nor its timeline moves. */
static int read_context(tm_model *model, const tm_event *event, tm__fact *fact)
{
    int is_use = tm__event_needs[fact->kind] & TM__IS_USE;
    int rc = is_use ? tm__on_cpu_use(model, fact) : tm__context_reserve(model);

    if (rc < 0)
        return rc;
    model->kind_counts[fact->kind]++;
    fact->time_ns = tm__settle_time(model, event->time_ns);
    note_time(model, fact->time_ns);
    if (!is_use)
        tm__context_add(&model->intervals, fact);
    return TM_OK;
}

int tm__replay(tm_model *model, const tm_event *event, tm__fact *fact)
{
    tm__thread *thread;
    int64_t time_ns;
    unsigned needs;
    int rc;

    if (fact->thread == TM__NONE && fact->kind != TM_EVENT_GC_PAUSE)
        return read_other(model, event);
    if (fact->kind < TM_EVENT_KIND_END &&
        tm__event_needs[fact->kind] & (TM__IS_CONTEXT | TM__IS_USE))
        return read_context(model, event, fact);
    rc = reserve(model, fact);
    if (rc < 0)
        return rc;
    if (fact->object != TM__NONE)
        model->entities.objects[fact->object].named = model->entities.evictions;
    needs = tm__event_needs[fact->kind];
    if (needs & TM__NEEDS_PEER && fact->peer == TM__NONE) {
        model->diagnostics[TM_DIAGNOSTIC_NO_THREAD]++;
        return TM_OK;
    }
    model->kind_counts[fact->kind]++;
    thread = &model->entities.threads[fact->thread];
    time_ns = tm__settle_time(model, event->time_ns);
    if (time_ns < thread->last_ns) {
        model->diagnostics[TM_DIAGNOSTIC_BACKWARD_TIME]++;
        time_ns = thread->last_ns;
    }
    if (time_ns != fact->time_ns)
        fact->time_ns = time_ns;
    note_time(model, time_ns);
    /* A lock may still be held for a thread that ended without releasing it. */
    if (thread->state == TM_STATE_DEAD && fact->kind != TM_EVENT_THREAD_START &&
        fact->kind != TM_EVENT_HELD) {
        model->diagnostics[TM_DIAGNOSTIC_AFTER_END]++;
        thread->end_ns = INT64_MIN;
        tm__run(model, fact->thread, fact->time_ns, TM__NONE);
    }
    if (!(needs & TM__REPORTS_NO_STATE) && thread->losses != model->intervals.losses) {
        thread->losses = model->intervals.losses;
        thread->permit_unseen = 1; /* an unpark of it may be among what was lost */
    }
    rc = needs & TM__IS_UNIT ? tm__on_unit(model, fact, event->peer)
                             : dispatch(model, fact);
    /* HELD is an observation, not an action of the thread; so are switches, which the
     * kernel stamps: an action may have read the clock just before one. */
    if (!(needs & TM__IS_OBSERVED))
        model->entities.threads[fact->thread].last_ns = fact->time_ns;
    return rc;
}
