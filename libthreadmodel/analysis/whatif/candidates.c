/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes that may be tried: some dozens of classes and callers on a run of millions of
 * holds, and which holds each of them is of. They are tried in candidates_replay.c.
 */
#include "analysis/path/path.h"
#include "analysis/resources/resources.h"
#include "analysis/whatif/candidates.h"

#include <string.h>

#include "analysis/whatif/holds.h"
#include "analysis/whatif/script_signals.h"
#include "analysis/whatif/served.h"
#include "analysis/whatif/run_slice.h"
#include "base/error.h"
#include "base/saturate.h"
#include "model/entities/caller_frame.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"
#include "model/entities/thread.h"
#include "model/wakeups/worker_loops.h"

void tm__candidates_open(tm__candidates *all, const tm_model *model,
                         const tm_whatif_options *options)
{
    *all = (tm__candidates){.model = model, .options = options, .is_alone = 1};
    tm__memory_init(&all->memory, &model->memory.hook);
    all->path = (tm__path){.memory = all->memory, .thread = TM__NONE};
    all->holds = (tm__holds){.model = model, .memory = &all->memory};
    all->slice_holds = all->holds;
    all->resources = (tm__resources){.model = model, .memory = &all->memory};
    all->served = (tm__served){.memory = &all->memory};
    all->samples = (tm__method_samples){.memory = &all->memory};
    all->delays = (tm__asked_delays){.memory = &all->memory};
}

/* The run is over when the path's thread is, or the last of the program's. One that has
 * not ended with the data is over with what it did last. */
static int find_ends(tm__candidates *all)
{
    const tm_model *model = all->model;
    const tm__path *path = &all->path;
    int has_ended = path->thread != TM__NONE &&
                    model->entities.threads[path->thread].end_ns != INT64_MIN &&
                    model->entities.threads[path->thread].end_ns <= path->end_ns;

    all->ends = tm__zalloc(&all->memory, (size_t)model->entities.threads_count + 1);
    if (!all->ends)
        return TM_ENOMEM;
    for (uint32_t i = 0; path->others_hold && i < model->entities.threads_count; i++) {
        const tm__thread *it = &model->entities.threads[i];

        all->ends[i] =
            it->interval_count &&
            (!has_ended || (it->end_ns != INT64_MIN && it->end_ns <= path->end_ns)) &&
            !(it->flags & (TM_THREAD_DAEMON | TM_THREAD_AGENT | TM_THREAD_VIRTUAL |
                           TM_THREAD_CARRIER));
    }
    if (path->thread != TM__NONE)
        all->ends[path->thread] = 1;
    return TM_OK;
}

uint32_t *tm__candidates_choose_objects(tm__candidates *all)
{
    size_t bytes = ((size_t)all->model->entities.objects_count + 1) * sizeof(uint32_t);

    all->own_groups = tm__resize(&all->memory, NULL, 0, bytes);
    if (all->own_groups)
        memset(all->own_groups, 0xff, bytes);
    all->groups = all->own_groups;
    return all->own_groups;
}

int tm__candidates_choose_locks(tm__candidates *all, uint32_t class_name)
{
    const tm_model *model = all->model;
    uint32_t *groups = tm__candidates_choose_objects(all);

    if (!groups)
        return tm__failure();
    for (uint32_t t = 0; t < model->entities.threads_count; t++)
        for (uint32_t i = 0; i < model->entities.threads[t].interval_count; i++) {
            const tm__interval *it = &model->entities.threads[t].intervals[i];
            uint32_t class_index;

            if (!tm__is_lock_block(it) ||
                (all->stacks && (it->stack == TM__NONE || !all->stacks[it->stack])))
                continue;
            class_index = model->entities.objects[it->object].class_index;
            if (class_name == TM__NONE ||
                (class_index != TM__NONE &&
                 model->entities.classes[class_index].name == class_name))
                groups[it->object] = 0;
        }
    return TM_OK;
}

