/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A service's run is as long as its load: what a change gains is more requests in the
 * same time, and shorter ones. The load is taken to be closed: as many requests are in
 * flight after the change. All of it is measured where the rate is steady, so that
 * start-up does not count.
 */
#include "analysis/whatif/throughput.h"

#include "analysis/whatif/candidates_replay.h"
#include "analysis/whatif/holds.h"
#include "analysis/whatif/asked_delays.h"
#include "analysis/whatif/request_claims.h"
#include "analysis/whatif/throughput_change.h"
#include "analysis/whatif/throughput_holds.h"
#include "analysis/whatif/throughput_laws.h"
#include "analysis/whatif/throughput_method.h"
#include "analysis/whatif/throughput_requests.h"
#include "base/error.h"
#include "base/histogram.h"
#include "base/saturate.h"
#include "base/sort.h"

/* No prediction is better than this, whatever the bounds say. */
#define ERROR_SHARE 0.1

/* ---- what others have ---- */

static void add_uses(const tm__load *load, const tm__candidates *all,
                     tm__unit_demand *demand)
{
    tm__length_sum uses = {0};
    double waits = 0;

    for (uint32_t i = 0; i < all->served.spans_count; i++)
        tm__length_sum_add(&uses, all->served.spans[i].start_ns,
                           all->served.spans[i].end_ns);
    for (uint32_t i = 0; i < all->resources.waits_count; i++)
        if (all->served.roles[i] != TM__WAIT_OTHER &&
            all->served.roles[i] != TM__WAIT_LOST)
            waits += all->resources.waits[i].end_ns > load->kind->steady_from_ns &&
                     all->resources.waits[i].end_ns <= load->kind->steady_to_ns;
    if (uses.total_ns <= 0)
        return;
    demand->variance = tm__length_sum_variance(&uses);
    if (!all->served.servers) {
        double each = waits / (double)load->kind->steady_count;

        /* A unit that did not wait for it used it as well. */
        demand->used = uses.total_ns / uses.count / 1e9 * (each > 1 ? each : 1);
        demand->servers =
            all->served.at_once ? all->served.at_once : load->rate * demand->used;
    } else {
        demand->servers = all->served.servers;
    }
    if (demand->servers < 1)
        demand->servers = 1;
}

/* The replay, where the threads that make the load are part of the run: it knows what
 * waits for what. */
static int by_gain(tm__throughput *out, const tm__load *load, const tm__candidates *all,
                   const tm__gain *gain)
{
    int64_t begin_ns = all->path.begin_ns;
    int64_t end_ns = tm__sum(begin_ns, tm_model_length_ns(all->model));
    double length_ns, left_ns[3];

    if (!gain->is_known || gain->middle_ns <= 0)
        return 0;
    tm__scope_cut(&all->part, &begin_ns, &end_ns);
    length_ns = (double)(end_ns - begin_ns);
    left_ns[0] = length_ns - (double)gain->low_ns;
    left_ns[1] = length_ns - (double)gain->middle_ns;
    left_ns[2] = length_ns - (double)gain->high_ns;
    if (left_ns[1] < length_ns / 1000)
        return 0;
    out->low = load->rate * length_ns / left_ns[0];
    out->middle = load->rate * length_ns / left_ns[1];
    out->high = left_ns[2] > length_ns / 1000 ? load->rate * length_ns / left_ns[2]
                                              : out->middle * 2;
    return 1;
}

static int by_replay(tm__throughput *out, const tm__load *load, tm__candidates *all,
                     const tm__candidate *it)
{
    tm__gain gain;
    int rc = TM_OK;

    if (load->is_service)
        return TM_OK;
    if (all->is_put_off)
        rc = tm__candidates_replay(all, load);
    if (rc < 0)
        return rc;
    gain = tm__gain_of(all, it);
    out->is_known = out->is_replayed = by_gain(out, load, all, &gain);
    return TM_OK;
}

/* ---- latency ---- */

/** The units of the steady time. */
typedef struct lengths {
    tm__sortable *order;      ///< items[] by length
    tm__unit_change *changes; ///< of each of order[], as it is at first
    uint32_t count;
    tm__unit_change sum;
    double total_ns;
} lengths;

static int open_lengths(lengths *all, const tm__changes_asked *q, tm__memory *memory)
{
    size_t most = (size_t)q->load->kind->steady_count + 1;

    *all = (lengths){.order = tm__resize(memory, NULL, 0, most * sizeof(*all->order)),
                     .changes = tm__zalloc(memory, most * sizeof(*all->changes))};
    if (!all->order || !all->changes)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < q->load->units.items_count && all->count + 1 < most; i++) {
        const tm__unit *unit = &q->load->units.items[i];
        tm__unit_change *of = &all->changes[all->count];

        if (!tm__load_is_steady(q->load, unit))
            continue;
        *of = tm__change_of_unit(q, unit);
        all->sum.queued_ns += of->queued_ns;
        all->sum.served_ns += of->served_ns;
        all->sum.done_ns += of->done_ns;
        all->total_ns += (double)tm__unit_length_ns(unit);
        all->order[all->count] = (tm__sortable){tm__unit_length_ns(unit), all->count};
        all->count++;
    }
    return TM_OK;
}

