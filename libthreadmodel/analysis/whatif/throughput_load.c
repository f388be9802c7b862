/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The units that a run serves, and what decides how long the run is: a load from
 * outside, a load of the program's own that lasts for a given time, who recorded it, or
 * the work.
 *
 *     client-1  [unit][unit ][unit][unit]      each makes units until the time is up:
 *     client-2  [ unit ][ unit ][  unit  ]     not equally many, and no longer than one
 *     client-3  [unit][ unit][unit][unit ]     unit after the others
 */
#include "analysis/resources/resources.h"
#include "analysis/units/paced_loops.h"
#include "analysis/timeline/processor_time.h"
#include "analysis/units/units.h"
#include "analysis/whatif/throughput_load.h"
#include "analysis/whatif/throughput_clients.h"

#include "base/histogram.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "model/entities/caller_frame.h"
#include "model/intervals/cpu.h"

enum { PART_FROM_OUTSIDE = 10, PART_WOKEN = 100, PARTS = 8 };

/* Threads that make fewer units may end together by chance, and where counts differ by
 * as little as this, a unit at either end was not seen. */
enum { LEAST_UNITS = 16, UNSEEN_UNITS = 2 };

/* So many units are at once if they are for this part of the time. */
#define AT_ONCE_SHARE 0.01

/* Units are submitted by a thread that wakes idle workers for them, which need not be
 * often where there is always work. It spends its time neither on a processor nor
 * blocked by other threads: it waits for what comes from outside. */
static int comes_from_outside(const tm__load *load, const tm_model *model)
{
    const tm__unit_kind *kind = load->kind;
    const tm__thread *waker;
    int64_t cpu_ns, life_ns, stopped_ns, start_ns;

    if (kind->is_dispatched)
        return 1;
    if (kind->waker == TM__NONE || kind->woken * PART_FROM_OUTSIDE < kind->wakings ||
        kind->woken * PART_WOKEN < kind->count)
        return 0;
    waker = &model->entities.threads[kind->waker];
    cpu_ns = tm__cpu_time_ns(&model->intervals, kind->waker);
    if (cpu_ns < 0 || !waker->interval_count)
        return 0;
    start_ns = waker->intervals[0].start_ns;
    life_ns = model->last_ns - start_ns;
    stopped_ns =
        tm__not_running_ns(model, kind->waker, start_ns, model->last_ns, NULL) -
        tm__seen_ns(model, kind->waker, TM_STATE_IO);
    return cpu_ns < life_ns / 2 && stopped_ns < life_ns / 2;
}

/** The units of the main kind that a thread made. */
typedef struct made {
    int64_t end_ns;
    uint64_t count;
} made;

/* The 99th percentile. */
static int64_t long_unit_ns(const tm__load *load)
{
    const tm__units *units = &load->units;
    uint64_t rank = tm__quantile_rank(load->kind->count, 0.99) - 1;
    uint32_t unit = units->by_kind[load->kind->order_first + rank];

    return tm__unit_length_ns(&units->items[unit]);
}

/* Whether the threads that make the units end together and make a different number of
 * them. Each with its own share of the work would end at another time. */
static int ends_by_time(const tm__load *load, const made *of_thread)
{
    uint64_t least = UINT64_MAX, most = 0;
    int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
    uint32_t threads = 0;

    for (uint32_t i = 0; i < load->model->entities.threads_count; i++) {
        const made *it = &of_thread[i];

        if (!it->count)
            continue;
        threads++;
        least = it->count < least ? it->count : least;
        most = it->count > most ? it->count : most;
        first_ns = it->end_ns < first_ns ? it->end_ns : first_ns;
        last_ns = it->end_ns > last_ns ? it->end_ns : last_ns;
    }
    return threads > 1 && least >= LEAST_UNITS && most > least + UNSEEN_UNITS &&
           last_ns - first_ns <= long_unit_ns(load);
}

/* Units that others submit end when there are no more of them. */
static int find_timed(tm__load *load)
{
    const tm__unit_kind *kind = load->kind;
    size_t bytes = ((size_t)load->model->entities.threads_count + 1) * sizeof(made);
    made *of_thread;

    if (kind->is_dispatched || kind->woken || !kind->count)
        return TM_OK;
    of_thread = tm__zalloc(&load->memory, bytes);
    if (!of_thread)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < load->units.items_count; i++) {
        const tm__unit *unit = &load->units.items[i];

        if (!tm__unit_is_of(&load->units, unit, kind))
            continue;
        of_thread[unit->thread].count += unit->is_finished;
        if (unit->end_ns > of_thread[unit->thread].end_ns)
            of_thread[unit->thread].end_ns = unit->end_ns;
    }
    load->is_timed |= ends_by_time(load, of_thread);
    tm__free(&load->memory, of_thread, bytes);
    return TM_OK;
}

/* The same of loops with a sleep in each round, whose rounds are all known. */
static int find_paced(tm__load *load)
{
    tm__paced_loops paced;
    int rc = tm__paced_loops_open(&paced, load->model, &load->memory, load->callers);

    for (uint32_t i = 0; rc == TM_OK && i < paced.loops_count; i++)
        load->is_timed |=
            paced.loops[i].is_timed && load->serves[paced.loops[i].thread];
    tm__paced_loops_close(&paced);
    return rc;
}

enum { ENDS, BEGINS };

/* Ends go before begins of the same instant. */
static int by_kind(const void *payload, uint32_t left, uint32_t right)
{
    (void)payload;
    return (int)left - (int)right;
}

/* The most units at once, but for a small part of the steady time: an answer may be
 * read before its unit has ended. */
