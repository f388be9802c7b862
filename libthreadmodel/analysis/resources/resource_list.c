/* SPDX-License-Identifier: Apache-2.0 */
/* Resources as a table. */
#include <threadmodel/resource.h>

#include <string.h>

#include "analysis/listing/listing.h"
#include "analysis/resources/resources.h"
#include "base/error.h"
#include "base/sort.h"

static void put_string(tm__listing *list, const tm_model *model, uint32_t string)
{
    tm__put_string(&list->builder, tm__strings_get(&model->entities.strings, string));
}

static void put_uses(tm__listing *list, const tm_model *model, const tm__resource *it)
{
    tm__builder *builder = &list->builder;

    if (it->permits)
        tm__put_int32(builder, (int32_t)it->permits);
    else
        tm__put_null(builder);
    tm__put_int32(builder, (int32_t)it->uses.count);
    if (it->uses.count) {
        tm__put_int64(builder, tm__histogram_quantile(&it->uses, 0.5));
        tm__put_int64(builder, it->uses.max);
    } else {
        tm__put_null(builder);
        tm__put_null(builder);
    }
    tm__put_int64(builder, it->uses.total);
    put_string(list, model, it->use_method);
    if (it->use_method != TM__NONE)
        tm__put_int64(builder, it->use_method_ns);
    else
        tm__put_null(builder);
}

static void put_row(tm__listing *list, const tm_model *model, const tm__resource *it)
{
    tm__builder *builder = &list->builder;

    put_string(list, model, it->class_name);
    put_string(list, model, it->waiting);
    put_string(list, model, it->releasing);
    tm__put_int32(builder, (int32_t)it->objects);
    tm__put_int32(builder, (int32_t)it->threads);
    tm__put_int32(builder, (int32_t)it->waits);
    tm__put_int64(builder, it->wait_total_ns);
    tm__put_int64(builder, it->wait_max_ns);
    put_uses(list, model, it);
    tm__put_int32(builder, (int32_t)it->releasers);
    tm__put_thread(builder, model, it->releaser);
    tm__put_bool(builder, it->is_idle);
    tm__put_string(builder, tm_provenance_name(it->provenance));
}

static int compare_text(const tm_model *model, uint32_t left, uint32_t right)
{
    const char *l = tm__strings_get(&model->entities.strings, left);
    const char *r = tm__strings_get(&model->entities.strings, right);

    return l && r ? strcmp(l, r) : !l - !r;
}

/* The order of rows that were waited for as long. */
static int by_name(const void *payload, uint32_t left, uint32_t right)
{
    const tm__resources *all = payload;
    const tm__resource *l = &all->items[left], *r = &all->items[right];
    int order = compare_text(all->model, l->class_name, r->class_name);

    if (!order)
        order = compare_text(all->model, l->waiting, r->waiting);
    return order ? order : compare_text(all->model, l->releasing, r->releasing);
}

static int64_t longest_first(const void *payload, uint32_t number)
{
    return -((const tm__resources *)payload)->items[number].wait_total_ns;
}

static int put_sorted(tm__listing *list, const tm_model *model,
                      const tm__resources *all)
{
    tm__sortable *order =
        tm__sorted_new(&list->memory, all->items_count, longest_first, by_name, all);

    if (!order)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < all->items_count; i++)
        put_row(list, model, &all->items[order[i].number]);
    tm__sorted_free(&list->memory, order, all->items_count);
    return TM_OK;
}

int tm_resource_list(tm_table **out, const tm_model *model,
                     const tm_selection *selection)
{
    tm__resources all;
    tm__listing list;
    int rc;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    rc = tm__listing_open(&list, model, &tm__resources_table, selection);
    if (rc < 0)
        return rc;
    rc = tm__resources_open(&all, model, &list.scope, &list.memory, list.callers);
    if (rc == TM_OK)
        rc = put_sorted(&list, model, &all);
    tm__resources_close(&all);
    return tm__listing_close(&list, model, out, rc);
}
