/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One event after the other. The workload is millions of events of a few hundred
 * threads: each costs one or two look-ups of ids, a look at the thread's last
 * interval and an append; everything else is rare.
 */
#include "model/ingest.h"

#include "base/error.h"
#include "model/await.h"
#include "model/binding.h"
#include "model/context.h"
#include "model/cpu.h"
#include "model/deadlock_search.h"
#include "model/entities.h"
#include "model/fact.h"
#include "model/fold.h"
#include "model/interaction.h"
#include "model/interval.h"
#include "model/lock_nesting.h"
#include "model/lost_events.h"
#include "model/methods.h"
#include "model/model.h"
#include "model/object.h"
#include "model/owner_facts.h"
#include "model/replay.h"
#include "model/tenure.h"
#include "model/thread.h"

enum {
    NEEDS_PEER = 1,       ///< means nothing without another thread
    NEEDS_LIST = 2,       ///< may add to an object's list of notifies
    REPORTS_NO_STATE = 4, ///< the thread may be running or not
    IS_CONTEXT = 8,       ///< says nothing of a state, and may be of no thread
    NEEDS_CAUSES = 16,    ///< looks at what may end a hold-up
    NEEDS_WAKES = 32,     ///< looks at wakes[]
};

static const uint8_t needs[TM_EVENT_KIND_END] = {
    [TM_EVENT_THREAD_START_CALLED] = NEEDS_PEER,
    [TM_EVENT_THREAD_START] = NEEDS_CAUSES,
    [TM_EVENT_THREAD_END] = NEEDS_CAUSES,
    [TM_EVENT_WAIT] = NEEDS_CAUSES,
    [TM_EVENT_WAITED] = NEEDS_LIST | NEEDS_CAUSES,
    [TM_EVENT_NOTIFY] = NEEDS_LIST,
    [TM_EVENT_NOTIFY_ALL] = NEEDS_LIST,
    [TM_EVENT_INTERRUPT_CALLED] = NEEDS_PEER,
    [TM_EVENT_INTERRUPTED] = NEEDS_LIST | NEEDS_CAUSES,
    [TM_EVENT_SLEEP] = NEEDS_CAUSES,
    [TM_EVENT_SLEPT] = NEEDS_CAUSES,
    [TM_EVENT_JOIN] = NEEDS_CAUSES,
    [TM_EVENT_JOINED] = NEEDS_CAUSES,
    [TM_EVENT_PARK] = NEEDS_CAUSES,
    [TM_EVENT_UNPARKED] = NEEDS_CAUSES,
    [TM_EVENT_UNPARK_CALLED] = NEEDS_PEER,
    [TM_EVENT_VIRTUAL_MOUNT] = REPORTS_NO_STATE | NEEDS_CAUSES,
    [TM_EVENT_VIRTUAL_UNMOUNT] = REPORTS_NO_STATE | NEEDS_CAUSES,
    [TM_EVENT_HELD] = REPORTS_NO_STATE,
    [TM_EVENT_CPU_SAMPLE] = REPORTS_NO_STATE,
    [TM_EVENT_GC_PAUSE] = IS_CONTEXT,
    [TM_EVENT_PINNED] = IS_CONTEXT,
    [TM_EVENT_SUBMIT_FAILED] = IS_CONTEXT,
    [TM_EVENT_INFLATED] = IS_CONTEXT,
    [TM_EVENT_AWAIT] = NEEDS_WAKES | NEEDS_CAUSES,
    [TM_EVENT_AWAITED] = NEEDS_WAKES | NEEDS_CAUSES,
    [TM_EVENT_POST] = NEEDS_WAKES,
    [TM_EVENT_RUNNABLE] = NEEDS_WAKES | REPORTS_NO_STATE,
    [TM_EVENT_ON_CPU] = NEEDS_WAKES | REPORTS_NO_STATE,
    [TM_EVENT_OFF_CPU] = NEEDS_WAKES | REPORTS_NO_STATE,
};