static uint32_t most_at_once(const tm__load *load, const tm__sortable *edges,
                             uint32_t count, double *at_level_ns)
{
    double left_ns = AT_ONCE_SHARE * load->seconds * 1e9;
    uint32_t now = 0, most = 0;
    int64_t at_ns = load->kind->steady_from_ns;

    for (uint32_t i = 0; i < count; i++) {
        at_level_ns[now] += (double)(edges[i].key - at_ns);
        at_ns = edges[i].key;
        now += edges[i].number == BEGINS ? 1 : -1u;
        most = now > most ? now : most;
    }
    while (most > 1 && (left_ns -= at_level_ns[most]) > 0)
        most--;
    return most;
}

/* Clients that wait for their answers are at least as many as units were at once, and
 * think for the rest of the time (Little). The clients of an open load think for long:
 * no more of it is served then. */
static int find_customers(tm__load *load)
{
    const tm__unit_kind *kind = load->kind;
    size_t most = 2 * (size_t)load->units.items_count + 2;
    size_t bytes = 2 * most * sizeof(tm__sortable), levels = most * sizeof(double);
    tm__sortable *edges = tm__resize(&load->memory, NULL, 0, bytes);
    double *at_level_ns = tm__zalloc(&load->memory, levels);
    uint32_t count = 0;

    for (uint32_t i = 0; edges && at_level_ns && i < load->units.items_count; i++) {
        const tm__unit *unit = &load->units.items[i];
        int64_t start_ns = unit->start_ns, end_ns = unit->end_ns;

        if (!tm__unit_is_of(&load->units, unit, kind) ||
            end_ns <= kind->steady_from_ns || start_ns >= kind->steady_to_ns)
            continue;
        if (start_ns < kind->steady_from_ns)
            start_ns = kind->steady_from_ns;
        if (end_ns > kind->steady_to_ns)
            end_ns = kind->steady_to_ns;
        if (start_ns >= end_ns)
            continue;
        edges[count++] = (tm__sortable){start_ns, BEGINS};
        edges[count++] = (tm__sortable){end_ns, ENDS};
    }
    if (edges && at_level_ns) {
        tm__sort(edges, edges + most, count, by_kind, NULL);
        load->customers = most_at_once(load, edges, count, at_level_ns);
    }
    if (load->rate > 0 && load->customers > load->in_flight)
        load->think = (load->customers - load->in_flight) / load->rate;
    tm__free(&load->memory, edges, bytes);
    tm__free(&load->memory, at_level_ns, levels);
    return edges && at_level_ns ? TM_OK : TM_ENOMEM;
}

/* Twice the standard error, by how far parts of the steady time deviate on average. For
 * a normal distribution this is 0.8 of the standard deviation. */
static double error_of(const tm__load *load)
{
    static const double root = 2.83; /* of PARTS */
    double counts[PARTS] = {0}, mean = load->rate * load->seconds / PARTS, apart = 0;

    for (uint32_t i = 0; i < load->units.items_count; i++) {
        const tm__unit *unit = &load->units.items[i];
        double at = (double)(unit->end_ns - load->kind->steady_from_ns) / 1e9 * PARTS /
                    load->seconds;

        if (tm__load_is_steady(load, unit))
            counts[at < PARTS - 1 ? (uint32_t)at : PARTS - 1]++;
    }
    for (int i = 0; i < PARTS; i++)
        apart += counts[i] > mean ? counts[i] - mean : mean - counts[i];
    return 2 * apart / PARTS / mean / 0.8 / root;
}

int tm__load_open(tm__load *load, const tm_model *model, const tm__scope *part,
                  const tm__libraries *libraries)
{
    int rc;

    *load = (tm__load){.model = model};
    tm__memory_init(&load->memory, &model->memory.hook);
    rc = tm__scope_open(&load->scope, model, NULL);
    if (rc < 0)
        return rc;
    if (part) {
        load->scope.from_ns = part->from_ns;
        load->scope.to_ns = part->to_ns;
    }
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
        if (tm__unit_is_of(&load->units, &load->units.items[i], load->kind))
            load->serves[load->units.items[i].thread] = 1;
    load->seconds =
        (double)(load->kind->steady_to_ns - load->kind->steady_from_ns) / 1e9;
    load->rate = (double)load->kind->steady_count / load->seconds;
    load->in_flight = (double)load->kind->steady_total_ns / 1e9 / load->seconds;
    if (load->rate > 0)
        load->error = error_of(load);
    rc = find_customers(load);
    if (rc == TM_OK)
        rc = tm__resources_open(&load->resources, model, &load->scope, &load->memory,
                                load->callers);
    if (rc < 0)
        return rc;
    load->is_service = comes_from_outside(load, model) ||
                       tm__units_are_of_clients(model, &load->units, load->kind);
    load->is_timed = model->run.ending == TM_ENDING_WENT_ON;
    rc = find_timed(load);
    return rc == TM_OK ? find_paced(load) : rc;
}

void tm__load_close(tm__load *load)
{
    const tm_model *model = load->model;

    if (!load->is_open)
        return;
    if (load->resources.memory)
        tm__resources_close(&load->resources);
    if (load->units.memory)
        tm__units_close(&load->units);
    tm__free(&load->memory, load->serves, (size_t)model->entities.threads_count + 1);
    tm__free(&load->memory, load->callers,
             ((size_t)model->entities.stacks_count + 1) * sizeof(*load->callers));
    tm__scope_close(&load->scope, model);
}

int tm__load_is_steady(const tm__load *load, const tm__unit *unit)
{
    return tm__unit_is_of(&load->units, unit, load->kind) && unit->is_finished &&
           unit->start_ns >= load->kind->steady_from_ns &&
           unit->end_ns <= load->kind->steady_to_ns;
}
