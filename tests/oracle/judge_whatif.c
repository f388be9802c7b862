/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What-if with a factor of one: nothing is gained, and the replay takes as long as the
 * run did. By how much it does not is what the gain may be more or less, so it can be
 * read from the bounds. Where it is not off at all, it is asked again with fewer
 * processors than threads.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "judging.h"

/* Paces have fractions, so that times have room for some: the world's are a few
 * thousand ns. */
enum { FINER = 1000 };

/* @return by how much the replay is off; -1: there is none */
static int64_t off_ns(struct trial *trial, const tm_model *model)
{
    const tm_whatif_options options = {
        .size = sizeof(options), .factor = 1, .count = 1};
    int64_t off_ns = -1;
    tm_table *table;

    if (tm_whatif_rank(&table, model, &options) != TM_OK) {
        wrong(trial, "no what-if: %s", tm_error_text());
        return -1;
    }
    for (size_t row = 0; row < tm_table_row_count(table); row++) {
        /* More permits are a change without a factor. */
        if (tm_table_is_null(table, "gain_ns", row) ||
            tm_table_is_null(table, "factor", row))
            continue;
        if (tm_table_int64(table, "gain_ns")[row] != 0)
            wrong(trial, "what-if: a factor of 1 gains %" PRId64,
                  tm_table_int64(table, "gain_ns")[row]);
        off_ns = tm_table_int64(table, "gain_high_ns")[row];
    }
    tm_table_free(table);
    return off_ns;
}

static int has_timeout(const tm_event *event)
{
    return event->kind == TM_EVENT_WAIT || event->kind == TM_EVENT_JOIN ||
           event->kind == TM_EVENT_SLEEP || event->kind == TM_EVENT_PARK ||
           event->kind == TM_EVENT_AWAIT;
}

static tm_model *finer_model(const struct trial *trial)
{
    const struct world *w = trial->w;
    tm_model *model;
    int rc = tm_model_new(&model, NULL);

    if (rc == TM_OK)
        emit_definitions(w, tm_model_sink(model), trial->policy);
    for (size_t i = 0; rc == TM_OK && i < w->event_count; i++) {
        tm_event event = w->events[i];

        event.time_ns *= FINER;
        if (has_timeout(&event))
            event.value *= FINER;
        rc = tm_model_ingest(model, &event, 1);
    }
    if (rc != TM_OK)
        abort();
    return model;
}

static void judge_processors(struct trial *trial)
{
    tm_run run = {.size = sizeof(run), .processors = 1 + trial->w->config.seed % 4};
    /* As much as they could get. */
    tm_event counted = {.kind = TM_EVENT_CPU_TIME, .value = INT64_MAX};
    tm_model *model = finer_model(trial);
    const tm_sink *sink = tm_model_sink(model);
    int64_t unlimited_ns = off_ns(trial, model), limited_ns;

    sink->run(sink->payload, &run);
    if (trial->w->event_count) {
        counted.time_ns = trial->w->events[trial->w->event_count - 1].time_ns * FINER;
        counted.thread = trial->w->events[0].thread;
        tm_model_ingest(model, &counted, 1);
    }
    limited_ns = off_ns(trial, model);
    if (unlimited_ns == 0) {
        trial->score->replays_limited++;
        trial->score->replays_limited_right +=
            limited_ns >= 0 && limited_ns * 100 <= tm_model_length_ns(model);
    }
    tm_model_free(model);
}

void judge_whatif(struct trial *trial, const tm_model *model)
{
    int64_t ns = off_ns(trial, model);

    if (ns < 0)
        return;
    trial->score->replays++;
    trial->score->replays_right += ns * 100 <= tm_model_length_ns(model);
    judge_processors(trial);
}