int tm__replay_reserve(tm_model *model, uint32_t thread)
{
    /* A hold-up with no end, a wait for a processor, what began and a withdrawn
     * suspicion: five at most. */
    if (tm__interval_reserve(model, thread, 5) < 0)
        return TM_ENOMEM;
    return tm__interaction_reserve(model, 4);
}

static int find_thread(tm_model *model, uint64_t id, uint32_t *index)
{
    *index = tm__map_find(&model->thread_map, id);
    return *index != TM__NONE ? TM_OK : tm__model_thread(model, id, index);
}

static int find_object(tm_model *model, uint64_t id, uint32_t *index)
{
    *index = tm__map_find(&model->object_map, id);
    return *index != TM__NONE ? TM_OK : tm__model_object(model, id, index);
}

static int find_stack(tm_model *model, uint32_t id, uint32_t *index)
{
    *index = tm__map_find(&model->stack_map, id);
    return *index != TM__NONE ? TM_OK : tm__model_stack(model, id, index);
}

/* The other thread: by its id, or by its thread object as some formats say it. */
static int find_peer(tm_model *model, const tm_event *event, tm__fact *fact)
{
    int rc;

    if (!event->peer) {
        if (needs[event->kind] & NEEDS_PEER && fact->object != TM__NONE)
            fact->peer = model->objects[fact->object].thread;
        return TM_OK;
    }
    rc = find_thread(model, event->peer, &fact->peer);
    if (rc < 0)
        return rc;
    if (fact->peer == fact->thread && event->kind != TM_EVENT_INTERRUPT_CALLED &&
        event->kind != TM_EVENT_UNPARK_CALLED && event->kind != TM_EVENT_WAITED &&
        event->kind != TM_EVENT_UNPARKED) {
        model->diagnostics[TM_DIAGNOSTIC_OWN_PEER]++;
        fact->peer = TM__NONE;
    }
    return TM_OK;
}

/* An owner that was read: its index stands in `value` in place of its id. */
static int find_owner(tm_model *model, const tm_event *event, tm__fact *fact)
{
    uint32_t owner = TM__NONE;
    int rc = event->value ? find_thread(model, (uint64_t)event->value, &owner) : TM_OK;

    fact->value = owner;
    return rc;
}

static int intern(tm_model *model, const tm_event *event, tm__fact *fact)
{
    int rc = TM_OK;

    if (event->thread)
        rc = find_thread(model, event->thread, &fact->thread);
    if (rc == TM_OK && event->object)
        rc = find_object(model, event->object, &fact->object);
    if (rc == TM_OK && event->stack)
        rc = find_stack(model, event->stack, &fact->stack);
    if (rc == TM_OK)
        rc = find_peer(model, event, fact);
    if (rc == TM_OK && event->flags & TM_EVENT_OWNER_READ)
        rc = find_owner(model, event, fact);
    return rc;
}

/* Times of one thread never go back, nor so far out that differences overflow. */
static int64_t settle_time(tm_model *model, int64_t time_ns)
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
    }
}

/* A new edge starts at the thread; where the peer proved to own an object that
 * others want as well, theirs are new too. */
static int check(tm_model *model, const tm__fact *fact)
{
    int rc = tm__deadlock_check(model, fact->thread);

    if (rc == TM_OK && fact->peer != TM__NONE && fact->object != TM__NONE &&
        model->objects[fact->object].wanted > 1)
        rc = tm__deadlock_check(model, fact->peer);
    return rc;
}

