/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings about threads: deadlocks that were, deadlocks that could be, and joins
 * that wait for one slow thread.
 */
#include <threadmodel/lockorder.h>
#include <threadmodel/table.h>

#include <string.h>

#include "analysis/findings/findings.h"
#include "analysis/timeline/blocking.h"
#include "base/saturate.h"
#include "model/deadlock_search.h"
#include "model/interval.h"
#include "model/thread.h"

/* ---- deadlocks ---- */

static int report_deadlock(tm__findings *findings, const tm__deadlock *it)
{
    const tm_model *model = findings->model;
    const tm__deadlock_member *members = &model->deadlock_members[it->member_first];
    int64_t end_ns = it->resolved_ns != INT64_MIN ? it->resolved_ns : model->last_ns;
    int64_t length_ns = end_ns > it->time_ns ? end_ns - it->time_ns : 0;
    int suspected = it->suspected && !it->confirmed;
    tm__finding *finding = tm__finding_new(findings, "deadlock", "deadlocks",
                                           tm__product(length_ns, it->member_count));

    if (!finding)
        return TM_ENOMEM;
    finding->suspected = suspected;
    finding->stands = it->resolved_ns == INT64_MIN;
    finding->thread = members[0].thread;
    finding->place = tm__caller_of(&findings->places, members[0].stack);
    finding->class_name = tm__class_name_of_object(model, members[0].object);
    tm__where_number(finding, "deadlock", it - model->deadlocks);
    tm__finding_write(finding, "%s of %u threads at ",
                      suspected ? "Suspected deadlock" : "Deadlock", it->member_count);
    tm__finding_write_duration(finding, it->time_ns - tm__model_origin_ns(model));
    tm__finding_write(finding,
                      it->resolved_ns == INT64_MIN ? ", for ever: " : ", for ");
    if (it->resolved_ns != INT64_MIN) {
        tm__finding_write_duration(finding, length_ns);
        tm__finding_write(finding, ": ");
    }
    for (uint32_t i = 0; i < it->member_count; i++) {
        const tm__deadlock_member *next = &members[(i + 1) % it->member_count];

        tm__finding_write(finding, i ? "; " : "");
        tm__finding_write_thread(finding, model, members[i].thread);
        tm__finding_write(
            finding, members[i].state == TM_STATE_JOINING ? " in " : " wants %s in ",
            tm__label(&findings->labels, model, members[i].object));
        tm__finding_write_caller(finding, findings,
                                 tm__caller_of(&findings->places, members[i].stack));
        tm__finding_write(finding, members[i].state == TM_STATE_JOINING
                                       ? " waits for the end of "
                                       : ", which is held by ");
        tm__finding_write_thread(finding, model, next->thread);
    }
    tm__finding_write(finding, suspected ? ". A thread dump would confirm it." : ".");
    return TM_OK;
}

int tm__find_deadlocks(tm__findings *findings)
{
    const tm_model *model = findings->model;
    tm__top top = {.count = 0};
    int rc = TM_OK;

    for (uint32_t i = 0; i < model->deadlocks_count; i++) {
        const tm__deadlock *it = &model->deadlocks[i];
        int64_t end_ns =
            it->resolved_ns != INT64_MIN ? it->resolved_ns : model->last_ns;

        if (!it->withdrawn)
            tm__top_add(&top, tm__product(end_ns - it->time_ns, it->member_count), i);
    }
    for (uint32_t i = 0; rc == TM_OK && i < top.count; i++)
        rc = report_deadlock(findings, &model->deadlocks[top.numbers[i]]);
    return rc;
}

/* ---- lock order ---- */

static const char *or_unknown(const char *text, const char *unknown)
{
    return text ? text : unknown;
}

static int is_inferred(const tm_table *table, size_t row)
{
    return strcmp(tm_table_string(table, "provenance", row), "inferred") == 0;
}

/* Whether something but inference speaks for a cycle: locks that are taken one after
 * the other in a method look like nested ones, and that twice is no rare thing. */
