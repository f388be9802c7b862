/* SPDX-License-Identifier: Apache-2.0 */
/* Facts that the data cannot show, in sentences. Every answer carries them. */
#include <stdio.h>

#include "analysis/listing/caveats.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/grouped.h"
#include "model/entities/reports.h"
#include "model/ownership/tenure.h"
#include "model/state/model.h"
#include "table/tables.h"

typedef void (*put_fn)(tm__builder *builder, const char *sentence);

static void put_missing_kinds(const tm_model *model, tm__builder *builder, put_fn put)
{
    if (!model->event_count || tm__model_is_of_dumps(model))
        return;
    if (!tm__model_reports(model, TM_EVENT_NOTIFY) &&
        tm__model_reports(model, TM_EVENT_WAIT))
        put(builder, model->run.policy == TM_POLICY_REPORTED
                         ? "Notifies were not recorded: a wait includes the time in "
                           "which the thread queued for its monitor again."
                         : "Notifies were not recorded: who woke a waiter is not "
                           "known, and a wait includes the time in which the thread "
                           "queued for its monitor again.");
    /* A producer that reports other waits than Java's knows no parks, nor does one that
     * reports every hold of a lock. */
    if (!tm__model_reports(model, TM_EVENT_PARK) &&
        !tm__model_reports(model, TM_EVENT_AWAIT) && !tm__owners_are_reported(model))
        put(builder, "Parks were not recorded: threads that wait for java.util."
                     "concurrent locks look as if they ran.");
    if (!tm__model_reports(model, TM_EVENT_SLEEP))
        put(builder, "Sleeps were not recorded: a sleeping thread looks as if it ran.");
}

static double seconds(int64_t ns)
{
    return (double)ns / 1e9;
}

/* The cost of the recording; if that was killed, as far as it was reported. */
static void put_cost(const tm_model *model, tm__builder *builder, put_fn put)
{
    const tm_run *run = &model->run;
    char text[400];

    if (!run->cost_events)
        return;
    snprintf(
        text, sizeof(text),
        "Recording %s events%s (%s dropped) took %.3f s of the "
        "program's threads (estimated; %.0f %% of it for stacks) and %.3f s of the "
        "recorder's own, for %s bytes.",
        tm__group_digits(run->cost_events).text,
        run->end_ns ? "" : " up to its last report",
        tm__group_digits(run->cost_dropped).text, seconds(run->cost_threads_ns),
        run->cost_threads_ns > 0
            ? 100 * (double)run->cost_stacks_ns / (double)run->cost_threads_ns
            : 0.0,
        seconds(run->cost_recorder_ns), tm__group_digits(run->cost_bytes).text);
    put(builder, text);
}

/* An owner that is named late concerns one lock; of many the answers are worse. */
enum { LATE_OWNERS_PER_MILLE = 1 };

/* Events out of order are used, at a time that is not theirs. */
static void put_disorder(const tm_model *model, tm__builder *builder, put_fn put)
{
    uint64_t backward = model->diagnostics[TM_DIAGNOSTIC_BACKWARD_TIME];
    uint64_t late = model->diagnostics[TM_DIAGNOSTIC_LATE_OWNER];
    char text[320];

    if (backward) {
        snprintf(text, sizeof(text),
                 "%s of %s events came after a later event of their thread, and were "
                 "moved to its time: durations beside them are wrong. The producer has "
                 "to sort them, or tm_reorder does.",
                 tm__group_digits(backward).text,
                 tm__group_digits(model->event_count).text);
        put(builder, text);
    }
    if (late > model->event_count / 1000 * LATE_OWNERS_PER_MILLE) {
        snprintf(text, sizeof(text),
                 "%s times the owner of a lock was reported after its lock had another "
                 "owner: these owners are not shown. Events of different threads came "
                 "out of order.",
                 tm__group_digits(late).text);
        put(builder, text);
    }
}

static void put_forgotten(const tm_model *model, tm__builder *builder, put_fn put)
{
    uint64_t threads = model->diagnostics[TM_DIAGNOSTIC_FORGOTTEN_THREAD];
    uint64_t objects = model->diagnostics[TM_DIAGNOSTIC_FORGOTTEN_OBJECT];
    char text[240];

    if (!threads && !objects)
        return;
    snprintf(
        text, sizeof(text),
        "%s ended threads are one row, \"ended threads\", and %s objects are in "
        "the sums of their classes alone. An object that was forgotten and is named "
        "again is another one.",
        tm__group_digits(threads).text, tm__group_digits(objects).text);
    put(builder, text);
}

