/* SPDX-License-Identifier: Apache-2.0 */
/* The chain from a thread that did not run to the root cause, as a table. */
#include "analysis/explain/explain.h"

#include <threadmodel/explain.h>

#include <string.h>

#include "analysis/timeline/wakeup_edge.h"
#include "base/error.h"
#include "base/sized.h"
#include "model/caller_frame.h"
#include "model/caveats.h"
#include "model/entity_names.h"
#include "model/interval.h"
#include "model/listing.h"
#include "model/methods.h"
#include "model/object.h"
#include "table/builder.h"
#include "table/tables.h"

enum { STEPS_AT_MOST = 10 };

static const char *const reasons[TM__REASON_END] = {
    [TM__REASON_OWNER] = "owner",
    [TM__REASON_JOINED] = "joined",
    [TM__REASON_WAKER] = "waker",
    [TM__REASON_RUNNING] = "running",
    [TM__REASON_NO_PROCESSOR] = "no_processor",
    [TM__REASON_ASLEEP] = "asleep",
    [TM__REASON_TIMEOUT] = "timeout",
    [TM__REASON_IDLE] = "idle",
    [TM__REASON_WAKEUP] = "wake_up",
    [TM__REASON_DEADLOCK] = "deadlock",
    [TM__REASON_NO_OWNER] = "no_owner",
    [TM__REASON_NO_WAKER] = "no_waker",
    [TM__REASON_NOT_STARTED] = "not_started",
    [TM__REASON_ENDED] = "ended",
    [TM__REASON_NOT_RECORDED] = "not_recorded",
};

typedef struct listing {
    tm__explanation chain;
    tm__builder builder;
} listing;

static const tm__interval *interval_of(const listing *list,
                                       const tm__step_of_chain *step)
{
    return step->interval == TM__NONE
               ? NULL
               : &list->chain.model->threads[step->thread].intervals[step->interval];
}

/* ---- rows ---- */

static void put_step(listing *list, const tm__step_of_chain *step, int32_t number)
{
    const tm_model *model = list->chain.model;
    tm__builder *builder = &list->builder;
    const tm__interval *at = interval_of(list, step),
                       *from = tm__explain_beginning(&list->chain, step);
    uint32_t object = from ? tm__interval_object(model, from) : TM__NONE;
    int64_t origin_ns = tm__model_origin_ns(model);

    tm__put_int32(builder, number);
    tm__put_uint64(builder, model->threads[step->thread].id);
    tm__put_string(builder, tm__thread_name(model, step->thread));
    tm__put_string(builder, tm_state_name(at ? at->state : TM_STATE_UNKNOWN));
    if (from)
        tm__put_int64(builder, from->start_ns - origin_ns);
    else
        tm__put_null(builder);
    if (step->end_ns != INT64_MIN)
        tm__put_int64(builder, step->end_ns - origin_ns);
    else
        tm__put_null(builder);
    tm__put_string(builder, tm__label(&list->chain.labels, model, object));
    tm__put_string(builder,
                   object == TM__NONE
                       ? NULL
                       : tm__class_name(model, model->objects[object].class_index));
    tm__put_frame(builder, model,
                  tm__stack_caller(model, from ? from->stack : TM__NONE, NULL));
    tm__put_string(builder, reasons[step->reason]);
    tm__put_string(builder, step->provenance == TM_PROVENANCE_UNKNOWN
                                ? NULL
                                : tm_provenance_name(step->provenance));
    tm__explain_write(&list->chain, step, number == 1);
    tm__put_text(builder, list->chain.text);
}

/* A thread that is in the chain already: a deadlock, or events that contradict one
 * another. */
static void close_circle(const listing *list, tm__step_of_chain *step)
{
    int is_deadlocked = interval_of(list, step)->state == TM_STATE_DEADLOCKED;

    if (step->reason != TM__REASON_WAKER &&
        (is_deadlocked || step->provenance > TM_PROVENANCE_INFERRED))
        step->reason = TM__REASON_DEADLOCK;
    else {
        step->reason = step->reason == TM__REASON_WAKER ? TM__REASON_NO_WAKER
                                                        : TM__REASON_NO_OWNER;
        step->why = "events contradict one another";
    }
}

static int put_chain(listing *list, uint32_t thread)
{
    uint32_t seen[STEPS_AT_MOST];
    tm__step_of_chain step = {.next = thread};

    for (int32_t n = 0; step.next != TM__NONE && !list->builder.failed; n++) {
        if (n == STEPS_AT_MOST) {
            tm__builder_caveat(&list->builder, "The chain goes on after ten threads.");
            return TM_OK;
        }
        seen[n] = step.next;
        if (tm__explain_step(&list->chain, step.next, &step) < 0)
            return TM_ENOMEM;
        for (int32_t i = 0; i <= n; i++)
            if (step.next == seen[i])
                close_circle(list, &step);
        put_step(list, &step, n + 1);
        if (step.reason > TM__REASON_WAKER)
            return TM_OK;
    }
    return TM_OK;
}

