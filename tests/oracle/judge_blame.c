/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blame against the true owners of the lock. The shares of a block tile it; and an
 * owner that the model calls certain had the lock all through its share. No owner of a
 * semaphore is certain; the time in which the named thread had a permit is counted.
 */
#include <inttypes.h>
#include <string.h>

#include "judging.h"

static bool had(const struct world *w, int object, int owner, int64_t from_ns,
                int64_t to_ns)
{
    struct stretch_held held;

    return truth_tenure(w, object, owner, from_ns, &held) &&
           (held.end_ns < 0 || held.end_ns >= to_ns);
}

/* A wait that an interrupt ends at once gives the lock up for one nanosecond. */
static void judge_sure(struct trial *trial, int object, int owner, int64_t from_ns,
                       int64_t to_ns)
{
    trial->score->blame_sure_ns += (uint64_t)(to_ns - from_ns);
    trial->score->blame_sure_free_ns +=
        (uint64_t)truth_free_ns(trial->w, object, from_ns, to_ns);
    if (!had(trial->w, object, owner, from_ns, to_ns) &&
        !had(trial->w, object, owner, from_ns + 1, to_ns))
        wrong(trial,
              "blame of Lock%d from %" PRId64 " to %" PRId64 ": T%d is surely said to "
              "own it, and does not",
              object, from_ns, to_ns, owner);
}

static void judge_share(struct trial *trial, const tm_table *table, size_t row)
{
    const struct world *w = trial->w;
    struct score *score = trial->score;
    int64_t from_ns = tm_table_int64(table, "start_ns")[row] + trial->origin_ns;
    int64_t to_ns = tm_table_int64(table, "end_ns")[row] + trial->origin_ns;
    uint64_t length_ns = (uint64_t)(to_ns - from_ns);
    int owner = thread_of(w, tm_table_uint64(table, "owner_id")[row]);
    int object = object_of(w, tm_table_string(table, "class", row));
    const char *share = tm_table_string(table, "share", row);

    if (w->config.loses)
        return;
    score->blame_ns += length_ns;
    /* A queueing that is over as it begins blames nobody. */
    if (length_ns == 0 || object == NONE)
        return;
    score->blame_free_ns += (uint64_t)truth_free_ns(w, object, from_ns, to_ns);
    if (!strcmp(share, "latency"))
        score->blame_latency_ns += length_ns;
    if (tm_table_is_null(table, "owner_id", row))
        return;
    if (is_sure(tm_table_string(table, "provenance", row))) {
        judge_sure(trial, object, owner, from_ns, to_ns);
        return;
    }
    score->blame_inferred_ns += length_ns;
    if (truth_owned_within(w, object, owner, from_ns, to_ns))
        score->blame_inferred_right_ns += length_ns;
}

static bool is_same_block(const tm_table *table, size_t row, size_t other)
{
    return tm_table_uint64(table, "thread_id")[row] ==
               tm_table_uint64(table, "thread_id")[other] &&
           tm_table_int64(table, "block_start_ns")[row] ==
               tm_table_int64(table, "block_start_ns")[other] &&
           tm_table_int64(table, "block_end_ns")[row] ==
               tm_table_int64(table, "block_end_ns")[other];
}

/* How the shares of a table are judged, one by one. */
typedef void (*judge_fn)(struct trial *trial, const tm_table *table, size_t row);

static void judge_rows(struct trial *trial, const tm_table *table, judge_fn judge_row)
{
    size_t count = tm_table_row_count(table);

    for (size_t row = 0, end; row < count; row = end) {
        int64_t at_ns = tm_table_int64(table, "block_start_ns")[row];

        for (end = row; end < count && is_same_block(table, row, end); end++) {
            if (tm_table_int64(table, "start_ns")[end] != at_ns)
                wrong(trial, "the shares of a block do not tile it at %" PRId64, at_ns);
            at_ns = tm_table_int64(table, "end_ns")[end];
            judge_row(trial, table, end);
        }
        if (at_ns != tm_table_int64(table, "block_end_ns")[row])
            wrong(trial, "the shares of a block end at %" PRId64, at_ns);
    }
}

void judge_blame(struct trial *trial, const tm_model *model)
{
    tm_table *table;

    if (tm_blame_list(&table, model, NULL) != TM_OK) {
        wrong(trial, "no blame: %s", tm_error_text());
        return;
    }
    judge_rows(trial, table, judge_share);
    tm_table_free(table);
}

static void judge_use(struct trial *trial, const tm_table *table, size_t row)
{
    const struct world *w = trial->w;
    int64_t from_ns = tm_table_int64(table, "start_ns")[row] + trial->origin_ns;
    int64_t to_ns = tm_table_int64(table, "end_ns")[row] + trial->origin_ns;
    int object = object_of(w, tm_table_string(table, "class", row));
    int owner = thread_of(w, tm_table_uint64(table, "owner_id")[row]);
    int64_t free_ns;

    if (is_sure(tm_table_string(table, "provenance", row)))
        wrong(trial, "who had a permit at %" PRId64 " is called sure", from_ns);
    if (w->config.loses || object == NONE || w->objects[object].kind != SEMAPHORE)
        return;
    trial->score->uses_ns += (uint64_t)(to_ns - from_ns);
    if (tm_table_is_null(table, "owner_id", row))
        return;
    trial->score->uses_named_ns += (uint64_t)(to_ns - from_ns);
    trial->score->uses_right_ns +=
        (uint64_t)truth_permit_ns(w, object, owner, from_ns, to_ns, &free_ns);
    trial->score->uses_free_ns += (uint64_t)free_ns;
}

void judge_uses(struct trial *trial, const tm_model *model)
{
    const tm_blame_options options = {.size = sizeof(options),
                                      .of = TM_BLAME_OF_RESOURCES};
    tm_table *table;

    if (tm_blame_list(&table, model, &options) != TM_OK) {
        wrong(trial, "no blame of resources: %s", tm_error_text());
        return;
    }
    judge_rows(trial, table, judge_use);
    tm_table_free(table);
}
