/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings about one slow thread of several: all that were joined, or that one thread
 * started at one place, had ended, and somebody still waited for this one.
 */
#include "analysis/findings/findings.h"
#include "analysis/timeline/blocking.h"
#include "analysis/resources/resources.h"
#include "base/saturate.h"
#include "model/interaction.h"
#include "model/interval.h"
#include "model/thread.h"

int tm__most_blocked_in(uint32_t *method, tm__findings *findings, uint32_t thread)
{
    const tm__thread *it = &findings->model->threads[thread];
    tm__tally tally = {.items_count = 0};
    int64_t most_ns = 0;
    int rc = TM_OK;

    *method = TM__NONE;
    for (uint32_t i = 0; rc == TM_OK && i < it->interval_count; i++) {
        const tm__interval *at = &it->intervals[i];
        uint32_t place = tm__caller_of(&findings->places, at->stack);
        const tm__tally_item *item;

        if (at->state == TM_STATE_RUNNING || at->state == TM_STATE_NEW ||
            at->state == TM_STATE_DEAD || place == TM__NONE)
            continue;
        item = tm__tally_add(
            &tally, &findings->memory, findings->places.items[place].method, 0, 0,
            tm__interval_end_ns(findings->model, it, i) - at->start_ns, thread);
        if (!item)
            rc = TM_ENOMEM;
        else if (item->total_ns > most_ns) {
            most_ns = item->total_ns;
            *method = item->a;
        }
    }
    tm__tally_free(&tally, &findings->memory);
    return rc;
}

/* ---- joins ---- */

/** Threads that one thread joined one after the other, and that ran together. */
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

/* Of fewer it tells nothing that there are as many. */
enum { ENOUGH_INTERVALS = 16 };

typedef struct joins {
    tm__findings *findings;
    tm__top top; ///< batches[]
    TM__ARRAY(batch, batches);
} joins;

/* Threads that were blocked as often did the same: one of them came later to it, or had
 * the processor later, and has no more work to give away. */
static int did_the_same(const tm_model *model, uint32_t left, uint32_t right)
{
    const tm__thread *l = &model->threads[left], *r = &model->threads[right];
    uint64_t more = (uint64_t)l->interval_first + l->interval_count;
    uint64_t less = (uint64_t)r->interval_first + r->interval_count;

    if (more < less) {
        uint64_t swap = more;

        more = less;
        less = swap;
    }
    return less >= ENOUGH_INTERVALS && (more - less) * 8 <= more;
}

static int is_unbalanced(const tm__findings *findings, const batch *it)
{
    return it->count >= 2 && !did_the_same(findings->model, it->slowest, it->next) &&
           it->waited_ns > 0 && it->last_end_ns - it->next_end_ns >= it->life_ns / 4 &&
           it->waited_ns >= findings->run_ns / 20;
}

static int report_join(tm__findings *findings, const batch *it)
{
    const tm_model *model = findings->model;
    tm__finding *finding =
        tm__finding_new(findings, "unbalanced_join", "timeline", it->waited_ns);

    if (!finding)
        return TM_ENOMEM;
    finding->thread = it->slowest;
    finding->place = tm__caller_of(&findings->places, it->stack);
    finding->class_name =
        tm__class_name_of_object(model, model->threads[it->slowest].object);
    tm__where_thread(finding, "thread_id", model, it->joiner);
    tm__where_text(finding, "state", "joining");
    if (tm__most_blocked_in(&finding->inner_method, findings, it->slowest) < 0)
        return TM_ENOMEM;
    tm__finding_write_thread(finding, model, it->joiner);
    tm__finding_write(finding, " waits for ");
    tm__finding_write_thread(finding, model, it->slowest);
    tm__finding_write(finding, " alone");
    tm__part(finding, TM__WAITS);
    tm__finding_write_thread(finding, model, it->joiner);
    tm__finding_write(finding, " joined %u threads in ", it->count);
    tm__finding_write_caller(finding, findings, finding->place);
    tm__finding_write(finding, " and waited ");
    tm__finding_write_duration(finding, it->waited_ns);
    tm__finding_write(finding, " for ");
    tm__finding_write_thread(finding, model, it->slowest);
    tm__finding_write(finding, " alone.");
    tm__part(finding, TM__HOLDS);
    tm__finding_write_thread(finding, model, it->slowest);
    tm__finding_write(finding, " lived for ");
    tm__finding_write_duration(finding, it->life_ns);
    tm__finding_write(finding, " and ended ");
    tm__finding_write_duration(finding, it->last_end_ns - it->next_end_ns);
    tm__finding_write(finding, " after the others.");
    tm__part(finding, TM__ADVICE);
    tm__finding_write(finding, "Give it less of the work.");
    return TM_OK;
}

