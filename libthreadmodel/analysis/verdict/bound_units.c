/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The place that bounds a service: its main kind of units of work, requests for
 * instance, spends most of its time there, waiting for a pool, a queue or another
 * thread, asleep, or in I/O. It is asked for where no lock bounds the run.
 */
#include <string.h>

#include "analysis/units/paced_loops.h"
#include "analysis/units/unit_parts.h"
#include "analysis/verdict/bound_units.h"
#include "analysis/verdict/judge_state.h"
#include "base/error.h"
#include "base/saturate.h"
#include "model/entities/caller_frame.h"
#include "model/entities/methods.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"

/* So many units at least have that part; it takes this share of the time of all units
 * of the kind, and that of the busy time of all threads. */
enum { UNITS_AT_LEAST = 20, UNIT_SHARE = 50, PROGRAM_SHARE = 25 };

/* Units that came for a smaller part of the run do not tell what that did. */
enum { PARTS_OF_RUN = 10 };

/* Ways to be kept from going on. */
static const char *const states[] = {"blocked",  "reentering", "waiting", "parked",
                                     "sleeping", "joining",    "io"};

static int is_kept(const char *state)
{
    for (size_t i = 0; state && i < sizeof(states) / sizeof(*states); i++)
        if (strcmp(states[i], state) == 0)
            return 1;
    return 0;
}

/* Sleeps do not bound a program in which others wait for a lock all the while. */
static int is_bound(const tm__judgement *it, const tm_table *parts)
{
    int64_t busy_ns = it->spent.lived_ns - it->spent.idle_ns;

    if (it->owed && strcmp(tm_table_string(parts, "state", 0), "sleeping") == 0)
        return 0;
    return is_kept(tm_table_string(parts, "state", 0)) &&
           tm_table_int64(parts, "units")[0] >= UNITS_AT_LEAST &&
           100 * tm_table_double(parts, "share")[0] >= UNIT_SHARE &&
           tm_table_int64(parts, "total_ns")[0] / PROGRAM_SHARE >= busy_ns / 100;
}

/* Whether a thread waits in I/O, not idly, where a method called for it. */
static int is_io_of(const tm_model *model, const tm__interval *it, const char *method)
{
    return it->state == TM_STATE_IO && !tm__interval_is_idle(it) &&
           it->object != TM__NONE &&
           tm__frame_is_of(model, tm__stack_caller(model, it->stack), method);
}

static int64_t paced_at_ns(const tm__judgement *it, const tm__paced_loops *paced,
                           const char *method)
{
    const tm_model *model = it->model;
    int64_t sum_ns = 0;

    for (uint32_t i = 0; i < paced->loops_count; i++) {
        uint32_t number = paced->loops[i].thread;
        const tm__thread *thread = &model->entities.threads[number];

        for (uint32_t j = 0; !paced->loops[i].is_joined && j < thread->interval_count;
             j++) {
            int64_t from_ns = thread->intervals[j].start_ns;
            int64_t to_ns = tm__interval_end_ns(model, thread, j);

            if (tm__paced_loop_at(paced, number, j) == &paced->loops[i] &&
                tm__scope_cut(&it->scope, &from_ns, &to_ns) &&
                tm__frame_is_of(
                    model, tm__stack_caller(model, thread->intervals[j].stack), method))
                sum_ns =
                    tm__sum(sum_ns, tm__paced_ns(paced, number, j, from_ns, to_ns));
        }
    }
    return sum_ns;
}

/* Sleeps that decide when a thread's next work is due bound nothing. */
static int is_paced(tm__judgement *it, int *paces)
{
    const char *method = tm_table_string(it->unit_parts, "method", 0);
    const char *state = tm_table_string(it->unit_parts, "state", 0);
    const uint32_t *callers;
    tm__paced_loops paced;
    int rc;

    *paces = 0;
    if (!method || (strcmp(state, "sleeping") != 0 && strcmp(state, "parked") != 0))
        return TM_OK;
    callers = tm__usual_callers(it->model);
    if (!callers)
        return tm__failure();
    rc = tm__paced_loops_open(&paced, it->model, &it->memory, callers);
    if (rc == TM_OK)
        *paces = paced_at_ns(it, &paced, method) >=
                 tm_table_int64(it->unit_parts, "total_ns")[0] / 2;
    tm__paced_loops_close(&paced);
    return rc;
}

