/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One event after the other. The workload is millions of events of a few hundred
 * threads; with a million of them it is cache misses that cost.
 */
#include "model/replay/ingest.h"

#include "base/error.h"
#include "base/map.h"
#include "base/prefetch.h"
#include "model/deadlocks/deadlock_search.h"
#include "model/entities/event_needs.h"
#include "model/entities/fact.h"
#include "model/entities/object.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"
#include "model/ownership/lock_nesting.h"
#include "model/ownership/tenure.h"
#include "model/replay/evict.h"
#include "model/replay/replay.h"
#include "model/state/model.h"
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

/* Under a memory limit so many events are looked up before old ones are evicted, which
 * changes the indexes that are looked up. */
enum { PART = 1024 };

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
        tm__map_ask_for(&p->model->entities.thread_map, events[i].thread);
        tm__map_ask_for(&p->model->entities.object_map, events[i].object);
        if (events[i].peer)
            tm__map_ask_for(&p->model->entities.thread_map, events[i].peer);
    }
}

static void ask_for_thread(const tm_model *model, uint32_t thread)
{
    if (thread != TM__NONE)
        tm__ask_for(&model->entities.threads[thread]);
}

static void look_up(pipeline *p, size_t block)
{
    const tm_event *events = p->events + block * BLOCK;
    tm__fact *facts = p->facts[block % STEPS];
    int *codes = p->codes[block % STEPS];
    size_t size = block_size(p, block);
    tm_model *model = p->model;

    for (size_t i = 0; i < size; i++) {
        codes[i] = tm__fact_resolve(model, &events[i], &facts[i]);
        ask_for_thread(model, facts[i].thread);
        ask_for_thread(model, facts[i].peer);
        if (facts[i].object != TM__NONE)
            tm__ask_for(&model->entities.objects[facts[i].object]);
        if (facts[i].thread != TM__NONE &&
            tm__event_needs[facts[i].kind] & TM__NEEDS_CAUSES)
            tm__ask_for(&model->entities.threads[facts[i].thread].end_ns);
    }
}

/* The last record of each object's timeline lies among millions of others. */
static void ask_for_tenures(const pipeline *p, size_t block)
{
    const tm__fact *facts = p->facts[block % STEPS];
    const tm_model *model = p->model;

    for (size_t i = 0; i < block_size(p, block); i++)
        if (facts[i].object != TM__NONE)
            tm__ask_for(
                tm__tenure_at(model, model->entities.objects[facts[i].object].tenure));
}

static void look_ahead(const pipeline *p, size_t block)
{
    const tm__fact *facts = p->facts[block % STEPS];
    const tm_model *model = p->model;

    for (size_t i = 0; i < block_size(p, block); i++) {
        if (facts[i].thread != TM__NONE) {
            const tm__thread *thread = &model->entities.threads[facts[i].thread];
            const tm__interval *next = thread->intervals + thread->interval_count;

            if (thread->interval_count) {
                tm__ask_for(next - 1);
                tm__ask_for(next);
            }
            if (thread->owned != TM__NONE)
                tm__ask_for(&model->entities.links[thread->owned]);
        }
        if (facts[i].object != TM__NONE) {
            const tm__object *object = &model->entities.objects[facts[i].object];

            tm__ask_for(&model->entities.links[facts[i].object]);
            ask_for_thread(model, object->owner);
            if (tm__event_needs[facts[i].kind] & TM__NEEDS_LIST)
                ask_for_thread(model, object->waiter_head);
        }
    }
}

/* An event that the model has no room for is counted, and the next one may need none.
 */
static int is_full(int rc)
{
    return rc == TM_ENOMEM || rc == TM_ELIMIT;
}

static int ingest_all(pipeline *p, size_t block)
{
    tm_model *model = p->model;
    const tm_event *events = p->events + block * BLOCK;
    const int *codes = p->codes[block % STEPS];
    tm__fact *facts = p->facts[block % STEPS];
    size_t size = block_size(p, block);
    int result = TM_OK;

    for (size_t i = 0; i < size; i++) {
        int rc = codes[i];

        if (rc == TM_OK)
            rc = tm__replay(model, &events[i], &facts[i]);
        if (rc >= 0) {
            model->event_count++;
            continue;
        }
        result = rc;
        if (!is_full(rc)) {
            model->event_count++;
            break;
        }
        model->diagnostics[TM_DIAGNOSTIC_OUT_OF_MEMORY]++;
    }
    return result;
}

static int ingest_part(tm_model *model, const tm_event *events, size_t count)
{
    pipeline p;
    size_t blocks = (count + BLOCK - 1) / BLOCK;
    int result = TM_OK, rc;

    p.model = model;
    p.model->deadlocks.search_steps += count * TM__SEARCH_STEPS;
    p.events = events;
    p.count = count;
    for (size_t step = 0; step < blocks + STEPS - 1; step++) {
        if (step < blocks)
            ask_for_slots(&p, step);
        if (step >= 1 && step - 1 < blocks)
            look_up(&p, step - 1);
        if (step >= 2 && step - 2 < blocks)
            ask_for_tenures(&p, step - 2);
        if (step >= 2 && step - 2 < blocks &&
            p.model->entities.threads_count + p.model->entities.objects_count >
                FEW_ENTITIES)
            look_ahead(&p, step - 2);
        rc = step >= 3 ? ingest_all(&p, step - 3) : TM_OK;
        if (rc < 0)
            result = rc;
        if (rc < 0 && !is_full(rc))
            break;
    }
    tm__order_settle(p.model);
    return result;
}

int tm__ingest(void *payload, const tm_event *events, size_t count)
{
    tm_model *model = payload;
    int result = TM_OK, rc;

    tm__kept_drop(model->kept);
    while (count) {
        size_t part = model->replay.evict_at_bytes && count > PART ? PART : count;

        if (model->replay.evict_at_bytes &&
            model->memory.used_bytes > model->replay.evict_at_bytes)
            tm__evict_old(model);
        rc = ingest_part(model, events, part);
        if (rc < 0)
            result = rc;
        if (rc < 0 && !is_full(rc))
            break;
        events += part;
        count -= part;
    }
    return result;
}

int tm_model_ingest(tm_model *model, const tm_event *events, size_t count)
{
    TM__CHECK(model);
    TM__CHECK(events || !count);
    return tm__ingest(model, events, count);
}
