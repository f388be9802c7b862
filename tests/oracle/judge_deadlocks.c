/* SPDX-License-Identifier: Apache-2.0 */
/* Deadlocks that the model names, and those that there were. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "judging.h"

/* The true cycle of these very threads that stood at a time, or NONE. */
static int deadlock_of(const struct trial *trial, const uint64_t *ids, size_t count,
                       int64_t time_ns)
{
    const struct world *w = trial->w;

    for (size_t d = 0; d < w->deadlock_count; d++) {
        const struct deadlock *truth = &w->deadlocks[d];
        size_t common = 0;

        for (size_t i = 0; i < count; i++)
            for (int m = 0; m < truth->count; m++)
                common += w->threads[truth->threads[m]].id == ids[i];
        if (common == count && (size_t)truth->count == count &&
            truth->time_ns <= time_ns &&
            (truth->resolved_ns < 0 || time_ns <= truth->resolved_ns))
            return (int)d;
    }
    return NONE;
}

static void judge_cycle(struct trial *trial, const tm_table *table, size_t row,
                        size_t end, bool *found)
{
    const struct world *w = trial->w;
    const uint64_t *ids = tm_table_uint64(table, "thread_id");
    const uint64_t *owners = tm_table_uint64(table, "owner_id");
    int64_t time_ns = tm_table_int64(table, "time_ns")[row] + trial->origin_ns;
    int64_t resolved_ns = tm_table_int64(table, "resolved_ns")[row] + trial->origin_ns;
    bool stands = tm_table_is_null(table, "resolved_ns", row);
    bool sure = true, synchronizers = false, stood;
    int truth = deadlock_of(trial, ids + row, end - row, time_ns);

    for (size_t i = row; i < end; i++) {
        int object = object_of(w, tm_table_string(table, "class", i));
        const char *kind = tm_table_string(table, "kind", i);
        bool edge_sure = is_sure(tm_table_string(table, "provenance", i));

        sure = sure && edge_sure;
        synchronizers = synchronizers || !strcmp(kind, "synchronizer");
        if (edge_sure && object != NONE && strcmp(kind, "join") != 0 &&
            !truth_owned_at(w, object, thread_of(w, owners[i]), time_ns))
            wrong(trial, "deadlock at %" PRId64 ": Lock%d is surely said to be T%d's",
                  time_ns, object, thread_of(w, owners[i]));
    }
    if (truth == NONE) {
        trial->score->deadlocks_false++;
        if (sure || (w->config.full && !synchronizers))
            wrong(trial, "deadlock of %zu at %" PRId64 "%s, and there is none",
                  end - row, time_ns, sure ? ", surely" : "");
        return;
    }
    found[truth] = true;
    if (!w->config.full || !w->deadlocks[truth].certain)
        return;
    if (time_ns != w->deadlocks[truth].time_ns)
        wrong(trial, "deadlock at %" PRId64 " is said to be at %" PRId64,
              w->deadlocks[truth].time_ns, time_ns);
    if (!sure)
        wrong(trial,
              "deadlock at %" PRId64 ": all is reported, and it is called inferred",
              time_ns);
    stood = w->deadlocks[truth].resolved_ns < 0 ||
            w->deadlocks[truth].resolved_ns > trial->end_ns ||
            (stands && w->deadlocks[truth].resolved_ns == trial->end_ns);
    if (stands != stood || (!stands && resolved_ns != w->deadlocks[truth].resolved_ns))
        wrong(trial, "deadlock at %" PRId64 " ends at %" PRId64 ", said to at %" PRId64,
              time_ns, w->deadlocks[truth].resolved_ns, stands ? -1 : resolved_ns);
}

void judge_deadlocks(struct trial *trial, const tm_model *model)
{
    const struct world *w = trial->w;
    bool *found = calloc(w->deadlock_count + 1, sizeof(*found));
    const int32_t *number;
    tm_table *table;
    size_t count;

    if (!found || tm_deadlock_list(&table, model) != TM_OK) {
        wrong(trial, "no deadlocks: %s", tm_error_text());
        free(found);
        return;
    }
    number = tm_table_int32(table, "deadlock");
    count = tm_table_row_count(table);
    for (size_t row = 0, end; row < count; row = end) {
        for (end = row; end < count && number[end] == number[row]; end++)
            ;
        judge_cycle(trial, table, row, end, found);
    }
    for (size_t d = 0; d < w->deadlock_count; d++) {
        const struct deadlock *truth = &w->deadlocks[d];

        if (!truth->determined || truth->time_ns < w->attach_ns || w->config.loses ||
            w->config.late ||
            (truth->resolved_ns >= 0 && !(w->config.full && truth->certain)))
            continue;
        trial->score->deadlocks++;
        trial->score->deadlocks_found += found[d];
        if (!found[d])
            wrong(trial,
                  "deadlock of %d%s at %" PRId64 " (T%d wants Lock%d of T%d) is missed",
                  truth->count, truth->timed ? ", one for a time," : "", truth->time_ns,
                  truth->threads[0], truth->objects[0], truth->owners[0]);
    }
    tm_table_free(table);
    free(found);
}
