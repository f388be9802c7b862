/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A service whose workers all wait with a time limit, or for another program, is not
 * stuck; but this is its state until the limit is up. It is reported before an earlier
 * bound of the run.
 */
#include "analysis/verdict/bound_unended.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/waits/wait_workers.h"
#include "base/duration.h"
#include "model/entities/caller_frame.h"
#include "model/entities/entity_names.h"
#include "model/entities/methods.h"

static uint32_t threads_in_tasks(const tm__wait_graph *graph)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < graph->model->entities.threads_count; i++)
        count += tm__wait_is_in_task(graph, i) != 0;
    return count;
}

int tm__find_bound_of_unended(tm__judgement *it)
{
    int rc = tm__unended_find(&it->unended, &it->graph, it->scope.from_ns);
    const tm__unended_group *most = NULL;

    for (uint32_t i = 0; rc == TM_OK && i < it->unended.groups_count; i++) {
        const tm__unended_group *group = &it->unended.groups[i];

        if (tm__unended_counts(group) && (!most || group->threads > most->threads))
            most = group;
    }
    if (!most)
        return rc;
    it->in_tasks = threads_in_tasks(&it->graph);
    if (most->threads >= it->in_tasks - most->threads)
        it->most_unended = most;
    return rc;
}

/* The method that calls the one in which threads wait: a pool's own, where the latter
 * is of a queue that the pool keeps. */
static const char *caller_name(const tm_model *model, uint32_t stack)
{
    uint32_t frame = tm__stack_caller(model, stack);
    const tm__stack *of = &model->entities.stacks[stack];

    if (frame == TM__NONE || frame + 1 >= of->frame_first + of->frame_count)
        return NULL;
    return tm__method_name(&model->entities, model->entities.frames[frame + 1].method);
}

static void write_wait(tm__words *words, tm__judgement *it)
{
    const tm__unended_group *group = it->most_unended;
    const char *caller = caller_name(it->model, group->stack);
    const char *name =
        group->class_name == TM__NONE
            ? NULL
            : tm__strings_get(&it->model->entities.strings, group->class_name);
    const char *dot = name ? strrchr(name, '.') : NULL;

    tm__write_words(words, "waits%s%.150s in ", name ? " for " : "",
                    dot    ? dot + 1
                    : name ? name
                           : "");
    tm__write_place(words, &it->members, group->stack);
    if (caller)
        tm__write_words(words, ", called by %.150s", tm__short_name(caller));
}

static void write_io(tm__words *words, tm__judgement *it)
{
    tm__write_words(words, "I/O with ");
    tm__write_object(words, &it->members, it->most_unended->object);
    tm__write_words(words, " in ");
    tm__write_place(words, &it->members, it->most_unended->stack);
}

void tm__write_bound_of_unended(tm__words *words, tm__judgement *it)
{
    const tm__unended_group *group = it->most_unended;

    tm__write_words(words, "Bound since ");
    tm__write_instant(words, &it->members, group->since_ns);
    tm__write_words(words, " by ");
    if (group->object == TM__NONE)
        write_wait(words, it);
    else
        write_io(words, it);
    if (group->threads == it->in_tasks)
        tm__write_words(words, ": all ");
    else
        tm__write_words(words, ": %u of ", group->threads);
    tm__write_words(words,
                    "%u threads that are in a task wait there, and none has gone on.",
                    it->in_tasks);
}

void tm__write_unended(tm__words *words, tm__judgement *it)
{
    const tm__unended_group *group = it->most_unended;

    tm__write_thread(words, it->model, group->thread);
    tm__write_words(words, " has waited for %s",
                    tm__duration_of(group->longest_ns).text);
    if (group->ended == 1)
        tm__write_words(words, "; an earlier wait there took ");
    else if (group->ended)
        tm__write_words(words, "; the longest of %" PRIu64 " earlier waits there took ",
                        group->ended);
    if (group->ended)
        tm__write_words(words, "%s", tm__duration_of(group->usual_ns).text);
    tm__write_words(words, group->object == TM__NONE
                               ? ". The waits have a time limit. "
                               : ". The waits last until the other side answers. ");
}

void tm__write_advice_of_unended(tm__words *words, const tm__judgement *it)
{
    tm__write_words(words,
                    it->most_unended->object == TM__NONE
                        ? "If they share a pool, look for an item that was never given "
                          "back, and for tasks that have one and need another."
                        : "Give such calls a time limit, and see what the other side "
                          "does.");
}