/* A dump is all snapshots of one time. */
static int note_dump(tm_model *model, int64_t time_ns)
{
    if (!tm__model_is_of_dumps(model) ||
        (model->dumps_count && model->dumps[model->dumps_count - 1] >= time_ns))
        return TM_OK;
    if (tm__reserve(&model->memory, &model->dumps, &model->dumps_capacity,
                    (size_t)model->dumps_count + 1, sizeof(*model->dumps)) < 0)
        return TM_ENOMEM;
    model->dumps[model->dumps_count++] = time_ns;
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
    case TM_EVENT_UNPARKED: tm__on_unparked(model, fact); break;
    case TM_EVENT_UNPARK_CALLED: tm__on_unpark_called(model, fact); break;
    case TM_EVENT_VIRTUAL_MOUNT: tm__on_mount(model, fact); break;
    case TM_EVENT_VIRTUAL_UNMOUNT:
        model->threads[fact->thread].flags |= TM_THREAD_VIRTUAL;
        model->threads[fact->thread].carrier = TM__NONE;
        break;
    case TM_EVENT_HELD: tm__on_held(model, fact); return check(model, fact);
    case TM_EVENT_SNAPSHOT:
        if (fact->value < TM_STATE_UNKNOWN ||
            (fact->value >= TM_STATE_DEADLOCKED && fact->value != TM_STATE_RUNNABLE)) {
            model->diagnostics[TM_DIAGNOSTIC_UNKNOWN_STATE]++;
            return TM_OK;
        }
        if (note_dump(model, fact->time_ns) < 0)
            return TM_ENOMEM;
        tm__on_snapshot(model, fact);
        return check(model, fact);
    case TM_EVENT_SHUTDOWN:
        tm__must_run(model, fact);
        if (model->shutdown_by == TM__NONE) {
            model->shutdown_by = fact->thread;
            model->shutdown_ns = fact->time_ns;
        }
        break;
    case TM_EVENT_AWAIT: tm__on_await(model, fact); break;
    case TM_EVENT_AWAITED: tm__on_awaited(model, fact); break;
    case TM_EVENT_POST: return tm__on_post(model, fact);
    case TM_EVENT_RUNNABLE: tm__on_runnable(model, fact); break;
    case TM_EVENT_ON_CPU: tm__on_cpu(model, fact); break;
    case TM_EVENT_OFF_CPU: tm__off_cpu(model, fact); break;
    case TM_EVENT_CPU_SAMPLE:
        model->threads[fact->thread].samples++;
        if (fact->stack != TM__NONE)
            model->stacks[fact->stack].samples++;
        tm__context_add(model, fact);
        break;
    default: break;
    }
    return TM_OK;
}

/* Give an event's ids their indexes. What is no event of a thread gets none. */
static int resolve(tm_model *model, const tm_event *event, tm__fact *fact)
{
    *fact = (tm__fact){.time_ns = event->time_ns,
                       .value = event->value,
                       .thread = TM__NONE,
                       .object = TM__NONE,
                       .peer = TM__NONE,
                       .stack = TM__NONE,
                       .kind = event->kind,
                       .flags = event->flags};
    if (!event->kind || event->kind >= TM_EVENT_KIND_END ||
        event->kind == TM_EVENT_LOST ||
        (!event->thread && event->kind != TM_EVENT_GC_PAUSE))
        return TM_OK;
    return intern(model, event, fact);
}

/* What is not about a thread. */
static int read_other(tm_model *model, const tm_event *event)
{
    if (!event->kind || event->kind >= TM_EVENT_KIND_END) {
        model->diagnostics[TM_DIAGNOSTIC_UNKNOWN_KIND]++;
    } else if (event->kind == TM_EVENT_LOST) {
        model->diagnostics[TM_DIAGNOSTIC_LOST_BY_PRODUCER] +=
            event->value > 0 ? (uint64_t)event->value : 0;
        model->losses++;
        model->edges_gone++;
        model->loss_ns = settle_time(model, event->time_ns);
        note_time(model, model->loss_ns);
        if (event->flags & TM_EVENT_PAUSED)
            return tm__on_pause(model, model->loss_ns);
        /* Its object is the time of the first. */
        return tm__loss_note(model,
                             event->object && event->object <= TM__TIME_LIMIT_NS
                                 ? (int64_t)event->object
                                 : model->loss_ns,
                             model->loss_ns);
    } else {
        model->diagnostics[TM_DIAGNOSTIC_NO_THREAD]++;
    }
    return TM_OK;
}

