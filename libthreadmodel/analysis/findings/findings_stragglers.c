/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about the last of several siblings: somebody still waited for it, and all
 * others had ended. */
#include "analysis/findings/blocked_part.h"
#include "analysis/findings/finding.h"
#include "analysis/findings/finding_text.h"
#include "analysis/findings/findings_stragglers.h"
#include "analysis/findings/siblings.h"
#include "analysis/findings/tally.h"
#include "analysis/findings/where.h"
#include "analysis/resources/resource_release.h"
#include "analysis/timeline/blocking.h"
#include "base/error.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/intervals/interaction.h"
#include "model/intervals/interval.h"

int tm__most_blocked_in(uint32_t *method, uint32_t *state, tm__findings *findings,
                        uint32_t thread)
{
    const tm__thread *it = &findings->model->entities.threads[thread];
    tm__tally tally = {.items_count = 0};
    int64_t most_ns = 0;
    int rc = TM_OK;

    *method = TM__NONE;
    *state = TM_STATE_BLOCKED;
    for (uint32_t i = 0; rc == TM_OK && i < it->interval_count; i++) {
        const tm__interval *at = &it->intervals[i];
        uint32_t place = tm__caller_of(&findings->places, at->stack);
        const tm__tally_item *item;

        if (tm__is_active(at->state) || at->state == TM_STATE_NEW ||
            at->state == TM_STATE_DEAD || place == TM__NONE)
            continue;
        item = tm__tally_add(
            &tally, &findings->memory, findings->places.items[place].method, at->state,
            0, tm__interval_end_ns(findings->model, it, i) - at->start_ns, thread);
        if (!item)
            rc = tm__failure();
        else if (item->total_ns > most_ns) {
            most_ns = item->total_ns;
            *method = item->a;
            *state = item->b;
        }
    }
    tm__tally_free(&tally, &findings->memory);
    return rc;
}

/** A wait that the last of several threads, started together, ended. */
typedef struct last_one {
    uint32_t waiter;
    uint32_t interval;
    uint32_t slowest;
    uint32_t count;   ///< of those that were started
    int64_t alone_ns; ///< waited after all others had ended
    int64_t end_ns;   ///< of the wait
} last_one;

typedef struct stragglers {
    tm__findings *findings;
    uint32_t *started; ///< interactions of each thread's start, or TM__NONE
    tm__top top;
    uint64_t steps; ///< that were taken, see TM__SIBLING_STEPS
    TM__ARRAY(last_one, items);
} stragglers;

/* @return 1 and what is known, or 0: others still ran, or did the same */
static int is_the_last(const stragglers *s, last_one *it)
{
    const tm_model *model = s->findings->model;
    const tm__thread *waiter = &model->entities.threads[it->waiter];
    const tm__thread *slowest = &model->entities.threads[it->slowest];
    int64_t from_ns = waiter->intervals[it->interval].start_ns, last_ns = INT64_MIN;
    uint32_t next = TM__NONE;

    it->count = 1;
    for (uint32_t i = 0; i < model->entities.threads_count; i++) {
        const tm__thread *other = &model->entities.threads[i];

        if (i == it->slowest || i == it->waiter ||
            !tm__are_siblings(s->findings, s->started, i, it->slowest) ||
            other->start_ns == INT64_MIN || other->start_ns >= it->end_ns)
            continue;
        if (other->end_ns == INT64_MIN || other->end_ns >= it->end_ns)
            return 0;
        if (other->end_ns <= slowest->start_ns)
            continue;
        it->count++;
        if (other->end_ns > last_ns) {
            last_ns = other->end_ns;
            next = i;
        }
    }
    if (next == TM__NONE || slowest->start_ns == INT64_MIN ||
        tm__did_the_same(model, it->slowest, next))
        return 0;
    it->alone_ns = it->end_ns - (from_ns > last_ns ? from_ns : last_ns);
    return it->alone_ns >= s->findings->run_ns / 20 &&
           it->alone_ns - tm__kept_from_cpu_ns(model, it->slowest, next) >=
               (it->end_ns - slowest->start_ns) / 4;
}

