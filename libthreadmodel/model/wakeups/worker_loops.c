/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker of a native program is not known by the name of its method. It is inferred
 * from what threads did: the routine that they were started with waits itself, again
 * and again, and for some object before any of those that wait for it gave anything to
 * another thread, so that the wait is for no answer, nor for room for what was given.
 * Threads of other routines end the waits.
 *
 *     worker     wwww[ task ]give wwww[ task ]give wwww
 *     client     give wwww give wwwwww give www
 *     producer   give give give ww give www             waits for room
 *     user of    ww[ permit ]give ww[ permit ]give      is woken by another user
 *     a pool
 *
 * Where none of them ever gave anything, what they ask for may not be recorded. Then
 * they are workers if several wait for one object, and any of them may be woken: an
 * answer is for one.
 */
#include "model/wakeups/worker_loops.h"

#include <string.h>

#include "base/memory.h"
#include "model/entities/caller_frame.h"
#include "model/entities/entity_names.h"
#include "model/entities/methods.h"
#include "model/entities/thread.h"
#include "model/intervals/interaction.h"
#include "model/intervals/interval.h"

enum {
    ROUNDS = 2, /* waits of a thread, on average, that make a loop */
    PART = 10,  /* so few of the waits may be ended in another way */
};

/** A stack with which start routines wait, or threads give. */
typedef struct place {
    uint64_t gifts;
    uint64_t waits; ///< that were ended by a thread that is known
    uint64_t by_peers;
    uint64_t by_one;  ///< that let one thread go on, whichever it was
    uint64_t changes; ///< of the thread that waited for an object
    uint32_t threads; ///< that waited there
    uint32_t last;    ///< threads[] + 1 of them that was counted last
    uint8_t gives;    ///< one of them gave something
    uint8_t is_first; ///< for an object they waited before they gave
} place;

/** An object that start routines wait for. */
typedef struct wanted {
    int64_t first_ns; ///< when the first wait began
    int64_t given_ns; ///< when one of those that wait gave first; INT64_MAX: never
    uint32_t stack;   ///< of the first wait
    uint32_t waits;
    uint32_t woken; ///< threads[] + 1 whose wait ended last
} wanted;

typedef struct kept_loops {
    tm__memory *memory;
    size_t bytes;      ///< of what follows
    uint8_t is_loop[]; ///< of each frame
} kept_loops;

typedef struct search {
    const tm_model *model;
    tm__memory *memory;
    const uint32_t *callers;
    uint8_t *is_start;   ///< of each stack: its caller is its thread's start routine
    place *places;       ///< of each stack
    uint32_t *of_thread; ///< methods[] with which it began; TM__NONE: not known
    uint32_t *threads;   ///< that began with each routine
    wanted *objects;
    int64_t *given_ns; ///< when each thread gave first; INT64_MAX: never
} search;

static int is_c_library(const tm_model *model, uint32_t frame)
{
    uint32_t method = model->entities.frames[frame].method;
    const char *name =
        method == TM__NONE ? NULL : tm__method_name(&model->entities, method);

    return name && !strstr(name, "libc_start") &&
           (strncmp(name, "libc.so.", 8) == 0 ||
            strncmp(name, "libpthread.so.", 14) == 0 ||
            strncmp(name, "ld-musl-", 8) == 0);
}

/* Whether nothing but libraries called the caller, and the C library first of all. */
static int is_start(const tm_model *model, uint32_t stack, uint32_t caller)
{
    const tm__stack *it = &model->entities.stacks[stack];
    uint32_t end = it->frame_first + it->frame_count;

    if (caller == TM__NONE || it->flags & TM_STACK_TRUNCATED || caller + 1 >= end ||
        model->entities.frames[caller].method == TM__NONE ||
        tm__frame_is_library(model, caller) || !is_c_library(model, end - 1))
        return 0;
    for (uint32_t i = caller + 1; i < end; i++)
        if (!tm__frame_is_library(model, i))
            return 0;
    return 1;
}

static int is_wait(const tm__interval *it)
{
    return (it->state == TM_STATE_WAITING || it->state == TM_STATE_PARKED) &&
           it->stack != TM__NONE && !(it->flags & TM__INTERVAL_CONTINUES);
}

static int is_of_start(const search *s, const tm__interval *it)
{
    return is_wait(it) && s->is_start[it->stack];
}

