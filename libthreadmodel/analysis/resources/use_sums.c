/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of the uses of a resource: how long, where spent, how many at once. */
#include "analysis/resources/resource_release.h"
#include "analysis/resources/resource_totals.h"
#include "analysis/resources/use_sums.h"
#include "base/error.h"
#include "base/sort.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"

/* Where a use spent the time in which it did not run. */
static int add_places(tm__resources *all, const tm__resource_use *use)
{
    const tm_model *model = all->model;
    const tm__thread *thread = &model->entities.threads[use->thread];
    tm__resource *resource = &all->items[use->resource];
    uint32_t low = tm__intervals_until(thread, use->start_ns - 1);

    for (;
         low < thread->interval_count && thread->intervals[low].start_ns < use->end_ns;
         low++) {
        const tm__interval *it = &thread->intervals[low];
        uint32_t method = tm__resource_place(all, it->stack);
        int64_t end_ns = tm__interval_end_ns(model, thread, low), total_ns;

        if (tm__is_active(it->state) || method == TM__NONE)
            continue;
        if (end_ns > use->end_ns)
            end_ns = use->end_ns;
        if (tm__resource_add(all, use->resource, method, TM__SUM_METHOD,
                             end_ns - it->start_ns, &total_ns) < 0)
            return tm__failure();
        if (total_ns > resource->use_method_ns) {
            resource->use_method_ns = total_ns;
            resource->use_method = method;
        }
    }
    return TM_OK;
}

/* Uses end before others begin at the same instant. */
static int ends_first(const void *payload, uint32_t left, uint32_t right)
{
    (void)payload;
    if (left % 2 != right % 2)
        return left % 2 ? -1 : 1;
    return left < right ? -1 : left > right;
}

/* The uses of one object at once: as each begins, and the most. */
static int count_permits(tm__resources *all)
{
    size_t bytes = ((size_t)all->uses_count * 2 + 1) * sizeof(tm__sortable);
    tm__sortable *steps = tm__resize(all->memory, NULL, 0, bytes);
    tm__sortable *spare = tm__resize(all->memory, NULL, 0, bytes);
    tm__triple_map at_once = {0};
    int rc = steps && spare ? TM_OK : TM_ENOMEM;
    uint32_t count = 0;

    for (uint32_t i = 0; rc == TM_OK && i < all->uses_count; i++) {
        const tm__resource_use *it = &all->uses[i];

        if (it->start_ns == it->end_ns)
            continue;
        steps[count++] = (tm__sortable){it->start_ns, 2 * i};
        steps[count++] = (tm__sortable){it->end_ns, 2 * i + 1};
    }
    if (rc == TM_OK)
        tm__sort(steps, spare, count, ends_first, NULL);
    for (uint32_t i = 0; rc == TM_OK && i < count; i++) {
        tm__resource_use *it = &all->uses[steps[i].number / 2];
        uint32_t *now =
            tm__triple_map_at(&at_once, all->memory, it->resource, it->object, 0);

        if (!now) {
            rc = tm__failure();
            break;
        }
        if (*now == 0)
            *now = 1; /* none at once */
        *now = steps[i].number % 2 ? *now - 1 : *now + 1;
        if (steps[i].number % 2 == 0)
            it->at_once = *now - 1;
        if (*now - 1 > all->items[it->resource].permits)
            all->items[it->resource].permits = *now - 1;
    }
    tm__free(all->memory, steps, bytes);
    tm__free(all->memory, spare, bytes);
    tm__triple_map_free(&at_once, all->memory);
    return rc;
}

int tm__resource_uses_sum_up(tm__resources *all)
{
    int rc = TM_OK;

    for (uint32_t i = 0; rc == TM_OK && i < all->uses_count; i++) {
        const tm__resource_use *it = &all->uses[i];

        rc = tm__histogram_add(&all->items[it->resource].uses, all->memory,
                               it->end_ns - it->start_ns);
        if (rc == TM_OK)
            rc = add_places(all, it);
    }
    return rc == TM_OK ? count_permits(all) : rc;
}
