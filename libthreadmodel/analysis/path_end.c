/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a path ends and which thread it leads to. The run is over when the program
 * has done its last; daemons and the producer's own threads may tick on after that,
 * and would make a path of their waiting.
 */
#include "analysis/link.h"
#include "analysis/path.h"

/* The interval of a thread at an instant; TM__NONE before its first. */
static uint32_t interval_at(const tm__thread *thread, int64_t time_ns)
{
    uint32_t low = 0, high = thread->interval_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (thread->intervals[middle].start_ns <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? low - 1 : TM__NONE;
}

/** What speaks for a thread to be the one that ended the run. */
typedef struct claim {
    int64_t last_ns; ///< of what it did last
    int is_program;
    int is_free;
} claim;

static claim claim_of(const tm__thread *thread, int64_t end_ns)
{
    uint32_t at = interval_at(thread, end_ns);
    claim it = {.last_ns = INT64_MIN};

    if (at == TM__NONE)
        return it;
    it.last_ns =
        thread->last_ns <= end_ns ? thread->last_ns : thread->intervals[at].start_ns;
    it.is_program = !(thread->flags & (TM_THREAD_DAEMON | TM_THREAD_AGENT));
    it.is_free = !tm__is_stopped(thread->intervals[at].state);
    return it;
}

static int is_better(const claim *left, const claim *right)
{
    if (left->is_program != right->is_program)
        return left->is_program;
    if (left->last_ns != right->last_ns)
        return left->last_ns > right->last_ns;
    return left->is_free > right->is_free;
}

static uint32_t last_thread(const tm_model *model, int64_t end_ns)
{
    uint32_t best = TM__NONE;
    claim best_claim = {.last_ns = INT64_MIN};

    for (uint32_t i = 0; i < model->threads_count; i++) {
        claim it = claim_of(&model->threads[i], end_ns);

        if (it.last_ns != INT64_MIN && is_better(&it, &best_claim)) {
            best = i;
            best_claim = it;
        }
    }
    return best;
}

int tm__path_end(tm__path *path, const tm_model *model, const tm_path_options *options)
{
    const tm__thread *thread;

    if (options->walk > TM_PATH_WAITED_FOR)
        return tm__fail(TM_EINVAL, "walk %u is none", options->walk);
    if (!model->event_count && options->to_ns >= 0) {
        path->begin_ns = path->end_ns = tm__model_origin_ns(model);
        return TM_OK;
    }
    if (options->to_ns < 0 || options->to_ns > tm_model_length_ns(model))
        return tm__fail(TM_EINVAL, "a path to %lld ns: the run ends at %lld ns",
                        (long long)options->to_ns,
                        (long long)tm_model_length_ns(model));
    path->begin_ns = tm__model_origin_ns(model);
    path->end_ns =
        path->begin_ns + (options->to_ns ? options->to_ns : tm_model_length_ns(model));
    if (!options->thread) {
        path->thread = last_thread(model, path->end_ns);
        return TM_OK;
    }
    path->thread = tm__map_find(&model->thread_map, options->thread);
    if (path->thread == TM__NONE)
        return tm__fail(TM_ENOTFOUND, "there is no thread %llu in this run",
                        (unsigned long long)options->thread);
    thread = &model->threads[path->thread];
    if (!options->to_ns && thread->end_ns != INT64_MIN)
        path->end_ns = thread->end_ns;
    return TM_OK;
}