static int has_method(const tm_model *model, uint32_t stack, uint32_t name)
{
    const tm__stack *it = &model->entities.stacks[stack];

    for (uint32_t f = 0; f < it->frame_count; f++) {
        uint32_t own = model->entities.frames[it->frame_first + f].method;

        if (own != TM__NONE && model->entities.methods[own].full_name == name)
            return 1;
    }
    return 0;
}

static int gather_delays(tm__candidates *all)
{
    all->delays.idle = all->idle;
    return tm__asked_delays_gather(&all->delays, all->model, &all->memory, all->stacks);
}

int tm__candidates_choose_method(tm__candidates *all, uint32_t method)
{
    const tm_model *model = all->model;
    int rc;

    all->stacks = tm__zalloc(&all->memory, (size_t)model->entities.stacks_count + 1);
    if (!all->stacks)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < model->entities.stacks_count; i++)
        all->stacks[i] = (uint8_t)has_method(model, i, method);
    if (all->options->change != TM_WHATIF_METHOD)
        return TM_OK;
    rc = tm__method_samples_gather(&all->samples, model, &all->memory, all->stacks);
    return rc == TM_OK ? gather_delays(all) : rc;
}

void tm__candidates_choose_endpoint(tm__candidates *all)
{
    all->delays.objects = all->groups;
    all->delays.idle = all->idle;
}

int tm__candidates_choose_caller(tm__candidates *all, uint32_t method)
{
    const tm_model *model = all->model;

    all->stacks = tm__zalloc(&all->memory, (size_t)model->entities.stacks_count + 1);
    if (!all->stacks)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < model->entities.stacks_count; i++) {
        uint32_t own = all->callers[i] == TM__NONE
                           ? TM__NONE
                           : model->entities.frames[all->callers[i]].method;

        all->stacks[i] =
            own != TM__NONE && model->entities.methods[own].full_name == method;
    }
    return gather_delays(all);
}

int tm__candidates_choose_waits(tm__candidates *all, uint32_t class_name)
{
    int rc = tm__scope_open(&all->whole, all->model, NULL);

    if (rc == TM_OK)
        rc = tm__resources_open(&all->resources, all->model, &all->whole, &all->memory,
                                all->callers);
    if (rc == TM_OK)
        rc = tm__served_find(&all->served, &all->resources, &all->memory, all->stacks,
                             class_name, &all->part);
    /* Uses that change give their permits back at other times. Else the permits that
     * were given are better known than how many there were. */
    if (all->options->change != TM_WHATIF_USES)
        all->served.permits = 0;
    return rc == TM_OK ? tm__candidates_choose_locks(all, class_name) : rc;
}

/* Asked of each interval: so once for each stack. */
static int find_idle(tm__candidates *all)
{
    const tm_model *model = all->model;

    all->idle = tm__zalloc(&all->memory, (size_t)model->entities.stacks_count + 1);
    if (!all->idle)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < model->entities.stacks_count; i++)
        all->idle[i] = (uint8_t)tm__frame_waits_for_work(model, all->callers[i]);
    return TM_OK;
}

static int open_part(tm__candidates *all)
{
    const tm_whatif_options *options = all->options;
    tm_selection part = TM_SELECTION_INIT;
    int rc;

    part.from_ns = options->from_ns;
    part.to_ns = options->to_ns;
    rc = tm__scope_open_window(&all->part, all->model, &part, "what-ifs");
    all->is_part = rc > 0;
    return rc < 0 ? rc : TM_OK;
}

int tm__candidates_open_model(tm__candidates *all)
{
    const tm_path_options whole = {.size = sizeof(whole)};
    tm__libraries libraries = {all->options->libraries, all->options->library_count};
    int rc = open_part(all);

    if (rc == TM_OK)
        rc = tm__path_walk(&all->path, all->model, &whole);
    if (rc == TM_OK)
        rc = find_ends(all);
    if (rc < 0)
        return rc;
    all->callers = tm__stack_callers(all->model, &all->memory, &libraries);
    if (!all->callers || tm__worker_loops_find(all->model) < 0)
        return tm__failure();
    return find_idle(all);
}

