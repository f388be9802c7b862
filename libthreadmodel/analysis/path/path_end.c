/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a path ends and which thread it leads to: the end of the program's own work.
 * Later activities of the runtime, and those of daemons and the producer's threads at
 * any time, decided nothing. Each thread of the run is looked at a few times.
 *
 *     main     ═════════════x                a  where main ends its work by exit, the
 *     worker   ════════════════════x         b  shutdown; else the last end of all
 *     destroyer             ───────s──       s  shutdown: nobody is left
 *     hook                          ───
 */
#include "analysis/path/path_end.h"
#include "analysis/path/path_state.h"
#include "analysis/timeline/wakeup_edge.h"
#include "base/error.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"

/* Starters of starters that are asked for; the runtime's own chains have three. */
enum { STARTERS = 8 };

typedef struct ending {
    const tm_model *model;
    int64_t end_ns;
    uint32_t first;     ///< threads[]: the program's first thread, or TM__NONE
    uint32_t destroyer; ///< threads[]: that the runtime ends in, or TM__NONE
} ending;

/** The evidence that a run without an end leads to a thread. */
typedef struct claim {
    int64_t last_ns; ///< of what it did last
    int is_program;
    int is_free;
    int is_first;
} claim;

static int is_the_programs_kind(const tm__thread *thread)
{
    return !(thread->flags & (TM_THREAD_DAEMON | TM_THREAD_AGENT | TM_THREAD_VIRTUAL |
                              TM_THREAD_CARRIER));
}

static int is_on_its_own(const tm_model *model, uint32_t thread)
{
    const tm__thread *it = &model->entities.threads[thread];

    return it->interval_count && is_the_programs_kind(it) &&
           tm__thread_starter(model, thread) == TM__NONE;
}

/* The thread without a starter that has the lowest number. */
static uint32_t first_thread(const tm_model *model)
{
    uint32_t first = TM__NONE;

    for (uint32_t i = 0; i < model->entities.threads_count; i++)
        if ((first == TM__NONE ||
             model->entities.threads[i].id < model->entities.threads[first].id) &&
            is_on_its_own(model, i))
            first = i;
    return first;
}

/* The runtime ends in the thread of the operating system that was the first's, after
 * the first has ended, or so it looks: it has a shutdown there. */
static uint32_t destroyer(const tm_model *model, uint32_t first, uint32_t shutdown_by)
{
    const tm__thread *before =
        first == TM__NONE ? NULL : &model->entities.threads[first];

    if (!before || before->end_ns == INT64_MIN)
        return TM__NONE;
    for (uint32_t i = 0; i < model->entities.threads_count; i++) {
        const tm__thread *it = &model->entities.threads[i];
        int is_there =
            i == shutdown_by || (before->os_id && it->os_id == before->os_id);

        if (i != first && is_there && is_on_its_own(model, i) &&
            it->intervals[0].start_ns >= before->end_ns)
            return i;
    }
    return TM__NONE;
}

/* Whether a thread began before the end, and neither it nor who started it, nor who
 * started that one, is the runtime's. */
static int is_program(const ending *e, uint32_t thread)
{
    const tm__thread *it = &e->model->entities.threads[thread];
    uint32_t at = thread;

    if (!is_the_programs_kind(it) || !it->interval_count ||
        it->intervals[0].start_ns > e->end_ns)
        return 0;
    for (int i = 0; i < STARTERS && at != TM__NONE; i++) {
        if (at == e->destroyer)
            return 0;
        at = tm__thread_starter(e->model, at);
    }
    return 1;
}

/* The last end of the program's threads. @return TM__NONE: none has ended, or some
 * that have not did more after that; not asked where only daemons can be left */
static uint32_t last_ended(const ending *e, int daemons_are_left)
{
    int64_t end_ns = INT64_MIN, busy_ns = INT64_MIN;
    uint32_t last = TM__NONE;

    for (uint32_t i = 0; i < e->model->entities.threads_count; i++) {
        const tm__thread *it = &e->model->entities.threads[i];

        if (!is_program(e, i))
            continue;
        if (it->end_ns == INT64_MIN || it->end_ns > e->end_ns) {
            if (it->last_ns > busy_ns)
                busy_ns = it->last_ns;
        } else if (it->end_ns > end_ns) {
            end_ns = it->end_ns;
            last = i;
        }
    }
    return busy_ns > end_ns && !daemons_are_left ? TM__NONE : last;
}

