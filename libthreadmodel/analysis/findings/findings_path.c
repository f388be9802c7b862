/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings about the critical path: sleeps that the run was longer by. There are some
 * hundred thousand segments and a handful of places to sleep at.
 */
#include "analysis/findings/finding.h"
#include "analysis/findings/finding_text.h"
#include "analysis/findings/findings_gain.h"
#include "analysis/findings/findings_path.h"
#include "analysis/findings/findings_scope.h"
#include "analysis/findings/tally.h"
#include "analysis/findings/where.h"
#include "analysis/path/critical_path.h"
#include "analysis/path/path.h"
#include "analysis/timeline/wakeup_edge.h"
#include "analysis/units/paced_loops.h"
#include "base/error.h"
#include "model/entities/thread.h"
#include "model/intervals/interaction.h"
#include "model/intervals/interval.h"

/* The kinds of tallies, as their last key. */
enum {
    WHOLE,
    BY_THREAD,
    FOR_PLACE, ///< (place, where another thread waited for that meanwhile)
    FOR_CLASS, ///< (place, and for which class)
    PACED,     ///< the part that paces a thread for which nobody waits
    EDGES      ///< (where threads waited, 0): times that the path left such a wait
};

/* One wait that the path left may be anything; of sleeps that are waited for, many are.
 */
enum { ENOUGH_EDGES = 3, SLEEPS_AN_EDGE = 4 };

/* A thread that waits again so soon was woken in vain; so often that is looked at. */
enum { BACK_NS = 100000, IN_VAIN_AT_MOST = 64 };

/* Less than this part of the run is not worth a card. */
enum { PART_OF_RUN = 20 };

/** A wait that the path left by who ended it. */
typedef struct awaited {
    uint32_t place;
    uint32_t class_name;
    uint32_t thread;
    int64_t since_ns;
} awaited;

static const awaited nothing = {TM__NONE, TM__NONE, TM__NONE, 0};

typedef struct sleeps {
    tm__findings *findings;
    tm__tally tally;      ///< (place, 0, WHOLE), (place, thread, BY_THREAD)
    tm__triple_map slept; ///< (thread, interval, 0): 1
    tm__triple_map count; ///< (place, 0, 0): sleeps
    tm__paced_loops paced;
} sleeps;

/* A sleep may lie on the path in several segments. */
static int count_sleep(sleeps *s, const tm__segment *segment, uint32_t place)
{
    tm__memory *memory = &s->findings->memory;
    uint32_t *seen =
        tm__triple_map_at(&s->slept, memory, segment->thread, segment->interval, 0);
    uint32_t *count;

    if (!seen)
        return tm__failure();
    if (*seen)
        return TM_OK;
    *seen = 1;
    count = tm__triple_map_at(&s->count, memory, place, 0, 0);
    if (!count)
        return tm__failure();
    ++*count;
    return TM_OK;
}

/* When a wait began: a thread that was woken in vain, and waits again at once for the
 * same at the same place, has waited on. */
static int64_t waits_since_ns(const tm__thread *thread, uint32_t wait)
{
    const tm__interval *all = thread->intervals;
    uint32_t first = tm__interval_first_blocking(thread, wait), before = first;
    int in_vain = 0;

    while (before > 0 && in_vain < IN_VAIN_AT_MOST) {
        before--;
        if (tm__is_active(all[before].state))
            continue;
        if (all[before].object != all[wait].object ||
            all[before].stack != all[wait].stack ||
            all[first].start_ns - all[before + 1].start_ns > BACK_NS)
            break;
        first = before = tm__interval_first_blocking(thread, before);
        in_vain++;
    }
    return all[first].start_ns;
}

/* Where the path leads from the thread that waited to the one that released it. */
static int look_at_edge(sleeps *s, const tm__segment *segment, awaited *wait)
{
    const tm_model *model = s->findings->model;
    const tm__interaction *row;
    const tm__thread *waiter;
    const tm__interval *it;

    if (segment->left_by == TM__NONE ||
        segment->left_by < model->intervals.interactions_first)
        return TM_OK;
    row = tm__row(model, segment->left_by);
    *wait = nothing;
    if (row->to_thread == TM__NONE || row->to_interval == TM__NONE)
        return TM_OK;
    waiter = &model->entities.threads[row->to_thread];
    if (row->to_interval < waiter->interval_first ||
        row->to_interval - waiter->interval_first >= waiter->interval_count)
        return TM_OK;
    it = &waiter->intervals[row->to_interval - waiter->interval_first];
    *wait = (awaited){tm__caller_of(&s->findings->places, it->stack),
                      tm__class_name_of_object(model, it->object), row->to_thread,
                      waits_since_ns(waiter, (uint32_t)(it - waiter->intervals))};
    return tm__tally_add(&s->tally, &s->findings->memory, wait->place, 0, EDGES, 0,
                         row->to_thread)
               ? TM_OK
               : tm__failure();
}