static void close_lengths(lengths *all, const tm__load *load, tm__memory *memory)
{
    size_t most = (size_t)load->kind->steady_count + 1;

    tm__free(memory, all->order, most * sizeof(*all->order));
    tm__free(memory, all->changes, most * sizeof(*all->changes));
}

/* @return the 99th percentile; -1: no memory */
static int64_t at_quantile(lengths *all, tm__memory *memory)
{
    size_t bytes = (size_t)all->count * sizeof(tm__sortable);
    tm__sortable *spare = tm__resize(memory, NULL, 0, bytes);
    int64_t ns = -1;

    if (spare) {
        tm__sort(all->order, spare, all->count, NULL, NULL);
        ns = all->order[tm__quantile_rank(all->count, 0.99) - 1].key;
    }
    tm__free(memory, spare, bytes);
    return ns;
}

/* By how much a unit that a stall stops is shorter. How long it was stopped is known
 * for a lock; else it is what the unit is longer than those that are not. */
static double stalled_less(const tm__load *load, const tm__unit_demand *demand,
                           const tm__unit_change *sum, double ns, double less)
{
    double free_ns =
        (load->in_flight / load->rate - demand->saved - demand->others) * 1e9;
    double stalled_ns = ns - sum->done_ns - (free_ns > 0 ? free_ns : 0);

    if (stalled_ns > demand->stall * 1e9)
        stalled_ns = demand->stall * 1e9;
    if (demand->others <= 0)
        stalled_ns = sum->queued_ns;
    return (sum->done_ns + (stalled_ns > 0 ? stalled_ns : 0)) * less;
}

/* Each unit saves of its own queueing the share that all of them save on average. */
static void shorten(lengths *all, const tm__changes_asked *q,
                    const tm__unit_demand *demand, double saved)
{
    const tm_whatif_options *options = q->all->options;
    int is_permits = tm__is_of_more(options->change);
    double less = is_permits ? 0 : 1 - options->factor;
    double used = demand->used * less;
    double queue =
        demand->queued > 0 ? (saved - demand->saved * less - used) / demand->queued : 0;
    double now = q->load->in_flight / q->load->rate;
    double others = (saved - demand->saved * less) / (now - demand->saved + 1e-12);

    queue = queue > 1 ? 1 : queue;
    for (uint32_t i = 0; i < all->count; i++) {
        const tm__unit_change *sum = &all->changes[all->order[i].number];
        double ns = (double)all->order[i].key;

        if (demand->stall > 0)
            ns -= stalled_less(q->load, demand, sum, ns, is_permits ? 1 : less);
        else if (demand->others > 0)
            ns -= sum->done_ns * less + (ns - sum->done_ns) * others;
        else if (demand->queued + demand->saved > 0)
            ns -= sum->queued_ns * queue + sum->done_ns * less + used * 1e9;
        else
            ns *= 1 - saved / now;
        all->order[i].key = ns > 0 ? (int64_t)ns : 0;
    }
}

/* ---- the answer ---- */

static int find_demand(tm__unit_demand *demand, const tm__changes_asked *q,
                       tm__candidates *all)
{
    uint32_t asked_change = all->options->change;

    if (asked_change == TM_WHATIF_PROCESSORS)
        return TM_OK;
    if (tm__is_of_delays(asked_change))
        return !all->needed || q->load->is_service || q->load->is_timed
                   ? tm__method_demand_of(demand, q->load, all)
                   : TM_OK;
    if (asked_change == TM_WHATIF_HOLDS || (all->groups && !all->served.waits))
        return tm__hold_demand_of(demand, q->load, all, q->it);
    add_uses(q->load, all, demand);
    return TM_OK;
}

/* A unit that takes so long, of clients that think in between. */
static double rate_of(const tm__load *load, double seconds, double think)
{
    return load->customers / (seconds + think);
}

/* The replay of a run knows no clients. */
static double seconds_of(const tm__throughput *out, const tm__load *load, double rate)
{
    double seconds = load->customers / rate - load->think;

    if (out->is_replayed)
        return load->in_flight / rate;
    return seconds > 0 ? seconds : 0;
}

/* Whether requests themselves have all holds, uses and sleeps that the change concerns,
 * so that they can be played. Of those that other threads have only the mean is known.
 */
static int is_played(const tm__changes_asked *q, const tm__unit_demand *demand)
{
    const tm__candidates *all = q->all;

    if (all->options->change == TM_WHATIF_PROCESSORS)
        return 1;
    if (tm__is_of_delays(all->options->change))
        return demand->is_own && (demand->saved > 0 || all->samples.count);
    if (demand->stall > 0 || demand->queued <= 0)
        return 0;
    return all->options->change == TM_WHATIF_HOLDS ||
           (all->groups && !all->served.waits) || all->served.spans_count;
}