static void put_all(const tm_model *model, tm__builder *builder, put_fn put)
{
    char text[240];

    for (uint32_t i = 0; i < model->replay.caveats_count; i++)
        put(builder,
            tm__strings_get(&model->entities.strings, model->replay.caveats[i]));
    if (model->deadlocks.searches_abandoned) {
        snprintf(text, sizeof(text),
                 "%s searches for deadlocks were abandoned in chains or cycles of too "
                 "many threads: there may be more.",
                 tm__group_digits(model->deadlocks.searches_abandoned).text);
        put(builder, text);
    }
    if (model->replay.caveats_left_out) {
        snprintf(text, sizeof(text), "%s more caveats are left out.",
                 tm__group_digits(model->replay.caveats_left_out).text);
        put(builder, text);
    }
    if (model->entities.definitions_left_out) {
        snprintf(text, sizeof(text),
                 "To stay within %s bytes %s definitions of names, methods and stacks "
                 "were left out.",
                 tm__group_digits(model->memory_limit_bytes).text,
                 tm__group_digits(model->entities.definitions_left_out).text);
        put(builder, text);
    }
    if (model->diagnostics[TM_DIAGNOSTIC_LOST_BY_PRODUCER]) {
        uint64_t lost = model->diagnostics[TM_DIAGNOSTIC_LOST_BY_PRODUCER];

        snprintf(text, sizeof(text), "The producer lost %s event%s.",
                 tm__group_digits(lost).text, lost == 1 ? "" : "s");
        put(builder, text);
    }
    put_disorder(model, builder, put);
    if (model->replay.evicted_ns != INT64_MIN) {
        int64_t evicted_ns = model->replay.evicted_ns - tm__model_origin_ns(model);

        snprintf(text, sizeof(text),
                 "To stay within %s bytes intervals that ended before %s were evicted "
                 "into sums: timelines, interactions and windows begin there, and not "
                 "all objects and callers are named.",
                 tm__group_digits(model->memory_limit_bytes).text,
                 tm__duration_of(evicted_ns).text);
        put(builder, text);
    }
    put_forgotten(model, builder, put);
    if (model->run.threshold_ns > 0) {
        snprintf(text, sizeof(text), "Blocks and waits under %s were not recorded.",
                 tm__duration_of(model->run.threshold_ns).text);
        put(builder, text);
    }
    if (model->run.identity == TM_IDENTITY_HASH)
        put(builder, "Objects are identified by class and identity hash: in rare cases "
                     "two are shown as one.");
    if (model->run.identity == TM_IDENTITY_ADDRESS)
        put(builder, "Objects are identified by address: one address may have been "
                     "several objects in turn.");
    if (model->run.stopped_ns > 0) {
        snprintf(
            text, sizeof(text),
            "The process did not run for %s in all: it was stopped by a signal or a "
            "debugger, or the machine was suspended. A wait that spans a stop includes "
            "it; no wait includes the time of a suspended machine.",
            tm__duration_of(model->run.stopped_ns).text);
        put(builder, text);
    }
    put_missing_kinds(model, builder, put);
    if (tm__model_reports(model, TM_EVENT_CONTENDED_ENTER) &&
        !tm__owners_are_reported(model))
        put(builder, "Uncontended enters were not recorded: an owner is inferred from "
                     "blocks and waits unless the VM reported it.");
    put_cost(model, builder, put);
}

static void put_row(tm__builder *builder, const char *sentence)
{
    tm__put_text(builder, sentence);
}

void tm__model_put_caveats(const tm_model *model, tm__builder *builder)
{
    put_all(model, builder, tm__builder_caveat);
}

int tm_caveat_list(tm_table **out, const tm_model *model)
{
    tm__builder builder;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    tm__builder_start(&builder, &tm__caveats_table, 0, &model->memory.hook);
    put_all(model, &builder, put_row);
    return tm__builder_finish(&builder, out);
}
