/* SPDX-License-Identifier: Apache-2.0 */
/* Modules by name and build id: a class a source file of each, so each once. */
#include <threadmodel/module.h>

#include "analysis/listing/caveats.h"
#include "base/error.h"
#include "base/triple_map.h"
#include "model/entities/entity_names.h"
#include "model/state/model.h"
#include "table/builder.h"
#include "table/tables.h"

static int put_modules(tm__builder *builder, const tm_model *model,
                       tm__triple_map *seen, tm__memory *memory)
{
    for (uint32_t i = 0; i < model->entities.classes_count; i++) {
        const tm__class *it = &model->entities.classes[i];
        uint32_t *value;

        if (it->build_id == TM__NONE || it->name == TM__NONE)
            continue;
        value = tm__triple_map_at(seen, memory, it->name, it->build_id, 0);
        if (!value)
            return tm__failure();
        if (*value)
            continue;
        *value = 1;
        tm__put_string(builder, tm__class_name(&model->entities, i));
        tm__put_string(builder,
                       tm__strings_get(&model->entities.strings, it->build_id));
    }
    return TM_OK;
}

int tm_module_list(tm_table **out, const tm_model *model)
{
    tm__triple_map seen = {NULL, 0, 0};
    tm__builder builder;
    tm__memory memory;
    int rc;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    tm__memory_init(&memory, &model->memory.hook);
    tm__builder_start(&builder, &tm__modules_table, 0, &model->memory.hook);
    rc = put_modules(&builder, model, &seen, &memory);
    tm__triple_map_free(&seen, &memory);
    tm__model_put_caveats(model, &builder);
    return tm__builder_close(&builder, out, rc);
}
