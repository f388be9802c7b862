/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings about resources: many threads that wait for one of a few, which nobody owns.
 * All that wait at one place for one class are one finding, whichever thread released
 * them. Where uses are known, they show what a permit is spent on. Where they are not,
 * few threads that release many are worth a look, the more so if they are seen to be
 * busy.
 */
#include "analysis/findings/blocked_part.h"
#include "analysis/findings/finding.h"
#include "analysis/findings/finding_text.h"
#include "analysis/findings/findings_pool_name.h"
#include "analysis/findings/findings_resources.h"
#include "analysis/findings/findings_stragglers.h"
#include "analysis/findings/findings_stuck.h"
#include "analysis/findings/where.h"
#include "analysis/resources/resource_release.h"
#include "analysis/resources/resources.h"
#include "base/error.h"
#include "base/saturate.h"
#include "model/entities/entity_names.h"
#include "model/entities/methods.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"
#include "roles/method_roles.h"

enum { ENOUGH_WAITS = 5, ENOUGH_USES = 5, PART_OF_RUN = 20 };

/** All waits of a class at a place, but those whose time was up for good, and those of
 * threads that cannot go on. */
typedef struct place {
    int64_t total_ns;
    int64_t known_ns; ///< who released is known
    int64_t bound_ns; ///< of one thread, at most
    int64_t longest_ns;
    uint32_t waits;
    uint32_t threads;
    uint32_t last;     ///< threads[] that waited last: they come one after another
    uint32_t thread;   ///< that waited longest in all
    uint32_t resource; ///< items[]: with the most uses, else waited for longest
} place;

/** Waits whose time was up, and that were begun again at once: parts of one. */
typedef struct slices {
    int64_t total_ns; ///< 0: there is none
    int64_t last_ns;  ///< the length of the last one
    int64_t end_ns;
    uint32_t thread;
    uint32_t queue;
} slices;

typedef struct places {
    tm__findings *findings;
    tm__resources all;
    place *items;
    int64_t *sums; ///< of each member of a queue
    slices slices; ///< just before the wait that is looked at
    tm__top top;
} places;

/* Between two parts of one wait a thread does less than it waits. */
enum { SLICE_GAP_PARTS = 4 };

/* The length of a wait with the parts before it; what is kept of these is forgotten. */
static int64_t with_slices(places *p, const tm__resource_wait *wait)
{
    const slices *it = &p->slices;
    int64_t length_ns = wait->end_ns - wait->start_ns;

    if (it->total_ns && it->thread == wait->thread && it->queue == wait->queue &&
        wait->start_ns - it->end_ns <= it->last_ns / SLICE_GAP_PARTS)
        length_ns = tm__sum(length_ns, it->total_ns);
    p->slices.total_ns = 0;
    return length_ns;
}

static int is_timed_out(const places *p, const tm__resource_wait *wait)
{
    return (p->findings->model->entities.threads[wait->thread]
                .intervals[wait->interval]
                .flags &
            TM__INTERVAL_TIMED_OUT) != 0;
}

static void note_wait(places *p, const tm__resource_wait *wait)
{
    place *it = &p->items[wait->queue];
    int64_t length_ns = with_slices(p, wait);
    int64_t *sum_ns = &p->sums[wait->member];

    if (wait->is_expired && is_timed_out(p, wait))
        p->slices = (slices){.total_ns = length_ns,
                             .last_ns = wait->end_ns - wait->start_ns,
                             .end_ns = wait->end_ns,
                             .thread = wait->thread,
                             .queue = wait->queue};
    if (wait->is_expired ||
        (wait->is_open && tm__stands_still(p->findings, wait->thread)))
        return;
    it->threads += it->last != wait->thread;
    it->last = wait->thread;
    *sum_ns = tm__sum(*sum_ns, length_ns);
    if (*sum_ns > it->bound_ns) {
        it->bound_ns = *sum_ns;
        it->thread = wait->thread;
    }
    it->waits++;
    it->total_ns = tm__sum(it->total_ns, length_ns);
    if (wait->releaser != TM__NONE)
        it->known_ns = tm__sum(it->known_ns, length_ns);
    if (length_ns > it->longest_ns)
        it->longest_ns = length_ns;
}

