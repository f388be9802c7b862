/* SPDX-License-Identifier: Apache-2.0 */
/* What-if questions: the objects that they name are looked up once, the rest is
 * candidates.c's. */
#include <threadmodel/whatif.h>

#include <string.h>

#include "analysis/whatif/candidates_replay.h"
#include "analysis/whatif/ranking.h"
#include "analysis/whatif/whatif_rows.h"
#include "base/error.h"
#include "base/sized.h"
#include "model/entities/entity_names.h"
#include "model/entities/methods.h"

enum { LABEL_BYTES = 1024 };

static int find_class(const tm__candidates *all, uint32_t *name)
{
    *name = TM__NONE;
    if (!all->options->class_name)
        return TM_OK;
    for (uint32_t i = 0; i < all->model->entities.classes_count; i++) {
        const char *text = tm__class_name(&all->model->entities, i);

        if (text && strcmp(text, all->options->class_name) == 0) {
            *name = all->model->entities.classes[i].name;
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
    for (uint32_t i = 0; i < all->model->entities.methods_count; i++) {
        const char *text = tm__method_name(&all->model->entities, i);

        if (text && strcmp(text, all->options->method) == 0) {
            *name = all->model->entities.methods[i].full_name;
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
    uint32_t *groups;
    int found = 0;

    if (!all->options->object)
        return TM_OK;
    groups = tm__candidates_choose_objects(all);
    if (!groups)
        return tm__failure();
    for (uint32_t i = 0; i < all->model->entities.objects_count; i++) {
        tm__object_label(all->model, i, label, sizeof(label));
        if (strcmp(label, all->options->object) == 0) {
            groups[i] = 0;
            found = 1;
        }
    }
    if (!found)
        return tm__fail(TM_ENOTFOUND, "there is no object %.200s in this run",
                        all->options->object);
    return TM_OK;
}

/* More owners at once of the locks of a class. */
static int is_of_locks(const tm_whatif_options *options)
{
    return options->change == TM_WHATIF_PERMITS && !options->method &&
           !options->object && options->class_name;
}

static int check_question(const tm_model *model, tm_whatif_options *options)
{
    int rc = tm__whatif_check_factor(model, options->factor);

    if (rc < 0)
        return rc;
    if (options->change >= TM_WHATIF_END)
        return tm__fail(TM_EINVAL, "unknown what-if change %u", options->change);
    if (options->permits > INT32_MAX)
        return tm__fail(TM_EINVAL, "too many permits: %u", options->permits);
    if (!options->permits)
        options->permits = 1;
    if (options->change == TM_WHATIF_PROCESSORS) {
        if (options->class_name || options->method || options->object)
            return tm__fail(TM_EINVAL, "what-if of processors: name nothing");
        return TM_OK;
    }
    if (!options->class_name && !options->method && !options->object)
        return tm__fail(TM_EINVAL, "a what-if needs a class, a method or an object");
    if (options->change == TM_WHATIF_IO) {
        if (!options->object || options->class_name || options->method)
            return tm__fail(TM_EINVAL, "what-if of io: name an object alone");
    } else if (options->change != TM_WHATIF_HOLDS && !is_of_locks(options) &&
               (!options->method || options->object))
        return tm__fail(TM_EINVAL, "what-if of %s: name a method, and no object",
                        tm_whatif_change_name((int)options->change));
    return TM_OK;
}

static int open_load(tm__load *load, const tm__candidates *all)
{
    tm__libraries libraries = {all->options->libraries, all->options->library_count};

    return tm__load_open(load, all->model, &all->part, &libraries);
}

/* Look up what the question names. */
static int find_subject(tm__candidates *all)
{
    uint32_t class_name, method, change = all->options->change;
    int rc = find_class(all, &class_name);

    if (rc == TM_OK)
        rc = find_method(all, &method);
    if (rc == TM_OK)
        rc = find_object(all);
    if (rc == TM_OK)
        rc = tm__candidates_open_model(all);
    if (rc == TM_OK && is_of_locks(all->options))
        rc = tm__candidates_choose_locks(all, class_name);
    else if (rc == TM_OK && change == TM_WHATIF_IO)
        tm__candidates_choose_endpoint(all);
    else if (rc == TM_OK && change != TM_WHATIF_HOLDS && method != TM__NONE)
        rc = tm__candidates_choose_method(all, method);
    if (rc == TM_OK && method != TM__NONE &&
        (change == TM_WHATIF_USES || change == TM_WHATIF_PERMITS))
        rc = tm__candidates_choose_waits(all, class_name);
    if (rc == TM_OK)
        rc = tm__candidates_gather(all);
    return rc == TM_OK
               ? tm__candidates_add(all, class_name, method, all->groups ? 0 : TM__NONE)
               : rc;
}

int tm_whatif_predict(tm_table **out, const tm_model *model,
                      const tm_whatif_options *given)
{
    tm_whatif_options options;
    tm__candidates all;
    tm__load load = {0};
    int rc;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    TM__CHECK(given);
    rc = TM__READ(&options, given, tm_whatif_options, class_name);
    if (rc == TM_OK)
        rc = check_question(model, &options);
    if (rc < 0)
        return rc;
    tm__candidates_open(&all, model, &options);
    if (model->event_count) {
        rc = find_subject(&all);
        if (rc == TM_OK)
            rc = open_load(&load, &all);
        if (rc == TM_OK)
            rc = tm__candidates_replay(&all, &load);
    }
    if (rc == TM_OK)
        rc = tm__whatif_answer(out, &all, &load);
    tm__load_close(&load);
    tm__candidates_close(&all);
    return rc;
}