static int is_supported(const tm_table *table, size_t first, size_t end)
{
    if (strcmp(tm_table_string(table, "level", first), "object") != 0)
        return 0;
    while (first < end && is_inferred(table, first))
        first++;
    return first < end;
}

/* A cycle that did deadlock is told as that. */
static int is_deadlocked(const tm_model *model, const tm_table *table, size_t first,
                         size_t end)
{
    const uint64_t *ids = tm_table_uint64(table, "thread_id");

    while (first < end &&
           model->threads[tm__map_find(&model->thread_map, ids[first])].deadlock !=
               TM__NONE)
        first++;
    return first == end;
}

/* A sentence on rows [first, end) of the table of cycles. */
static int report_inversion(tm__findings *findings, const tm_table *table, size_t first,
                            size_t end)
{
    const tm_model *model = findings->model;
    tm__finding *finding = tm__finding_new(findings, "lock_inversion", "lock_order", 0);

    if (!finding)
        return TM_ENOMEM;
    for (size_t row = first; row < end; row++)
        if (is_inferred(table, row))
            finding->suspected = 1;
    finding->thread =
        tm__map_find(&model->thread_map, tm_table_uint64(table, "thread_id")[first]);
    if (!tm_table_is_null(table, "stack", first))
        finding->place = tm__caller_of(&findings->places,
                                       (uint32_t)tm_table_int32(table, "stack")[first]);
    tm__where_number(finding, "cycle", tm_table_int32(table, "cycle")[first]);
    tm__finding_write(finding, "%s of lock order, which may deadlock: ",
                      finding->suspected ? "Suspected inversion" : "Inversion");
    for (size_t row = first; row < end; row++) {
        uint32_t stack = TM__NONE;

        if (!tm_table_is_null(table, "stack", row))
            stack = (uint32_t)tm_table_int32(table, "stack")[row];
        tm__finding_write(finding, row > first ? "; " : "");
        tm__finding_write_thread(
            finding, model,
            tm__map_find(&model->thread_map, tm_table_uint64(table, "thread_id")[row]));
        tm__finding_write(
            finding, " wants %.150s with %.150s held in ",
            or_unknown(tm_table_string(table, "wanted_object", row), "a lock"),
            or_unknown(tm_table_string(table, "held_object", row), "a lock"));
        tm__finding_write_caller(finding, findings,
                                 tm__caller_of(&findings->places, stack));
    }
    tm__finding_write(finding, finding->suspected
                                   ? ". Events that tell which locks a blocked "
                                     "thread holds would confirm it."
                                   : ".");
    return TM_OK;
}

int tm__find_inversions(tm__findings *findings)
{
    const int32_t *cycle;
    size_t rows, told = 0;
    tm_table *table;
    int rc = tm_lock_order_list(&table, findings->model);

    if (rc < 0)
        return rc;
    cycle = tm_table_int32(table, "cycle");
    rows = tm_table_row_count(table);
    for (size_t first = 0, end; rc == TM_OK && first < rows; first = end) {
        for (end = first; end < rows && cycle[end] == cycle[first]; end++)
            ;
        if (is_supported(table, first, end) &&
            !is_deadlocked(findings->model, table, first, end) &&
            told++ < TM__FINDINGS_A_KIND)
            rc = report_inversion(findings, table, first, end);
    }
    tm_table_free(table);
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
    tm__finding_write_thread(finding, model, it->joiner);
    tm__finding_write(finding, " joined %u threads in ", it->count);
    tm__finding_write_caller(finding, findings, finding->place);
    tm__finding_write(finding, " and waited ");
    tm__finding_write_duration(finding, it->waited_ns);
    tm__finding_write(finding, " for ");
    tm__finding_write_thread(finding, model, it->slowest);
    tm__finding_write(finding, " alone, which ran for ");
    tm__finding_write_duration(finding, it->life_ns);
    tm__finding_write(finding, " and ended ");
    tm__finding_write_duration(finding, it->last_end_ns - it->next_end_ns);
    tm__finding_write(finding, " after the others: give it less of the work.");
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
