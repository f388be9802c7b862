/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of holds against who really had each lock.
 *
 *     row     start_earliest ── start_latest ══════════ end_earliest ── end_latest
 *     truth              got ┘                                   └ gave
 *
 * An end that is called exact or reported is of an instant at which the thread had the
 * lock, and the true end lies between the two that the row names. Where all that is
 * acquired and released is reported, it had the lock all through; else it may have
 * given it up and taken it again unseen. Who is named as the next for sure had it
 * next. Rows that are inferred are counted.
 */
#include <inttypes.h>

#include "judging.h"

struct claim {
    int object, thread;
    int64_t start_ns, end_ns; ///< the estimate; -1: it has it still
    int64_t start_earliest_ns, start_latest_ns, end_earliest_ns, end_latest_ns;
    bool start_sure, end_sure;
    int next; ///< who got it then, or NONE
    bool next_sure;
};

static int64_t time_of(const struct trial *trial, const tm_table *table,
                       const char *column, size_t row)
{
    return tm_table_is_null(table, column, row)
               ? -1
               : tm_table_int64(table, column)[row] + trial->origin_ns;
}

bool reports_tenures(const struct world *w)
{
    return w->config.kinds_known && !w->config.loses &&
           w->config.kinds >> TM_EVENT_RELEASED & 1;
}

static void judge_claim(struct trial *trial, const struct claim *c)
{
    const struct world *w = trial->w;
    struct stretch_held first, last;
    bool at_start = truth_tenure(w, c->object, c->thread, c->start_latest_ns, &first);
    bool at_end = truth_tenure(w, c->object, c->thread, c->end_earliest_ns, &last);

    if (c->start_sure && !at_start)
        wrong(trial, "holds: T%d surely has Lock%d at %" PRId64 ", and does not",
              c->thread, c->object, c->start_latest_ns);
    if (c->end_sure && !at_end)
        wrong(trial, "holds: T%d surely has Lock%d until %" PRId64 ", and does not",
              c->thread, c->object, c->end_earliest_ns);
    if (c->start_sure && c->end_sure && at_start && at_end && reports_tenures(w) &&
        first.start_ns != last.start_ns)
        wrong(trial,
              "holds: T%d surely has Lock%d from %" PRId64 " to %" PRId64
              ", and gave it up at %" PRId64,
              c->thread, c->object, c->start_latest_ns, c->end_earliest_ns,
              first.end_ns);
    if (w->config.loses)
        return;
    /* One that waits and is interrupted in the same instant gave it up and took it. */
    if (c->start_sure && at_start && c->start_earliest_ns > first.start_ns &&
        !truth_retook_at(w, c->object, c->thread, c->start_latest_ns))
        wrong(trial,
              "holds: T%d got Lock%d at %" PRId64 ", said to be %" PRId64
              " to %" PRId64,
              c->thread, c->object, first.start_ns, c->start_earliest_ns,
              c->start_latest_ns);
    if (c->end_sure && at_end && c->end_latest_ns >= 0 &&
        (last.end_ns < 0 || last.end_ns > c->end_latest_ns) &&
        !truth_retook_at(w, c->object, c->thread, c->end_latest_ns))
        wrong(trial,
              "holds: T%d gave Lock%d up at %" PRId64 ", said to be %" PRId64
              " to %" PRId64,
              c->thread, c->object, last.end_ns, c->end_earliest_ns, c->end_latest_ns);
}

/* The next owner, as stated: no thread had it between. */
static void judge_next(struct trial *trial, const struct claim *c)
{
    struct stretch_held held;
    bool right =
        truth_tenure(trial->w, c->object, c->thread, c->end_earliest_ns, &held) &&
        held.end_ns >= 0 && truth_is_next(trial->w, c->object, c->next, held.end_ns);

    trial->score->nexts++;
    trial->score->nexts_right += right;
    if (c->next_sure && !right)
        wrong(trial,
              "holds: T%d, which released Lock%d at %" PRId64 ", certainly to T%d",
              c->thread, c->object, c->end_earliest_ns, c->next);
}

static void count_claim(struct trial *trial, const struct claim *c)
{
    int64_t end_ns = c->end_ns < 0 ? trial->end_ns : c->end_ns;
    uint64_t length_ns = end_ns > c->start_ns ? (uint64_t)(end_ns - c->start_ns) : 0;
    struct stretch_held truth;

    if (c->start_sure && c->end_sure) {
        trial->score->hold_sure_ns += length_ns;
        return;
    }
    trial->score->hold_inferred_ns += length_ns;
    if (truth_tenure(trial->w, c->object, c->thread, c->start_ns, &truth) &&
        (truth.end_ns < 0 || truth.end_ns >= end_ns))
        trial->score->hold_inferred_right_ns += length_ns;
}

void judge_holds(struct trial *trial, const tm_model *model)
{
    tm_table *table;

    if (tm_hold_list(&table, model, NULL) != TM_OK) {
        wrong(trial, "no holds: %s", tm_error_text());
        return;
    }
    for (size_t row = 0; row < tm_table_row_count(table); row++) {
        struct claim c = {
            .object = object_of(trial->w, tm_table_string(table, "class", row)),
            .thread = thread_of(trial->w, tm_table_uint64(table, "thread_id")[row]),
            .start_ns = time_of(trial, table, "start_ns", row),
            .end_ns = time_of(trial, table, "end_ns", row),
            .start_earliest_ns = time_of(trial, table, "start_earliest_ns", row),
            .start_latest_ns = time_of(trial, table, "start_latest_ns", row),
            .end_earliest_ns = time_of(trial, table, "end_earliest_ns", row),
            .end_latest_ns = time_of(trial, table, "end_latest_ns", row),
            .start_sure = is_sure(tm_table_string(table, "start_provenance", row)),
            .end_sure = is_sure(tm_table_string(table, "end_provenance", row)),
            .next =
                tm_table_is_null(table, "to_thread_id", row)
                    ? NONE
                    : thread_of(trial->w, tm_table_uint64(table, "to_thread_id")[row]),
            .next_sure = is_sure(tm_table_string(table, "to_provenance", row))};

        if (c.start_earliest_ns > c.start_latest_ns ||
            c.start_latest_ns > c.end_earliest_ns ||
            (c.end_latest_ns >= 0 && c.end_earliest_ns > c.end_latest_ns))
            wrong(trial, "holds: the ends of row %zu are in no order", row);
        if (c.object == NONE || c.thread == NONE)
            continue;
        judge_claim(trial, &c);
        if (c.next != NONE)
            judge_next(trial, &c);
        if (!trial->w->config.loses)
            count_claim(trial, &c);
    }
    tm_table_free(table);
}