static int reserve(tm_model *model, const tm__fact *fact)
{
    int rc = tm__replay_reserve(model, fact->thread);

    if (rc == TM_OK && fact->peer != TM__NONE)
        rc = tm__interval_reserve(model, fact->peer, 1);
    if (rc == TM_OK && needs[fact->kind] & NEEDS_LIST)
        rc = tm__binding_reserve(model);
    if (rc == TM_OK && fact->kind == TM_EVENT_CPU_SAMPLE)
        rc = tm__context_reserve(model);
    if (rc == TM_OK)
        rc = tm__tenure_reserve(model);
    if (rc == TM_OK && needs[fact->kind] & NEEDS_WAKES)
        rc = tm__wake_reserve(model);
    return rc;
}

/* Beside the thread's states: neither its clock nor its timeline moves. */
static int read_context(tm_model *model, const tm_event *event, tm__fact *fact)
{
    int rc = tm__context_reserve(model);

    if (rc < 0)
        return rc;
    model->kind_counts[fact->kind]++;
    fact->time_ns = settle_time(model, event->time_ns);
    note_time(model, fact->time_ns);
    tm__context_add(model, fact);
    return TM_OK;
}

static int take(tm_model *model, const tm_event *event, tm__fact *fact)
{
    tm__thread *thread;
    int64_t time_ns;
    int rc;

    if (fact->thread == TM__NONE && fact->kind != TM_EVENT_GC_PAUSE)
        return read_other(model, event);
    if (fact->kind < TM_EVENT_KIND_END && needs[fact->kind] & IS_CONTEXT)
        return read_context(model, event, fact);
    rc = reserve(model, fact);
    if (rc < 0)
        return rc;
    if (needs[fact->kind] & NEEDS_PEER && fact->peer == TM__NONE) {
        model->diagnostics[TM_DIAGNOSTIC_NO_THREAD]++;
        return TM_OK;
    }
    model->kind_counts[fact->kind]++;
    thread = &model->threads[fact->thread];
    time_ns = settle_time(model, event->time_ns);
    if (time_ns < thread->last_ns) {
        model->diagnostics[TM_DIAGNOSTIC_BACKWARD_TIME]++;
        time_ns = thread->last_ns;
    }
    if (time_ns != fact->time_ns)
        fact->time_ns = time_ns;
    note_time(model, time_ns);
    if (thread->state == TM_STATE_DEAD && fact->kind != TM_EVENT_THREAD_START) {
        model->diagnostics[TM_DIAGNOSTIC_AFTER_END]++;
        thread->end_ns = INT64_MIN;
        tm__run(model, fact->thread, fact->time_ns, TM__NONE);
    }
    if (!(needs[fact->kind] & REPORTS_NO_STATE) && thread->losses != model->losses) {
        thread->losses = model->losses;
        thread->permit_unseen = 1; /* an unpark of it may be among what was lost */
    }
    rc = dispatch(model, fact);
    model->threads[fact->thread].last_ns = fact->time_ns;
    return rc;
}

/*
 * With a million threads all that an event touches is a cache miss, and one leads to
 * the next. So events go through four steps, a block of them at a time and each step
 * a block behind the one before it, that ask for the memory which the next will touch:
 *
 *     slots of the maps  ->  thread, peer, object  ->  intervals, owner  ->  replay
 */
enum { BLOCK = 16, STEPS = 4 };

/* How many events before its first step an event itself is asked for; so many threads
 * and objects stay in a cache without being asked for. */
enum { EVENTS_AHEAD = 64, FEW_ENTITIES = 1 << 14 };

typedef struct pipeline {
    tm_model *model;
    const tm_event *events;
    size_t count;
    tm__fact facts[STEPS][BLOCK];
    int codes[STEPS][BLOCK];
} pipeline;

static size_t block_size(const pipeline *p, size_t block)
{
    size_t left = p->count - block * BLOCK;

    return left < BLOCK ? left : BLOCK;
}

static void ask_for_slots(const pipeline *p, size_t block)
{
    const tm_event *events = p->events + block * BLOCK;

    for (size_t i = 0; i < block_size(p, block); i++) {
        if (block * BLOCK + i + EVENTS_AHEAD < p->count)
            tm__ask_for(&events[i + EVENTS_AHEAD]);
        tm__map_ask_for(&p->model->thread_map, events[i].thread);
        tm__map_ask_for(&p->model->object_map, events[i].object);
        if (events[i].peer)
            tm__map_ask_for(&p->model->thread_map, events[i].peer);
    }
}

