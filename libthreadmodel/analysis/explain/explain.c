/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The chain from a thread that did not run to the root cause, as a table; or those of
 * the longest blocking intervals of a run, a few thousand for a report.
 */
#include "analysis/explain/explain_state.h"
#include "analysis/explain/explain_questions.h"
#include "analysis/explain/explain_step.h"
#include "analysis/explain/explain_text.h"

#include <threadmodel/explain.h>

#include <string.h>

#include "analysis/listing/caveats.h"
#include "analysis/listing/listing.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/sized.h"
#include "model/entities/caller_frame.h"
#include "model/entities/entity_names.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"
#include "model/entities/reports.h"
#include "model/intervals/interval.h"
#include "model/wakeups/worker_loops.h"
#include "table/builder.h"
#include "table/tables.h"

enum { STEPS_AT_MOST = 10 };

static const char *const reasons[TM__REASON_END] = {
    [TM__REASON_OWNER] = "owner",       [TM__REASON_JOINED] = "joined",
    [TM__REASON_WAKER] = "waker",       [TM__REASON_STARTER] = "starter",
    [TM__REASON_RUNNING] = "running",   [TM__REASON_NO_PROCESSOR] = "no_processor",
    [TM__REASON_ASLEEP] = "asleep",     [TM__REASON_IO] = "io",
    [TM__REASON_NATIVE] = "native",     [TM__REASON_TIMEOUT] = "timeout",
    [TM__REASON_IDLE] = "idle",         [TM__REASON_WAKEUP] = "wake_up",
    [TM__REASON_DEADLOCK] = "deadlock", [TM__REASON_NO_OWNER] = "no_owner",
    [TM__REASON_NO_WAKER] = "no_waker", [TM__REASON_NOT_STARTED] = "not_started",
    [TM__REASON_ENDED] = "ended",       [TM__REASON_NOT_RECORDED] = "not_recorded",
};

typedef struct listing {
    tm__explanation chain;
    tm__builder builder;
    tm__questions questions;
} listing;

static const tm__interval *interval_of(const listing *list,
                                       const tm__step_of_chain *step)
{
    return step->interval == TM__NONE
               ? NULL
               : &list->chain.model->entities.threads[step->thread]
                      .intervals[step->interval];
}

/* ---- rows ---- */

static void put_step(listing *list, const tm__step_of_chain *step, int32_t chain,
                     int32_t number)
{
    const tm_model *model = list->chain.model;
    tm__builder *builder = &list->builder;
    const tm__interval *at = interval_of(list, step),
                       *from = tm__explain_beginning(&list->chain, step);
    uint32_t object = from ? tm__interval_object(model, from) : TM__NONE;
    int64_t origin_ns = tm__model_origin_ns(model);

    tm__put_int32(builder, number);
    tm__put_uint64(builder, model->entities.threads[step->thread].id);
    tm__put_string(builder, tm__thread_name(&model->entities, step->thread));
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
                       : tm__class_name(&model->entities,
                                        model->entities.objects[object].class_index));
    tm__put_frame(builder, model,
                  tm__stack_caller(model, from ? from->stack : TM__NONE));
    tm__put_string(builder, reasons[step->reason]);
    tm__put_string(builder, step->provenance == TM_PROVENANCE_UNKNOWN
                                ? NULL
                                : tm_provenance_name(step->provenance));
    tm__explain_write(&list->chain, step, number == 1);
    tm__put_text(builder, list->chain.text);
    tm__put_int32(builder, chain);
    tm__put_int64(builder, list->chain.at_ns - origin_ns);
}

/* A thread that is in the chain already: a deadlock, or events that contradict one
 * another. */
static void close_circle(const listing *list, tm__step_of_chain *step)
{
    const tm__interval *at = interval_of(list, step);
    int is_deadlocked = at && at->state == TM_STATE_DEADLOCKED;

    if (step->reason == TM__REASON_STARTER) {
        step->reason = TM__REASON_NOT_STARTED;
        return;
    }
    if (step->reason != TM__REASON_WAKER &&
        (is_deadlocked || step->provenance > TM_PROVENANCE_INFERRED))
        step->reason = TM__REASON_DEADLOCK;
    else {
        step->reason = step->reason == TM__REASON_WAKER ? TM__REASON_NO_WAKER
                                                        : TM__REASON_NO_OWNER;
        step->why = "events contradict one another";
    }
}

