/* SPDX-License-Identifier: Apache-2.0 */
/* The workload: up to some million intervals, each looked at once, and few endpoints.
 */
#include "analysis/findings/io_causes.h"

#include "analysis/findings/blocked_part.h"
#include "analysis/units/unit_walk.h"
#include "analysis/units/units.h"
#include "base/error.h"
#include "base/saturate.h"
#include "model/entities/object.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"

/* Less than this part of the run is not worth a card. */
enum { PART_OF_RUN = 20 };

/* Where each endpoint has less than this part of the time, they are many. */
enum { PART_OF_PLACE = 4 };

uint32_t tm__io_kind(const tm_model *model, uint32_t object)
{
    return object == TM__NONE ? TM_OBJECT_KIND_UNKNOWN
                              : model->entities.objects[object].kind;
}

static int note_thread(tm__io_waits *w, uint32_t number)
{
    const tm__thread *thread = &w->findings->model->entities.threads[number];

    for (uint32_t i = 0; i < thread->interval_count; i++) {
        const tm__interval *it = &thread->intervals[i];
        tm__blocked_part at;
        int is_blocked = tm__blocked_part_at(w->findings, thread, i, &at);
        int64_t ns = at.to_ns - at.from_ns;

        if (it->state == TM_STATE_NEW || it->state == TM_STATE_DEAD ||
            (is_blocked && at.is_idle))
            continue;
        w->busy_ns[number] = tm__sum(w->busy_ns[number], ns);
        if (it->state != TM_STATE_IO || !is_blocked)
            continue;
        if (!tm__tally_add(&w->tally, &w->findings->memory, it->object, at.place,
                           TM__IO_AT_PLACE, ns, number))
            return tm__failure();
    }
    return TM_OK;
}

/* ---- causes ---- */

static int is_of_many(const tm__tally_item *place)
{
    return place->worst_ns < place->total_ns / PART_OF_PLACE;
}

static tm__tally_item *add_cause(tm__io_waits *w, uint32_t a, uint32_t b, uint32_t what,
                                 const tm__tally_item *it)
{
    return tm__tally_add(&w->causes, &w->findings->memory, a, b, what, it->total_ns,
                         it->a);
}

/* Sum up by place and kind, and then by endpoint where these are not many. */
static int gather_causes(tm__io_waits *w)
{
    const tm_model *model = w->findings->model;
    uint32_t count = w->tally.items_count;

    for (uint32_t i = 0; i < count; i++) {
        const tm__tally_item *it = &w->tally.items[i];

        if (!add_cause(w, it->b, tm__io_kind(model, it->a), TM__IO_OF_PLACE, it) ||
            !add_cause(w, it->a, 0, TM__IO_OF_ENDPOINT, it))
            return tm__failure();
    }
    for (uint32_t i = 0; i < count; i++) {
        const tm__tally_item *it = &w->tally.items[i];
        const uint32_t *place = tm__triple_map_find(
            &w->causes.map, it->b, tm__io_kind(model, it->a), TM__IO_OF_PLACE);

        if (!is_of_many(&w->causes.items[*place - 1]) &&
            !add_cause(w, it->a, 0, TM__IO_ELSEWHERE, it))
            return tm__failure();
    }
    return TM_OK;
}

/* An endpoint that is one of many for most of its time is a part of their cause. */
int tm__io_is_cause(const tm__io_waits *w, const tm__tally_item *it)
{
    const uint32_t *elsewhere;

    if (it->total_ns <= w->findings->run_ns / PART_OF_RUN)
        return 0;
    if (it->c == TM__IO_OF_PLACE)
        return is_of_many(it);
    if (it->c != TM__IO_OF_ENDPOINT)
        return 0;
    elsewhere = tm__triple_map_find(&w->causes.map, it->a, 0, TM__IO_ELSEWHERE);
    return elsewhere && w->causes.items[*elsewhere - 1].total_ns >= it->total_ns / 2;
}