int tm__candidates_gather(tm__candidates *all)
{
    all->holds.groups = all->groups;
    all->holds.callers = all->callers;
    all->holds.part = &all->part;
    all->holds.bound = TM__HOLDS_LIKELY;
    return tm__is_of_delays(all->options->change) ? TM_OK
                                                  : tm__candidates_gather_likely(all);
}

int tm__candidates_gather_likely(tm__candidates *all)
{
    if (all->holds.ends && all->holds.bound == TM__HOLDS_LIKELY)
        return TM_OK;
    all->holds.bound = TM__HOLDS_LIKELY;
    return tm__holds_gather(&all->holds);
}

int tm__candidates_add(tm__candidates *all, uint32_t class_name, uint32_t method,
                       uint32_t group)
{
    if (tm__reserve(&all->memory, &all->items, &all->items_capacity,
                    (size_t)all->items_count + 1, sizeof(tm__candidate)) < 0)
        return tm__failure();
    all->items[all->items_count++] =
        (tm__candidate){.class_name = class_name, .method = method, .group = group};
    return TM_OK;
}

static int is_method_of(const tm__candidates *all, const tm__place *place,
                        uint32_t method)
{
    return method == TM__NONE || method == place->method ||
           (place->inside != TM__NONE && has_method(all->model, place->inside, method));
}

int tm__candidate_matches(const tm__candidates *all, const tm__candidate *it,
                          const tm__place *place)
{
    if (!tm__is_of_claims(all->options->change) || place->is_outside)
        return 0;
    if (all->options->change != TM_WHATIF_HOLDS)
        return place->group != TM__NONE && place->group == it->group;
    return (it->class_name == TM__NONE || it->class_name == place->class_name) &&
           is_method_of(all, place, it->method) &&
           (it->group == TM__NONE || it->group == place->group);
}

void tm__candidates_count_holds(tm__candidates *all)
{
    for (uint32_t i = 0; i < all->items_count; i++) {
        tm__candidate *it = &all->items[i];

        it->scaled = it->scaled_ns = 0;
        for (uint32_t p = 0; p < all->holds.places_count; p++)
            if (tm__candidate_matches(all, it, &all->holds.places[p])) {
                it->scaled += all->holds.places[p].holds;
                it->scaled_ns = tm__sum(it->scaled_ns, all->holds.places[p].hold_ns);
            }
    }
}

void tm__candidates_close(tm__candidates *all)
{
    const tm_model *model = all->model;

    tm__free(&all->memory, all->own_groups,
             ((size_t)model->entities.objects_count + 1) * sizeof(*all->own_groups));
    tm__free(&all->memory, all->idle, (size_t)model->entities.stacks_count + 1);
    tm__free(&all->memory, all->stacks, (size_t)model->entities.stacks_count + 1);
    tm__free(&all->memory, all->ends, (size_t)model->entities.threads_count + 1);
    tm__free(&all->memory, all->callers,
             ((size_t)model->entities.stacks_count + 1) * sizeof(*all->callers));
    tm__free(&all->memory, all->items, all->items_capacity * sizeof(tm__candidate));
    tm__triple_map_free(&all->seen, &all->memory);
    tm__asked_delays_free(&all->delays);
    tm__method_samples_free(&all->samples);
    tm__free(&all->memory, all->served_rows, all->signals.rows_bytes);
    tm__replay_facts_close(&all->facts);
    tm__served_free(&all->served);
    tm__resources_close(&all->resources);
    tm__scope_close(&all->whole, model);
    tm__scope_close(&all->part, model);
    tm__holds_free(&all->holds);
    tm__holds_free(&all->slice_holds);
    tm__run_slice_free(&all->slice, model, &all->memory);
    tm__path_free(&all->path);
}