static uint32_t routine_of(const search *s, uint32_t stack)
{
    return s->model->entities.frames[s->callers[stack]].method;
}

static int is_gift(const tm__interaction *row)
{
    return (row->kind == TM_INTERACTION_NOTIFY ||
            row->kind == TM_INTERACTION_NOTIFY_ALL ||
            row->kind == TM_INTERACTION_UNPARK || row->kind == TM_INTERACTION_POST) &&
           row->effect != TM__EFFECT_VOID && row->from_thread != TM__NONE &&
           row->from_ns != INT64_MIN;
}

static void find_threads(search *s)
{
    for (uint32_t t = 0; t < s->model->entities.threads_count; t++) {
        const tm__thread *thread = &s->model->entities.threads[t];

        s->of_thread[t] = TM__NONE;
        for (uint32_t i = 0; i < thread->interval_count; i++) {
            const tm__interval *it = &thread->intervals[i];
            place *at;

            if (!is_of_start(s, it))
                continue;
            at = &s->places[it->stack];
            at->threads += at->last != t + 1;
            at->last = t + 1;
            s->of_thread[t] = routine_of(s, it->stack);
        }
        if (s->of_thread[t] != TM__NONE)
            s->threads[s->of_thread[t]]++;
    }
}

/* A thread reports once that it is ready: that is not an answer to work. */
static int is_repeated(const search *s, const tm__interaction *row, uint32_t routine)
{
    return row->from_stack == TM__NONE ||
           s->places[row->from_stack].gifts > s->threads[routine];
}

static void find_first_gifts(search *s)
{
    const tm_model *model = s->model;
    const tm__interaction *rows = model->intervals.interactions;

    for (uint32_t t = 0; t < model->entities.threads_count; t++)
        s->given_ns[t] = INT64_MAX;
    for (uint32_t i = 0; i < model->intervals.interactions_count; i++)
        if (is_gift(&rows[i]) && rows[i].from_stack != TM__NONE)
            s->places[rows[i].from_stack].gifts++;
    for (uint32_t i = 0; i < model->intervals.interactions_count; i++) {
        uint32_t thread = rows[i].from_thread;
        uint32_t routine = is_gift(&rows[i]) ? s->of_thread[thread] : TM__NONE;

        if (routine != TM__NONE && rows[i].from_ns < s->given_ns[thread] &&
            is_repeated(s, &rows[i], routine))
            s->given_ns[thread] = rows[i].from_ns;
    }
}

static void note_wait(search *s, uint32_t thread, const tm__interval *it)
{
    wanted *object = &s->objects[it->object];

    if (!object->waits || it->start_ns < object->first_ns) {
        object->first_ns = it->start_ns;
        object->stack = it->stack;
    }
    if (!object->waits++ || s->given_ns[thread] < object->given_ns)
        object->given_ns = s->given_ns[thread];
}

/* A routine that gives nothing that is recorded waits for what is not, either. */
static void find_first_waits(search *s)
{
    const tm__entities *all = &s->model->entities;

    for (uint32_t t = 0; t < all->threads_count; t++)
        for (uint32_t i = 0; i < all->threads[t].interval_count; i++) {
            const tm__interval *it = &all->threads[t].intervals[i];

            if (is_of_start(s, it) && it->object != TM__NONE)
                note_wait(s, t, it);
        }
    for (uint32_t i = 0; i < all->objects_count; i++) {
        const wanted *it = &s->objects[i];

        if (it->waits >= ROUNDS && it->first_ns < it->given_ns &&
            it->given_ns != INT64_MAX)
            s->places[it->stack].is_first = 1;
    }
}

static void count_end(search *s, const tm__interaction *row)
{
    const tm__thread *waiter = &s->model->entities.threads[row->to_thread];
    uint32_t index = row->to_interval - waiter->interval_first, stack;
    place *at;
    wanted *object;

    if (index >= waiter->interval_count || !is_of_start(s, &waiter->intervals[index]))
        return;
    stack = waiter->intervals[index].stack;
    at = &s->places[stack];
    at->waits++;
    at->by_peers += s->of_thread[row->from_thread] == routine_of(s, stack);
    at->by_one += row->kind != TM_INTERACTION_NOTIFY_ALL;
    if (row->object == TM__NONE)
        return;
    object = &s->objects[row->object];
    at->changes += object->woken && object->woken != row->to_thread + 1;
    at->gives |= s->given_ns[row->to_thread] != INT64_MAX;
    object->woken = row->to_thread + 1;
}

