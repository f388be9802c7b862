/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lock that requests hold themselves is a station of one server, and so many locks
 * are as many servers, if requests go to all of them alike:
 *
 *     held    4 s, 4 s               two servers
 *             7 s, 1 s               1.3: the square of the sum by the sum of squares
 *
 * A lock that other threads hold stops requests: each hold is a stall.
 */
#include "analysis/whatif/throughput_holds.h"

#include "analysis/whatif/holds.h"

void tm__length_sum_add(tm__length_sum *sum, int64_t start_ns, int64_t end_ns)
{
    double ns = (double)(end_ns - start_ns);

    sum->total_ns += ns;
    sum->squares += ns * ns;
    sum->count++;
}

double tm__length_sum_variance(const tm__length_sum *sum)
{
    return sum->squares * sum->count / (sum->total_ns * sum->total_ns) - 1;
}

static size_t bytes_of(const tm__candidates *all)
{
    return ((size_t)all->model->entities.objects_count + 1) * sizeof(double);
}

static int is_asked(const tm__candidates *all, const tm__candidate *it,
                    const tm__replay_hold *hold)
{
    return tm__candidate_matches(all, it, &all->holds.places[hold->place]);
}

double *tm__hold_shares_new(const tm__candidates *all, const tm__candidate *it,
                            tm__memory *memory)
{
    double *shares = tm__zalloc(memory, bytes_of(all));
    double *total_ns = tm__zalloc(memory, bytes_of(all));

    for (uint32_t i = 0; shares && total_ns && i < all->holds.items_count; i++) {
        const tm__replay_hold *hold = &all->holds.items[i];
        double ns = (double)(hold->end_ns - hold->start_ns);

        if (hold->is_shared || hold->object == TM__NONE)
            continue;
        total_ns[hold->object] += ns;
        if (is_asked(all, it, hold))
            shares[hold->object] += ns;
    }
    for (uint32_t i = 0; shares && total_ns && i < all->model->entities.objects_count;
         i++)
        if (shares[i] > 0)
            shares[i] /= total_ns[i];
    if (shares && !total_ns) {
        tm__free(memory, shares, bytes_of(all));
        shares = NULL;
    }
    tm__free(memory, total_ns, bytes_of(all));
    return shares;
}

void tm__hold_shares_free(double *shares, const tm__candidates *all, tm__memory *memory)
{
    tm__free(memory, shares, bytes_of(all));
}

/* How many locks of the same use there might be instead. */
static double count_locks(const double *held_ns, uint32_t count)
{
    double sum = 0, squares = 0;

    for (uint32_t i = 0; i < count; i++) {
        sum += held_ns[i];
        squares += held_ns[i] * held_ns[i];
    }
    return squares > 0 ? sum * sum / squares : 1;
}

int tm__hold_demand_of(tm__unit_demand *demand, const tm__load *load,
                       tm__candidates *all, const tm__candidate *it)
{
    tm__length_sum own = {0}, others = {0};
    double *held_ns = tm__zalloc(&all->memory, bytes_of(all));

    if (!held_ns)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < all->holds.items_count; i++) {
        const tm__replay_hold *hold = &all->holds.items[i];

        if (hold->start_ns < load->kind->steady_from_ns ||
            hold->end_ns > load->kind->steady_to_ns || hold->is_shared ||
            hold->owner == TM__NONE || !is_asked(all, it, hold))
            continue;
        tm__length_sum_add(load->serves[hold->owner] ? &own : &others, hold->start_ns,
                           hold->end_ns);
        if (hold->object != TM__NONE)
            held_ns[hold->object] += (double)(hold->end_ns - hold->start_ns);
    }
    demand->servers = count_locks(held_ns, all->model->entities.objects_count);
    demand->are_apart = 1;
    tm__free(&all->memory, held_ns, bytes_of(all));
    if (others.total_ns > own.total_ns) {
        demand->stall = others.total_ns / 1e9 / others.count;
        demand->gap = load->seconds / others.count - demand->stall;
        demand->gap = demand->gap > 0 ? demand->gap : 0;
    } else if (own.total_ns > 0) {
        demand->used = own.total_ns / 1e9 / (double)load->kind->steady_count;
        demand->variance = tm__length_sum_variance(&own);
    }
    return TM_OK;
}
