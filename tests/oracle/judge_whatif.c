/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What-if with a factor of one: nothing is gained, and the replay takes as long as the
 * run did. By how much it does not is what the gain may be more or less, so it can be
 * read from the bounds.
 */
#include <inttypes.h>

#include "world.h"

void judge_whatif(struct trial *trial, const tm_model *model)
{
    const tm_whatif_options options = {
        .size = sizeof(options), .factor = 1, .count = 1};
    tm_table *table;

    if (tm_whatif_rank(&table, model, &options) != TM_OK) {
        wrong(trial, "no what-if: %s", tm_error_text());
        return;
    }
    for (size_t row = 0; row < tm_table_row_count(table); row++) {
        int64_t off_ns = tm_table_int64(table, "gain_high_ns")[row];

        if (tm_table_is_null(table, "gain_ns", row))
            continue;
        if (tm_table_int64(table, "gain_ns")[row] != 0)
            wrong(trial, "what-if: a factor of 1 gains %" PRId64,
                  tm_table_int64(table, "gain_ns")[row]);
        trial->score->replays++;
        trial->score->replays_right += off_ns * 100 <= tm_model_length_ns(model);
    }
    tm_table_free(table);
}
