/* SPDX-License-Identifier: Apache-2.0 */
/* A selection, looked up once a question. */
#include <stdio.h>
#include <string.h>

#include "analysis/listing/selection.h"
#include "base/duration.h"
#include "base/error.h"
#include "base/saturate.h"
#include "base/sized.h"
#include "model/entities/entity_names.h"
#include "model/entities/methods.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/state/model.h"

static int select_threads(tm__scope *scope, const tm_model *model, tm__memory *memory,
                          const tm_selection *selection)
{
    scope->threads = tm__zalloc(memory, model->entities.threads_count + 1);
    if (!scope->threads)
        return TM_ENOMEM;
    for (size_t i = 0; i < selection->thread_count; i++) {
        uint32_t index =
            tm__map_find(&model->entities.thread_map, selection->threads[i]);

        if (index == TM__NONE && !model->event_count)
            continue;
        if (index == TM__NONE)
            return tm__fail(TM_ENOTFOUND, "there is no thread %llu in this run",
                            (unsigned long long)selection->threads[i]);
        scope->threads[index] = 1;
    }
    return TM_OK;
}

static int select_classes(tm__scope *scope, const tm_model *model, tm__memory *memory,
                          const tm_selection *selection)
{
    scope->classes = tm__zalloc(memory, model->entities.classes_count + 1);
    if (!scope->classes)
        return TM_ENOMEM;
    for (size_t i = 0; i < selection->class_count; i++) {
        int found = 0;

        /* Two loaders may each have a class of this name. */
        for (uint32_t c = 0; c < model->entities.classes_count; c++) {
            const char *name = tm__class_name(&model->entities, c);

            if (name && strcmp(name, selection->classes[i]) == 0)
                found = scope->classes[c] = 1;
        }
        if (!found && model->event_count)
            return tm__fail(TM_ENOTFOUND, "there is no class %.200s in this run",
                            selection->classes[i]);
    }
    return TM_OK;
}

int tm__scope_open(tm__scope *scope, const tm_model *model, const tm_selection *given)
{
    int64_t origin = tm__model_origin_ns(model);
    tm_selection selection;
    tm__memory memory;
    int rc;

    *scope = (tm__scope){.from_ns = INT64_MIN,
                         .to_ns = INT64_MAX,
                         .thread_count = model->entities.threads_count,
                         .class_count = model->entities.classes_count};
    if (!given)
        return TM_OK;
    rc = TM__READ(&selection, given, tm_selection, threads);
    if (rc < 0)
        return rc;
    if (selection.from_ns < 0 || selection.to_ns < 0 ||
        (selection.to_ns && selection.to_ns <= selection.from_ns))
        return tm__fail(TM_EINVAL, "window from %lld to %lld ns is empty",
                        (long long)selection.from_ns, (long long)selection.to_ns);
    if (model->event_count && selection.from_ns > tm_model_length_ns(model))
        return tm__fail(TM_EINVAL, "window begins at %lld ns, the run ends at %lld ns",
                        (long long)selection.from_ns,
                        (long long)tm_model_length_ns(model));
    if (selection.from_ns)
        scope->from_ns = tm__sum(origin, selection.from_ns);
    if (selection.to_ns && selection.to_ns < INT64_MAX / 2)
        scope->to_ns = origin + selection.to_ns;
    tm__memory_init(&memory, &model->memory.hook);
    if (selection.threads)
        rc = select_threads(scope, model, &memory, &selection);
    if (rc == TM_OK && selection.classes)
        rc = select_classes(scope, model, &memory, &selection);
    if (rc < 0)
        tm__scope_close(scope, model);
    return rc;
}

/* A window over all of the run does not limit it. */
static int covers_run(const tm__scope *scope, const tm_model *model)
{
    return !model->event_count || (scope->from_ns <= tm__model_origin_ns(model) &&
                                   scope->to_ns >= model->last_ns);
}

int tm__scope_open_window(tm__scope *scope, const tm_model *model,
                          const tm_selection *given, const char *what)
{
    tm_selection selection = {.size = sizeof(selection)};
    int rc = given ? TM__READ(&selection, given, tm_selection, threads) : TM_OK;

    if (rc == TM_OK && (selection.threads || selection.classes))
        rc = tm__fail(TM_EINVAL,
                      "%s are of all threads and classes: a selection of these is not "
                      "possible",
                      what);
    if (rc == TM_OK)
        rc = tm__scope_open(scope, model, given);
    if (rc < 0)
        return rc;
    if (!covers_run(scope, model))
        return 1;
    return tm__scope_open(scope, model, NULL);
}

int tm__scope_cut(const tm__scope *scope, int64_t *from_ns, int64_t *to_ns)
{
    if (*from_ns >= scope->to_ns || *to_ns <= scope->from_ns)
        return 0;
    if (*from_ns < scope->from_ns)
        *from_ns = scope->from_ns;
    if (*to_ns > scope->to_ns)
        *to_ns = scope->to_ns;
    return 1;
}

void tm__scope_put_part(const tm__scope *scope, const tm_model *model,
                        tm__builder *builder)
{
    int64_t origin_ns = tm__model_origin_ns(model), from_ns = origin_ns;
    int64_t to_ns = tm__sum(origin_ns, tm_model_length_ns(model));
    char text[120];

    if (scope->from_ns > from_ns)
        from_ns = scope->from_ns;
    if (scope->to_ns < to_ns)
        to_ns = scope->to_ns;
    snprintf(text, sizeof(text), "Only the part from %s to %s was examined.",
             tm__duration_of(from_ns - origin_ns).text,
             tm__duration_of(to_ns - origin_ns).text);
    tm__builder_caveat(builder, text);
}

void tm__scope_close(tm__scope *scope, const tm_model *model)
{
    tm__memory memory;

    tm__memory_init(&memory, &model->memory.hook);
    tm__free(&memory, scope->threads, scope->thread_count + 1);
    tm__free(&memory, scope->classes, scope->class_count + 1);
    scope->threads = scope->classes = NULL;
}
