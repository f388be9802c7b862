/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings about I/O: what threads wait for outside of the program. An endpoint is one
 * cause, from however many methods it is asked. Of a service some dozen endpoints; of a
 * run up to some million intervals, each looked at once.
 */
#include "analysis/findings/blocked_part.h"
#include "analysis/findings/finding.h"
#include "analysis/findings/finding_text.h"
#include "analysis/findings/findings_io.h"
#include "analysis/findings/tally.h"
#include "analysis/findings/where.h"
#include "analysis/units/unit_walk.h"
#include "analysis/units/units.h"
#include "base/histogram.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "model/entities/object.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"

/* What a sum is of, as its last key. */
enum { WHOLE, BY_THREAD, AT_PLACE, IN_UNITS };

/* Less than this part of the run, or of the time of units, is not worth a card. */
enum { PART_OF_RUN = 20 };

typedef struct io_waits {
    tm__findings *findings;
    tm__tally tally;  ///< (object, 0, WHOLE), (object, thread, BY_THREAD) ...
    int64_t *busy_ns; ///< of each thread, for how long it was not idle
    int has_units;
    int64_t unit_ns;    ///< of all units of the main kind
    uint32_t submitter; ///< threads[] that most often gave a worker one, or TM__NONE
} io_waits;

static int add(io_waits *w, uint32_t object, uint32_t key, uint32_t what, int64_t ns,
               uint32_t thread)
{
    return tm__tally_add(&w->tally, &w->findings->memory, object, key, what, ns, thread)
               ? TM_OK
               : TM_ENOMEM;
}

static int note_thread(io_waits *w, uint32_t number)
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
        if (add(w, it->object, 0, WHOLE, ns, number) < 0 ||
            add(w, it->object, number, BY_THREAD, ns, number) < 0 ||
            add(w, it->object, at.place, AT_PLACE, ns, number) < 0)
            return TM_ENOMEM;
    }
    return TM_OK;
}

/* ---- units of work ---- */

static int note_span(io_waits *w, const tm__unit_span *span)
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
            add(w, it->object, 0, IN_UNITS, part.end_ns - part.start_ns, span->thread) <
                0)
            return TM_ENOMEM;
    }
    return TM_OK;
}

static int note_units(io_waits *w, const tm__units *units)
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

static int find_units(io_waits *w)
{
    const tm_model *model = w->findings->model;
    tm__memory *memory = &w->findings->memory;
    size_t bytes = ((size_t)model->entities.stacks_count + 1) * sizeof(uint32_t);
    uint32_t *callers = tm__stack_callers(model, memory, NULL);
    tm__units units;
    int rc;

    if (!callers)
        return TM_ENOMEM;
    rc = tm__units_open(&units, model, &w->findings->scope, memory, callers, 0);
    if (rc == TM_OK)
        rc = note_units(w, &units);
    tm__units_close(&units);
    tm__free(memory, callers, bytes);
    return rc;
}

static int64_t in_units_ns(const io_waits *w, uint32_t object)
{
    const tm__tally_item *it = tm__tally_top(&w->tally, object, IN_UNITS);

    return it ? it->total_ns : 0;
}

/* Where a program does units of work, I/O counts that they wait for, or the thread that
 * submits them. Another thread may wait all the time for what a second program prints.
 */
static int is_of_units(const io_waits *w, uint32_t object, uint32_t thread)
{
    return !w->has_units || thread == w->submitter ||
           in_units_ns(w, object) > w->unit_ns / PART_OF_RUN;
}

/** Facts of an endpoint for its card. */
typedef struct endpoint {
    const tm__tally_item *whole;
    const tm__tally_item *place; ///< where threads wait for it most
    uint32_t threads;
    uint32_t worst; ///< threads[] that waited longest
    int64_t worst_ns;
    int64_t busy_ns; ///< of all that waited for it
    int64_t p99_ns;  ///< of its waits; 0: they are too few
} endpoint;

