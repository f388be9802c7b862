/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A service's run is as long as its load: what a change gains is more requests in the
 * same time, and shorter ones. The load is taken to be closed: as many requests are in
 * flight after the change. All of it is measured where the rate is steady, so that
 * start-up does not count.
 */
#include "analysis/whatif/throughput.h"

#include "analysis/units/unit_walk.h"
#include "analysis/whatif/method_sleeps.h"
#include "analysis/whatif/throughput_laws.h"
#include "analysis/whatif/throughput_method.h"
#include "base/histogram.h"
#include "base/sort.h"
#include "model/entities/entity_names.h"

/* No prediction is better than this, whatever the bounds say. */
#define ERROR_SHARE 0.1

/* ---- what changes for one unit ---- */

typedef struct change {
    double queued_ns, served_ns, done_ns; ///< done: asleep in the method
} change;

/* waits[] of the resources by which a thread waits in an interval, or TM__NONE. They
 * lie thread by thread, by rising interval. */
static uint32_t wait_at(const tm__resources *all, uint32_t thread, uint32_t interval)
{
    uint32_t low = 0, high = all->waits_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const tm__resource_wait *it = &all->waits[middle];

        if (it->thread < thread || (it->thread == thread && it->interval < interval))
            low = middle + 1;
        else
            high = middle;
    }
    return low < all->waits_count && all->waits[low].thread == thread &&
                   all->waits[low].interval == interval
               ? low
               : TM__NONE;
}

static int is_of_lock(const tm__candidates *all, const tm__candidate *it,
                      const tm__interval *at)
{
    const tm_model *model = all->model;
    uint32_t class_index, frame;

    if (!tm__is_lock_block(at))
        return 0;
    class_index = model->entities.objects[at->object].class_index;
    if (it->class_name != TM__NONE &&
        (class_index == TM__NONE ||
         model->entities.classes[class_index].name != it->class_name))
        return 0;
    if (all->groups && all->groups[at->object] != it->group)
        return 0;
    if (it->method == TM__NONE || all->options->change != TM_WHATIF_HOLDS)
        return 1;
    frame = at->stack == TM__NONE ? TM__NONE : all->callers[at->stack];
    return frame != TM__NONE && model->entities.frames[frame].method != TM__NONE &&
           model->entities.methods[model->entities.frames[frame].method].full_name ==
               it->method;
}

static void add_part(const tm__candidates *all, const tm__candidate *it,
                     uint32_t thread, const tm__unit_part *part, change *sum)
{
    const tm__interval *at;
    double ns = (double)(part->end_ns - part->start_ns);
    uint32_t wait;

    if (part->interval == TM__NONE || !tm__is_stopped(part->state))
        return;
    at = &all->model->entities.threads[thread].intervals[part->interval];
    if (all->options->change == TM_WHATIF_METHOD) {
        if (at->state == TM_STATE_SLEEPING)
            sum->done_ns += ns * tm__method_sleep_share(&all->sleeps, all->model,
                                                        thread, part->interval);
    } else if (all->options->change == TM_WHATIF_HOLDS ||
               (all->groups && tm__is_lock_block(at))) {
        if (is_of_lock(all, it, at))
            sum->queued_ns += ns;
    } else if (all->served.roles &&
               (wait = wait_at(&all->resources, thread, part->interval)) != TM__NONE &&
               all->served.roles[wait] != TM__WAIT_OTHER) {
        double service_ns = (double)all->served.service_ns[wait];

        if (all->served.roles[wait] != TM__WAIT_SERVED)
            service_ns = 0;
        service_ns = service_ns > ns ? ns : service_ns;
        sum->served_ns += service_ns;
        sum->queued_ns += ns - service_ns;
    }
}

static change of_unit(const tm__load *load, const tm__candidates *all,
                      const tm__candidate *it, const tm__unit *unit)
{
    change sum = {0};

    for (uint32_t i = 0; i < unit->span_count; i++) {
        const tm__unit_span *span = &load->units.spans[unit->span_first + i];
        tm__unit_walk walk;
        tm__unit_part part;

        tm__unit_walk_start(&walk, all->model, span);
        while (tm__unit_walk_next(&walk, &part))
            add_part(all, it, span->thread, &part, &sum);
    }
    return sum;
}

/* ---- what others have ---- */

typedef struct length_sum {
    double total_ns, squares, count;
} length_sum;

static void add_length(length_sum *all, int64_t start_ns, int64_t end_ns)
{
    double ns = (double)(end_ns - start_ns);

    all->total_ns += ns;
    all->squares += ns * ns;
    all->count++;
}

/* The square of the coefficient of variation. */
static double variance_of(const length_sum *it)
{
    return it->squares * it->count / (it->total_ns * it->total_ns) - 1;
}

