/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes, and trying them: some dozens of classes and callers on a run of millions of
 * holds. A change is replayed three times, with what is uncertain at both
 * of its bounds and in the middle, and each time beside the same run unchanged.
 */
#include "analysis/whatif/candidates.h"

#include "analysis/timeline/wakeup_edge.h"
#include "base/saturate.h"
#include "model/caller_frame.h"
#include "model/methods.h"
#include "model/object.h"
#include "model/thread.h"

void tm__candidates_open(tm__candidates *all, const tm_model *model,
                         const tm_whatif_options *options)
{
    *all = (tm__candidates){.model = model, .options = options};
    tm__memory_init(&all->memory, &model->memory.hook);
    all->path = (tm__path){.memory = all->memory, .thread = TM__NONE};
    all->holds = (tm__holds){.model = model, .memory = &all->memory};
    all->resources = (tm__resources){.model = model, .memory = &all->memory};
    all->served = (tm__served){.memory = &all->memory};
    all->samples = (tm__method_samples){.memory = &all->memory};
    all->processors = (tm__processors){.memory = &all->memory};
}

/* The run is over when the path's thread is, or the last of the program's. One that has
 * not ended with the data is over with what it did last. */
static int find_ends(tm__candidates *all)
{
    const tm_model *model = all->model;
    const tm__path *path = &all->path;
    int has_ended = path->thread != TM__NONE &&
                    model->threads[path->thread].end_ns != INT64_MIN &&
                    model->threads[path->thread].end_ns <= path->end_ns;

    all->ends = tm__zalloc(&all->memory, (size_t)model->threads_count + 1);
    if (!all->ends)
        return TM_ENOMEM;
    for (uint32_t i = 0; path->others_hold && i < model->threads_count; i++) {
        const tm__thread *it = &model->threads[i];

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

/* Locks for which threads are blocked in the method asked about. */
static int choose_locks(tm__candidates *all, uint32_t class_name)
{
    const tm_model *model = all->model;

    all->chosen = tm__zalloc(&all->memory, (size_t)model->objects_count + 1);
    if (!all->chosen)
        return TM_ENOMEM;
    for (uint32_t t = 0; t < model->threads_count; t++)
        for (uint32_t i = 0; i < model->threads[t].interval_count; i++) {
            const tm__interval *it = &model->threads[t].intervals[i];
            uint32_t class_index;

            if (!tm__is_lock_block(it) || it->stack == TM__NONE ||
                !all->stacks[it->stack])
                continue;
            class_index = model->objects[it->object].class_index;
            if (class_name == TM__NONE ||
                (class_index != TM__NONE &&
                 model->classes[class_index].name == class_name))
                all->chosen[it->object] = 1;
        }
    return TM_OK;
}

int tm__candidates_choose_method(tm__candidates *all, uint32_t method)
{
    const tm_model *model = all->model;

    all->stacks = tm__zalloc(&all->memory, (size_t)model->stacks_count + 1);
    if (!all->stacks)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < model->stacks_count; i++)
        for (uint32_t f = 0; f < model->stacks[i].frame_count; f++) {
            uint32_t own = model->frames[model->stacks[i].frame_first + f].method;

            if (own != TM__NONE && model->methods[own].full_name == method)
                all->stacks[i] = 1;
        }
    return all->options->change == TM_WHATIF_METHOD
               ? tm__method_samples_gather(&all->samples, model, &all->memory,
                                           all->stacks)
               : TM_OK;
}

int tm__candidates_choose_caller(tm__candidates *all, uint32_t method)
{
    const tm_model *model = all->model;

    all->stacks = tm__zalloc(&all->memory, (size_t)model->stacks_count + 1);
    if (!all->stacks)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < model->stacks_count; i++) {
        uint32_t own = all->callers[i] == TM__NONE
                           ? TM__NONE
                           : model->frames[all->callers[i]].method;

        all->stacks[i] = own != TM__NONE && model->methods[own].full_name == method;
    }
    return TM_OK;
}

int tm__candidates_choose_waits(tm__candidates *all, uint32_t class_name)
{
    int rc = tm__scope_open(&all->scope, all->model, NULL);

    if (rc == TM_OK)
        rc = tm__resources_open(&all->resources, all->model, &all->scope, &all->memory,
                                all->callers);
    if (rc == TM_OK)
        rc = tm__served_find(&all->served, &all->resources, &all->memory, all->stacks,
                             class_name);
    return rc == TM_OK ? choose_locks(all, class_name) : rc;
}

int tm__candidates_open_model(tm__candidates *all)
{
    const tm_path_options whole = {.size = sizeof(whole)};
    tm__libraries libraries = {all->options->libraries, all->options->library_count};
    int rc = tm__path_walk(&all->path, all->model, &whole);

    if (rc == TM_OK)
        rc = find_ends(all);
    if (rc < 0)
        return rc;
    all->callers = tm__stack_callers(all->model, &all->memory, &libraries);
    return all->callers ? TM_OK : TM_ENOMEM;
}

int tm__candidates_gather(tm__candidates *all)
{
    all->holds.chosen = all->chosen;
    all->holds.callers = all->callers;
    all->holds.bound = TM__HOLDS_LIKELY;
    return tm__holds_gather(&all->holds);
}