static int note_end(stragglers *s, uint32_t thread, uint32_t index)
{
    const tm_model *model = s->findings->model;
    const tm__thread *waiter = &model->entities.threads[thread];
    const tm__interval *wait = &waiter->intervals[index];
    uint32_t cause;
    last_one it = {.waiter = thread, .interval = index};

    if (index + 1 >= waiter->interval_count || !tm__is_resource_wait(model, wait) ||
        tm__caller_is_idle(&s->findings->places,
                           tm__caller_of(&s->findings->places, wait->stack)))
        return TM_OK;
    it.end_ns = waiter->intervals[index + 1].start_ns;
    cause = waiter->intervals[index + 1].cause;
    if (it.end_ns - wait->start_ns < s->findings->run_ns / 20 || cause == TM__NONE ||
        cause < model->intervals.interactions_first)
        return TM_OK;
    it.slowest = tm__row(model, cause)->from_thread;
    if (it.slowest == TM__NONE || it.slowest == thread ||
        s->steps + model->entities.threads_count > TM__SIBLING_STEPS)
        return TM_OK;
    s->steps += model->entities.threads_count;
    if (!is_the_last(s, &it))
        return TM_OK;
    if (tm__reserve(&s->findings->memory, &s->items, &s->items_capacity,
                    (size_t)s->items_count + 1, sizeof(it)) < 0)
        return tm__failure();
    tm__top_add(&s->top, it.alone_ns, s->items_count);
    s->items[s->items_count++] = it;
    return TM_OK;
}

static int emit_last(stragglers *s, const last_one *it)
{
    tm__findings *findings = s->findings;
    const tm_model *model = findings->model;
    const tm__thread *waiter = &model->entities.threads[it->waiter];
    const tm__interval *wait = &waiter->intervals[it->interval];
    tm__finding *finding =
        tm__finding_new(findings, "straggler", "timeline", it->alone_ns);
    tm__facts facts = TM__NO_FACTS;
    uint32_t state;

    if (!finding)
        return tm__failure();
    if (tm__most_blocked_in(&finding->inner_method, &state, findings, it->slowest) < 0)
        return tm__failure();
    finding->thread = it->slowest;
    finding->class_name = tm__class_name_of_object(model, wait->object);
    finding->place = tm__caller_of(&findings->places, wait->stack);
    finding->blocked_place = finding->place;
    tm__where_thread(finding, "thread_id", model, it->waiter);
    tm__where_number(finding, "start_ns", wait->start_ns - tm__model_origin_ns(model));
    facts.thread = it->waiter;
    facts.other_thread = it->slowest;
    facts.count = it->count;
    facts.place = finding->place;
    facts.class_name = finding->class_name;
    facts.total_ns = it->end_ns - wait->start_ns;
    facts.longest_ns = it->alone_ns;
    facts.others = it->count - 1;
    facts.method = finding->inner_method;
    facts.state = tm__state_words(state);
    tm__finding_add(finding, findings, TM__TEXT_STRAGGLER_TITLE, &facts);
    tm__finding_add(finding, findings, TM__TEXT_STRAGGLER_WAITS, &facts);
    tm__finding_add(finding, findings, TM__TEXT_STRAGGLER_HOLDS, &facts);
    tm__finding_add(finding, findings, TM__TEXT_STRAGGLER_ADVICE, &facts);
    return TM_OK;
}

int tm__find_stragglers(tm__findings *findings)
{
    const tm_model *model = findings->model;
    stragglers s = {.findings = findings};
    int rc = TM_OK;

    s.started = tm__siblings_open(findings);
    if (!s.started)
        return tm__failure();
    for (uint32_t t = 0; rc == TM_OK && t < model->entities.threads_count; t++)
        for (uint32_t i = 0;
             rc == TM_OK && i < model->entities.threads[t].interval_count; i++)
            rc = note_end(&s, t, i);
    for (uint32_t i = 0; rc == TM_OK && i < s.top.count; i++)
        rc = emit_last(&s, &s.items[s.top.numbers[i]]);
    tm__siblings_close(findings, s.started);
    tm__free(&findings->memory, s.items, s.items_capacity * sizeof(*s.items));
    return rc;
}