static void add_holds(const tm__load *load, const tm__candidates *all,
                      const tm__candidate *it, tm__unit_demand *demand)
{
    length_sum own = {0}, others = {0};

    for (uint32_t i = 0; i < all->holds.items_count; i++) {
        const tm__replay_hold *hold = &all->holds.items[i];

        if (hold->start_ns < load->kind->steady_from_ns ||
            hold->end_ns > load->kind->steady_to_ns || hold->is_shared ||
            hold->owner == TM__NONE ||
            !tm__candidate_matches(all, it, &all->holds.places[hold->place]))
            continue;
        add_length(load->serves[hold->owner] ? &own : &others, hold->start_ns,
                   hold->end_ns);
    }
    demand->servers = 1;
    if (others.total_ns > own.total_ns) {
        demand->stall = others.total_ns / 1e9 / others.count;
        demand->gap = load->seconds / others.count - demand->stall;
        demand->gap = demand->gap > 0 ? demand->gap : 0;
    } else if (own.total_ns > 0) {
        demand->used = own.total_ns / 1e9 / (double)load->kind->steady_count;
        demand->variance = variance_of(&own);
    }
}

static void add_uses(const tm__load *load, const tm__candidates *all,
                     tm__unit_demand *demand)
{
    length_sum uses = {0};
    double waits = 0;

    for (uint32_t i = 0; i < all->served.spans_count; i++)
        add_length(&uses, all->served.spans[i].start_ns, all->served.spans[i].end_ns);
    for (uint32_t i = 0; i < all->resources.waits_count; i++)
        if (all->served.roles[i] != TM__WAIT_OTHER &&
            all->served.roles[i] != TM__WAIT_LOST)
            waits += all->resources.waits[i].end_ns > load->kind->steady_from_ns &&
                     all->resources.waits[i].end_ns <= load->kind->steady_to_ns;
    if (uses.total_ns <= 0)
        return;
    demand->variance = variance_of(&uses);
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

/* ---- the answer ---- */

/* The replay, where the threads that make the load are part of the run: it knows what
 * waits for what. */
static int by_replay(tm__throughput *out, const tm__load *load,
                     const tm__candidates *all, const tm__candidate *it)
{
    tm__gain gain = tm__gain_of(all, it);
    double length_ns = (double)tm_model_length_ns(all->model), left_ns[3];

    if (load->is_service || !gain.is_known || gain.middle_ns <= 0)
        return 0;
    left_ns[0] = length_ns - (double)gain.low_ns;
    left_ns[1] = length_ns - (double)gain.middle_ns;
    left_ns[2] = length_ns - (double)gain.high_ns;
    if (left_ns[1] < length_ns / 1000)
        return 0;
    out->low = load->rate * length_ns / left_ns[0];
    out->middle = load->rate * length_ns / left_ns[1];
    out->high = left_ns[2] > length_ns / 1000 ? load->rate * length_ns / left_ns[2]
                                              : out->middle * 2;
    return 1;
}

const char *tm__next_bottleneck(const tm__load *load, const tm__candidates *all,
                                const tm__candidate *it)
{
    const tm_model *model = all->model;
    tm__triple_map sums = {0};
    uint32_t best = TM__NONE;
    uint32_t most_us = 0;

    for (uint32_t i = 0; i < load->units.items_count; i++) {
        const tm__unit *unit = &load->units.items[i];

        if (!tm__load_is_steady(load, unit))
            continue;
        for (uint32_t s = 0; s < unit->span_count; s++) {
            const tm__unit_span *span = &load->units.spans[unit->span_first + s];
            tm__unit_walk walk;
            tm__unit_part part;

            tm__unit_walk_start(&walk, model, span);
            while (tm__unit_walk_next(&walk, &part)) {
                tm__unit_cause cause =
                    tm__unit_cause_of(&load->units, span->thread, &part);
                change sum = {0};
                uint32_t *us;
                int64_t part_us = (part.end_ns - part.start_ns) / 1000;

                add_part(all, it, span->thread, &part, &sum);
                part_us -= (int64_t)((sum.queued_ns + sum.done_ns) / 1000);
                if (part_us <= 0 ||
                    (cause.method == TM__NONE && cause.state != TM_STATE_RUNNING))
                    continue;
                us = tm__triple_map_at(&sums, load->units.memory, cause.method, 0, 0);
                if (!us)
                    continue;
                *us = part_us > UINT32_MAX - *us ? UINT32_MAX : *us + (uint32_t)part_us;
                if (*us > most_us) {
                    most_us = *us;
                    best = cause.method;
                }
            }
        }
    }
    tm__triple_map_free(&sums, load->units.memory);
    return tm__strings_get(&model->entities.strings, best);
}

static int64_t at_quantile(tm__memory *memory, tm__sortable *lengths, uint32_t count)
{
    tm__sortable *spare = tm__resize(memory, NULL, 0, (size_t)count * sizeof(*spare));
    int64_t ns = -1;

    if (spare) {
        tm__sort(lengths, spare, count, NULL, NULL);
        ns = lengths[tm__quantile_rank(count, 0.99) - 1].key;
    }
    tm__free(memory, spare, (size_t)count * sizeof(*spare));
    return ns;
}

/* By how much a unit that a stall stops is shorter. How long it was stopped is known
 * for a lock; else it is what the unit is longer than those that are not. */
static double stalled_less(const tm__load *load, const tm__unit_demand *demand,
                           const change *sum, double ns, double less)
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
static void shorten(const tm__load *load, const tm__candidates *all,
                    const tm__candidate *it, const tm__unit_demand *demand,
                    double saved, tm__sortable *lengths, uint32_t count)
{
    const tm_whatif_options *options = all->options;
    int is_permits = options->change == TM_WHATIF_PERMITS;
    double less = is_permits ? 0 : 1 - options->factor;
    double used = demand->used * less;
    double queue =
        demand->queued > 0 ? (saved - demand->saved * less - used) / demand->queued : 0;
    double now = load->in_flight / load->rate;
    double others = (saved - demand->saved * less) / (now - demand->saved + 1e-12);

    queue = queue > 1 ? 1 : queue;
    for (uint32_t i = 0; i < count; i++) {
        const tm__unit *unit = &load->units.items[lengths[i].number];
        change sum = of_unit(load, all, it, unit);
        double ns = (double)tm__unit_length_ns(unit);

        if (demand->stall > 0)
            ns -= stalled_less(load, demand, &sum, ns, is_permits ? 1 : less);
        else if (demand->others > 0)
            ns -= sum.done_ns * less + (ns - sum.done_ns) * others;
        else if (demand->queued + demand->saved > 0)
            ns -= sum.queued_ns * queue + sum.done_ns * less + used * 1e9;
        else
            ns *= 1 - saved / now;
        lengths[i].key = ns > 0 ? (int64_t)ns : 0;
    }
}

int tm__throughput_of(tm__throughput *out, const tm__load *load, tm__candidates *all,
                      const tm__candidate *it)
{
    const tm_whatif_options *options = all->options;
    uint32_t count = load->kind ? (uint32_t)load->kind->steady_count : 0, at = 0;
    size_t bytes = ((size_t)count + 1) * sizeof(tm__sortable);
    tm__unit_demand demand = {.variance = 1};
    double queued_ns = 0, served_ns = 0, done_ns = 0, total_ns = 0, mean;
    tm__sortable *lengths;

    *out = (tm__throughput){0};
    if (!count || !it->scaled)
        return TM_OK;
    lengths = tm__resize(&all->memory, NULL, 0, bytes);
    if (!lengths)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < load->units.items_count && at < count; i++) {
        const tm__unit *unit = &load->units.items[i];
        change sum;

        if (!tm__load_is_steady(load, unit))
            continue;
        sum = of_unit(load, all, it, unit);
        queued_ns += sum.queued_ns;
        served_ns += sum.served_ns;
        done_ns += sum.done_ns;
        total_ns += (double)tm__unit_length_ns(unit);
        lengths[at++] = (tm__sortable){.key = tm__unit_length_ns(unit), .number = i};
    }
    demand.queued = queued_ns / 1e9 / count;
    demand.used = served_ns / 1e9 / count;
    demand.saved = done_ns / 1e9 / count;
    if (options->change == TM_WHATIF_HOLDS || (all->groups && !all->served.waits))
        add_holds(load, all, it, &demand);
    else if (options->change != TM_WHATIF_METHOD)
        add_uses(load, all, &demand);
    else if (!all->needed && tm__method_demand_of(&demand, load, all) < 0) {
        tm__free(&all->memory, lengths, bytes);
        return TM_ENOMEM;
    }
    if (demand.queued + demand.saved + demand.others > 0) {
        tm__rates rates =
            tm__rates_by_laws(load->in_flight, load->rate, options, &demand);

        out->low = rates.low;
        out->middle = rates.middle;
        out->high = rates.high;
        out->is_known = 1;
    } else {
        out->is_known = by_replay(out, load, all, it);
    }
    if (out->is_known) {
        double n = load->in_flight;

        out->share = total_ns > 0 ? (queued_ns + done_ns) / total_ns +
                                        demand.others * load->rate / n
                                  : 0;
        out->low = out->low < out->middle * (1 - ERROR_SHARE)
                       ? out->low
                       : out->middle * (1 - ERROR_SHARE);
        out->high = out->high > out->middle * (1 + ERROR_SHARE)
                        ? out->high
                        : out->middle * (1 + ERROR_SHARE);
        mean = n / out->middle;
        out->mean_ns = (int64_t)(mean * 1e9);
        out->mean_low_ns = (int64_t)(n / out->high * 1e9);
        out->mean_high_ns = (int64_t)(n / out->low * 1e9);
        out->p99_now_ns = at_quantile(&all->memory, lengths, count);
        shorten(load, all, it, &demand, n / load->rate - mean, lengths, count);
        out->p99_ns = at_quantile(&all->memory, lengths, count);
    }
    tm__free(&all->memory, lengths, bytes);
    return out->is_known && (out->p99_ns < 0 || out->p99_now_ns < 0) ? TM_ENOMEM
                                                                     : TM_OK;
}
