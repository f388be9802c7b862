/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moving threads on, tens of millions of times: mostly with no scaled hold near, which
 * is an addition a lane. Where there are some, time is cut at their edges.
 */
#include "analysis/whatif/clocks.h"

/* A thread in more at once scales no further ones; programs have one or two. */
enum { ACTIVE_AT_MOST = 8 };

/* Move on by own time, scaled where a hold is on. */
static void work(const tm__clocks *c, uint32_t thread, int64_t ns)
{
    int64_t *now_ns = tm__clock_lanes(c, thread);
    uint32_t mask = c->items[thread].mask;
    /* Exact for a factor of 1: whole numbers stay as they are. */
    int64_t scaled_ns =
        mask && c->factor != 1 ? (int64_t)((double)ns * c->factor + 0.5) : ns;

    if (!mask)
        for (uint32_t l = 0; l < c->lanes; l++)
            now_ns[l] += ns;
    else
        for (uint32_t l = 0; l < c->lanes; l++)
            now_ns[l] += mask >> l & 1 ? scaled_ns : ns;
}

static uint32_t mask_of(const tm__clocks *c, uint32_t hold)
{
    const tm__hold *it = tm__hold_at(c->holds, hold);

    return it->end_ns == INT64_MIN ? 0 : c->masks[it->place];
}

static void find_next_hold(const tm__clocks *c, tm__clock *it)
{
    while (it->hold != TM__NONE && !mask_of(c, it->hold))
        it->hold = tm__hold_at(c->holds, it->hold)->next;
}

static void begin_hold(tm__clocks *c, tm__clock *it)
{
    const tm__hold *hold = tm__hold_at(c->holds, it->hold);
    uint32_t slot = c->active_free;

    if (it->active_count < ACTIVE_AT_MOST) {
        if (slot != TM__NONE) {
            c->active_free = c->actives[slot].next;
        } else if (tm__reserve(c->memory, &c->actives, &c->actives_capacity,
                               (size_t)c->actives_count + 1, sizeof(tm__active)) < 0) {
            c->failed = 1;
            return;
        } else {
            slot = c->actives_count++;
        }
        c->actives[slot] = (tm__active){hold->end_ns, mask_of(c, it->hold), it->active};
        it->active = slot;
        it->active_count++;
        it->mask |= c->actives[slot].mask;
    }
    it->hold = hold->next;
    find_next_hold(c, it);
}

static void end_holds(tm__clocks *c, tm__clock *it)
{
    uint32_t *link = &it->active;

    it->mask = 0;
    while (*link != TM__NONE) {
        uint32_t slot = *link;

        if (c->actives[slot].end_ns > it->at_ns) {
            it->mask |= c->actives[slot].mask;
            link = &c->actives[slot].next;
            continue;
        }
        *link = c->actives[slot].next;
        c->actives[slot].next = c->active_free;
        c->active_free = slot;
        it->active_count--;
    }
}

/* The next instant, up to `to_ns`, at which a hold of the thread begins or ends. */
static int64_t next_edge_ns(const tm__clocks *c, const tm__clock *it, int64_t to_ns)
{
    for (uint32_t i = it->active; i != TM__NONE; i = c->actives[i].next)
        if (c->actives[i].end_ns < to_ns)
            to_ns = c->actives[i].end_ns;
    if (it->hold != TM__NONE && tm__hold_at(c->holds, it->hold)->start_ns < to_ns)
        to_ns = tm__hold_at(c->holds, it->hold)->start_ns;
    return to_ns;
}

int tm__clocks_open(tm__clocks *clocks)
{
    size_t threads = (size_t)clocks->thread_count + 1;

    clocks->active_free = TM__NONE;
    clocks->items = tm__zalloc(clocks->memory, threads * sizeof(tm__clock));
    clocks->now_ns =
        tm__zalloc(clocks->memory, threads * clocks->lanes * sizeof(int64_t));
    if (!clocks->items || !clocks->now_ns)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < clocks->thread_count; i++) {
        clocks->items[i] = (tm__clock){
            .at_ns = INT64_MIN, .hold = clocks->holds->first[i], .active = TM__NONE};
        find_next_hold(clocks, &clocks->items[i]);
    }
    return TM_OK;
}

void tm__clock_begin(tm__clocks *clocks, uint32_t thread, int64_t time_ns)
{
    tm__clock *it = &clocks->items[thread];

    if (it->at_ns != INT64_MIN)
        return;
    it->at_ns = time_ns;
    for (uint32_t l = 0; l < clocks->lanes; l++)
        tm__clock_lanes(clocks, thread)[l] = time_ns;
}

void tm__clock_pass(tm__clocks *clocks, uint32_t thread, int64_t to_ns, int works)
{
    tm__clock *it = &clocks->items[thread];

    while (!clocks->failed) {
        int64_t edge_ns = next_edge_ns(clocks, it, to_ns);

        if (edge_ns > it->at_ns) {
            if (works)
                work(clocks, thread, edge_ns - it->at_ns);
            it->at_ns = edge_ns;
        }
        if (it->active != TM__NONE)
            end_holds(clocks, it);
        if (it->hold != TM__NONE &&
            tm__hold_at(clocks->holds, it->hold)->start_ns <= it->at_ns)
            begin_hold(clocks, it);
        else if (it->at_ns >= to_ns)
            return;
    }
}

void tm__clocks_close(tm__clocks *clocks)
{
    size_t threads = (size_t)clocks->thread_count + 1;

    tm__free(clocks->memory, clocks->items, threads * sizeof(tm__clock));
    tm__free(clocks->memory, clocks->now_ns, threads * clocks->lanes * sizeof(int64_t));
    tm__free(clocks->memory, clocks->actives,
             clocks->actives_capacity * sizeof(tm__active));
}