static int end_batch(joins *j, batch *it)
{
    uint32_t joiner = it->joiner;

    if (is_unbalanced(j->findings, it)) {
        if (tm__reserve(&j->findings->memory, &j->batches, &j->batches_capacity,
                        (size_t)j->batches_count + 1, sizeof(*it)) < 0)
            return TM_ENOMEM;
        j->batches[j->batches_count] = *it;
        tm__top_add(&j->top, it->waited_ns, j->batches_count++);
    }
    *it = (batch){.joiner = joiner};
    return TM_OK;
}

static void add_join(const tm_model *model, batch *it, uint32_t joined,
                     const tm__interval *join, int64_t end_ns)
{
    const tm__thread *thread = &model->threads[joined];
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
        it->next = it->slowest;
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
    if (died_ns > it->next_end_ns) {
        it->next_end_ns = died_ns;
        it->next = joined;
        if (it->last_end_ns - died_ns < it->waited_ns)
            it->waited_ns = it->last_end_ns - died_ns;
    }
}

static int find_joins_of(joins *j, uint32_t joiner)
{
    const tm_model *model = j->findings->model;
    const tm__thread *thread = &model->threads[joiner];
    batch it = {.joiner = joiner};
    int rc = TM_OK;

    for (uint32_t i = 0; rc == TM_OK && i < thread->interval_count; i++) {
        const tm__interval *join = &thread->intervals[i];

        if (join->state != TM_STATE_JOINING || join->peer == TM__NONE ||
            join->flags & (TM__INTERVAL_TIMED_OUT | TM__INTERVAL_CONTINUES))
            continue;
        if (it.count && model->threads[join->peer].start_ns >= it.joined_ns)
            rc = end_batch(j, &it);
        if (rc == TM_OK)
            add_join(model, &it, join->peer, join,
                     tm__interval_end_ns(model, thread, i));
    }
    return rc == TM_OK ? end_batch(j, &it) : rc;
}

int tm__find_joins(tm__findings *findings)
{
    joins j = {.findings = findings};
    int rc = TM_OK;

    for (uint32_t i = 0; rc == TM_OK && i < findings->model->threads_count; i++)
        rc = find_joins_of(&j, i);
    for (uint32_t i = 0; rc == TM_OK && i < j.top.count; i++)
        rc = report_join(findings, &j.batches[j.top.numbers[i]]);
    tm__free(&findings->memory, j.batches, j.batches_capacity * sizeof(*j.batches));
    return rc;
}

/* ---- whoever waits for the last of several ---- */

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
    TM__ARRAY(last_one, items);
} stragglers;

static int are_siblings(const stragglers *s, uint32_t left, uint32_t right)
{
    const tm__interaction *l, *r;

    if (s->started[left] == TM__NONE || s->started[right] == TM__NONE)
        return 0;
    l = tm__row(s->findings->model, s->started[left]);
    r = tm__row(s->findings->model, s->started[right]);
    return l->from_thread == r->from_thread &&
           tm__caller_of(&s->findings->places, l->from_stack) ==
               tm__caller_of(&s->findings->places, r->from_stack);
}

/* @return 1 and what is known, or 0: others still ran, or did the same */
static int is_the_last(const stragglers *s, last_one *it)
{
    const tm_model *model = s->findings->model;
    const tm__thread *waiter = &model->threads[it->waiter];
    const tm__thread *slowest = &model->threads[it->slowest];
    int64_t from_ns = waiter->intervals[it->interval].start_ns, last_ns = INT64_MIN;
    uint32_t next = TM__NONE;

    it->count = 1;
    for (uint32_t i = 0; i < model->threads_count; i++) {
        const tm__thread *other = &model->threads[i];

        if (i == it->slowest || i == it->waiter || !are_siblings(s, i, it->slowest) ||
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
        did_the_same(model, it->slowest, next))
        return 0;
    it->alone_ns = it->end_ns - (from_ns > last_ns ? from_ns : last_ns);
    return it->alone_ns >= s->findings->run_ns / 20 &&
           it->alone_ns >= (it->end_ns - slowest->start_ns) / 4;
}

static int note_end(stragglers *s, uint32_t thread, uint32_t index)
{
    const tm_model *model = s->findings->model;
    const tm__thread *waiter = &model->threads[thread];
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
        cause < model->interactions_first)
        return TM_OK;
    it.slowest = tm__row(model, cause)->from_thread;
    if (it.slowest == TM__NONE || it.slowest == thread || !is_the_last(s, &it))
        return TM_OK;
    if (tm__reserve(&s->findings->memory, &s->items, &s->items_capacity,
                    (size_t)s->items_count + 1, sizeof(it)) < 0)
        return TM_ENOMEM;
    tm__top_add(&s->top, it.alone_ns, s->items_count);
    s->items[s->items_count++] = it;
    return TM_OK;
}

