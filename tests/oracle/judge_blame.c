/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blame against who really had the lock. The shares of a block tile it; and an owner
 * of whom the model is sure had the lock all through its share.
 */
#include <inttypes.h>

#include "world.h"

static void judge_share(struct trial *trial, const tm_table *table, size_t row)
{
    const struct world *w = trial->w;
    int64_t from_ns = tm_table_int64(table, "start_ns")[row];
    int64_t length_ns = tm_table_int64(table, "end_ns")[row] - from_ns;
    int owner = thread_of(w, tm_table_uint64(table, "owner_id")[row]);
    int object = object_of(w, tm_table_string(table, "class", row));

    trial->score->blame_ns += (uint64_t)length_ns;
    /* A queueing that is over as it begins blames nobody. */
    if (length_ns == 0 || tm_table_is_null(table, "owner_id", row) || object == NONE)
        return;
    if (!is_sure(tm_table_string(table, "provenance", row))) {
        trial->score->blame_inferred_ns += (uint64_t)length_ns;
        if (truth_owned_within(w, object, owner, from_ns + trial->origin_ns,
                               from_ns + length_ns + trial->origin_ns))
            trial->score->blame_inferred_right_ns += (uint64_t)length_ns;
        return;
    }
    trial->score->blame_sure_ns += (uint64_t)length_ns;
    if (!truth_owned_within(w, object, owner, from_ns + trial->origin_ns,
                            from_ns + length_ns + trial->origin_ns))
        wrong(trial,
              "blame of Lock%d from %" PRId64 ": T%d is surely said to own it, and "
              "does not",
              object, from_ns + trial->origin_ns, owner);
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

void judge_blame(struct trial *trial, const tm_model *model)
{
    tm_table *table;
    size_t count;

    if (tm_blame_list(&table, model, NULL) != TM_OK) {
        wrong(trial, "no blame: %s", tm_error_text());
        return;
    }
    count = tm_table_row_count(table);
    for (size_t row = 0, end; row < count; row = end) {
        int64_t at_ns = tm_table_int64(table, "block_start_ns")[row];

        for (end = row; end < count && is_same_block(table, row, end); end++) {
            if (tm_table_int64(table, "start_ns")[end] != at_ns)
                wrong(trial, "the shares of a block do not tile it at %" PRId64, at_ns);
            at_ns = tm_table_int64(table, "end_ns")[end];
            if (!trial->w->config.loses)
                judge_share(trial, table, end);
        }
        if (at_ns != tm_table_int64(table, "block_end_ns")[row])
            wrong(trial, "the shares of a block end at %" PRId64, at_ns);
    }
    tm_table_free(table);
}
