/* SPDX-License-Identifier: Apache-2.0 */
/* What-if questions: what they name is looked up once, the rest is candidates.c's. */
#include <threadmodel/whatif.h>

#include <stdio.h>
#include <string.h>

#include "analysis/whatif/candidates.h"
#include "base/error.h"
#include "base/sized.h"
#include "model/deadlock_search.h"
#include "model/entity_names.h"
#include "model/methods.h"
#include "table/builder.h"
#include "table/tables.h"

enum { DEFAULT_COUNT = 20, LABEL_BYTES = 1024 };

#define FACTOR_AT_MOST 1e6
#define LONGEST_NS 1e18 /* 31 years, far from where times overflow */

static int had_deadlock(const tm_model *model)
{
    for (uint32_t i = 0; i < model->deadlocks_count; i++)
        if (!model->deadlocks[i].withdrawn)
            return 1;
    return 0;
}

static void put_caveats(const tm__candidates *all, tm__builder *builder)
{
    tm__path_put_caveats(&all->path, all->model, builder);
    tm__builder_caveat(
        builder, "A gain is an upper bound: threads keep the order in which they "
                 "got each lock, and only holds that others were seen to wait for "
                 "are scaled.");
    if (tm__path_unexplained_ns(&all->path))
        tm__builder_caveat(builder, "Unexplained time is kept as long as it was: what "
                                    "it waited for may hang on the lock, too.");
    if (had_deadlock(all->model))
        tm__builder_caveat(builder,
                           "There was a deadlock: its threads are predicted to "
                           "stand where they stood, though with other holds it "
                           "might not have come about.");
}

static void put_row(tm__builder *builder, const tm__candidates *all,
                    const tm__candidate *it)
{
    const tm__strings *strings = &all->model->strings;

    tm__put_string(builder, tm__strings_get(strings, it->class_name));
    tm__put_string(builder, tm__strings_get(strings, it->method));
    tm__put_string(builder, all->options->object);
    tm__put_double(builder, all->options->factor);
    tm__put_int64(builder, tm_model_length_ns(all->model) - it->gain_ns);
    tm__put_int64(builder, it->gain_ns);
    tm__put_int64(builder, it->holds);
    tm__put_int64(builder, it->hold_ns);
    tm__put_string(builder, it->holds ? NULL : "no hold of it was waited for");
}

static int answer(tm_table **out, const tm__candidates *all)
{
    tm__builder builder;

    tm__builder_start(&builder, &tm__whatif_table, 0, &all->model->memory.hook);
    for (uint32_t i = 0; i < all->items_count && !builder.failed; i++)
        put_row(&builder, all, &all->items[i]);
    put_caveats(all, &builder);
    return tm__builder_finish(&builder, out);
}

static int check_factor(const tm_model *model, double factor)
{
    if (!(factor >= 0 && factor <= FACTOR_AT_MOST))
        return tm__fail(TM_EINVAL, "factor %g is not from 0 to %g", factor,
                        FACTOR_AT_MOST);
    if (factor > 1 && (double)tm_model_length_ns(model) * factor > LONGEST_NS)
        return tm__fail(TM_EINVAL, "factor %g would make the run longer than %g ns",
                        factor, LONGEST_NS);
    return TM_OK;
}

static int find_class(const tm__candidates *all, uint32_t *name)
{
    *name = TM__NONE;
    if (!all->options->class_name)
        return TM_OK;
    for (uint32_t i = 0; i < all->model->classes_count; i++) {
        const char *text = tm__class_name(all->model, i);

        if (text && strcmp(text, all->options->class_name) == 0) {
            *name = all->model->classes[i].name;
            return TM_OK;
        }
    }
    return tm__fail(TM_ENOTFOUND, "there is no class %.200s in this run",
                    all->options->class_name);
}

static int find_method(const tm__candidates *all, uint32_t *name)
{
    *name = TM__NONE;
    if (!all->options->method)
        return TM_OK;
    for (uint32_t i = 0; i < all->model->methods_count; i++) {
        const char *text = tm__method_name(all->model, i);

        if (text && strcmp(text, all->options->method) == 0) {
            *name = all->model->methods[i].full_name;
            return TM_OK;
        }
    }
    return tm__fail(TM_ENOTFOUND, "there is no method %.200s in this run",
                    all->options->method);
}

/* Objects made from hashes may share a label; then all of them are meant. */
static int find_object(tm__candidates *all)
{
    char label[LABEL_BYTES];
    int found = 0;

    if (!all->options->object)
        return TM_OK;
    all->chosen = tm__zalloc(&all->memory, (size_t)all->model->objects_count + 1);
    if (!all->chosen)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < all->model->objects_count; i++) {
        tm__object_label(all->model, i, label, sizeof(label));
        if (strcmp(label, all->options->object) == 0)
            found = all->chosen[i] = 1;
    }
    if (!found)
        return tm__fail(TM_ENOTFOUND, "there is no object %.200s in this run",
                        all->options->object);
    return TM_OK;
}

int tm_whatif_predict(tm_table **out, const tm_model *model,
                      const tm_whatif_options *given)
{
    tm_whatif_options options;
    uint32_t class_name, method;
    tm__candidates all;
    int rc;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    TM__CHECK(given);
    rc = TM__READ(&options, given, tm_whatif_options, class_name);
    if (rc < 0)
        return rc;
    rc = check_factor(model, options.factor);
    if (rc == TM_OK && !options.class_name && !options.method && !options.object)
        rc = tm__fail(TM_EINVAL, "what-if of nothing: a class, method or object is "
                                 "to be named");
    if (rc < 0)
        return rc;
    tm__candidates_open(&all, model, &options);
    if (model->event_count) {
        rc = find_class(&all, &class_name);
        if (rc == TM_OK)
            rc = find_method(&all, &method);
        if (rc == TM_OK)
            rc = find_object(&all);
        if (rc == TM_OK)
            rc = tm__candidates_gather(&all);
        if (rc == TM_OK)
            rc = tm__candidates_add(&all, class_name, method);
        if (rc == TM_OK)
            rc = tm__candidates_forecast(&all);
    }
    if (rc == TM_OK)
        rc = answer(out, &all);
    tm__candidates_close(&all);
    return rc;
}

int tm_whatif_rank(tm_table **out, const tm_model *model,
                   const tm_whatif_options *given)
{
    tm_whatif_options options;
    tm__candidates all;
    int rc;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    rc = TM__READ(&options, given, tm_whatif_options, class_name);
    if (rc < 0)
        return rc;
    TM__CHECK(!options.class_name && !options.method && !options.object);
    rc = check_factor(model, options.factor);
    if (rc < 0)
        return rc;
    tm__candidates_open(&all, model, &options);
    rc = tm__candidates_gather(&all);
    if (rc == TM_OK)
        rc = tm__candidates_find(&all, options.count ? options.count : DEFAULT_COUNT);
    if (rc == TM_OK)
        rc = tm__candidates_forecast(&all);
    if (rc == TM_OK)
        rc = tm__candidates_sort(&all);
    if (rc == TM_OK)
        rc = answer(out, &all);
    tm__candidates_close(&all);
    return rc;
}
