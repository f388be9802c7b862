/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model that takes a world's events. Every third run is fed in parts, with
 * questions in between: the answers at the end must not depend on whether anybody asked
 * before.
 */
#include <stdio.h>
#include <stdlib.h>

#include "judging.h"

void fail(const char *what)
{
    printf("simulator: %s: %s\n", what, tm_error_text());
    exit(2);
}

tm_model *model_of(const struct world *w, int policy, size_t limit_bytes)
{
    tm_model_options options = {
        .size = sizeof(options), .policy = policy, .memory_limit_bytes = limit_bytes};
    size_t part = w->config.seed % 3 == 0 ? 1 + w->config.seed % 17 : w->event_count;
    tm_model *model;

    if (tm_model_new(&model, &options) != TM_OK)
        fail("model");
    emit_definitions(w, tm_model_sink(model), policy);
    for (size_t i = 0; i < w->event_count; i += part) {
        size_t left = w->event_count - i;
        tm_table *table;

        if (tm_model_ingest(model, w->events + i, left < part ? left : part) != TM_OK)
            fail("ingest");
        if (part == w->event_count || i / part % 4)
            continue;
        if (tm_interaction_list(&table, model, NULL) != TM_OK)
            fail("interactions");
        tm_table_free(table);
        if (tm_timeline_list(&table, model, NULL) != TM_OK)
            fail("timeline");
        tm_table_free(table);
    }
    return model;
}