int tm__candidates_add(tm__candidates *all, uint32_t class_name, uint32_t method)
{
    if (tm__reserve(&all->memory, &all->items, &all->items_capacity,
                    (size_t)all->items_count + 1, sizeof(tm__candidate)) < 0)
        return TM_ENOMEM;
    all->items[all->items_count++] =
        (tm__candidate){.class_name = class_name, .method = method};
    return TM_OK;
}

static int matches(const tm__candidates *all, const tm__candidate *it,
                   const tm__place *place)
{
    if (all->options->change == TM_WHATIF_METHOD)
        return 0;
    if (all->options->change != TM_WHATIF_HOLDS)
        return place->is_chosen;
    return (it->class_name == TM__NONE || it->class_name == place->class_name) &&
           (it->method == TM__NONE || it->method == place->method) &&
           (!all->chosen || place->is_chosen);
}

void tm__candidates_count_holds(tm__candidates *all)
{
    for (uint32_t i = 0; i < all->items_count; i++) {
        tm__candidate *it = &all->items[i];

        it->scaled = it->scaled_ns = 0;
        for (uint32_t p = 0; p < all->holds.places_count; p++)
            if (matches(all, it, &all->holds.places[p])) {
                it->scaled += all->holds.places[p].holds;
                it->scaled_ns = tm__sum(it->scaled_ns, all->holds.places[p].hold_ns);
            }
    }
}

/* ---- replays ---- */

/* What changes beside the holds. */
static void count_rest(tm__candidates *all, const tm__script *script)
{
    const tm__served *served = &all->served;

    for (uint32_t i = 0; i < all->items_count; i++) {
        tm__candidate *it = &all->items[i];

        it->scaled += script->scaled;
        it->scaled_ns = tm__sum(it->scaled_ns, script->scaled_ns);
        if (all->options->change == TM_WHATIF_PERMITS) {
            it->scaled += served->waits;
            it->scaled_ns = tm__sum(it->scaled_ns, served->wait_ns);
        }
        for (uint32_t s = 0;
             all->options->change == TM_WHATIF_USES && s < served->spans_count; s++) {
            it->scaled++;
            it->scaled_ns = tm__sum(it->scaled_ns, served->spans[s].end_ns -
                                                       served->spans[s].start_ns);
        }
    }
}

/* Where a thread has done its work earlier, by as much as it saves, and the run does
 * not end earlier for it, what it did may be waited for in ways that are not recorded:
 * by sockets, files, flags. */
static void note_unlinked(tm__candidates *all, tm__candidate *it)
{
    for (uint32_t i = 0; i < all->model->threads_count; i++) {
        int64_t earlier_ns = all->finished_ns[0][i] - all->finished_ns[1][i];
        int64_t *most_ns = all->ends[i] ? &it->hidden_ns : &it->unlinked_ns;

        if (all->saved_ns[i] > *most_ns && earlier_ns > all->saved_ns[i] / 2 &&
            it->gains_ns[TM__HOLDS_LIKELY] < all->saved_ns[i] / 2)
            *most_ns = all->saved_ns[i];
    }
}

static void choose_places(tm__candidates *all, const tm__candidate *it)
{
    uint32_t change = all->options->change;

    for (uint32_t p = 0; p < all->holds.places_count; p++)
        all->scalings[p] =
            it && change != TM_WHATIF_PERMITS && matches(all, it, &all->holds.places[p])
                ? TM__SCALING_CHOSEN
                : TM__SCALING_NONE;
    all->scalings[all->holds.places_count] = all->served.servers ? TM__SCALING_GONE
                                             : it && change == TM_WHATIF_USES
                                                 ? TM__SCALING_CHOSEN
                                                 : TM__SCALING_NONE;
}

static int replay(tm__candidates *all, const tm__script *script, int bound,
                  const tm__candidate *it, int64_t *length_ns, int64_t *until_ns)
{
    uint32_t change = all->options->change;
    tm__simulation replay = {
        .script = script,
        .memory = &all->memory,
        .scalings = all->scalings,
        .ends = all->ends,
        .factor = all->options->factor,
        .more_permits = it && change == TM_WHATIF_PERMITS ? all->options->permits : 0,
        .scales_method = it && change == TM_WHATIF_METHOD && all->options->factor != 1,
        .scales_service = it && change == TM_WHATIF_USES,
        .scales_waits = bound != TM__HOLDS_SHORT,
        .scales_hidden = bound != TM__HOLDS_SHORT,
        .moves_unknown = bound == TM__HOLDS_LONG,
        .saved_ns = all->saved_ns,
        .finished_ns = all->finished_ns[it != NULL]};
    int rc;

    choose_places(all, it);
    for (uint32_t i = 0; i < all->model->threads_count; i++) {
        all->saved_ns[i] = 0;
        replay.finished_ns[i] = INT64_MIN;
    }
    rc = tm__simulate(&replay);
    for (uint32_t i = 0; i < all->model->threads_count; i++)
        if (replay.finished_ns[i] == INT64_MIN)
            replay.finished_ns[i] = replay.length_ns;
    all->forced += replay.forced;
    *length_ns = replay.length_ns;
    *until_ns = replay.until_ns;
    return rc;
}

