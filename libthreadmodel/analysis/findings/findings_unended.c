/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workers that had begun to wait within their tasks when the recording ended, all at
 * one place, and for far longer than such a wait has ever taken:
 *
 *     exec-1 .. 4   idle ·[ wwwwwwwwwwwwwwwwwwwww      a pool is used up: each has a
 *                                                    connection and wants one more
 *
 * With a time limit none of them is stuck: it gives up in the end. Waits without one
 * are the verdict's. Whether another program answers is not known.
 */
#include "analysis/findings/findings_unended.h"

#include "analysis/findings/finding_text.h"
#include "analysis/findings/findings_scope.h"
#include "analysis/findings/findings_stuck.h"
#include "analysis/findings/tally.h"
#include "analysis/findings/where.h"
#include "analysis/waits/runtime_threads.h"
#include "model/entities/caller_frame.h"
#include "model/entities/entity_names.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"

enum { LEAST_THREADS = 2, TIMES_USUAL = 3 };
static const int64_t LEAST_NS = 1000000000;

typedef struct unended {
    tm__findings *findings;
    tm__tally open; ///< (place, class name, 0) of waits that go on; of I/O the last key
                    ///< is objects[] + 1
    tm__tally ended; ///< the same, of those that ended
} unended;

static int is_io(const tm__interval *it)
{
    return it->state == TM_STATE_IO && !tm__interval_is_idle(it) &&
           it->stack != TM__NONE && it->object != TM__NONE;
}

static int is_wait(const tm__interval *it)
{
    return (it->state == TM_STATE_WAITING || it->state == TM_STATE_PARKED) &&
           !it->tenure && it->peer == TM__NONE && it->stack != TM__NONE;
}

static int is_idle(const unended *u, const tm__interval *it)
{
    return is_wait(it) &&
           tm__frame_is_idle(u->findings->model,
                             tm__stack_caller(u->findings->model, it->stack));
}

/* Whether the thread waited for tasks before: what it waits for now is in one. */
static int is_worker(const unended *u, const tm__thread *thread)
{
    for (uint32_t i = 0; i + 1 < thread->interval_count; i++)
        if (is_idle(u, &thread->intervals[i]))
            return 1;
    return 0;
}

/* Count an interval of a thread, if it is such a wait. */
static int note(unended *u, tm__tally *tally, uint32_t t, uint32_t i)
{
    tm__findings *f = u->findings;
    const tm_model *model = f->model;
    const tm__thread *thread = &model->entities.threads[t];
    const tm__interval *it = &thread->intervals[i];
    int64_t from_ns = it->start_ns, to_ns = tm__interval_end_ns(model, thread, i);

    if ((!is_wait(it) && !is_io(it)) || is_idle(u, it) ||
        !tm__in_scope(f, &from_ns, &to_ns) ||
        tm__caller_is_library(&f->places, tm__caller_of(&f->places, it->stack)))
        return TM_OK;
    return tm__tally_add(tally, &f->memory, tm__caller_of(&f->places, it->stack),
                         tm__class_name_of_object(model, it->object),
                         is_io(it) ? it->object + 1 : 0, to_ns - from_ns, t)
               ? TM_OK
               : TM_ENOMEM;
}

static int note_open(unended *u, uint32_t t)
{
    const tm__thread *thread = &u->findings->model->entities.threads[t];
    uint32_t last = thread->interval_count - 1;

    if (!thread->interval_count ||
        (!is_io(&thread->intervals[last]) &&
         !(thread->intervals[last].traits & TM__TRAIT_TIMED)) ||
        tm__stands_still(u->findings, t) || !is_worker(u, thread))
        return TM_OK;
    return note(u, &u->open, t, last);
}

static int note_ended(unended *u, uint32_t t)
{
    const tm__thread *thread = &u->findings->model->entities.threads[t];
    int rc = TM_OK;

    for (uint32_t i = 0; rc == TM_OK && i + 1 < thread->interval_count; i++)
        rc = note(u, &u->ended, t, i);
    return rc;
}

/* Most runs end without such a wait: then the others are not looked at. */
static int gather(unended *u)
{
    const tm_model *model = u->findings->model;
    uint32_t count = model->entities.threads_count;
    int rc = TM_OK;

    for (uint32_t t = 0; t < count && rc == TM_OK; t++)
        if (!tm__is_runtime_thread(model, t))
            rc = note_open(u, t);
    for (uint32_t t = 0; u->open.items_count && t < count && rc == TM_OK; t++)
        if (!tm__is_runtime_thread(model, t))
            rc = note_ended(u, t);
    return rc;
}

static const tm__tally_item *ended_like(const unended *u, const tm__tally_item *item)
{
    const uint32_t *found =
        tm__triple_map_find(&u->ended.map, item->a, item->b, item->c);

    return found ? &u->ended.items[*found - 1] : NULL;
}

static int is_long(const unended *u, const tm__tally_item *item)
{
    const tm__tally_item *ended = ended_like(u, item);

    return item->count >= LEAST_THREADS && item->worst_ns >= LEAST_NS &&
           (!ended || item->worst_ns / TIMES_USUAL >= ended->worst_ns);
}

static int say(unended *u, const tm__tally_item *item)
{
    const tm__tally_item *ended = ended_like(u, item);
    tm__findings *f = u->findings;
    tm__finding *finding =
        tm__finding_new(f, "unended_wait", "timeline", item->total_ns);
    tm__facts facts = TM__NO_FACTS;

    if (!finding)
        return TM_ENOMEM;
    finding->bound_ns = item->worst_ns;
    if (item->c) {
        facts.name = tm__label(&f->labels, f->model, item->c - 1);
        tm__where_text(finding, "state", tm_state_name(TM_STATE_IO));
    } else {
        tm__where_class(finding, f->model, item->b);
    }
    finding->class_name = item->b;
    finding->place = finding->blocked_place = item->a;
    finding->thread = item->worst_thread;
    tm__where_caller(finding, f, "method", item->a, 0);
    facts.threads = (uint64_t)item->count;
    facts.others = (uint64_t)item->count - 1;
    facts.thread = item->worst_thread;
    facts.place = item->a;
    facts.class_name = item->c ? TM__NONE : item->b;
    facts.longest_ns = item->worst_ns;
    tm__finding_add(finding, f,
                    item->c ? TM__TEXT_UNENDED_IO_TITLE : TM__TEXT_UNENDED_TITLE,
                    &facts);
    tm__finding_add(finding, f, TM__TEXT_UNENDED_WAITS, &facts);
    if (ended) {
        facts.count = (uint64_t)ended->count;
        facts.longest_ns = ended->worst_ns;
        tm__finding_add(finding, f, TM__TEXT_UNENDED_USUAL, &facts);
    }
    tm__finding_add(finding, f,
                    item->c ? TM__TEXT_UNENDED_IO_ADVICE : TM__TEXT_UNENDED_ADVICE,
                    &facts);
    return TM_OK;
}

int tm__find_unended(tm__findings *findings)
{
    unended u = {.findings = findings};
    tm__top top = {.count = 0};
    int rc;

    if (tm__model_is_of_dumps(findings->model))
        return TM_OK;
    rc = gather(&u);
    for (uint32_t i = 0; i < u.open.items_count && rc == TM_OK; i++)
        if (is_long(&u, &u.open.items[i]))
            tm__top_add(&top, u.open.items[i].total_ns, i);
    for (uint32_t i = 0; i < top.count && rc == TM_OK; i++)
        rc = say(&u, &u.open.items[top.numbers[i]]);
    tm__tally_free(&u.open, &findings->memory);
    tm__tally_free(&u.ended, &findings->memory);
    return rc;
}
