/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/whatif/candidates_settle.h"

#include "analysis/whatif/gain.h"

/* Whether more is to be known of one that was replayed in the middle. */
static int is_needed(const tm__candidates *all, uint32_t item)
{
    tm__candidate likely = all->items[item];
    tm__gain gain;

    likely.gains_ns[TM__HOLDS_SHORT] = likely.gains_ns[TM__HOLDS_LIKELY];
    likely.gains_ns[TM__HOLDS_LONG] = likely.gains_ns[TM__HOLDS_LIKELY];
    gain = tm__gain_of(all, &likely);
    return all->needed->of_item(all->needed->context, item, &gain);
}

void tm__candidates_settle(tm__candidates *all, int is_replayed)
{
    const tm__replays_needed *needed = all->needed;
    int is_near = needed && needed->of_run(needed->context, all->off_ns, all->forced);

    for (uint32_t i = 0; needed && i < all->items_count; i++) {
        tm__candidate *it = &all->items[i];

        if (!is_near || !it->scaled || (is_replayed && !is_needed(all, i)))
            it->is_settled = 1;
    }
}

int tm__candidates_are_settled(const tm__candidates *all)
{
    for (uint32_t i = 0; i < all->items_count; i++)
        if (!all->items[i].is_settled)
            return 0;
    return 1;
}