/* ---- which thread, and when ---- */

static void find_longest_of(const listing *list, uint32_t thread, int64_t at_ns,
                            int64_t *longest_ns, uint32_t *found, int64_t *middle_ns)
{
    const tm_model *model = list->chain.model;
    const tm__thread *it = &model->threads[thread];

    for (uint32_t i = 0; i < it->interval_count; i++) {
        const tm__interval *from = &it->intervals[i];
        int64_t end_ns = tm__interval_end_ns(model, it, i);
        int64_t ns = end_ns - from->start_ns;

        /* A daemon may wait for ever. */
        if (!at_ns && it->flags & TM_THREAD_DAEMON && i + 1 == it->interval_count &&
            from->state != TM_STATE_DEADLOCKED)
            continue;
        if (!tm__is_stopped(from->state) || ns <= *longest_ns ||
            (at_ns && (from->start_ns > at_ns || end_ns <= at_ns)) ||
            tm__explain_is_idle(model, from->stack))
            continue;
        *longest_ns = ns;
        *found = thread;
        *middle_ns = from->start_ns + ns / 2;
    }
}

/* @return the thread that the question is about, or TM__NONE */
static uint32_t find_subject(listing *list, uint32_t thread, int64_t at_ns)
{
    const tm_model *model = list->chain.model;
    uint32_t found = TM__NONE;
    int64_t longest_ns = -1, middle_ns = model->last_ns;

    if (thread != TM__NONE && !at_ns)
        find_longest_of(list, thread, at_ns, &longest_ns, &found, &middle_ns);
    for (uint32_t t = 0; thread == TM__NONE && t < model->threads_count; t++)
        find_longest_of(list, t, at_ns, &longest_ns, &found, &middle_ns);
    list->chain.at_ns = at_ns ? at_ns : middle_ns;
    return thread != TM__NONE ? thread : found;
}

static int check(const tm_model *model, const tm_explain_options *options,
                 uint32_t *thread)
{
    *thread = TM__NONE;
    if (options->at_ns < 0 || options->at_ns > tm_model_length_ns(model))
        return tm__fail(TM_EINVAL, "%lld ns is no time of a run of %lld ns",
                        (long long)options->at_ns,
                        (long long)tm_model_length_ns(model));
    if (!options->thread)
        return TM_OK;
    *thread = tm__map_find(&model->thread_map, options->thread);
    return *thread == TM__NONE ? tm__fail(TM_ENOTFOUND, "there is no thread %llu",
                                          (unsigned long long)options->thread)
                               : TM_OK;
}

static int fill(listing *list, uint32_t thread, int64_t at_ns)
{
    const tm_model *model = list->chain.model;
    size_t bytes =
        ((size_t)model->objects_count + 1) * sizeof(*list->chain.short_holds_ns);
    int rc = TM_ENOMEM;

    list->chain.short_holds_ns = tm__resize(&list->chain.memory, NULL, 0, bytes);
    if (list->chain.short_holds_ns) {
        memset(list->chain.short_holds_ns, 0xff, bytes);
        rc = put_chain(
            list,
            find_subject(list, thread, at_ns ? at_ns + tm__model_origin_ns(model) : 0));
    }
    tm__model_put_caveats(model, &list->builder);
    tm__free(&list->chain.memory, list->chain.short_holds_ns, bytes);
    return rc == TM_OK ? list->chain.labels.failed : rc;
}

int tm_explanation_list(tm_table **out, const tm_model *model,
                        const tm_explain_options *given)
{
    listing list = {.chain = {.model = model}};
    tm_explain_options options;
    uint32_t thread;
    int rc;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    rc = TM__READ(&options, given, tm_explain_options, thread);
    if (rc == TM_OK)
        rc = check(model, &options, &thread);
    if (rc < 0)
        return rc;
    tm__memory_init(&list.chain.memory, &model->memory.hook);
    rc = tm__scope_open(&list.chain.whole, model, NULL);
    if (rc == TM_OK)
        rc = tm__labels_open(&list.chain.labels, model);
    if (rc < 0)
        return rc;
    tm__builder_start(&list.builder, &tm__explanation_table, 0, &model->memory.hook);
    rc = fill(&list, thread, options.at_ns);
    tm__labels_close(&list.chain.labels);
    tm__scope_close(&list.chain.whole, model);
    if (rc < 0) {
        tm__builder_abandon(&list.builder);
        return rc;
    }
    return tm__builder_finish(&list.builder, out);
}