static void ask_for_thread(const tm_model *model, uint32_t thread)
{
    if (thread != TM__NONE)
        tm__ask_for(&model->threads[thread]);
}

static void look_up(pipeline *p, size_t block)
{
    const tm_event *events = p->events + block * BLOCK;
    tm__fact *facts = p->facts[block % STEPS];
    tm_model *model = p->model;

    for (size_t i = 0; i < block_size(p, block); i++) {
        p->codes[block % STEPS][i] = resolve(model, &events[i], &facts[i]);
        ask_for_thread(model, facts[i].thread);
        ask_for_thread(model, facts[i].peer);
        if (facts[i].object != TM__NONE)
            tm__ask_for(&model->objects[facts[i].object]);
        if (facts[i].thread != TM__NONE && needs[facts[i].kind] & NEEDS_CAUSES)
            tm__ask_for(&model->threads[facts[i].thread].end_ns);
    }
}

static void look_ahead(const pipeline *p, size_t block)
{
    const tm__fact *facts = p->facts[block % STEPS];
    const tm_model *model = p->model;

    for (size_t i = 0; i < block_size(p, block); i++) {
        if (facts[i].thread != TM__NONE) {
            const tm__thread *thread = &model->threads[facts[i].thread];
            const tm__interval *next = thread->intervals + thread->interval_count;

            if (thread->interval_count) {
                tm__ask_for(next - 1);
                tm__ask_for(next);
            }
            if (thread->owned != TM__NONE)
                tm__ask_for(&model->links[thread->owned]);
        }
        if (facts[i].object != TM__NONE) {
            const tm__object *object = &model->objects[facts[i].object];

            tm__ask_for(&model->links[facts[i].object]);
            tm__ask_for(tm__tenure_at(model, object->tenure));
            ask_for_thread(model, object->owner);
            if (needs[facts[i].kind] & NEEDS_LIST)
                ask_for_thread(model, object->waiter_head);
        }
    }
}

static int take_all(pipeline *p, size_t block)
{
    tm_model *model = p->model;
    int result = TM_OK;

    if (model->evict_at_bytes && model->memory.used_bytes > model->evict_at_bytes)
        tm__evict_old(model);
    for (size_t i = 0; i < block_size(p, block); i++) {
        int rc = p->codes[block % STEPS][i];

        if (rc == TM_OK)
            rc =
                take(model, &p->events[block * BLOCK + i], &p->facts[block % STEPS][i]);
        if (rc == TM_ENOMEM)
            model->diagnostics[TM_DIAGNOSTIC_OUT_OF_MEMORY]++;
        else
            model->event_count++;
        if (rc < 0)
            result = rc;
        if (rc < 0 && rc != TM_ENOMEM)
            break;
    }
    return result;
}

int tm__ingest(void *payload, const tm_event *events, size_t count)
{
    pipeline p;
    size_t blocks = (count + BLOCK - 1) / BLOCK;
    int result = TM_OK, rc;

    p.model = payload;
    p.model->search_steps += count * TM__SEARCH_STEPS;
    p.events = events;
    p.count = count;
    for (size_t step = 0; step < blocks + STEPS - 1; step++) {
        if (step < blocks)
            ask_for_slots(&p, step);
        if (step >= 1 && step - 1 < blocks)
            look_up(&p, step - 1);
        if (step >= 2 && step - 2 < blocks &&
            p.model->threads_count + p.model->objects_count + p.model->tenures_count >
                FEW_ENTITIES)
            look_ahead(&p, step - 2);
        rc = step >= 3 ? take_all(&p, step - 3) : TM_OK;
        if (rc < 0)
            result = rc;
        if (rc < 0 && rc != TM_ENOMEM)
            break;
    }
    tm__order_settle(p.model);
    return result;
}

int tm_model_ingest(tm_model *model, const tm_event *events, size_t count)
{
    TM__CHECK(model);
    TM__CHECK(events || !count);
    return tm__ingest(model, events, count);
}
