/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/findings/tally.h"

#include "base/saturate.h"

/* ---- sums ---- */

tm__tally_item *tm__tally_add(tm__tally *tally, tm__memory *memory, uint32_t a,
                              uint32_t b, uint32_t c, int64_t time_ns, uint32_t thread)
{
    uint32_t *value = tm__triple_map_at(&tally->map, memory, a, b, c);
    tm__tally_item *item;

    if (!value)
        return NULL;
    if (*value == 0) {
        if (tm__reserve(memory, &tally->items, &tally->items_capacity,
                        (size_t)tally->items_count + 1, sizeof(*item)) < 0)
            return NULL;
        tally->items[tally->items_count++] = (tm__tally_item){
            .a = a, .b = b, .c = c, .worst_thread = thread, .first_thread = thread};
        *value = tally->items_count;
    }
    item = &tally->items[*value - 1];
    item->total_ns = tm__sum(item->total_ns, time_ns);
    item->count++;
    item->is_of_many |= thread != item->first_thread;
    if (time_ns > item->worst_ns) {
        item->worst_ns = time_ns;
        item->worst_thread = thread;
    }
    return item;
}

const tm__tally_item *tm__tally_top(const tm__tally *tally, uint32_t a, uint32_t c)
{
    const tm__tally_item *top = NULL;

    for (uint32_t i = 0; i < tally->items_count; i++) {
        const tm__tally_item *item = &tally->items[i];

        if (item->a == a && item->c == c && (!top || item->total_ns > top->total_ns))
            top = item;
    }
    return top;
}

void tm__tally_free(tm__tally *tally, tm__memory *memory)
{
    tm__free(memory, tally->items, tally->items_capacity * sizeof(*tally->items));
    tm__triple_map_free(&tally->map, memory);
}