/* The rest of the endpoints has less than this part of the time. */
enum { PART_OF_REST = 10 };

static uint32_t count_endpoints(const tm__judgement *it, const int64_t *sums,
                                int64_t all_ns)
{
    uint32_t count = 0;

    if (it->endpoint != TM__NONE && all_ns - sums[it->endpoint] < all_ns / PART_OF_REST)
        return 1;
    for (uint32_t i = 0; i < it->model->entities.objects_count; i++)
        count += sums[i] > 0;
    return count;
}

/* The endpoint that most of the time in I/O at a method is spent with, and that time.
 */
static int find_endpoint(tm__judgement *it, const char *method, int64_t *io_ns)
{
    const tm_model *model = it->model;
    size_t bytes = ((size_t)model->entities.objects_count + 1) * sizeof(int64_t);
    int64_t *sums = tm__zalloc(&it->memory, bytes), all_ns = 0;

    *io_ns = 0;
    if (!sums)
        return tm__failure();
    for (uint32_t t = 0; t < model->entities.threads_count; t++) {
        const tm__thread *thread = &model->entities.threads[t];

        for (uint32_t i = 0; i < thread->interval_count; i++) {
            const tm__interval *io = &thread->intervals[i];
            int64_t ns;

            if (!is_io_of(model, io, method))
                continue;
            ns = tm__judged_ns(it, thread, i);
            sums[io->object] = tm__sum(sums[io->object], ns);
            all_ns = tm__sum(all_ns, ns);
            if (it->endpoint == TM__NONE || sums[io->object] > sums[it->endpoint])
                it->endpoint = io->object;
        }
    }
    it->endpoints = count_endpoints(it, sums, all_ns);
    tm__free(&it->memory, sums, bytes);
    *io_ns = all_ns;
    return TM_OK;
}

/* Where units wait in I/O, it has to be for more than what clients send next: a unit
 * that is as long as a connection waits for that most of its time. */
static int is_bound_by_io(tm__judgement *it, int *is_bound)
{
    const char *method = tm_table_string(it->unit_parts, "method", 0);
    int64_t io_ns;
    int rc;

    *is_bound = 1;
    if (strcmp(tm_table_string(it->unit_parts, "state", 0), "io") != 0 || !method)
        return TM_OK;
    rc = find_endpoint(it, method, &io_ns);
    *is_bound = io_ns >= tm_table_int64(it->unit_parts, "total_ns")[0] / 2;
    return rc;
}

/* The first row of the table is the largest part of the kind with most time, or of the
 * kinds by which the program is measured. */
int tm__find_bound_of_units(tm__judgement *it)
{
    int64_t busy_ns = it->spent.lived_ns - it->spent.idle_ns;
    int64_t origin_ns = tm__model_origin_ns(it->model);
    tm_selection part = TM_SELECTION_INIT;
    tm__unit_least least = {.units = UNITS_AT_LEAST,
                            .total_ns = tm__product(busy_ns / 100, PROGRAM_SHARE)};
    int bound = 0, paces = 0, rc;

    if (it->scope.from_ns > origin_ns)
        part.from_ns = it->scope.from_ns - origin_ns;
    if (it->scope.to_ns < INT64_MAX)
        part.to_ns = it->scope.to_ns - origin_ns;
    least.lasted_ns = tm__judged_span_ns(it) / PARTS_OF_RUN;
    rc = tm__unit_parts_of_first_kind(&it->unit_parts, it->model, &part, &least);
    if (rc < 0)
        return rc;
    it->endpoint = TM__NONE;
    it->endpoints = 0;
    if (tm_table_row_count(it->unit_parts) && is_bound(it, it->unit_parts))
        rc = is_bound_by_io(it, &bound);
    if (bound)
        rc = is_paced(it, &paces);
    if (rc == TM_OK && bound && !paces)
        return TM_OK;
    tm_table_free(it->unit_parts);
    it->unit_parts = NULL;
    return rc;
}
