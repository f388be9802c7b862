/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about joins: all others had ended, and one thread was still joined. */
#include "analysis/findings/blocked_part.h"
#include "analysis/findings/finding.h"
#include "analysis/findings/finding_text.h"
#include "analysis/findings/findings_joins.h"
#include "analysis/findings/findings_stragglers.h"
#include "analysis/findings/siblings.h"
#include "analysis/findings/where.h"
#include "base/error.h"
#include "base/saturate.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/intervals/interaction.h"
#include "model/intervals/interval.h"

/** Threads that one thread joined at one place, one after the other, and that ran
 * together. */
typedef struct batch {
    int64_t joined_ns; ///< when the last join ended
    int64_t last_end_ns;
    int64_t next_end_ns; ///< of the last but one
    int64_t waited_ns;   ///< for the slowest, after all others had ended
    int64_t life_ns;     ///< of the slowest
    uint32_t joiner;
    uint32_t slowest;
    uint32_t next;   ///< the last but one to end
    uint32_t latest; ///< joined last
    uint32_t count;
    uint32_t stack;
} batch;

typedef struct joins {
    tm__findings *findings;
    uint32_t *started; ///< interactions of each thread's start, or TM__NONE
    tm__top top;       ///< batches[]
    uint64_t steps;    ///< that were taken, see TM__SIBLING_STEPS
    TM__ARRAY(batch, batches);
} joins;

/* A thread ended later than all but the slowest. */
static void add_next(batch *it, uint32_t thread, int64_t end_ns)
{
    it->next_end_ns = end_ns;
    it->next = thread;
    if (it->last_end_ns - end_ns < it->waited_ns)
        it->waited_ns = it->last_end_ns - end_ns;
}

/* A thread whose end is reported where there is one, and is not, goes on. */
static int goes_on(const tm_model *model, uint32_t thread)
{
    return model->entities.threads[thread].end_ns == INT64_MIN &&
           tm__model_reports(model, TM_EVENT_THREAD_END);
}

static int is_unbalanced(const tm__findings *findings, const batch *it)
{
    const tm_model *model = findings->model;

    return it->next != TM__NONE && !goes_on(model, it->slowest) &&
           !tm__did_the_same(model, it->slowest, it->next) && it->waited_ns > 0 &&
           it->waited_ns >= findings->run_ns / 20 &&
           it->last_end_ns - it->next_end_ns -
                   tm__kept_from_cpu_ns(model, it->slowest, it->next) >=
               it->life_ns / 4;
}

static int report_join(tm__findings *findings, const batch *it)
{
    const tm_model *model = findings->model;
    tm__finding *finding =
        tm__finding_new(findings, "unbalanced_join", "timeline", it->waited_ns);
    tm__facts facts = TM__NO_FACTS;
    uint32_t state;

    if (!finding)
        return tm__failure();
    finding->thread = it->slowest;
    finding->place = tm__caller_of(&findings->places, it->stack);
    finding->class_name =
        tm__class_name_of_object(model, model->entities.threads[it->slowest].object);
    tm__where_thread(finding, "thread_id", model, it->joiner);
    tm__where_text(finding, "state", "joining");
    if (tm__most_blocked_in(&finding->inner_method, &state, findings, it->slowest) < 0)
        return tm__failure();
    facts.thread = it->joiner;
    facts.other_thread = it->slowest;
    facts.place = finding->place;
    facts.count = it->count;
    facts.total_ns = it->waited_ns;
    facts.span_ns = it->life_ns;
    facts.longest_ns = it->last_end_ns - it->next_end_ns;
    facts.method = finding->inner_method;
    facts.state = tm__state_words(state);
    tm__finding_add(finding, findings, TM__TEXT_JOIN_TITLE, &facts);
    tm__finding_add(finding, findings,
                    it->count > 1 ? TM__TEXT_JOIN_WAITS_FOR_MANY : TM__TEXT_JOIN_WAITS,
                    &facts);
    tm__finding_add(finding, findings, TM__TEXT_JOIN_HOLDS, &facts);
    tm__finding_add(finding, findings, TM__TEXT_JOIN_ADVICE, &facts);
    return TM_OK;
}

/* A thread that has ended is joined without a wait, which leaves no trace: those that
 * were started with the slowest have been joined as well, or run on. */