/* Of a sleep the part for which a thread waited: the one that ended the wait may have
 * slept before that began as well. */
static int add_awaited(sleeps *s, uint32_t place, const awaited *wait, int64_t from_ns,
                       int64_t to_ns)
{
    tm__memory *memory = &s->findings->memory;
    int64_t ns = to_ns - (from_ns < wait->since_ns ? wait->since_ns : from_ns);

    if (wait->place == TM__NONE || ns <= 0)
        return TM_OK;
    return tm__tally_add(&s->tally, memory, place, wait->place, FOR_PLACE, ns,
                         wait->thread) &&
                   tm__tally_add(&s->tally, memory, place, wait->class_name, FOR_CLASS,
                                 ns, wait->thread)
               ? TM_OK
               : tm__failure();
}

static int gather(sleeps *s, const tm__path *path)
{
    tm__memory *memory = &s->findings->memory;
    awaited wait = nothing;

    for (uint32_t i = 0; i < path->segments_count; i++) {
        const tm__segment *it = &path->segments[i];
        int64_t from_ns = it->start_ns, to_ns = tm__segment_end_ns(path, i), length_ns;
        uint32_t object, stack, place;

        if (!tm__in_scope(s->findings, &from_ns, &to_ns))
            continue;
        length_ns = to_ns - from_ns;
        if (look_at_edge(s, it, &wait) < 0)
            return tm__failure();
        if (it->state != TM_STATE_SLEEPING || it->interval == TM__NONE ||
            tm__gives_length(s->findings, path, i))
            continue;
        tm__segment_subject(s->findings->model, it, &object, &stack);
        place = tm__caller_of(&s->findings->places, stack);
        if (place == TM__NONE || tm__caller_is_library(&s->findings->places, place))
            continue;
        if (!tm__tally_add(&s->tally, memory, place, 0, WHOLE, length_ns, it->thread) ||
            !tm__tally_add(&s->tally, memory, place, it->thread, BY_THREAD, length_ns,
                           it->thread) ||
            !tm__tally_add(
                &s->tally, memory, place, 0, PACED,
                tm__paced_ns(&s->paced, it->thread, it->interval, from_ns, to_ns),
                it->thread) ||
            count_sleep(s, it, place) < 0 ||
            add_awaited(s, place, &wait, from_ns, to_ns) < 0)
            return tm__failure();
    }
    return TM_OK;
}

/* Where most of the time slept at a place was waited for, or NULL. */
static const tm__tally_item *awaited_by(const sleeps *s, const tm__tally_item *item)
{
    const tm__tally_item *at = tm__tally_top(&s->tally, item->a, FOR_PLACE);
    const tm__tally_item *edges = at ? tm__tally_top(&s->tally, at->b, EDGES) : NULL;

    return edges && edges->count >= ENOUGH_EDGES &&
                   edges->count >= at->count / SLEEPS_AN_EDGE &&
                   at->total_ns >= item->total_ns / 2
               ? at
               : NULL;
}

/* Sleeps that keep nobody waiting decide when the thread's next work is due. The run
 * may be as long as its loop goes on, and not as long as these. */
static int is_paced(const sleeps *s, const tm__tally_item *item)
{
    int64_t paced_ns = tm__tally_top(&s->tally, item->a, PACED)->total_ns;

    return item->total_ns - paced_ns < s->findings->run_ns / PART_OF_RUN;
}

/* Others waited for the sleeps. */
static void write_awaited(const sleeps *s, tm__finding *finding,
                          const tm__tally_item *item, const tm__tally_item *at,
                          tm__facts facts)
{
    finding->blocked_place = at->b;
    finding->class_name = tm__tally_top(&s->tally, item->a, FOR_CLASS)->b;
    finding->explains = 1;
    facts.thread = at->worst_thread;
    facts.other_place = at->b;
    facts.class_name = finding->class_name;
    facts.count = (uint64_t)tm__tally_top(&s->tally, at->b, EDGES)->count;
    tm__finding_add(finding, s->findings,
                    at->is_of_many ? TM__TEXT_SLEEP_AWAITED_BY_MANY_TITLE
                                   : TM__TEXT_SLEEP_AWAITED_TITLE,
                    &facts);
    tm__finding_add(finding, s->findings,
                    at->is_of_many ? TM__TEXT_SLEEP_AWAITED_BY_MANY
                                   : TM__TEXT_SLEEP_AWAITED,
                    &facts);
}

