/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about cycles of threads: deadlocks that were, and that could be. */
#include <threadmodel/lockorder.h>
#include <threadmodel/table.h>

#include <string.h>

#include "analysis/findings/finding.h"
#include "analysis/findings/finding_text.h"
#include "analysis/findings/findings_threads.h"
#include "analysis/findings/findings_scope.h"
#include "analysis/findings/where.h"
#include "base/error.h"
#include "base/saturate.h"
#include "model/deadlocks/deadlock_search.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"

/* ---- deadlocks ---- */

static tm__card_text deadlock_advice(const tm__deadlock_member *members, uint32_t count)
{
    uint32_t joins = 0;

    for (uint32_t i = 0; i < count; i++)
        joins += members[i].state == TM_STATE_JOINING;
    if (count == 1)
        return TM__TEXT_DEADLOCK_ADVICE_ALONE;
    if (joins == count)
        return TM__TEXT_DEADLOCK_ADVICE_JOINS;
    return joins ? TM__TEXT_DEADLOCK_ADVICE_JOIN : TM__TEXT_DEADLOCK_ADVICE_ORDER;
}

static void write_member(tm__finding *finding, tm__findings *findings,
                         const tm__deadlock_member *it, uint32_t next)
{
    tm__facts facts = TM__NO_FACTS;

    facts.thread = it->thread;
    facts.name = tm__label(&findings->labels, findings->model, it->object);
    facts.place = tm__caller_of(&findings->places, it->stack);
    facts.other_thread = next;
    tm__finding_add(finding, findings,
                    it->state == TM_STATE_JOINING ? TM__TEXT_DEADLOCK_JOINS
                                                  : TM__TEXT_DEADLOCK_WANTS,
                    &facts);
}

/* How long it stood in the part that is asked about; -1: not in there. */
static int64_t within_ns(const tm__findings *findings, const tm__deadlock *it)
{
    int64_t from_ns = it->time_ns, to_ns = findings->model->last_ns;

    if (it->resolved_ns != INT64_MIN)
        to_ns = it->resolved_ns;
    if (!tm__in_scope(findings, &from_ns, &to_ns))
        return -1;
    return to_ns > from_ns ? to_ns - from_ns : 0;
}

static int report_deadlock(tm__findings *findings, const tm__deadlock *it)
{
    const tm_model *model = findings->model;
    const tm__deadlock_member *members = &model->deadlocks.members[it->member_first];
    int64_t end_ns = it->resolved_ns != INT64_MIN ? it->resolved_ns : model->last_ns;
    int64_t length_ns = end_ns > it->time_ns ? end_ns - it->time_ns : 0;
    int suspected = it->suspected && !it->confirmed;
    tm__finding *finding =
        tm__finding_new(findings, "deadlock", "deadlocks",
                        tm__product(within_ns(findings, it), it->member_count));
    tm__facts facts = TM__NO_FACTS;

    if (!finding)
        return tm__failure();
    finding->suspected = suspected;
    finding->stands = it->resolved_ns == INT64_MIN;
    finding->thread = members[0].thread;
    finding->place = tm__caller_of(&findings->places, members[0].stack);
    finding->class_name = tm__class_name_of_object(model, members[0].object);
    tm__where_number(finding, "deadlock", it - model->deadlocks.cycles);
    facts.threads = it->member_count;
    facts.total_ns = it->time_ns - tm__model_origin_ns(model);
    facts.longest_ns = length_ns;
    tm__finding_add(finding, findings,
                    suspected ? TM__TEXT_DEADLOCK_TITLE_SUSPECTED
                              : TM__TEXT_DEADLOCK_TITLE,
                    &facts);
    tm__finding_add(
        finding, findings,
        finding->stands ? TM__TEXT_DEADLOCK_STANDS : TM__TEXT_DEADLOCK_ENDED, &facts);
    for (uint32_t i = 0; i < it->member_count; i++) {
        if (i)
            tm__finding_add_plain(finding, findings, TM__TEXT_ALSO);
        write_member(finding, findings, &members[i],
                     members[(i + 1) % it->member_count].thread);
    }
    tm__finding_add_plain(finding, findings, TM__TEXT_STOP);
    tm__finding_add_plain(finding, findings,
                          deadlock_advice(members, it->member_count));
    if (suspected)
        tm__finding_add_plain(finding, findings, TM__TEXT_DEADLOCK_SUSPECTED);
    return TM_OK;
}

int tm__find_deadlocks(tm__findings *findings)
{
    const tm_model *model = findings->model;
    tm__top top = {.count = 0};
    int rc = TM_OK;

    for (uint32_t i = 0; i < model->deadlocks.cycles_count; i++) {
        const tm__deadlock *it = &model->deadlocks.cycles[i];
        int64_t ns = within_ns(findings, it);

        if (!it->withdrawn && ns >= 0)
            tm__top_add(&top, tm__product(ns, it->member_count), i);
    }
    for (uint32_t i = 0; rc == TM_OK && i < top.count; i++)
        rc = report_deadlock(findings, &model->deadlocks.cycles[top.numbers[i]]);
    return rc;
}

/* ---- lock order ---- */

static const char *or_a_lock(const char *name)
{
    return name ? name : tm__card_text_of(TM__TEXT_A_LOCK);
}

static uint32_t place_of(const tm__findings *findings, const tm_table *table,
                         const char *column, size_t row)
{
    uint32_t stack = tm_table_is_null(table, column, row)
                         ? TM__NONE
                         : (uint32_t)tm_table_int32(table, column)[row];

    return tm__caller_of(&findings->places, stack);
}