static void add_siblings(const joins *j, batch *it)
{
    const tm_model *model = j->findings->model;
    int64_t start_ns = model->entities.threads[it->slowest].start_ns;

    for (uint32_t i = 0; it->waited_ns > 0 && i < model->entities.threads_count; i++) {
        const tm__thread *other = &model->entities.threads[i];

        if (i == it->slowest || i == it->joiner ||
            !tm__are_siblings(j->findings, j->started, i, it->slowest) ||
            (other->end_ns != INT64_MIN && other->end_ns <= start_ns))
            continue;
        if (other->end_ns == INT64_MIN || other->end_ns > it->last_end_ns)
            it->waited_ns = 0;
        else if (it->next == TM__NONE || other->end_ns > it->next_end_ns)
            add_next(it, i, other->end_ns);
    }
}

static int end_batch(joins *j, batch *it)
{
    uint32_t joiner = it->joiner;

    if (it->count && it->waited_ns >= j->findings->run_ns / 20) {
        j->steps += j->findings->model->entities.threads_count;
        if (j->steps > TM__SIBLING_STEPS)
            it->waited_ns = 0;
        else
            add_siblings(j, it);
    }
    if (is_unbalanced(j->findings, it)) {
        if (tm__reserve(&j->findings->memory, &j->batches, &j->batches_capacity,
                        (size_t)j->batches_count + 1, sizeof(*it)) < 0)
            return tm__failure();
        j->batches[j->batches_count] = *it;
        tm__top_add(&j->top, it->waited_ns, j->batches_count++);
    }
    *it = (batch){.joiner = joiner, .next = TM__NONE};
    return TM_OK;
}

static void add_join(const tm_model *model, batch *it, uint32_t joined,
                     const tm__interval *join, int64_t end_ns)
{
    const tm__thread *thread = &model->entities.threads[joined];
    int64_t died_ns = thread->end_ns != INT64_MIN ? thread->end_ns : end_ns;
    int64_t from_ns;

    it->joined_ns = end_ns;
    if (it->count && it->latest == joined) {
        /* Thread.join goes on to wait where a wait ended too early. */
        if (it->slowest == joined)
            it->waited_ns = tm__sum(it->waited_ns, end_ns - join->start_ns);
        return;
    }
    it->count++;
    it->latest = joined;
    if (it->count == 1 || died_ns > it->last_end_ns) {
        it->next_end_ns = it->count == 1 ? INT64_MIN : it->last_end_ns;
        it->next = it->count == 1 ? TM__NONE : it->slowest;
        it->last_end_ns = died_ns;
        it->slowest = joined;
        it->stack = join->stack;
        it->life_ns = thread->start_ns != INT64_MIN ? died_ns - thread->start_ns : 0;
        /* Only while all others had ended was it waited for alone. */
        from_ns = it->next_end_ns > join->start_ns ? it->next_end_ns : join->start_ns;
        it->waited_ns = end_ns > from_ns ? end_ns - from_ns : 0;
        return;
    }
    /* One that was joined later ended while the slowest was waited for. */
    if (died_ns > it->next_end_ns)
        add_next(it, joined, died_ns);
}

static uint32_t place_of(const joins *j, uint32_t stack)
{
    return tm__caller_of(&j->findings->places, stack);
}

static int find_joins_of(joins *j, uint32_t joiner)
{
    const tm_model *model = j->findings->model;
    const tm__thread *thread = &model->entities.threads[joiner];
    batch it = {.joiner = joiner, .next = TM__NONE};
    int rc = TM_OK;

    for (uint32_t i = 0; rc == TM_OK && i < thread->interval_count; i++) {
        const tm__interval *join = &thread->intervals[i];

        if (join->state != TM_STATE_JOINING || join->peer == TM__NONE ||
            join->flags & (TM__INTERVAL_TIMED_OUT | TM__INTERVAL_CONTINUES))
            continue;
        if (it.count && (model->entities.threads[join->peer].start_ns >= it.joined_ns ||
                         place_of(j, join->stack) != place_of(j, it.stack)))
            rc = end_batch(j, &it);
        if (rc == TM_OK)
            add_join(model, &it, join->peer, join,
                     tm__interval_end_ns(model, thread, i));
    }
    return rc == TM_OK ? end_batch(j, &it) : rc;
}

int tm__find_joins(tm__findings *findings)
{
    joins j = {.findings = findings, .started = tm__siblings_open(findings)};
    int rc = j.started ? TM_OK : tm__failure();

    for (uint32_t i = 0; rc == TM_OK && i < findings->model->entities.threads_count;
         i++)
        rc = find_joins_of(&j, i);
    for (uint32_t i = 0; rc == TM_OK && i < j.top.count; i++)
        rc = report_join(findings, &j.batches[j.top.numbers[i]]);
    tm__free(&findings->memory, j.batches, j.batches_capacity * sizeof(*j.batches));
    tm__siblings_close(findings, j.started);
    return rc;
}