/* The row that stands for a place. */
static void choose_row(places *p, const tm__resource_wait *wait)
{
    const tm__resource *row = &p->all.items[wait->resource];
    place *it = &p->items[wait->queue];
    const tm__resource *best =
        it->resource == TM__NONE ? NULL : &p->all.items[it->resource];

    if (row->releasing == TM__NONE)
        return;
    if (!best || row->uses.count > best->uses.count ||
        (row->uses.count == best->uses.count &&
         row->wait_total_ns > best->wait_total_ns))
        it->resource = wait->resource;
}

/* Whether uses are known, and so long that waiting for them takes what it took: of a
 * queue in which each has a turn, at least a quarter. */
static int has_uses(const place *at, const tm__resource *row)
{
    int64_t median_ns = tm__histogram_quantile(&row->uses, 0.5);

    return row->uses.count >= ENOUGH_USES &&
           tm__product(median_ns, at->waits) >= at->total_ns / at->threads / 4;
}

/** The activity of the thread that released most, from the first release to the last.
 */
typedef struct releaser_time {
    int64_t span_ns;
    int64_t waited_ns;  ///< it waited itself
    int64_t idle_ns;    ///< it waited for a client, or for an event of any kind
    int64_t blocked_ns; ///< it was asleep, blocked or in a lock
    uint64_t sleeps;
} releaser_time;

static releaser_time time_of_releaser(const tm_model *model, const tm__resource *it)
{
    const tm__thread *thread = &model->entities.threads[it->releaser];
    releaser_time sums = {.span_ns = it->last_ns - it->first_ns};

    for (uint32_t i = 0; i < thread->interval_count; i++) {
        const tm__interval *at = &thread->intervals[i];
        int64_t from_ns = at->start_ns, to_ns = tm__interval_end_ns(model, thread, i);

        from_ns = from_ns > it->first_ns ? from_ns : it->first_ns;
        to_ns = to_ns < it->last_ns ? to_ns : it->last_ns;
        if (to_ns <= from_ns)
            continue;
        sums.sleeps += at->state == TM_STATE_SLEEPING;
        if (tm__interval_is_idle(at))
            sums.idle_ns = tm__sum(sums.idle_ns, to_ns - from_ns);
        else if (tm__is_resource_wait(model, at))
            sums.waited_ns = tm__sum(sums.waited_ns, to_ns - from_ns);
        else if (!tm__is_active(at->state))
            sums.blocked_ns = tm__sum(sums.blocked_ns, to_ns - from_ns);
    }
    return sums;
}

/* One that waits for clients releases others when these come: they wait for work. */
static int is_released_for_clients(const tm_model *model, const tm__resource *it)
{
    releaser_time by = time_of_releaser(model, it);

    return by.idle_ns >= by.span_ns / 2;
}

static int is_worth_reporting(const places *p, const place *it)
{
    const tm__resource *row;

    if (it->resource == TM__NONE || it->waits < ENOUGH_WAITS || it->threads < 2 ||
        it->total_ns < p->findings->run_ns / PART_OF_RUN)
        return 0;
    row = &p->all.items[it->resource];
    if (row->waiting == TM__NONE || row->is_library || row->is_idle)
        return 0;
    if (has_uses(it, row))
        return 1;
    return row->releasers < it->threads && row->wait_total_ns >= it->known_ns / 2 &&
           !is_released_for_clients(p->findings->model, row);
}

/* If there are fewer sleeps for a wait than three quarters, one sleep is for several
 * waits. */
enum { SLEEPS = 3, FOR_WAITS = 4 };

/* Whether the releaser was busy for half of the time, and waited itself for a fifth at
 * most: then it cannot have been idle. */
static int is_seen_busy(const releaser_time *it)
{
    return it->blocked_ns >= it->span_ns / 2 && it->waited_ns <= it->span_ns / 5;
}

