/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings about I/O: what threads wait for outside of the program. A service has some
 * dozen endpoints, and a run up to some million intervals, each looked at once, and
 * again for each card.
 */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/findings/blocked_part.h"
#include "analysis/findings/finding.h"
#include "analysis/findings/finding_text.h"
#include "analysis/findings/findings_io.h"
#include "analysis/findings/io_causes.h"
#include "analysis/findings/where.h"
#include "base/error.h"
#include "base/histogram.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "model/entities/object.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"

/* Less than this part of the time of units is not worth a card. */
enum { PART_OF_UNITS = 20 };

/* Where a program does units of work, I/O counts that they wait for, or the thread that
 * submits them. Another thread may wait all the time for what a second program prints.
 */
static int is_of_units(const tm__io_waits *w, const tm__tally_item *cause,
                       uint32_t thread)
{
    return !w->has_units || thread == w->submitter ||
           tm__io_in_units_ns(w, cause) > w->unit_ns / PART_OF_UNITS;
}

/* ---- facts of a cause for its card ---- */

/* If there are fewer waits, a single one decides the percentile. */
enum { WAITS_AT_LEAST = 50 };

typedef struct io_facts {
    const tm__tally_item *cause;
    uint32_t place; ///< places: where threads wait for it most, or TM__NONE
    int is_at_several;
    uint32_t threads;
    uint32_t worst; ///< threads[] that waited longest
    int64_t worst_ns;
    int64_t busy_ns; ///< of all that waited for it
    int64_t count;   ///< of waits
    int64_t p99_ns;  ///< of these; 0: they are too few
    TM__ARRAY(tm__sortable, lengths);
} io_facts;

static void find_place(const tm__io_waits *w, io_facts *it)
{
    const tm__tally_item *top;

    it->place = it->cause->a;
    if (it->cause->c == TM__IO_OF_PLACE)
        return;
    top = tm__tally_top(&w->tally, it->cause->a, TM__IO_AT_PLACE);
    it->place = top ? top->b : TM__NONE;
    it->is_at_several = top && top->total_ns < it->cause->total_ns;
}

/* Add the waits of a thread for it. @return TM_OK or the failure */
static int measure_thread(const tm__io_waits *w, io_facts *it, uint32_t number)
{
    const tm__thread *thread = &w->findings->model->entities.threads[number];
    int64_t sum_ns = 0;
    uint32_t before = it->lengths_count;

    for (uint32_t i = 0; i < thread->interval_count; i++) {
        const tm__interval *io = &thread->intervals[i];
        tm__blocked_part at;

        if (io->state != TM_STATE_IO ||
            !tm__blocked_part_at(w->findings, thread, i, &at) || at.is_idle ||
            !tm__io_is_of(w, it->cause, io->object, at.place))
            continue;
        if (tm__reserve(&w->findings->memory, &it->lengths, &it->lengths_capacity,
                        (size_t)it->lengths_count + 1, sizeof(*it->lengths)) < 0)
            return tm__failure();
        it->lengths[it->lengths_count] =
            (tm__sortable){at.to_ns - at.from_ns, it->lengths_count};
        it->lengths_count++;
        sum_ns = tm__sum(sum_ns, at.to_ns - at.from_ns);
    }
    if (it->lengths_count == before)
        return TM_OK;
    it->threads++;
    it->busy_ns = tm__sum(it->busy_ns, w->busy_ns[number]);
    if (sum_ns > it->worst_ns) {
        it->worst_ns = sum_ns;
        it->worst = number;
    }
    return TM_OK;
}

/* @return TM_OK or the failure */
static int find_p99(const tm__io_waits *w, io_facts *it)
{
    size_t bytes = ((size_t)it->lengths_count + 1) * sizeof(tm__sortable);
    tm__sortable *spare;

    it->count = it->lengths_count;
    if (it->count < WAITS_AT_LEAST)
        return TM_OK;
    spare = tm__resize(&w->findings->memory, NULL, 0, bytes);
    if (!spare)
        return tm__failure();
    tm__sort(it->lengths, spare, it->lengths_count, NULL, NULL);
    it->p99_ns = it->lengths[tm__quantile_rank(it->lengths_count, 0.99) - 1].key;
    tm__free(&w->findings->memory, spare, bytes);
    return TM_OK;
}

static int measure(const tm__io_waits *w, io_facts *it)
{
    const tm_model *model = w->findings->model;
    int rc = TM_OK;

    find_place(w, it);
    for (uint32_t t = 0; rc == TM_OK && t < model->entities.threads_count; t++)
        if (!(model->entities.threads[t].flags & TM_THREAD_AGENT))
            rc = measure_thread(w, it, t);
    if (rc == TM_OK)
        rc = find_p99(w, it);
    tm__free(&w->findings->memory, it->lengths,
             it->lengths_capacity * sizeof(*it->lengths));
    return rc;
}

/* ---- cards ---- */

/* The endpoint that a cause is, or the one of many with most of its time. */
static uint32_t object_of(const tm__tally_item *cause)
{
    return cause->c == TM__IO_OF_ENDPOINT ? cause->a : cause->worst_thread;
}

