/* SPDX-License-Identifier: Apache-2.0 */
/* Oddities as a table: those counted in ingest, and what was never defined. */
#include <string.h>

#include "analysis/listing/caveats.h"
#include "base/error.h"
#include "model/entities/entity_names.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"
#include "model/entities/thread.h"
#include "model/state/model.h"
#include "table/builder.h"
#include "table/tables.h"

static void count_undefined(const tm_model *model, uint64_t *counts)
{
    for (uint32_t i = 0; i < model->entities.threads_count; i++)
        counts[TM_DIAGNOSTIC_UNDEFINED_THREAD] +=
            model->entities.threads[i].name == TM__NONE;
    for (uint32_t i = 0; i < model->entities.objects_count; i++)
        counts[TM_DIAGNOSTIC_UNDEFINED_OBJECT] +=
            !tm__class_name(&model->entities, model->entities.objects[i].class_index) &&
            model->entities.details[i].name == TM__NONE;
    for (uint32_t i = 0; i < model->entities.stacks_count; i++)
        counts[TM_DIAGNOSTIC_UNDEFINED_STACK] += !model->entities.stacks[i].defined;
    for (uint32_t i = 0; i < model->entities.methods_count; i++)
        counts[TM_DIAGNOSTIC_UNDEFINED_METHOD] +=
            model->entities.methods[i].name == TM__NONE;
}

int tm_diagnostic_list(tm_table **out, const tm_model *model)
{
    uint64_t counts[TM_DIAGNOSTIC_END];
    tm__builder builder;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    memcpy(counts, model->diagnostics, sizeof(counts));
    count_undefined(model, counts);
    tm__builder_start(&builder, &tm__diagnostics_table, 0, &model->memory.hook);
    tm__model_put_caveats(model, &builder);
    for (int cause = 0; cause < TM_DIAGNOSTIC_END; cause++) {
        if (!counts[cause])
            continue;
        tm__put_string(&builder, tm_diagnostic_name(cause));
        tm__put_uint64(&builder, counts[cause]);
    }
    return tm__builder_finish(&builder, out);
}