static int report_sleeps(const sleeps *s, const tm__tally_item *item)
{
    tm__findings *findings = s->findings;
    const tm__tally_item *most = tm__tally_top(&s->tally, item->a, BY_THREAD);
    int paces = is_paced(s, item);
    const tm__tally_item *awaited_at = paces ? NULL : awaited_by(s, item);
    uint32_t threads = 0;
    tm__finding *finding = tm__finding_new(findings, "sleep_on_critical_path",
                                           "critical_path", item->total_ns);
    tm__facts facts = TM__NO_FACTS;

    if (!finding)
        return tm__failure();
    for (uint32_t i = 0; i < s->tally.items_count; i++)
        threads += s->tally.items[i].a == item->a && s->tally.items[i].c == BY_THREAD;
    finding->place = item->a;
    finding->is_on_path = 1;
    finding->minor = finding->paces = paces;
    tm__ask_without_sleeps(finding, findings, TM_STATE_SLEEPING, item->a);
    finding->thread = most->b;
    tm__where_text(finding, "state", "sleeping");
    tm__where_caller(finding, findings, "method", item->a, 1);
    facts.threads = threads;
    facts.others = threads - 1;
    facts.place = item->a;
    facts.total_ns = item->total_ns;
    facts.share = tm__percent(item->total_ns, findings->run_ns);
    facts.period = tm__period_name(findings);
    facts.thread = most->b;
    if (awaited_at)
        write_awaited(s, finding, item, awaited_at, facts);
    else
        tm__finding_add(
            finding, findings,
            threads == 1 ? TM__TEXT_SLEEP_OF_ONE_TITLE : TM__TEXT_SLEEP_TITLE, &facts);
    facts.count = *tm__triple_map_find(&s->count, item->a, 0, 0);
    tm__finding_add(finding, findings, TM__TEXT_SLEEP_HOLDS, &facts);
    tm__finding_add(finding, findings,
                    paces        ? TM__TEXT_SLEEP_PACES
                    : awaited_at ? TM__TEXT_SLEEP_AWAITED_ADVICE
                                 : TM__TEXT_SLEEP_ADVICE,
                    &facts);
    return TM_OK;
}

static int report(const sleeps *s)
{
    tm__top top = {.count = 0};
    int rc = TM_OK;

    for (uint32_t i = 0; i < s->tally.items_count; i++) {
        const tm__tally_item *item = &s->tally.items[i];

        if (item->c == WHOLE && item->total_ns > 0 &&
            item->total_ns >= s->findings->run_ns / PART_OF_RUN &&
            !tm__is_covered(s->findings, s->findings->places.items[item->a].method))
            tm__top_add(&top, item->total_ns, i);
    }
    for (uint32_t i = 0; rc == TM_OK && i < top.count; i++)
        rc = report_sleeps(s, &s->tally.items[top.numbers[i]]);
    return rc;
}

/* Where threads cannot go on, the run is as long as somebody let it stand: no sleep
 * decides that. */
static int stands(const tm__findings *findings)
{
    for (uint32_t i = 0; i < findings->items_count; i++)
        if (findings->items[i].stands && !findings->items[i].suspected)
            return 1;
    return 0;
}

int tm__find_path_sleeps(tm__findings *findings)
{
    static const tm_path_options whole_run = {.size = sizeof(whole_run)};
    const uint32_t *callers;
    sleeps s = {.findings = findings};
    tm__path path;
    int rc;

    if (stands(findings))
        return TM_OK;
    callers = tm__usual_callers(findings->model);
    if (!callers)
        return tm__failure();
    rc = tm__path_walk(&path, findings->model, &whole_run);
    if (rc == TM_OK)
        rc =
            tm__paced_loops_open(&s.paced, findings->model, &findings->memory, callers);
    if (rc == TM_OK)
        rc = gather(&s, &path);
    if (rc == TM_OK)
        rc = report(&s);
    tm__tally_free(&s.tally, &findings->memory);
    tm__triple_map_free(&s.slept, &findings->memory);
    tm__triple_map_free(&s.count, &findings->memory);
    tm__paced_loops_close(&s.paced);
    tm__path_free(&path);
    return rc;
}