static endpoint describe(const io_waits *w, const tm__tally_item *whole)
{
    endpoint it = {.whole = whole,
                   .place = tm__tally_top(&w->tally, whole->a, AT_PLACE)};

    for (uint32_t i = 0; i < w->tally.items_count; i++) {
        const tm__tally_item *one = &w->tally.items[i];

        if (one->a != whole->a || one->c != BY_THREAD)
            continue;
        it.threads++;
        it.busy_ns = tm__sum(it.busy_ns, w->busy_ns[one->b]);
        if (one->total_ns > it.worst_ns) {
            it.worst_ns = one->total_ns;
            it.worst = one->b;
        }
    }
    return it;
}

static tm__card_text advice_for(const tm_model *model, uint32_t object)
{
    switch (object == TM__NONE ? TM_OBJECT_KIND_UNKNOWN
                               : model->entities.objects[object].kind) {
    case TM_OBJECT_KIND_SOCKET: return TM__TEXT_IO_SOCKET_ADVICE;
    case TM_OBJECT_KIND_NAME: return TM__TEXT_IO_NAME_ADVICE;
    case TM_OBJECT_KIND_PROCESS: return TM__TEXT_IO_PROCESS_ADVICE;
    default: return TM__TEXT_IO_FILE_ADVICE;
    }
}

static void choose_rows(tm__finding *finding, const io_waits *w, uint32_t object)
{
    tm__findings *findings = w->findings;

    tm__where_text(finding, "state", tm_state_name(TM_STATE_IO));
    tm__where_text(finding, "object",
                   tm__label(&findings->labels, findings->model, object));
    tm__where_number(finding, "idle", 0);
}

/* ---- how long each wait takes ---- */

/* Of fewer waits one decides the percentile. */
enum { WAITS_AT_LEAST = 50 };

/* @return how many of `lengths` were set, `most` of them */
static uint32_t lengths_of(const io_waits *w, uint32_t object, tm__sortable *lengths,
                           uint32_t most)
{
    const tm_model *model = w->findings->model;
    uint32_t count = 0;

    for (uint32_t t = 0; t < model->entities.threads_count; t++) {
        const tm__thread *thread = &model->entities.threads[t];

        for (uint32_t i = 0; i < thread->interval_count && count < most; i++) {
            const tm__interval *io = &thread->intervals[i];
            tm__blocked_part at;

            if (io->state != TM_STATE_IO || io->object != object ||
                thread->flags & TM_THREAD_AGENT ||
                !tm__blocked_part_at(w->findings, thread, i, &at) || at.is_idle)
                continue;
            lengths[count] = (tm__sortable){at.to_ns - at.from_ns, count};
            count++;
        }
    }
    return count;
}

/* Set the 99th percentile, or 0 of too few. @return TM_OK or TM_ENOMEM */
static int find_p99(const io_waits *w, endpoint *it)
{
    tm__memory *memory = &w->findings->memory;
    uint32_t most = (uint32_t)it->whole->count, count;
    size_t bytes = ((size_t)most + 1) * sizeof(tm__sortable);
    tm__sortable *lengths, *spare;

    if (it->whole->count < WAITS_AT_LEAST || it->whole->count >= UINT32_MAX)
        return TM_OK;
    lengths = tm__resize(memory, NULL, 0, bytes);
    spare = tm__resize(memory, NULL, 0, bytes);
    if (lengths && spare) {
        count = lengths_of(w, it->whole->a, lengths, most);
        tm__sort(lengths, spare, count, NULL, NULL);
        it->p99_ns = count ? lengths[tm__quantile_rank(count, 0.99) - 1].key : 0;
    }
    tm__free(memory, lengths, bytes);
    tm__free(memory, spare, bytes);
    return lengths && spare ? TM_OK : TM_ENOMEM;
}

/* ---- cards ---- */

/* A producer that knows no address names an endpoint by the place that asks it. */
static int is_named_by_place(const tm_model *model, uint32_t object)
{
    return object != TM__NONE &&
           model->entities.objects[object].flags & TM_OBJECT_MAYBE_MANY;
}

