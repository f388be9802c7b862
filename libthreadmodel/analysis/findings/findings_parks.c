/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Long parks of a recording that does not tell who ended them, JFR's above all. Where
 * unparks are recorded, resources and queues are found by who releases them; without,
 * all that is known is that threads of the program stood at one place for one class:
 *
 *     exec-1 .. 8   parked in ConcurrentBag.borrow   108 s of 8 x 15 s
 *
 * One pass over all intervals, and a sum for each place.
 */
#include "analysis/findings/finding.h"
#include "analysis/findings/finding_text.h"
#include "analysis/findings/findings_parks.h"
#include "analysis/findings/findings_scope.h"
#include "analysis/findings/tally.h"
#include "analysis/findings/where.h"
#include "base/error.h"
#include "model/entities/caller_frame.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"

/* A thread that parks once or twice may wait for what was asked of it alone. */
enum { LEAST_PARKS = 8, LEAST_THREADS = 2, PART_OF_RUN = 10 };

typedef struct parks {
    tm__findings *findings;
    tm__tally of_thread; ///< (place, class name, 0): of the thread at hand
    tm__tally of_all;    ///< the same, of all threads, one addition each
    tm__tally single;    ///< the same, one addition a park
} parks;

/* A park that no owner explains, where no worker waits for work, called by the program.
 */
static int is_open(const tm_model *model, const tm__interval *it)
{
    uint32_t caller;

    if (it->state != TM_STATE_PARKED || it->tenure || it->peer != TM__NONE ||
        it->stack == TM__NONE)
        return 0;
    caller = tm__stack_caller(model, it->stack);
    return !tm__frame_is_idle(model, caller) && !tm__frame_is_library(model, caller);
}

static int note_thread(parks *p, uint32_t thread)
{
    tm__findings *f = p->findings;
    const tm_model *model = f->model;
    const tm__thread *it = &model->entities.threads[thread];
    int rc = TM_OK;

    for (uint32_t i = 0; i < it->interval_count; i++) {
        const tm__interval *park = &it->intervals[i];
        uint32_t place = tm__caller_of(&f->places, park->stack);
        uint32_t class_name = tm__class_name_of_object(model, park->object);
        int64_t from_ns = park->start_ns, to_ns = tm__interval_end_ns(model, it, i), ns;

        if (!is_open(model, park) || !tm__in_scope(f, &from_ns, &to_ns))
            continue;
        ns = to_ns - from_ns;
        if (!tm__tally_add(&p->of_thread, &f->memory, place, class_name, 0, ns,
                           thread) ||
            !tm__tally_add(&p->single, &f->memory, place, class_name, 0, ns, thread))
            return tm__failure();
    }
    for (uint32_t i = 0; i < p->of_thread.items_count && rc == TM_OK; i++) {
        const tm__tally_item *item = &p->of_thread.items[i];

        if (!tm__tally_add(&p->of_all, &f->memory, item->a, item->b, 0, item->total_ns,
                           thread))
            rc = tm__failure();
    }
    tm__tally_free(&p->of_thread, &f->memory);
    p->of_thread = (tm__tally){0};
    return rc;
}

static int say(parks *p, const tm__tally_item *item, const tm__tally_item *single)
{
    tm__findings *f = p->findings;
    tm__finding *finding = tm__finding_new(f, "long_park", "timeline", item->total_ns);
    tm__facts facts = TM__NO_FACTS;

    if (!finding)
        return tm__failure();
    finding->bound_ns = item->worst_ns;
    finding->suspected = 1;
    finding->class_name = item->b;
    finding->place = finding->blocked_place = item->a;
    finding->thread = item->worst_thread;
    finding->minor = tm__is_minor(f, item->total_ns, item->worst_ns);
    tm__where_text(finding, "state", tm_state_name(TM_STATE_PARKED));
    tm__where_class(finding, f->model, item->b);
    tm__where_caller(finding, f, "method", item->a, 0);
    facts.threads = (uint64_t)item->count;
    facts.count = (uint64_t)single->count;
    facts.place = item->a;
    facts.class_name = item->b;
    facts.total_ns = item->total_ns;
    facts.longest_ns = single->worst_ns;
    tm__finding_add(finding, f, TM__TEXT_PARK_TITLE, &facts);
    tm__finding_add(finding, f, TM__TEXT_PARK_WAITS, &facts);
    tm__finding_add(finding, f, TM__TEXT_PARK_ADVICE, &facts);
    tm__finding_add(finding, f, TM__TEXT_PARK_CAVEAT, &facts);
    return TM_OK;
}

int tm__find_parks(tm__findings *findings)
{
    const tm_model *model = findings->model;
    parks p = {.findings = findings};
    tm__top top = {.count = 0};
    int rc = TM_OK;

    if (tm__model_is_of_dumps(model) || !tm__model_reports(model, TM_EVENT_PARK) ||
        tm__model_reports(model, TM_EVENT_UNPARK_CALLED))
        return TM_OK;
    for (uint32_t t = 0; t < model->entities.threads_count && rc == TM_OK; t++)
        rc = note_thread(&p, t);
    for (uint32_t i = 0; i < p.of_all.items_count && rc == TM_OK; i++) {
        const tm__tally_item *item = &p.of_all.items[i];
        const uint32_t *single =
            tm__triple_map_find(&p.single.map, item->a, item->b, 0);

        if (item->count >= LEAST_THREADS && single &&
            p.single.items[*single - 1].count >= LEAST_PARKS &&
            item->worst_ns >= findings->run_ns / PART_OF_RUN)
            tm__top_add(&top, item->total_ns, i);
    }
    for (uint32_t i = 0; i < top.count && rc == TM_OK; i++) {
        const tm__tally_item *item = &p.of_all.items[top.numbers[i]];

        rc = say(
            &p, item,
            &p.single
                 .items[*tm__triple_map_find(&p.single.map, item->a, item->b, 0) - 1]);
    }
    tm__tally_free(&p.of_thread, &findings->memory);
    tm__tally_free(&p.of_all, &findings->memory);
    tm__tally_free(&p.single, &findings->memory);
    return rc;
}