static int emit_last(stragglers *s, const last_one *it)
{
    tm__findings *findings = s->findings;
    const tm_model *model = findings->model;
    const tm__thread *waiter = &model->threads[it->waiter];
    const tm__interval *wait = &waiter->intervals[it->interval];
    tm__finding *finding =
        tm__finding_new(findings, "straggler", "timeline", it->alone_ns);

    if (!finding)
        return TM_ENOMEM;
    if (tm__most_blocked_in(&finding->inner_method, findings, it->slowest) < 0)
        return TM_ENOMEM;
    finding->thread = it->slowest;
    finding->class_name = tm__class_name_of_object(model, wait->object);
    finding->place = tm__caller_of(&findings->places, wait->stack);
    finding->blocked_place = finding->place;
    tm__where_thread(finding, "thread_id", model, it->waiter);
    tm__where_number(finding, "start_ns", wait->start_ns - tm__model_origin_ns(model));
    tm__finding_write_thread(finding, model, it->waiter);
    tm__finding_write(finding, " waits for ");
    tm__finding_write_thread(finding, model, it->slowest);
    tm__finding_write(finding, ", last of %u", it->count);
    tm__part(finding, TM__WAITS);
    tm__finding_write_thread(finding, model, it->waiter);
    tm__finding_write(finding, " waited in ");
    tm__finding_write_caller(finding, findings, finding->place);
    tm__finding_write(finding, " for ");
    tm__finding_write_class(finding, model, finding->class_name);
    tm__finding_write(finding, " for ");
    tm__finding_write_duration(finding, it->end_ns - wait->start_ns);
    tm__finding_write(finding, ", of it ");
    tm__finding_write_duration(finding, it->alone_ns);
    tm__finding_write(finding, " for ");
    tm__finding_write_thread(finding, model, it->slowest);
    tm__finding_write(finding, " alone.");
    tm__part(finding, TM__HOLDS);
    tm__finding_write_thread(finding, model, it->slowest);
    tm__finding_write(finding,
                      " was started with %u others, which had all ended by then",
                      it->count - 1);
    if (finding->inner_method != TM__NONE) {
        tm__finding_write(finding, "; it was blocked most in ");
        tm__finding_write_method(finding, model, finding->inner_method);
    }
    tm__finding_write(finding, ".");
    tm__part(finding, TM__ADVICE);
    tm__finding_write(finding,
                      "Divide the work evenly, or into more and smaller parts.");
    return TM_OK;
}

int tm__find_stragglers(tm__findings *findings)
{
    const tm_model *model = findings->model;
    size_t bytes = ((size_t)model->threads_count + 1) * sizeof(uint32_t);
    stragglers s = {.findings = findings};
    int rc = TM_OK;

    if (tm__model_is_of_dumps(model))
        return TM_OK;
    s.started = tm__resize(&findings->memory, NULL, 0, bytes);
    if (!s.started)
        return TM_ENOMEM;
    for (uint32_t i = 0; i <= model->threads_count; i++)
        s.started[i] = TM__NONE;
    for (uint32_t i = 0; i < model->interactions_count; i++) {
        const tm__interaction *row = &model->interactions[i];

        if (row->kind == TM_INTERACTION_START && row->to_thread != TM__NONE)
            s.started[row->to_thread] = model->interactions_first + i;
    }
    for (uint32_t t = 0; rc == TM_OK && t < model->threads_count; t++)
        for (uint32_t i = 0; rc == TM_OK && i < model->threads[t].interval_count; i++)
            rc = note_end(&s, t, i);
    for (uint32_t i = 0; rc == TM_OK && i < s.top.count; i++)
        rc = emit_last(&s, &s.items[s.top.numbers[i]]);
    tm__free(&findings->memory, s.started, bytes);
    tm__free(&findings->memory, s.items, s.items_capacity * sizeof(*s.items));
    return rc;
}