/* Uses that nobody saw may add to them: there are so many permits at least. */
static uint32_t permits_of(const tm__resource *it, int uses)
{
    return uses && it->objects == 1 ? it->permits : 0;
}

static int is_interpreter(const tm_model *model, const tm__resource *it)
{
    return tm__is_interpreter_lock(
        tm__strings_get(&model->entities.strings, it->class_name),
        tm__strings_get(&model->entities.strings, it->waiting));
}

static tm__card_text title_of(const tm__finding *finding, const tm__resource *it,
                              int uses)
{
    if (uses)
        return permits_of(it, uses) ? TM__TEXT_PERMITS_TITLE : TM__TEXT_TURNS_TITLE;
    if (finding->suspected)
        return TM__TEXT_RESOURCE_TITLE;
    return it->releasers == 1 ? TM__TEXT_BUSY_THREAD_TITLE
                              : TM__TEXT_BUSY_THREADS_TITLE;
}

static tm__card_text advice_of(const tm__finding *finding, const tm__resource *it,
                               int uses, uint32_t state)
{
    if (uses)
        return permits_of(it, uses) ? TM__TEXT_PERMITS_ADVICE : TM__TEXT_TURNS_ADVICE;
    if (finding->suspected)
        return TM__TEXT_RESOURCE_ADVICE;
    return state == TM_STATE_SLEEPING ? TM__TEXT_ASLEEP_ADVICE : TM__TEXT_BUSY_ADVICE;
}

static void write_uses(tm__finding *finding, const tm__findings *findings,
                       const tm__resource *it, tm__facts *facts)
{
    int has_method =
        it->use_method != TM__NONE && it->use_method_ns >= it->uses.total / 2;

    facts->median_ns = tm__histogram_quantile(&it->uses, 0.5);
    facts->count = it->uses.count;
    if (has_method) {
        facts->share = tm__percent(it->use_method_ns, it->uses.total);
        facts->method = finding->inner_method = it->use_method;
    }
    tm__finding_add(finding, findings, TM__TEXT_RESOURCE_USES, facts);
}

static void write_releaser(tm__finding *finding, const tm__findings *findings,
                           const tm__resource *it, tm__facts *facts)
{
    tm__finding_add(finding, findings,
                    it->releasers > 1 ? TM__TEXT_RESOURCE_RELEASERS
                                      : TM__TEXT_RESOURCE_RELEASER,
                    facts);
    if (finding->suspected || finding->inner_method == TM__NONE)
        return;
    facts->method = finding->inner_method;
    tm__finding_add(finding, findings, TM__TEXT_RESOURCE_BUSY, facts);
}

static void write_all(tm__finding *finding, const tm__findings *findings,
                      const place *at, const tm__resource *it, int uses, uint32_t state)
{
    uint32_t caller = tm__stack_caller(findings->model, it->waiting_stack);
    int is_gil = is_interpreter(findings->model, it);
    tm__facts facts = TM__NO_FACTS;

    facts.threads = at->threads;
    facts.count = at->waits;
    facts.total_ns = at->total_ns;
    facts.mean_ns = at->total_ns / at->waits;
    facts.class_name = it->class_name;
    facts.frame = uses ? tm__pool_frame(findings->model, it) : caller;
    facts.other_frame = facts.frame != caller ? caller : TM__NONE;
    facts.most = permits_of(it, uses);
    facts.thread = it->releaser;
    facts.others = it->releasers;
    facts.other_method = it->releasing;
    facts.other_share = tm__percent(at->known_ns, at->total_ns);
    facts.state = tm__state_words(state);
    tm__finding_add(finding, findings,
                    is_gil ? TM__TEXT_INTERPRETER_TITLE : title_of(finding, it, uses),
                    &facts);
    tm__finding_add(finding, findings, TM__TEXT_RESOURCE_WAITS, &facts);
    if (uses)
        write_uses(finding, findings, it, &facts);
    else
        write_releaser(finding, findings, it, &facts);
    tm__finding_add(finding, findings,
                    is_gil ? TM__TEXT_INTERPRETER_ADVICE
                           : advice_of(finding, it, uses, state),
                    &facts);
    if (finding->suspected)
        tm__finding_add(finding, findings, TM__TEXT_RESOURCE_SUSPECTED, &facts);
    else if (at->known_ns < at->total_ns / 2)
        tm__finding_add(finding, findings, TM__TEXT_RESOURCE_PARTLY_KNOWN, &facts);
}