int tm__io_is_of(const tm__io_waits *w, const tm__tally_item *cause, uint32_t object,
                 uint32_t place)
{
    return cause->c == TM__IO_OF_ENDPOINT
               ? object == cause->a
               : place == cause->a &&
                     tm__io_kind(w->findings->model, object) == cause->b;
}

/* ---- units of work ---- */

static int note_span(tm__io_waits *w, const tm__unit_span *span)
{
    const tm__thread *thread = &w->findings->model->entities.threads[span->thread];
    tm__unit_walk walk;
    tm__unit_part part;

    w->unit_ns = tm__sum(w->unit_ns, span->end_ns - span->start_ns);
    tm__unit_walk_start(&walk, w->findings->model, span);
    while (tm__unit_walk_next(&walk, &part)) {
        const tm__interval *it =
            part.interval == TM__NONE ? NULL : &thread->intervals[part.interval];

        if (it && it->state == TM_STATE_IO && !tm__interval_is_idle(it) &&
            !tm__tally_add(&w->tally, &w->findings->memory, it->object,
                           tm__caller_of(&w->findings->places, it->stack),
                           TM__IO_IN_UNITS, part.end_ns - part.start_ns, span->thread))
            return tm__failure();
    }
    return TM_OK;
}

static int note_units(tm__io_waits *w, const tm__units *units)
{
    const tm__unit_kind *kind = tm__unit_main_kind(units);
    int rc = TM_OK;

    w->has_units = kind != NULL;
    w->submitter = kind ? kind->waker : TM__NONE;
    for (uint32_t i = 0; rc == TM_OK && kind && i < units->spans_count; i++)
        if (tm__unit_is_of(units, &units->items[units->spans[i].unit], kind))
            rc = note_span(w, &units->spans[i]);
    return rc;
}

int tm__io_find_units(tm__io_waits *w)
{
    const tm_model *model = w->findings->model;
    tm__memory *memory = &w->findings->memory;
    size_t bytes = ((size_t)model->entities.stacks_count + 1) * sizeof(uint32_t);
    uint32_t *callers = tm__stack_callers(model, memory, NULL);
    tm__units units;
    int rc;

    if (!callers)
        return tm__failure();
    rc = tm__units_open(&units, model, &w->findings->scope, memory, callers, 0);
    if (rc == TM_OK)
        rc = note_units(w, &units);
    tm__units_close(&units);
    tm__free(memory, callers, bytes);
    return rc;
}

int64_t tm__io_in_units_ns(const tm__io_waits *w, const tm__tally_item *cause)
{
    int64_t sum_ns = 0;

    for (uint32_t i = 0; i < w->tally.items_count; i++) {
        const tm__tally_item *it = &w->tally.items[i];

        if (it->c == TM__IO_IN_UNITS && tm__io_is_of(w, cause, it->a, it->b))
            sum_ns = tm__sum(sum_ns, it->total_ns);
    }
    return sum_ns;
}

/* ---- life ---- */

int tm__io_waits_open(tm__io_waits *w, tm__findings *findings)
{
    const tm_model *model = findings->model;
    size_t bytes = ((size_t)model->entities.threads_count + 1) * sizeof(int64_t);
    int rc;

    *w = (tm__io_waits){.findings = findings,
                        .busy_ns = tm__zalloc(&findings->memory, bytes)};
    rc = w->busy_ns ? TM_OK : tm__failure();
    for (uint32_t t = 0; rc == TM_OK && t < model->entities.threads_count; t++)
        if (!(model->entities.threads[t].flags & TM_THREAD_AGENT))
            rc = note_thread(w, t);
    return rc == TM_OK ? gather_causes(w) : rc;
}

void tm__io_waits_close(tm__io_waits *w)
{
    size_t threads = w->findings->model->entities.threads_count;

    tm__tally_free(&w->tally, &w->findings->memory);
    tm__tally_free(&w->causes, &w->findings->memory);
    tm__free(&w->findings->memory, w->busy_ns, (threads + 1) * sizeof(int64_t));
}
