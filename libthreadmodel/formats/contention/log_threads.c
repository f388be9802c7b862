/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads are known by the identity hash of their thread object: 31 bits, which two
 * threads may share, and which are free again when one has ended. Two things are
 * certain: a thread starts once, and one that is blocked does nothing else. An event
 * that breaks these rules belongs to another thread.
 */
#include "formats/contention/log_threads.h"

#include <threadmodel/event.h>

#include "base/error.h"

enum { LOOK_BACK = 8 }; ///< threads of one hash that may be alive

void tm__log_threads_init(tm__log_threads *threads, tm__memory *memory)
{
    *threads = (tm__log_threads){.memory = memory};
    tm__map_init(&threads->map, memory);
}

static uint32_t newest_of(const tm__log_threads *threads, uint32_t hash)
{
    uint32_t first = tm__map_find(&threads->map, hash);

    return first == TM__NONE ? TM__NONE : threads->threads[first].newest;
}

static int add(tm__log_threads *threads, uint32_t hash, uint32_t *index)
{
    uint32_t first = tm__map_find(&threads->map, hash),
             older = newest_of(threads, hash);
    uint64_t number = older == TM__NONE ? 0 : (threads->threads[older].id >> 32) + 1;

    if (tm__reserve(threads->memory, &threads->threads, &threads->capacity,
                    (size_t)threads->count + 1, sizeof(*threads->threads)) < 0 ||
        (first == TM__NONE && tm__map_put(&threads->map, hash, threads->count) < 0))
        return tm__failure();
    *index = threads->count++;
    threads->threads[*index] =
        (tm__log_thread){.id = number << 32 | hash, .older = older, .newest = *index};
    if (first != TM__NONE)
        threads->threads[first].newest = *index;
    return TM_OK;
}

/* The event that began what this one ends; 0: it ends nothing. */
static int begun_by(int kind)
{
    switch (kind) {
    case TM_EVENT_CONTENDED_ENTERED: return TM_EVENT_CONTENDED_ENTER;
    case TM_EVENT_WAITED: return TM_EVENT_WAIT;
    case TM_EVENT_SLEPT: return TM_EVENT_SLEEP;
    case TM_EVENT_JOINED: return TM_EVENT_JOIN;
    default: return 0;
    }
}

static int begins_state(int kind)
{
    return kind == TM_EVENT_CONTENDED_ENTER || kind == TM_EVENT_WAIT ||
           kind == TM_EVENT_SLEEP || kind == TM_EVENT_JOIN;
}

static int can_act(const tm__log_thread *thread, int kind, uint32_t object)
{
    int begun = begun_by(kind);

    if (thread->is_ended)
        return 0;
    if (begun)
        return thread->state == begun && thread->object == object;
    return thread->state == 0;
}

/* The newest thread of the hash that can have had the event. */
static uint32_t find_actor(const tm__log_threads *threads, uint32_t newest, int kind,
                           uint32_t object)
{
    for (int i = 0; newest != TM__NONE && i < LOOK_BACK; i++) {
        if (can_act(&threads->threads[newest], kind, object))
            return newest;
        newest = threads->threads[newest].older;
    }
    return TM__NONE;
}

static int start(tm__log_threads *threads, uint32_t hash, uint32_t newest,
                 uint32_t *index)
{
    const tm__log_thread *thread =
        newest == TM__NONE ? NULL : &threads->threads[newest];

    *index = newest;
    if (thread && !thread->is_started && !thread->is_ended && thread->state == 0)
        return TM_OK;
    if (thread && thread->is_ended)
        threads->reused++;
    else if (thread)
        threads->shared++;
    return add(threads, hash, index);
}

static int find_or_add(tm__log_threads *threads, uint32_t hash, uint32_t newest,
                       int kind, uint32_t object, uint32_t *index)
{
    *index = find_actor(threads, newest, kind, object);
    if (*index != TM__NONE)
        return TM_OK;
    if (newest == TM__NONE || threads->threads[newest].is_ended) {
        threads->reused += newest != TM__NONE;
        return add(threads, hash, index);
    }
    /* An end without its beginning is what a log that starts in mid-run has. */
    threads->torn += threads->threads[newest].state != 0;
    *index = newest;
    return TM_OK;
}

int tm__log_threads_event(tm__log_threads *threads, uint32_t hash, int kind,
                          uint32_t object, uint32_t *index)
{
    uint32_t newest = newest_of(threads, hash);
    tm__log_thread *thread;
    int rc = kind == TM_EVENT_THREAD_START
                 ? start(threads, hash, newest, index)
                 : find_or_add(threads, hash, newest, kind, object, index);

    if (rc < 0)
        return rc;
    thread = &threads->threads[*index];
    thread->state = begins_state(kind) ? (uint16_t)kind : 0;
    thread->object = begins_state(kind) ? object : 0;
    if (kind == TM_EVENT_THREAD_START)
        thread->is_started = 1;
    if (kind == TM_EVENT_THREAD_END)
        thread->is_ended = 1;
    return TM_OK;
}

int tm__log_threads_name(tm__log_threads *threads, uint32_t hash, int is_start,
                         uint32_t *index)
{
    const tm__log_thread *thread;
    int rc = TM_OK;

    *index = newest_of(threads, hash);
    if (*index == TM__NONE)
        rc = add(threads, hash, index);
    if (rc < 0 || !is_start)
        return rc;
    thread = &threads->threads[*index];
    if (thread->is_started || thread->is_called || thread->is_ended) {
        if (thread->is_ended)
            threads->reused++;
        else
            threads->shared++;
        rc = add(threads, hash, index);
        if (rc < 0)
            return rc;
    }
    threads->threads[*index].is_called = 1;
    return TM_OK;
}

void tm__log_threads_free(tm__log_threads *threads)
{
    tm__map_clear(&threads->map);
    tm__free(threads->memory, threads->threads,
             threads->capacity * sizeof(*threads->threads));
}