static tm__card_text advice_for(uint32_t kind)
{
    switch (kind) {
    case TM_OBJECT_KIND_SOCKET: return TM__TEXT_IO_SOCKET_ADVICE;
    case TM_OBJECT_KIND_NAME: return TM__TEXT_IO_NAME_ADVICE;
    case TM_OBJECT_KIND_PROCESS: return TM__TEXT_IO_PROCESS_ADVICE;
    default: return TM__TEXT_IO_FILE_ADVICE;
    }
}

static void choose_rows(tm__finding *finding, const tm__io_waits *w,
                        const tm__tally_item *cause)
{
    tm__findings *findings = w->findings;
    uint32_t object = object_of(cause);

    tm__where_text(finding, "state", tm_state_name(TM_STATE_IO));
    if (cause->c == TM__IO_OF_ENDPOINT) {
        tm__where_text(finding, "object",
                       tm__label(&findings->labels, findings->model, object));
    } else {
        tm__where_class(finding, findings->model,
                        tm__class_name_of_object(findings->model, object));
        tm__where_caller(finding, findings, "method", cause->a, 1);
    }
    tm__where_number(finding, "idle", 0);
}

/* A producer that knows no address names an endpoint by the place that asks it. */
static int is_named_by_place(const tm_model *model, uint32_t object)
{
    return object != TM__NONE &&
           model->entities.objects[object].flags & TM_OBJECT_MAYBE_MANY;
}

static void say(tm__finding *finding, const tm__io_waits *w, const io_facts *it)
{
    const tm_model *model = w->findings->model;
    uint32_t object = object_of(it->cause), kind = tm__io_kind(model, object);
    int is_many = it->cause->c == TM__IO_OF_PLACE;
    const char *name = is_many ? NULL : tm__label(&w->findings->labels, model, object);
    char many[64];
    tm__facts facts = TM__NO_FACTS;

    snprintf(many, sizeof(many), "%" PRIu64 " %s", (uint64_t)it->cause->count,
             tm__endpoints_of_kind(kind));
    facts.threads = it->threads;
    facts.name = is_many ? many : name ? name : tm__card_text_of(TM__TEXT_ANY_IO);
    if (is_many || !is_named_by_place(model, object))
        facts.place = it->place;
    facts.count = (uint64_t)it->count;
    facts.total_ns = it->cause->total_ns;
    facts.mean_ns = it->cause->total_ns / it->count;
    facts.high_ns = it->p99_ns;
    facts.share = tm__percent(it->cause->total_ns, it->busy_ns);
    if (it->threads > 1) {
        facts.thread = it->worst;
        facts.longest_ns = it->worst_ns;
    }
    tm__finding_add(finding, w->findings, TM__TEXT_IO_TITLE, &facts);
    tm__finding_add(
        finding, w->findings,
        it->is_at_several ? TM__TEXT_IO_WAITS_AT_SEVERAL : TM__TEXT_IO_WAITS, &facts);
    tm__finding_add(finding, w->findings, TM__TEXT_IO_SHARE, &facts);
    tm__finding_add(finding, w->findings, advice_for(kind), &facts);
}

/* What-if is asked about the endpoint, or about the method that asks many. */
static void choose_change(tm__finding *finding, const tm__io_waits *w,
                          const tm__tally_item *cause)
{
    finding->is_io = 1;
    if (cause->c == TM__IO_OF_ENDPOINT && cause->a != TM__NONE) {
        finding->change = TM_WHATIF_IO;
        finding->change_object = cause->a;
    } else if (cause->c == TM__IO_OF_PLACE && cause->a != TM__NONE) {
        finding->change = TM_WHATIF_METHOD;
        finding->change_method = w->findings->places.items[cause->a].method;
    }
}

static int emit(const tm__io_waits *w, const tm__tally_item *cause)
{
    tm__findings *findings = w->findings;
    io_facts it = {.cause = cause};
    tm__finding *finding;

    if (measure(w, &it) < 0)
        return tm__failure();
    if (tm__is_minor(findings, cause->total_ns, it.worst_ns) ||
        !is_of_units(w, cause, it.worst))
        return TM_OK;
    finding = tm__finding_new(findings, "io_wait", "timeline", cause->total_ns);
    if (!finding)
        return tm__failure();
    finding->bound_ns = it.worst_ns;
    choose_change(finding, w, cause);
    if (w->has_units && w->unit_ns > 0 && it.worst != w->submitter) {
        finding->is_unit_share_known = 1;
        finding->unit_share = (double)tm__io_in_units_ns(w, cause) / (double)w->unit_ns;
    }
    finding->class_name = tm__class_name_of_object(findings->model, object_of(cause));
    finding->place = it.place;
    finding->thread = it.worst;
    if (it.place != TM__NONE)
        finding->inner_method = findings->places.items[it.place].method;
    choose_rows(finding, w, cause);
    say(finding, w, &it);
    return TM_OK;
}

int tm__find_io(tm__findings *findings)
{
    tm__io_waits w;
    tm__top top = {.count = 0};
    int rc = tm__io_waits_open(&w, findings);

    for (uint32_t i = 0; rc == TM_OK && i < w.causes.items_count; i++)
        if (tm__io_is_cause(&w, &w.causes.items[i]))
            tm__top_add(&top, w.causes.items[i].total_ns, i);
    if (rc == TM_OK && top.count)
        rc = tm__io_find_units(&w);
    for (uint32_t i = 0; rc == TM_OK && i < top.count; i++)
        rc = emit(&w, &w.causes.items[top.numbers[i]]);
    tm__io_waits_close(&w);
    return rc;
}