static int emit(places *p, uint32_t number)
{
    tm__findings *findings = p->findings;
    const place *at = &p->items[number];
    const tm__resource *it = &p->all.items[at->resource];
    int uses = has_uses(at, it);
    releaser_time by = {.span_ns = 0};
    uint32_t state = TM_STATE_RUNNING;
    tm__finding *finding =
        tm__finding_new(findings, "resource_wait", "resources", at->total_ns);

    if (!finding)
        return tm__failure();
    finding->class_name = it->class_name;
    finding->place = tm__caller_of(&findings->places, it->waiting_stack);
    finding->blocked_place = finding->place;
    finding->bound_ns = at->bound_ns;
    finding->change = TM_WHATIF_PERMITS;
    finding->change_method = it->waiting;
    finding->minor = tm__is_minor(findings, at->total_ns, at->bound_ns);
    if (!uses)
        by = time_of_releaser(findings->model, it);
    finding->suspected = !uses && !is_seen_busy(&by);
    if (!uses && !finding->suspected) {
        finding->thread = it->releaser;
        if (tm__most_blocked_in(&finding->inner_method, &state, findings,
                                it->releaser) < 0)
            return tm__failure();
        if (state == TM_STATE_SLEEPING && it->releasers == 1 &&
            by.sleeps * FOR_WAITS < (uint64_t)at->waits * SLEEPS)
            finding->batch_method = finding->inner_method;
    }
    tm__where_class(finding, findings->model, it->class_name);
    tm__where_text(finding, "waiting_method",
                   tm__strings_get(&findings->model->entities.strings, it->waiting));
    write_all(finding, findings, at, it, uses, state);
    return TM_OK;
}

static int gather(places *p)
{
    int rc = TM_OK;

    for (uint32_t i = 0; i < p->all.queues_count; i++)
        p->items[i] =
            (place){.resource = TM__NONE, .thread = TM__NONE, .last = TM__NONE};
    for (uint32_t i = 0; i < p->all.waits_count; i++) {
        note_wait(p, &p->all.waits[i]);
        choose_row(p, &p->all.waits[i]);
    }
    for (uint32_t i = 0; rc == TM_OK && i < p->all.queues_count; i++)
        if (is_worth_reporting(p, &p->items[i]))
            tm__top_add(&p->top, p->items[i].total_ns, i);
    for (uint32_t i = 0; rc == TM_OK && i < p->top.count; i++)
        rc = emit(p, p->top.numbers[i]);
    return rc;
}

int tm__find_resources(tm__findings *findings)
{
    const tm_model *model = findings->model;
    tm__memory *memory = &findings->memory;
    size_t bytes = ((size_t)model->entities.stacks_count + 1) * sizeof(uint32_t);
    size_t queues = 0, members = 0;
    places p = {.findings = findings};
    uint32_t *callers;
    int rc;

    callers = tm__stack_callers(model, memory, NULL);
    if (!callers)
        return tm__failure();
    rc = tm__resources_open(&p.all, model, &findings->scope, memory, callers);
    if (rc == TM_OK) {
        queues = ((size_t)p.all.queues_count + 1) * sizeof(*p.items);
        members = ((size_t)p.all.members + 1) * sizeof(*p.sums);
        p.items = tm__zalloc(memory, queues);
        p.sums = tm__zalloc(memory, members);
        rc = p.items && p.sums ? gather(&p) : tm__failure();
    }
    tm__free(memory, p.items, queues);
    tm__free(memory, p.sums, members);
    tm__resources_close(&p.all);
    tm__free(memory, callers, bytes);
    return rc;
}
