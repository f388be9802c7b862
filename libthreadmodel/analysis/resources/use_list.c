/* SPDX-License-Identifier: Apache-2.0 */
/* Single uses of resources as a table. */
#include <threadmodel/resource.h>

#include "analysis/listing/listing.h"
#include "analysis/resources/resource_release.h"
#include "analysis/resources/resources.h"
#include "base/error.h"
#include "base/sort.h"
#include "model/entities/object.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"

typedef struct rows {
    tm__listing list;
    tm__resources all; ///< of the whole run: others use what a thread waits for
} rows;

static int is_chosen(const rows *r, const tm__resource_use *use)
{
    const tm__scope *scope = &r->list.scope;
    uint32_t object = r->all.waits[use->wait].object, class_index;

    if (use->start_ns < scope->from_ns || use->start_ns >= scope->to_ns ||
        (scope->threads && !scope->threads[use->thread]))
        return 0;
    if (!scope->classes)
        return 1;
    class_index = object == TM__NONE
                      ? TM__NONE
                      : r->all.model->entities.objects[object].class_index;
    return class_index != TM__NONE && scope->classes[class_index];
}

/* Where a thread was for the longest time in which it did not run. */
static uint32_t longest_at(const tm__resources *all, const tm__resource_use *use)
{
    const tm_model *model = all->model;
    const tm__thread *thread = &model->entities.threads[use->thread];
    uint32_t low = tm__intervals_until(thread, use->start_ns - 1), method = TM__NONE;
    int64_t longest_ns = 0;

    for (;
         low < thread->interval_count && thread->intervals[low].start_ns < use->end_ns;
         low++) {
        const tm__interval *it = &thread->intervals[low];
        int64_t end_ns = tm__interval_end_ns(model, thread, low);

        if (end_ns > use->end_ns)
            end_ns = use->end_ns;
        if (tm__is_active(it->state) || end_ns - it->start_ns <= longest_ns)
            continue;
        longest_ns = end_ns - it->start_ns;
        method = tm__resource_place(all, it->stack);
    }
    return method;
}

static void put_row(rows *r, const tm__resource_use *use)
{
    const tm_model *model = r->all.model;
    const tm__resource *resource = &r->all.items[use->resource];
    const tm__resource_wait *wait = &r->all.waits[use->wait];
    tm__builder *builder = &r->list.builder;
    int state;

    tm__put_string(builder,
                   tm__strings_get(&model->entities.strings, resource->class_name));
    tm__put_string(builder,
                   tm__strings_get(&model->entities.strings, resource->waiting));
    tm__put_string(builder,
                   tm__strings_get(&model->entities.strings, resource->releasing));
    tm__put_string(builder, tm__label(&r->list.labels, model, use->object));
    tm__put_thread(builder, model, use->thread);
    tm__put_int64(builder, use->start_ns - r->list.origin_ns);
    tm__put_int64(builder, use->end_ns - r->list.origin_ns);
    tm__put_int64(builder, wait->end_ns - wait->start_ns);
    if (use->at_once)
        tm__put_int32(builder, (int32_t)use->at_once);
    else
        tm__put_null(builder);
    if (tm__pass_unwanted(builder, 3))
        return;
    tm__put_int64(builder, tm__not_running_ns(model, use->thread, use->start_ns,
                                              use->end_ns, &state));
    tm__put_string(builder, state == TM_STATE_UNKNOWN ? NULL : tm_state_name(state));
    tm__put_string(builder,
                   tm__strings_get(&model->entities.strings, longest_at(&r->all, use)));
}

static int64_t by_start(const void *payload, uint32_t number)
{
    return ((const rows *)payload)->all.uses[number].start_ns;
}

static int by_number(const void *payload, uint32_t left, uint32_t right)
{
    (void)payload;
    return left < right ? -1 : left > right;
}

static int put_sorted(rows *r)
{
    tm__sortable *order =
        tm__sorted_new(&r->list.memory, r->all.uses_count, by_start, by_number, r);

    if (!order)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < r->all.uses_count && !r->list.builder.failed; i++)
        if (is_chosen(r, &r->all.uses[order[i].number]))
            put_row(r, &r->all.uses[order[i].number]);
    tm__sorted_free(&r->list.memory, order, r->all.uses_count);
    return TM_OK;
}

int tm_resource_use_list(tm_table **out, const tm_model *model,
                         const tm_selection *selection)
{
    static const tm__scope everything = {.from_ns = INT64_MIN, .to_ns = INT64_MAX};
    rows r;
    int rc;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    rc = tm__listing_open(&r.list, model, &tm__resource_uses_table, selection);
    if (rc < 0)
        return rc;
    rc = tm__resources_open(&r.all, model, &everything, &r.list.memory, r.list.callers);
    if (rc == TM_OK)
        rc = put_sorted(&r);
    tm__resources_close(&r.all);
    return tm__listing_close(&r.list, model, out, rc);
}
