/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about cycles of threads: deadlocks that were, and that could be. */
#include <threadmodel/lockorder.h>
#include <threadmodel/table.h>

#include <string.h>

#include "analysis/findings/findings.h"
#include "base/saturate.h"
#include "model/deadlocks/deadlock_search.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"

/* ---- deadlocks ---- */

static const char *deadlock_advice(const tm__deadlock_member *members, uint32_t count)
{
    uint32_t joins = 0;

    for (uint32_t i = 0; i < count; i++)
        joins += members[i].state == TM_STATE_JOINING;
    if (count == 1)
        return "It waits for itself: do not call out with the lock held, release a "
               "read lock before the write lock, or use a recursive lock.";
    if (joins == count)
        return "Let one thread end without a wait for the other.";
    if (joins)
        return "Do not wait for a thread's end with a lock held that it needs.";
    return "Acquire these locks in one order everywhere, or use one lock for both.";
}

static int report_deadlock(tm__findings *findings, const tm__deadlock *it)
{
    const tm_model *model = findings->model;
    const tm__deadlock_member *members = &model->deadlocks.members[it->member_first];
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
    tm__where_number(finding, "deadlock", it - model->deadlocks.cycles);
    tm__finding_write(finding, "%s of ", suspected ? "Suspected deadlock" : "Deadlock");
    tm__finding_write_threads(finding, it->member_count);
    tm__part(finding, TM__WAITS);
    tm__finding_write(finding, "Since ");
    tm__finding_write_duration(finding, it->time_ns - tm__model_origin_ns(model));
    tm__finding_write(finding, finding->stands ? ", for ever: " : ", for ");
    if (!finding->stands) {
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
                                       : ", held by ");
        tm__finding_write_thread(finding, model, next->thread);
    }
    tm__finding_write(finding, ".");
    tm__part(finding, TM__ADVICE);
    tm__finding_write(finding, "%s", deadlock_advice(members, it->member_count));
    tm__part(finding, TM__CAVEAT);
    if (suspected)
        tm__finding_write(finding,
                          "Suspected: an owner in it is inferred. A thread dump would "
                          "confirm it.");
    return TM_OK;
}

int tm__find_deadlocks(tm__findings *findings)
{
    const tm_model *model = findings->model;
    tm__top top = {.count = 0};
    int rc = TM_OK;

    for (uint32_t i = 0; i < model->deadlocks.cycles_count; i++) {
        const tm__deadlock *it = &model->deadlocks.cycles[i];
        int64_t end_ns =
            it->resolved_ns != INT64_MIN ? it->resolved_ns : model->last_ns;

        if (!it->withdrawn)
            tm__top_add(&top, tm__product(end_ns - it->time_ns, it->member_count), i);
    }
    for (uint32_t i = 0; rc == TM_OK && i < top.count; i++)
        rc = report_deadlock(findings, &model->deadlocks.cycles[top.numbers[i]]);
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

    while (
        first < end &&
        model->entities.threads[tm__map_find(&model->entities.thread_map, ids[first])]
                .deadlock != TM__NONE)
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
    finding->thread = tm__map_find(&model->entities.thread_map,
                                   tm_table_uint64(table, "thread_id")[first]);
    if (!tm_table_is_null(table, "stack", first))
        finding->place = tm__caller_of(&findings->places,
                                       (uint32_t)tm_table_int32(table, "stack")[first]);
    tm__where_number(finding, "cycle", tm_table_int32(table, "cycle")[first]);
    tm__finding_write(finding, "%s of lock order: may deadlock",
                      finding->suspected ? "Suspected inversion" : "Inversion");
    tm__part(finding, TM__WAITS);
    for (size_t row = first; row < end; row++) {
        uint32_t stack = TM__NONE;

        if (!tm_table_is_null(table, "stack", row))
            stack = (uint32_t)tm_table_int32(table, "stack")[row];
        tm__finding_write(finding, row > first ? "; " : "");
        tm__finding_write_thread(
            finding, model,
            tm__map_find(&model->entities.thread_map,
                         tm_table_uint64(table, "thread_id")[row]));
        tm__finding_write(
            finding, " wants %.150s with %.150s held in ",
            or_unknown(tm_table_string(table, "wanted_object", row), "a lock"),
            or_unknown(tm_table_string(table, "held_object", row), "a lock"));
        tm__finding_write_caller(finding, findings,
                                 tm__caller_of(&findings->places, stack));
    }
    tm__finding_write(finding, ".");
    tm__part(finding, TM__ADVICE);
    tm__finding_write(finding, "Acquire these locks in one order everywhere.");
    tm__part(finding, TM__CAVEAT);
    if (finding->suspected)
        tm__finding_write(finding,
                          "Suspected: that a lock was held is inferred. Events with "
                          "the locks that a blocked thread holds would confirm it.");
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
