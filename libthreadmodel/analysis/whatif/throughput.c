/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A service's run is as long as its load: what a change gains is more requests in the
 * same time, and shorter ones. N requests in flight and X requests a second take
 * R = N / X each (Little). W of R is queued for what the change is about, S is its use:
 *
 *     without the queue      X' = N / (R - W)
 *     with k servers         X' <= k / S
 *     in between             mean value analysis of the closed network
 *
 * The load is taken to be closed: as many requests are in flight after the change. All
 * of it is measured where the rate is steady, so that start-up does not count.
 */
#include "analysis/units/units.h"
#include "analysis/whatif/throughput.h"

#include "analysis/units/unit_walk.h"
#include "base/histogram.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "model/entities/entity_names.h"
#include "model/intervals/cpu.h"

enum { MOST_CUSTOMERS = 100000, PART_FROM_OUTSIDE = 10 };

/* No prediction is better than this, whatever the bounds say. */
#define ERROR_SHARE 0.1

double tm__closed_rate(double customers, double delay, double service, double servers,
                       double variance)
{
    double most = customers / (delay + service > 0 ? delay + service : 1e-12);
    double each = servers > 0 ? service / servers : 0, queue = 0, rate = most;
    double still = delay + service - each;
    uint32_t count =
        customers < MOST_CUSTOMERS ? (uint32_t)(customers + 0.5) : MOST_CUSTOMERS;

    if (each <= 0)
        return most;
    if (most > 1 / each)
        most = 1 / each;
    for (uint32_t n = 1; n <= count; n++) {
        double response = each * (1 + queue);

        rate = n / (still + response);
        queue = rate * response;
    }
    if (rate > most || !count)
        rate = most;
    if (variance > 1)
        variance = 1;
    return rate * variance + most * (1 - variance);
}

/* ---- the load ---- */

/* What a poller waits for comes from outside. */
static int64_t in_io_ns(const tm_model *model, const tm__thread *thread)
{
    int64_t sum_ns = 0;

    for (uint32_t i = 0; i < thread->interval_count; i++)
        if (thread->intervals[i].state == TM_STATE_IO)
            sum_ns = tm__sum(sum_ns, tm__interval_end_ns(model, thread, i) -
                                         thread->intervals[i].start_ns);
    return sum_ns;
}

/* Units are submitted by a thread that spends its time neither on a processor nor
 * blocked by other threads: it waits for what comes from outside. */
static int comes_from_outside(const tm__load *load, const tm_model *model)
{
    const tm__unit_kind *kind = load->kind;
    const tm__thread *waker;
    int64_t cpu_ns, life_ns, stopped_ns, start_ns;

    if (kind->is_dispatched)
        return 1;
    if (kind->waker == TM__NONE || kind->woken * PART_FROM_OUTSIDE < kind->count)
        return 0;
    waker = &model->entities.threads[kind->waker];
    cpu_ns = tm__cpu_time_ns(model, kind->waker);
    if (cpu_ns < 0 || !waker->interval_count)
        return 0;
    start_ns = waker->intervals[0].start_ns;
    life_ns = model->last_ns - start_ns;
    stopped_ns =
        tm__not_running_ns(model, kind->waker, start_ns, model->last_ns, NULL) -
        in_io_ns(model, waker);
    return cpu_ns < life_ns / 2 && stopped_ns < life_ns / 2;
}

int tm__load_open(tm__load *load, const tm_model *model, const tm__libraries *libraries)
{
    int rc;

    *load = (tm__load){.model = model};
    tm__memory_init(&load->memory, &model->memory.hook);
    rc = tm__scope_open(&load->scope, model, NULL);
    if (rc < 0)
        return rc;
    load->is_open = 1;
    load->callers = tm__stack_callers(model, &load->memory, libraries);
    load->serves = tm__zalloc(&load->memory, (size_t)model->entities.threads_count + 1);
    if (!load->callers || !load->serves)
        return TM_ENOMEM;
    rc = tm__units_open(&load->units, model, &load->scope, &load->memory, load->callers,
                        0);
    if (rc == TM_OK)
        load->kind = tm__unit_main_kind(&load->units);
    if (!load->kind)
        return rc;
    for (uint32_t i = 0; i < load->units.items_count; i++)
        if (&load->units.kinds[load->units.items[i].kind] == load->kind)
            load->serves[load->units.items[i].thread] = 1;
    load->seconds =
        (double)(load->kind->steady_to_ns - load->kind->steady_from_ns) / 1e9;
    load->rate = (double)load->kind->steady_count / load->seconds;
    load->in_flight = (double)load->kind->steady_total_ns / 1e9 / load->seconds;
    load->is_service = comes_from_outside(load, model);
    return TM_OK;
}

void tm__load_close(tm__load *load)
{
    const tm_model *model = load->model;

    if (!load->is_open)
        return;
    if (load->units.memory)
        tm__units_close(&load->units);
    tm__free(&load->memory, load->serves, (size_t)model->entities.threads_count + 1);
    tm__free(&load->memory, load->callers,
             ((size_t)model->entities.stacks_count + 1) * sizeof(*load->callers));
    tm__scope_close(&load->scope, model);
}

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
        if (at->state == TM_STATE_SLEEPING && at->stack != TM__NONE &&
            all->stacks[at->stack])
            sum->done_ns += ns;
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

