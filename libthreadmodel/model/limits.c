/* SPDX-License-Identifier: Apache-2.0 */
/* What the data cannot show, in sentences for people. Every answer carries them. */
#include <inttypes.h>
#include <stdio.h>

#include "model/model.h"
#include "table/builder.h"

typedef void (*put_fn)(tm__builder *builder, const char *sentence);

static int reports(const tm_model *model, int kind)
{
    if (model->run.kinds)
        return (int)(model->run.kinds >> kind & 1);
    return model->kind_counts[kind] != 0;
}

/* Made of thread dumps alone, which show states and tell of no event. */
static int is_of_dumps(const tm_model *model)
{
    return model->run.kinds >> TM_EVENT_SNAPSHOT & 1 &&
           !(model->run.kinds >> TM_EVENT_CONTENDED_ENTER & 1);
}

static void put_missing_kinds(const tm_model *model, tm__builder *builder, put_fn put)
{
    if (!model->event_count || is_of_dumps(model))
        return;
    if (!reports(model, TM_EVENT_NOTIFY) && reports(model, TM_EVENT_WAIT))
        put(builder,
            model->run.policy == TM_POLICY_REPORTED
                ? "Notifies were not recorded: a wait includes the time that it queued "
                  "for its monitor again."
                : "Notifies were not recorded: who woke a waiter is not known, and a "
                  "wait includes the time that it queued for its monitor again.");
    if (!reports(model, TM_EVENT_PARK))
        put(builder, "Parks were not recorded: threads that wait for java.util."
                     "concurrent locks look as if they ran.");
    if (!reports(model, TM_EVENT_SLEEP))
        put(builder, "Sleeps were not recorded: a sleeping thread looks as if it ran.");
}

static void put_all(const tm_model *model, tm__builder *builder, put_fn put)
{
    char text[240];

    for (uint32_t i = 0; i < model->limits_count; i++)
        put(builder, tm__strings_get(&model->strings, model->limits[i]));
    if (model->diagnostics[TM_DIAGNOSTIC_LOST_BY_PRODUCER]) {
        snprintf(text, sizeof(text), "The producer lost %" PRIu64 " events.",
                 model->diagnostics[TM_DIAGNOSTIC_LOST_BY_PRODUCER]);
        put(builder, text);
    }
    if (model->folded_ns != INT64_MIN) {
        snprintf(text, sizeof(text),
                 "To keep to %zu bytes what ended before %" PRId64
                 " ms was folded into "
                 "sums: timelines, interactions and windows begin there, and not all "
                 "objects and callers are named.",
                 model->memory_limit_bytes,
                 (model->folded_ns - tm__model_origin_ns(model)) / 1000000);
        put(builder, text);
    }
    if (model->run.threshold_ns > 0) {
        snprintf(text, sizeof(text),
                 "Blocks and waits under %" PRId64 " us were not recorded.",
                 model->run.threshold_ns / 1000);
        put(builder, text);
    }
    if (model->run.identity == TM_IDENTITY_HASH)
        put(builder, "Objects are told apart by class and identity hash: two may "
                     "rarely be shown as one.");
    if (model->run.identity == TM_IDENTITY_ADDRESS)
        put(builder, "Objects are told apart by address: one address may have been "
                     "several objects in turn.");
    put_missing_kinds(model, builder, put);
    if (reports(model, TM_EVENT_CONTENDED_ENTER))
        put(builder, "Enters that did not block were not recorded: an owner is "
                     "inferred from blocks and waits unless the VM stated it.");
}

static void put_row(tm__builder *builder, const char *sentence)
{
    tm__put_text(builder, sentence);
}

void tm__model_put_limits(const tm_model *model, tm__builder *builder)
{
    put_all(model, builder, tm__builder_limit);
}

int tm_model_limits(tm_table **out, const tm_model *model)
{
    static const tm__column_spec columns[] = {{"limit", TM_TYPE_STRING}};
    tm__builder builder;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    tm__builder_start(&builder, "limits", columns, 1, &model->memory.hook);
    put_all(model, &builder, put_row);
    return tm__builder_finish(&builder, out);
}