static claim claim_of(const ending *e, uint32_t thread)
{
    const tm__thread *it = &e->model->entities.threads[thread];
    uint32_t at = tm__interval_at(it, e->end_ns);
    claim found = {.last_ns = INT64_MIN};

    if (at == TM__NONE)
        return found;
    found.last_ns = it->last_ns <= e->end_ns ? it->last_ns : it->intervals[at].start_ns;
    found.is_program = is_program(e, thread);
    found.is_free = !tm__is_inert(it->intervals[at].state);
    found.is_first = thread == e->first;
    return found;
}

static int is_better(const claim *left, const claim *right)
{
    if (left->is_program != right->is_program)
        return left->is_program;
    if (left->is_free != right->is_free)
        return left->is_free;
    if (left->is_first != right->is_first)
        return left->is_first;
    return left->last_ns > right->last_ns;
}

/* For a run that does not state how it ended. */
static uint32_t likeliest(const ending *e)
{
    uint32_t best = TM__NONE;
    claim best_claim = {.last_ns = INT64_MIN};

    for (uint32_t i = 0; i < e->model->entities.threads_count; i++) {
        claim it = claim_of(e, i);

        if (it.last_ns != INT64_MIN && is_better(&it, &best_claim)) {
            best = i;
            best_claim = it;
        }
    }
    return best;
}

/* The end of the program's work, up to where the path's end is now. */
static void find_end(tm__path *path, const tm_model *model, int is_whole)
{
    ending e = {.model = model, .end_ns = path->end_ns, .first = first_thread(model)};
    uint32_t by = is_whole ? model->replay.shutdown_by : TM__NONE, last;

    e.destroyer = path->destroyer = destroyer(model, e.first, by);
    if (by != TM__NONE) {
        e.end_ns = path->end_ns = model->replay.shutdown_ns;
        if (is_program(&e, by)) {
            path->thread = by;
            return;
        }
    }
    last = last_ended(&e, by != TM__NONE && by == e.destroyer);
    path->thread = last != TM__NONE ? last : likeliest(&e);
    path->others_hold = is_whole;
    if (is_whole && last != TM__NONE)
        path->end_ns = model->entities.threads[last].end_ns;
}

static int find_thread_and_end(tm__path *path, const tm_model *model,
                               const tm_path_options *options)
{
    const tm__thread *thread;

    path->end_ns =
        path->begin_ns + (options->to_ns ? options->to_ns : tm_model_length_ns(model));
    if (!options->thread) {
        find_end(path, model, !options->to_ns);
        return TM_OK;
    }
    path->thread = tm__map_find(&model->entities.thread_map, options->thread);
    if (path->thread == TM__NONE)
        return tm__fail(TM_ENOTFOUND, "there is no thread %llu in this run",
                        (unsigned long long)options->thread);
    thread = &model->entities.threads[path->thread];
    if (!options->to_ns && thread->end_ns != INT64_MIN)
        path->end_ns = thread->end_ns;
    return TM_OK;
}

int tm__path_end(tm__path *path, const tm_model *model, const tm_path_options *options)
{
    int rc;

    if (options->walk > TM_PATH_WAITED_FOR)
        return tm__fail(TM_EINVAL, "unknown walk %u", options->walk);
    path->begin_ns = path->from_ns = path->end_ns = tm__model_origin_ns(model);
    if (!model->event_count && options->to_ns >= 0)
        return TM_OK;
    if (options->to_ns < 0 || options->to_ns > tm_model_length_ns(model))
        return tm__fail(TM_EINVAL, "a path to %lld ns ends after the run at %lld ns",
                        (long long)options->to_ns,
                        (long long)tm_model_length_ns(model));
    rc = find_thread_and_end(path, model, options);
    if (rc < 0 || !options->from_ns)
        return rc;
    if (options->from_ns < 0 || options->from_ns > path->end_ns - path->begin_ns)
        return tm__fail(
            TM_EINVAL, "a path from %lld ns begins after its end at %lld ns",
            (long long)options->from_ns, (long long)(path->end_ns - path->begin_ns));
    path->from_ns = path->begin_ns + options->from_ns;
    return TM_OK;
}