static void write_wanted(tm__finding *finding, const tm__findings *findings,
                         const tm_table *table, size_t row)
{
    tm__facts facts = TM__NO_FACTS;

    facts.thread = tm__map_find(&findings->model->entities.thread_map,
                                tm_table_uint64(table, "thread_id")[row]);
    facts.name = or_a_lock(tm_table_string(table, "wanted_object", row));
    facts.other_name = or_a_lock(tm_table_string(table, "held_object", row));
    facts.place = place_of(findings, table, "stack", row);
    facts.other_place = place_of(findings, table, "held_stack", row);
    tm__finding_add(finding, findings, TM__TEXT_INVERSION_WANTS, &facts);
}

static int is_inferred(const tm_table *table, size_t row)
{
    return strcmp(tm_table_string(table, "provenance", row), "inferred") == 0;
}

/* Whether something but inference speaks for a cycle: locks that are taken one after
 * the other in a method look like nested ones, and it is not rare that this happens
 * twice. */
static int is_supported(const tm_table *table, size_t first, size_t end)
{
    if (strcmp(tm_table_string(table, "level", first), "object") != 0)
        return 0;
    while (first < end && is_inferred(table, first))
        first++;
    return first < end;
}

/* A cycle that did deadlock is reported as a deadlock. */
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

/* The rows of one cycle. */
typedef struct cycle {
    size_t first, end;
} cycle;

static cycle cycle_at(const tm_table *table, size_t first)
{
    const int32_t *numbers = tm_table_int32(table, "cycle");
    cycle it = {first, first};

    while (it.end < tm_table_row_count(table) && numbers[it.end] == numbers[first])
        it.end++;
    return it;
}

/* Whether each order of one cycle is an order of the other's, by their places. */
static int has_places_of(const tm__findings *findings, const tm_table *table,
                         cycle left, cycle right)
{
    for (size_t l = left.first; l < left.end; l++) {
        uint32_t place = place_of(findings, table, "stack", l);
        uint32_t held = place_of(findings, table, "held_stack", l);
        size_t r = right.first;

        if (place == TM__NONE || held == TM__NONE)
            return 0;
        while (r < right.end && (place_of(findings, table, "stack", r) != place ||
                                 place_of(findings, table, "held_stack", r) != held))
            r++;
        if (r == right.end)
            return 0;
    }
    return 1;
}

static int is_alike(const tm__findings *findings, const tm_table *table, cycle left,
                    cycle right)
{
    return has_places_of(findings, table, left, right) &&
           has_places_of(findings, table, right, left);
}

static int is_shown(const tm__findings *findings, const tm_table *table, cycle it)
{
    return is_supported(table, it.first, it.end) &&
           !is_deadlocked(findings->model, table, it.first, it.end);
}

/* Whether a cycle at the same places comes before it, which stands for both. */
static int is_one_more(const tm__findings *findings, const tm_table *table, cycle it)
{
    cycle before;

    for (size_t first = 0; first < it.first; first = before.end) {
        before = cycle_at(table, first);
        if (is_shown(findings, table, before) && is_alike(findings, table, before, it))
            return 1;
    }
    return 0;
}

static uint64_t count_more(const tm__findings *findings, const tm_table *table,
                           cycle it)
{
    uint64_t count = 0;
    cycle after;

    for (size_t first = it.end; first < tm_table_row_count(table); first = after.end) {
        after = cycle_at(table, first);
        count +=
            is_shown(findings, table, after) && is_alike(findings, table, it, after);
    }
    return count;
}

static void write_caveat(tm__finding *finding, const tm__findings *findings,
                         const tm_table *table, cycle it)
{
    size_t row = it.first;

    while (row < it.end && !is_inferred(table, row))
        row++;
    if (finding->suspected)
        tm__finding_add_plain(finding, findings,
                              row < it.end ? TM__TEXT_INVERSION_SUSPECTED
                                           : TM__TEXT_INVERSION_ORDERED);
}

static int report_inversion(tm__findings *findings, const tm_table *table, cycle it)
{
    tm__finding *finding = tm__finding_new(findings, "lock_inversion", "lock_order", 0);
    tm__facts facts = TM__NO_FACTS;

    if (!finding)
        return tm__failure();
    finding->suspected =
        tm_table_bool(table, "suspected")[it.first / 8] >> it.first % 8 & 1;
    finding->thread = tm__map_find(&findings->model->entities.thread_map,
                                   tm_table_uint64(table, "thread_id")[it.first]);
    finding->place = place_of(findings, table, "stack", it.first);
    tm__where_number(finding, "cycle", tm_table_int32(table, "cycle")[it.first]);
    tm__finding_add_plain(finding, findings, TM__TEXT_INVERSION_TITLE);
    for (size_t row = it.first; row < it.end; row++) {
        if (row > it.first)
            tm__finding_add_plain(finding, findings, TM__TEXT_ALSO);
        write_wanted(finding, findings, table, row);
    }
    tm__finding_add_plain(finding, findings, TM__TEXT_STOP);
    facts.count = count_more(findings, table, it);
    if (facts.count)
        tm__finding_add(finding, findings, TM__TEXT_INVERSION_MORE, &facts);
    tm__finding_add_plain(finding, findings, TM__TEXT_INVERSION_ADVICE);
    write_caveat(finding, findings, table, it);
    return TM_OK;
}

int tm__find_inversions(tm__findings *findings)
{
    size_t reported = 0;
    tm_table *table;
    cycle it;
    int rc = tm_lock_order_list(&table, findings->model);

    if (rc < 0)
        return rc;
    for (size_t first = 0; rc == TM_OK && first < tm_table_row_count(table) &&
                           reported < TM__FINDINGS_A_KIND;
         first = it.end) {
        it = cycle_at(table, first);
        if (!is_shown(findings, table, it) || is_one_more(findings, table, it))
            continue;
        reported++;
        rc = report_inversion(findings, table, it);
    }
    tm_table_free(table);
    return rc;
}