static int is_steady(const tm__load *load, const tm__unit *unit)
{
    return &load->units.kinds[unit->kind] == load->kind && unit->is_finished &&
           unit->end_ns > load->kind->steady_from_ns &&
           unit->end_ns <= load->kind->steady_to_ns;
}

/* ---- what others have ---- */

static void add_holds(const tm__load *load, const tm__candidates *all,
                      const tm__candidate *it, tm__unit_demand *demand)
{
    double own_ns = 0, others_ns = 0, squares = 0, count = 0;

    for (uint32_t i = 0; i < all->holds.items_count; i++) {
        const tm__replay_hold *hold = &all->holds.items[i];
        double ns = (double)(hold->end_ns - hold->start_ns);

        if (hold->start_ns < load->kind->steady_from_ns ||
            hold->end_ns > load->kind->steady_to_ns || hold->is_shared ||
            hold->owner == TM__NONE ||
            !tm__candidate_matches(all, it, &all->holds.places[hold->place]))
            continue;
        if (load->serves[hold->owner]) {
            own_ns += ns;
            squares += ns * ns;
            count++;
        } else {
            others_ns += ns;
        }
    }
    demand->is_others = others_ns > own_ns;
    demand->used =
        demand->is_others ? 0 : own_ns / 1e9 / (double)load->kind->steady_count;
    demand->servers = 1;
    if (count > 0 && own_ns > 0)
        demand->variance = squares * count / (own_ns * own_ns) - 1;
}

static void add_uses(const tm__load *load, const tm__candidates *all,
                     tm__unit_demand *demand)
{
    double total_ns = 0, squares = 0, count = 0, waits = 0;
    uint32_t permits = 0;

    for (uint32_t i = 0; i < all->served.spans_count; i++) {
        double ns =
            (double)(all->served.spans[i].end_ns - all->served.spans[i].start_ns);

        total_ns += ns;
        squares += ns * ns;
        count++;
    }
    for (uint32_t i = 0; i < all->resources.waits_count; i++)
        if (all->served.roles[i] != TM__WAIT_OTHER) {
            const tm__resource *of =
                &all->resources.items[all->resources.waits[i].resource];

            permits = of->permits > permits ? of->permits : permits;
            waits += all->resources.waits[i].end_ns > load->kind->steady_from_ns &&
                     all->resources.waits[i].end_ns <= load->kind->steady_to_ns;
        }
    if (count <= 0 || total_ns <= 0)
        return;
    demand->variance = squares * count / (total_ns * total_ns) - 1;
    if (!all->served.servers) {
        double each = waits / (double)load->kind->steady_count;

        /* A unit that did not wait for it used it as well. */
        demand->used = total_ns / count / 1e9 * (each > 1 ? each : 1);
        demand->servers = permits ? permits : load->rate * demand->used;
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

static void by_laws(tm__throughput *out, const tm__load *load,
                    const tm_whatif_options *options, const tm__unit_demand *demand)
{
    double n = load->in_flight, r = n / load->rate, f = options->factor;
    double rest = r - demand->queued - demand->used - demand->saved;
    double used = demand->used, servers = demand->servers;

    rest = rest > 0 ? rest : 0;
    if (options->change == TM_WHATIF_PERMITS)
        servers += options->permits;
    else
        used *= f;
    if (demand->is_others) {
        /* How long one waits for another's hold grows with its length, and with the
         * chance to meet it. */
        out->low = n / (rest + demand->used + demand->queued * f + 1e-12);
        out->high = n / (rest + demand->used + demand->queued * f * f + 1e-12);
        out->middle = (out->low + out->high) / 2;
    } else {
        rest += demand->saved * f;
        out->low = tm__closed_rate(n, rest, used, servers, 1);
        out->high = tm__closed_rate(n, rest, used, servers, 0);
        out->middle = tm__closed_rate(n, rest, used, servers, demand->variance);
    }
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

        if (!is_steady(load, unit))
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

/* Each unit saves of its own queueing the share that all of them save on average. */
static void shorten(const tm__load *load, const tm__candidates *all,
                    const tm__candidate *it, const tm__unit_demand *demand,
                    double saved, tm__sortable *lengths, uint32_t count)
{
    const tm_whatif_options *options = all->options;
    double less = options->change == TM_WHATIF_PERMITS ? 0 : 1 - options->factor;
    double used = demand->is_others ? 0 : demand->used * less;
    double queue =
        demand->queued > 0 ? (saved - demand->saved * less - used) / demand->queued : 0;
    double now = load->in_flight / load->rate;

    queue = queue > 1 ? 1 : queue;
    for (uint32_t i = 0; i < count; i++) {
        const tm__unit *unit = &load->units.items[lengths[i].number];
        change sum = of_unit(load, all, it, unit);
        double ns = (double)tm__unit_length_ns(unit);

        if (demand->queued + demand->saved > 0)
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

        if (!is_steady(load, unit))
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
    if (demand.queued + demand.saved > 0) {
        by_laws(out, load, options, &demand);
        out->is_known = 1;
    } else {
        out->is_known = by_replay(out, load, all, it);
    }
    if (out->is_known) {
        double n = load->in_flight;

        out->share = total_ns > 0 ? (queued_ns + done_ns) / total_ns : 0;
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