static void say(tm__finding *finding, const io_waits *w, const endpoint *it)
{
    const tm_model *model = w->findings->model;
    uint32_t object = it->whole->a;
    const char *name = tm__label(&w->findings->labels, model, object);
    tm__facts facts = TM__NO_FACTS;

    facts.threads = it->threads;
    facts.name = name ? name : tm__card_text_of(TM__TEXT_ANY_IO);
    if (it->place && !is_named_by_place(model, object))
        facts.place = it->place->b;
    facts.count = (uint64_t)it->whole->count;
    facts.total_ns = it->whole->total_ns;
    facts.mean_ns = it->whole->total_ns / it->whole->count;
    facts.high_ns = it->p99_ns;
    facts.share = tm__percent(it->whole->total_ns, it->busy_ns);
    if (it->threads > 1) {
        facts.thread = it->worst;
        facts.longest_ns = it->worst_ns;
    }
    tm__finding_add(finding, w->findings, TM__TEXT_IO_TITLE, &facts);
    tm__finding_add(finding, w->findings,
                    it->place && it->place->total_ns < it->whole->total_ns
                        ? TM__TEXT_IO_WAITS_AT_SEVERAL
                        : TM__TEXT_IO_WAITS,
                    &facts);
    tm__finding_add(finding, w->findings, TM__TEXT_IO_SHARE, &facts);
    tm__finding_add(finding, w->findings, advice_for(model, object), &facts);
}

static int emit(const io_waits *w, const tm__tally_item *whole)
{
    tm__findings *findings = w->findings;
    endpoint it = describe(w, whole);
    tm__finding *finding;

    if (tm__is_minor(findings, whole->total_ns, it.worst_ns) ||
        !is_of_units(w, whole->a, it.worst))
        return TM_OK;
    if (find_p99(w, &it) < 0)
        return TM_ENOMEM;
    finding = tm__finding_new(findings, "io_wait", "timeline", whole->total_ns);
    if (!finding)
        return TM_ENOMEM;
    finding->bound_ns = it.worst_ns;
    if (whole->a != TM__NONE) {
        finding->change = TM_WHATIF_IO;
        finding->change_object = whole->a;
    }
    if (w->has_units && w->unit_ns > 0 && it.worst != w->submitter) {
        finding->is_unit_share_known = 1;
        finding->unit_share = (double)in_units_ns(w, whole->a) / (double)w->unit_ns;
    }
    finding->class_name = tm__class_name_of_object(findings->model, whole->a);
    finding->place = it.place ? it.place->b : TM__NONE;
    finding->thread = it.worst;
    if (it.place && it.place->b != TM__NONE)
        finding->inner_method = findings->places.items[it.place->b].method;
    choose_rows(finding, w, whole->a);
    say(finding, w, &it);
    return TM_OK;
}

int tm__find_io(tm__findings *findings)
{
    const tm_model *model = findings->model;
    size_t bytes = ((size_t)model->entities.threads_count + 1) * sizeof(int64_t);
    io_waits w = {.findings = findings,
                  .busy_ns = tm__zalloc(&findings->memory, bytes)};
    tm__top top = {.count = 0};
    int rc = w.busy_ns ? TM_OK : TM_ENOMEM;

    for (uint32_t t = 0; rc == TM_OK && t < model->entities.threads_count; t++)
        if (!(model->entities.threads[t].flags & TM_THREAD_AGENT))
            rc = note_thread(&w, t);
    for (uint32_t i = 0; rc == TM_OK && i < w.tally.items_count; i++)
        if (w.tally.items[i].c == WHOLE &&
            w.tally.items[i].total_ns > findings->run_ns / PART_OF_RUN)
            tm__top_add(&top, w.tally.items[i].total_ns, i);
    if (rc == TM_OK && top.count)
        rc = find_units(&w);
    for (uint32_t i = 0; rc == TM_OK && i < top.count; i++)
        rc = emit(&w, &w.tally.items[top.numbers[i]]);
    tm__tally_free(&w.tally, &findings->memory);
    tm__free(&findings->memory, w.busy_ns, bytes);
    return rc;
}