static int replay_all(tm__candidates *all, const tm__script *script, int bound)
{
    int64_t before_ns, after_ns, until_before_ns, until_after_ns;
    int rc = replay(all, script, bound, NULL, &before_ns, &until_before_ns);

    if (bound == TM__HOLDS_LIKELY) {
        int64_t recorded_ns = 0;

        for (uint32_t i = 0; i < all->model->threads_count; i++)
            if (all->ends[i] && script->ended_ns[i] > recorded_ns)
                recorded_ns = script->ended_ns[i];
        all->off_ns = before_ns - recorded_ns;
    }
    for (uint32_t i = 0; rc == TM_OK && i < all->items_count; i++) {
        tm__candidate *it = &all->items[i];

        if (!it->scaled)
            continue;
        rc = replay(all, script, bound, it, &after_ns, &until_after_ns);
        it->gains_ns[bound] = before_ns - after_ns;
        if (bound == TM__HOLDS_LIKELY)
            it->absorbed_ns = until_after_ns - until_before_ns;
        if (rc == TM_OK && bound == TM__HOLDS_LIKELY &&
            all->options->change == TM_WHATIF_METHOD)
            note_unlinked(all, it);
    }
    return rc;
}

static int replay_at(tm__candidates *all, tm__script *script, int bound)
{
    int rc = tm__script_write(script);

    if (rc == 1) {
        all->is_too_long = 1;
        return TM_OK;
    }
    if (rc < 0)
        return rc;
    if (bound == TM__HOLDS_LIKELY)
        count_rest(all, script);
    return replay_all(all, script, bound);
}

static int replay_at_bounds(tm__candidates *all)
{
    static const int bounds[] = {TM__HOLDS_LIKELY, TM__HOLDS_SHORT, TM__HOLDS_LONG};
    tm__script script = {
        .model = all->model,
        .memory = &all->memory,
        .holds = &all->holds,
        .signals = &all->signals,
        .processors = &all->processors,
        .served = all->served.resources ? &all->served : NULL,
        .stacks = all->options->change == TM_WHATIF_METHOD ? all->stacks : NULL,
        .samples = all->samples.count ? &all->samples : NULL,
        .callers = all->callers,
        .begin_ns = all->path.begin_ns,
        .end_ns = all->path.end_ns};
    int rc = tm__signals_find(&all->signals, &script);

    for (int i = 0; rc == TM_OK && i < 3 && !all->is_too_long; i++) {
        all->holds.bound = bounds[i];
        rc = i ? tm__holds_gather(&all->holds) : TM_OK;
        if (rc == TM_OK)
            rc = replay_at(all, &script, bounds[i]);
    }
    tm__script_free(&script);
    return rc;
}

int tm__candidates_replay(tm__candidates *all)
{
    size_t threads = ((size_t)all->model->threads_count + 1) * sizeof(int64_t);
    int rc = TM_OK;

    if (!all->items_count)
        return TM_OK;
    all->scalings = tm__zalloc(&all->memory, (size_t)all->holds.places_count + 1);
    all->saved_ns = tm__zalloc(&all->memory, threads);
    all->finished_ns[0] = tm__zalloc(&all->memory, threads);
    all->finished_ns[1] = tm__zalloc(&all->memory, threads);
    if (!all->scalings || !all->saved_ns || !all->finished_ns[0] ||
        !all->finished_ns[1])
        return TM_ENOMEM;
    tm__candidates_count_holds(all);
    rc = tm__processors_find(&all->processors, all->model, all->path.begin_ns);
    return rc == TM_OK ? replay_at_bounds(all) : rc;
}

void tm__candidates_close(tm__candidates *all)
{
    const tm_model *model = all->model;
    size_t threads = ((size_t)model->threads_count + 1) * sizeof(int64_t);

    tm__free(&all->memory, all->scalings, (size_t)all->holds.places_count + 1);
    tm__free(&all->memory, all->saved_ns, threads);
    tm__free(&all->memory, all->finished_ns[0], threads);
    tm__free(&all->memory, all->finished_ns[1], threads);
    tm__free(&all->memory, all->chosen, (size_t)model->objects_count + 1);
    tm__free(&all->memory, all->stacks, (size_t)model->stacks_count + 1);
    tm__free(&all->memory, all->ends, (size_t)model->threads_count + 1);
    tm__free(&all->memory, all->callers,
             ((size_t)model->stacks_count + 1) * sizeof(*all->callers));
    tm__free(&all->memory, all->items, all->items_capacity * sizeof(tm__candidate));
    tm__triple_map_free(&all->seen, &all->memory);
    tm__method_samples_free(&all->samples);
    tm__signals_free(&all->signals, model, &all->memory);
    tm__processors_free(&all->processors);
    tm__served_free(&all->served);
    tm__resources_close(&all->resources);
    tm__scope_close(&all->scope, model);
    tm__holds_free(&all->holds);
    tm__path_free(&all->path);
}