/* @return TM_OK or TM_ENOMEM; `is_cut` says whether the chain goes on */
static int put_chain(listing *list, int32_t number, const tm__question *asked,
                     int *is_cut)
{
    uint32_t seen[STEPS_AT_MOST];
    tm__step_of_chain step = {.next = asked->thread};

    list->chain.at_ns = asked->at_ns;
    for (int32_t n = 0; step.next != TM__NONE && !list->builder.failed; n++) {
        if (n == STEPS_AT_MOST) {
            *is_cut = 1;
            return TM_OK;
        }
        seen[n] = step.next;
        if (tm__explain_step(&list->chain, step.next, &step) < 0)
            return tm__failure();
        for (int32_t i = 0; i <= n; i++)
            if (step.next == seen[i])
                close_circle(list, &step);
        put_step(list, &step, number, n + 1);
        if (step.reason > TM__REASON_STARTER)
            return TM_OK;
    }
    return TM_OK;
}

static int put_chains(listing *list)
{
    int is_cut = 0, rc = TM_OK;

    for (uint32_t i = 0; i < list->questions.count && rc == TM_OK; i++)
        rc = put_chain(list, (int32_t)(i + 1), &list->questions.all[i], &is_cut);
    if (is_cut)
        tm__builder_caveat(&list->builder, "The chain goes on after ten threads.");
    return rc;
}

/* ---- the answer ---- */

static int check(const tm_model *model, const tm_explain_options *options,
                 uint32_t *thread)
{
    *thread = TM__NONE;
    if (options->at_ns < 0)
        return tm__fail(TM_EINVAL, "the instant %lld ns is before the run",
                        (long long)options->at_ns);
    if (options->at_ns > tm_model_length_ns(model))
        return tm__fail(TM_EINVAL, "the instant %s is after the end of the run (%s)",
                        tm__duration_of(options->at_ns).text,
                        tm__duration_of(tm_model_length_ns(model)).text);
    if (options->flags & ~(uint32_t)TM_EXPLAIN_AT)
        return tm__fail(TM_EINVAL, "unknown flags %#x of an explanation",
                        options->flags);
    if (!options->thread)
        return TM_OK;
    *thread = tm__map_find(&model->entities.thread_map, options->thread);
    return *thread == TM__NONE ? tm__fail(TM_ENOTFOUND, "there is no thread %llu",
                                          (unsigned long long)options->thread)
                               : TM_OK;
}

static int fill(listing *list, uint32_t thread, const tm_explain_options *options)
{
    const tm_model *model = list->chain.model;
    tm__memory *memory = &list->chain.memory;
    size_t objects = (size_t)model->entities.objects_count + 1;
    size_t bytes = objects * sizeof(*list->chain.short_holds_ns);
    int64_t at_ns = options->at_ns || options->flags & TM_EXPLAIN_AT
                        ? options->at_ns + tm__model_origin_ns(model)
                        : TM__NO_INSTANT;
    int rc = TM_ENOMEM;

    list->chain.short_holds_ns = tm__resize(memory, NULL, 0, bytes);
    if (list->chain.short_holds_ns) {
        memset(list->chain.short_holds_ns, 0xff, bytes);
        rc = tm__questions_open(&list->questions, memory, model, options->count);
    }
    if (rc == TM_OK) {
        tm__questions_find(&list->questions, model, thread, at_ns);
        rc = put_chains(list);
    }
    tm__model_put_caveats(model, &list->builder);
    tm__questions_close(&list->questions, memory);
    tm__free(memory, list->chain.short_holds_ns, bytes);
    return rc == TM_OK ? list->chain.labels.failed : rc;
}

int tm_explanation_list(tm_table **out, const tm_model *model,
                        const tm_explain_options *given)
{
    listing list = {.chain = {.model = model}};
    tm_explain_options options;
    uint32_t thread = TM__NONE;
    int rc;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    rc = TM__READ(&options, given, tm_explain_options, thread);
    if (rc == TM_OK)
        rc = check(model, &options, &thread);
    if (rc == TM_OK)
        rc = tm__worker_loops_find(model);
    if (rc < 0)
        return rc;
    tm__memory_init(&list.chain.memory, &model->memory.hook);
    rc = tm__scope_open(&list.chain.whole, model, NULL);
    if (rc == TM_OK)
        rc = tm__labels_open(&list.chain.labels, model);
    if (rc < 0)
        return rc;
    tm__builder_start(&list.builder, &tm__explanation_table, 0, &model->memory.hook);
    rc = fill(&list, thread, &options);
    tm__labels_close(&list.chain.labels);
    tm__scope_close(&list.chain.whole, model);
    return tm__builder_close(&list.builder, out, rc);
}