static int by_laws(tm__throughput *out, const tm__changes_asked *q,
                   const tm__unit_demand *demand)
{
    const tm__load *load = q->load;
    double n = load->in_flight;
    tm__rates rates = tm__rates_by_laws(n, load->rate, q->all->options, demand);

    out->is_known = 1;
    out->low = rate_of(load, n / rates.low, load->think);
    out->middle = rate_of(load, n / rates.middle, load->think);
    /* A part of the time between two requests is the server's own, and may be less. */
    out->high = rate_of(load, n / rates.high, load->think / 2);
    return tm__throughput_limit(out, load, q->all, q->it);
}

static int find_rates(tm__throughput *out, const tm__changes_asked *q,
                      tm__candidates *all, const tm__unit_demand *demand)
{
    int is_by_play = is_played(q, demand), rc = TM_OK;
    int is_by_laws = demand->queued + demand->saved + demand->others > 0 &&
                     q->all->options->change != TM_WHATIF_PROCESSORS;

    if (is_by_play || is_by_laws)
        rc = tm__candidates_gather_likely(all);
    if (rc < 0)
        return rc;
    if (is_by_play) {
        rc = tm__throughput_play(out, q->load, q->all, q->it);
        out->is_known = out->is_played = rc > 0;
        if (rc)
            return rc < 0 ? rc : TM_OK;
    }
    if (is_by_laws)
        return by_laws(out, q, demand);
    return by_replay(out, q->load, all, q->it);
}

/* The share of a unit's time that it loses to others: queued, or stopped by a stall.
 * Its own use of a station, and its own sleeps, it needs. */
static double lost_share(const tm__changes_asked *q, const lengths *units,
                         const tm__unit_demand *demand, double middle)
{
    double each = q->load->rate / q->load->in_flight, lost = demand->others;

    if (demand->queued + demand->saved + demand->others <= 0)
        return 1 - q->load->rate / middle; /* the replay knows it alone */
    if (!tm__is_of_delays(q->all->options->change))
        return units->total_ns > 0 ? units->sum.queued_ns / units->total_ns : 0;
    if (demand->stall <= 0 && lost > 0)
        lost += demand->saved - demand->used;
    return lost > 0 ? lost * each : 0;
}

static void widen(tm__throughput *out, double error)
{
    error = error < 1 ? error : 1;
    if (out->low > out->middle * (1 - error))
        out->low = out->middle * (1 - error);
    if (out->high < out->middle * (1 + error))
        out->high = out->middle * (1 + error);
}

static int put_latency(tm__throughput *out, const tm__changes_asked *q, lengths *units,
                       const tm__unit_demand *demand, tm__memory *memory)
{
    const tm__load *load = q->load;
    double n = load->in_flight, mean = seconds_of(out, load, out->middle);

    out->share = units->total_ns > 0
                     ? (units->sum.queued_ns + units->sum.done_ns) / units->total_ns +
                           demand->others * load->rate / n
                     : 0;
    out->lost = lost_share(q, units, demand, out->middle);
    widen(out, ERROR_SHARE + load->error);
    out->mean_ns = (int64_t)(mean * 1e9);
    out->mean_low_ns = (int64_t)(seconds_of(out, load, out->high) * 1e9);
    out->mean_high_ns = tm__whole(seconds_of(out, load, out->low) * 1e9);
    if (out->is_played)
        return TM_OK;
    shorten(units, q, demand, n / load->rate - mean);
    out->p99_ns = at_quantile(units, memory);
    return out->p99_ns < 0 ? tm__failure() : TM_OK;
}

static int find_all(tm__throughput *out, const tm__changes_asked *q, lengths *units,
                    tm__candidates *all)
{
    tm__unit_demand demand = {.variance = 1};
    int rc;

    demand.queued = units->sum.queued_ns / 1e9 / units->count;
    demand.used = units->sum.served_ns / 1e9 / units->count;
    demand.saved = units->sum.done_ns / 1e9 / units->count;
    out->p99_now_ns = at_quantile(units, &all->memory);
    rc = out->p99_now_ns < 0 ? tm__failure() : find_demand(&demand, q, all);
    if (rc == TM_OK)
        rc = find_rates(out, q, all, &demand);
    return rc == TM_OK && out->is_known
               ? put_latency(out, q, units, &demand, &all->memory)
               : rc;
}

int tm__throughput_of(tm__throughput *out, const tm__load *load, tm__candidates *all,
                      const tm__candidate *it)
{
    lengths units = {0};
    tm__changes_asked q = {0};
    int rc;

    *out = (tm__throughput){.next = {.kind = TM__NONE}};
    if (!load->kind || !load->kind->steady_count || load->in_flight <= 0 || !it->scaled)
        return TM_OK;
    rc = tm__is_of_delays(all->options->change) ? TM_OK
                                                : tm__candidates_gather_likely(all);
    if (rc == TM_OK)
        rc = tm__changes_open(&q, load, all, it, &all->memory);
    if (rc == TM_OK)
        rc = open_lengths(&units, &q, &all->memory);
    if (rc == TM_OK && units.count)
        rc = find_all(out, &q, &units, all);
    close_lengths(&units, load, &all->memory);
    tm__hold_shares_free(q.shares, all, &all->memory);
    return rc;
}
