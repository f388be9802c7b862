/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads and the locks that they share are joined to groups, in one pass. Then groups
 * are followed from a waiter to the one that ended its wait:
 *
 *     main ── lock L ── helper            one group: it decides
 *       │ wakes                           main does not wait for the worker:
 *       ▼                                 its group is left out
 *     worker ── lock M ── worker
 */
#include "analysis/whatif/run_slice.h"

#include "analysis/whatif/script_marks.h"
#include "model/entities/thread.h"
#include "model/ownership/tenure.h"

/** Threads, and after them objects. */
typedef struct groups {
    uint32_t *parent;
    uint32_t *next;  ///< the group's members as a ring
    uint32_t *stack; ///< threads whose enders are to be followed
    uint32_t stack_count;
} groups;

static size_t nodes_of(const tm_model *model)
{
    return (size_t)model->entities.threads_count + model->entities.objects_count + 1;
}

static int open_groups(groups *all, const tm__script *script)
{
    size_t nodes = nodes_of(script->model), bytes = nodes * sizeof(uint32_t);

    *all = (groups){.parent = tm__resize(script->memory, NULL, 0, bytes),
                    .next = tm__resize(script->memory, NULL, 0, bytes),
                    .stack = tm__resize(script->memory, NULL, 0, bytes)};
    if (!all->parent || !all->next || !all->stack)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < nodes; i++)
        all->parent[i] = all->next[i] = i;
    return TM_OK;
}

static void close_groups(groups *all, const tm__script *script)
{
    size_t bytes = nodes_of(script->model) * sizeof(uint32_t);

    tm__free(script->memory, all->parent, bytes);
    tm__free(script->memory, all->next, bytes);
    tm__free(script->memory, all->stack, bytes);
}

static uint32_t root_of(groups *all, uint32_t node)
{
    while (all->parent[node] != node)
        node = all->parent[node] = all->parent[all->parent[node]];
    return node;
}

/* Two rings become one when two of their members swap what is next. */
static void join(groups *all, uint32_t a, uint32_t b)
{
    uint32_t next;

    a = root_of(all, a);
    b = root_of(all, b);
    if (a == b)
        return;
    all->parent[a > b ? a : b] = a > b ? b : a;
    next = all->next[a];
    all->next[a] = all->next[b];
    all->next[b] = next;
}

static void join_owners(groups *all, const tm_model *model)
{
    for (uint32_t i = 0; i < model->entities.objects_count; i++)
        for (const tm__tenure *it =
                 tm__tenure_at(model, model->entities.details[i].first_tenure);
             it; it = tm__tenure_next(model, it))
            if (it->owner != TM__NONE)
                join(all, it->owner, model->entities.threads_count + i);
}

static void join_waiters(groups *all, const tm_model *model)
{
    for (uint32_t t = 0; t < model->entities.threads_count; t++) {
        const tm__thread *thread = &model->entities.threads[t];

        for (uint32_t i = 0; i < thread->interval_count; i++)
            if (tm__is_lock_block(&thread->intervals[i]))
                join(all, t,
                     model->entities.threads_count + thread->intervals[i].object);
    }
}

static int has_delay(const tm__script *script, uint32_t thread)
{
    const tm__thread *it = &script->model->entities.threads[thread];

    for (uint32_t i = 0; i < it->interval_count; i++) {
        const tm__interval *at = &it->intervals[i];

        if ((script->stacks && at->stack != TM__NONE && script->stacks[at->stack]) ||
            (script->endpoint && at->object != TM__NONE &&
             script->endpoint[at->object] != TM__NONE))
            return 1;
    }
    return 0;
}

/* A thread, and all of its group. */
static void add_group(groups *all, tm__run_slice *slice, uint32_t thread,
                      uint32_t threads)
{
    uint32_t node = thread;

    if (slice->threads[thread])
        return;
    do {
        if (node < threads) {
            slice->threads[node] = 1;
            all->stack[all->stack_count++] = node;
        } else {
            slice->objects[node - threads] = 1;
        }
        node = all->next[node];
    } while (node != thread);
}

static void add_enders(groups *all, tm__run_slice *slice, const tm__script *script)
{
    const tm__signals *signals = script->signals;
    uint32_t threads = script->model->entities.threads_count;

    while (all->stack_count) {
        uint32_t thread = all->stack[--all->stack_count];
        uint32_t end =
            thread + 1 < threads ? signals->first[thread + 1] : signals->enders_count;

        for (uint32_t i = signals->first[thread]; i < end; i++) {
            uint32_t sender;

            if (signals->enders[i].signal == TM__NONE)
                continue;
            sender = tm__signal_thread(script, signals->enders[i].signal);
            if (sender != TM__NONE)
                add_group(all, slice, sender, threads);
        }
    }
}

static int is_all(const tm__run_slice *slice, const tm_model *model)
{
    for (uint32_t i = 0; i < model->entities.threads_count; i++)
        if (!slice->threads[i] && model->entities.threads[i].interval_count)
            return 0;
    return 1;
}

int tm__run_slice_find(tm__run_slice *slice, const tm__script *script,
                       const uint8_t *ends)
{
    const tm_model *model = script->model;
    uint32_t threads = model->entities.threads_count;
    groups all;
    int rc = open_groups(&all, script);

    slice->threads = tm__zalloc(script->memory, (size_t)threads + 1);
    slice->objects =
        tm__zalloc(script->memory, (size_t)model->entities.objects_count + 1);
    if (!slice->threads || !slice->objects)
        rc = TM_ENOMEM;
    if (rc == TM_OK) {
        join_owners(&all, model);
        join_waiters(&all, model);
        for (uint32_t i = 0; i < threads; i++)
            if (ends[i] || has_delay(script, i))
                add_group(&all, slice, i, threads);
        add_enders(&all, slice, script);
        rc = is_all(slice, model);
    }
    close_groups(&all, script);
    return rc;
}

void tm__run_slice_free(tm__run_slice *slice, const tm_model *model, tm__memory *memory)
{
    tm__free(memory, slice->threads, (size_t)model->entities.threads_count + 1);
    tm__free(memory, slice->objects, (size_t)model->entities.objects_count + 1);
    *slice = (tm__run_slice){0};
}
