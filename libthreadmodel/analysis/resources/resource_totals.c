/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/resources/resource_totals.h"

#include "base/error.h"
#include "base/saturate.h"

int tm__resource_add(tm__resources *all, uint32_t resource, uint32_t key, uint32_t what,
                     int64_t time_ns, int64_t *total_ns)
{
    uint32_t *value = tm__triple_map_at(&all->seen, all->memory, resource, key, what);
    int is_new;

    if (!value)
        return tm__failure();
    is_new = *value == 0;
    if (is_new) {
        if (tm__reserve(all->memory, &all->sums, &all->sums_capacity,
                        (size_t)all->sums_count + 1, sizeof(*all->sums)) < 0)
            return tm__failure();
        all->sums[all->sums_count++] = 0;
        *value = all->sums_count;
    }
    *total_ns = tm__sum(all->sums[*value - 1], time_ns);
    all->sums[*value - 1] = *total_ns;
    return is_new;
}