static void count_ends(search *s)
{
    for (uint32_t i = 0; i < s->model->intervals.interactions_count; i++) {
        const tm__interaction *row = &s->model->intervals.interactions[i];

        if (is_gift(row) && row->effect == TM__EFFECT_WOKE &&
            row->to_thread != TM__NONE && row->to_interval != TM__NONE)
            count_end(s, row);
    }
}

static int is_loop(const place *it)
{
    if (!it->threads || it->waits < (uint64_t)it->threads * ROUNDS ||
        it->by_peers * PART > it->waits)
        return 0;
    return it->is_first || (!it->gives && it->changes >= ROUNDS &&
                            (it->waits - it->by_one) * PART <= it->waits);
}

static size_t bytes_of(uint32_t count, size_t each)
{
    return ((size_t)count + 1) * each;
}

static int open_search(search *s)
{
    const tm__entities *all = &s->model->entities;
    int is_any = 0;

    s->callers = tm__usual_callers(s->model);
    s->is_start = tm__zalloc(s->memory, bytes_of(all->stacks_count, 1));
    if (!s->callers || !s->is_start)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < all->stacks_count; i++)
        is_any |= s->is_start[i] = (uint8_t)is_start(s->model, i, s->callers[i]);
    if (!is_any)
        return 0;
    s->places = tm__zalloc(s->memory, bytes_of(all->stacks_count, sizeof(place)));
    s->of_thread = tm__zalloc(s->memory, bytes_of(all->threads_count, 4));
    s->objects = tm__zalloc(s->memory, bytes_of(all->objects_count, sizeof(wanted)));
    s->threads = tm__zalloc(s->memory, bytes_of(all->methods_count, 4));
    s->given_ns = tm__zalloc(s->memory, bytes_of(all->threads_count, 8));
    return s->places && s->of_thread && s->objects && s->threads && s->given_ns
               ? 1
               : TM_ENOMEM;
}

static void close_search(const search *s)
{
    const tm__entities *all = &s->model->entities;

    tm__free(s->memory, s->is_start, bytes_of(all->stacks_count, 1));
    tm__free(s->memory, s->places, bytes_of(all->stacks_count, sizeof(place)));
    tm__free(s->memory, s->of_thread, bytes_of(all->threads_count, 4));
    tm__free(s->memory, s->objects, bytes_of(all->objects_count, sizeof(wanted)));
    tm__free(s->memory, s->threads, bytes_of(all->methods_count, 4));
    tm__free(s->memory, s->given_ns, bytes_of(all->threads_count, 8));
}

static void mark_loops(const search *s, uint8_t *is_loops)
{
    const tm__entities *all = &s->model->entities;

    for (uint32_t i = 0; i < all->stacks_count; i++) {
        uint32_t frame = s->callers[i];

        if (s->is_start[i] && is_loop(&s->places[i]))
            is_loops[frame] = 1;
    }
}

static void drop_loops(void *item)
{
    kept_loops *kept = item;

    tm__free(kept->memory, kept, sizeof(*kept) + kept->bytes);
}

int tm__worker_loops_find(const tm_model *model)
{
    size_t bytes = bytes_of(model->entities.frames_count, 1);
    tm__memory *memory = &model->kept->memory;
    search s = {.model = model, .memory = memory};
    kept_loops *kept;
    int rc;

    if (model->kept->items[TM__KEPT_LOOPS])
        return TM_OK;
    kept = tm__zalloc(memory, sizeof(*kept) + bytes);
    if (!kept)
        return TM_ENOMEM;
    rc = open_search(&s);
    if (rc == 1) {
        find_threads(&s);
        find_first_gifts(&s);
        find_first_waits(&s);
        count_ends(&s);
        mark_loops(&s, kept->is_loop);
    }
    close_search(&s);
    if (rc < 0) {
        tm__free(memory, kept, sizeof(*kept) + bytes);
        return rc;
    }
    kept->memory = memory;
    kept->bytes = bytes;
    tm__keep(model->kept, TM__KEPT_LOOPS, kept, drop_loops);
    return TM_OK;
}

int tm__frame_waits_for_work(const tm_model *model, uint32_t frame)
{
    const kept_loops *kept = model->kept->items[TM__KEPT_LOOPS];

    return frame != TM__NONE &&
           (tm__frame_is_idle(model, frame) || (kept && kept->is_loop[frame]));
}
