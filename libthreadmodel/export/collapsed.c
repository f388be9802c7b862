/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collapsed stacks, a line each, for flame graphs:
 *
 *     java.lang.Thread.run;demo.Main.work;demo.Account.transfer;blocked demo.Account
 * 4200
 *
 * The statistics by whole stack and class are what is written, so that no nanosecond is
 * there twice or missing; the leaf is not a method but the state, and the class of what
 * was waited for.
 */
#include <inttypes.h>
#include <stdio.h>

#include <threadmodel/statistics.h>
#include <threadmodel/timeline.h>

#include "base/error.h"
#include "export/export.h"

static const int states[] = {TM_STATE_BLOCKED, TM_STATE_WAITING, TM_STATE_REENTERING,
                             TM_STATE_JOINING, TM_STATE_PARKED};

/* Where the frames of each stack stand in the list of all; they are side by side. */
typedef struct frames {
    tm_table *table;
    uint32_t *first; ///< row of a stack's innermost frame + 1; 0: it has none
    size_t count;    ///< stacks
} frames;

static int find_frames(frames *found, const tm__export *to)
{
    const int32_t *stacks;
    size_t rows;
    int rc = tm_stack_list(&found->table, to->model);

    if (rc < 0)
        return rc;
    rows = tm_table_row_count(found->table);
    stacks = tm_table_int32(found->table, "stack");
    found->count = rows ? (size_t)stacks[rows - 1] + 1 : 0;
    found->first = tm__zalloc(to->memory, (found->count + 1) * sizeof(*found->first));
    if (!found->first)
        return TM_ENOMEM;
    for (size_t i = rows; i > 0; i--)
        found->first[stacks[i - 1]] = (uint32_t)i;
    return TM_OK;
}

/* A frame's name, with blanks for what separates frames and lines. */
static void put_name(tm__output *output, const char *name)
{
    for (; *name; name++) {
        unsigned char byte = (unsigned char)*name;

        tm__output_put(output, byte < 0x20 || byte == 0x7f || byte == ';' ? " " : name,
                       1);
    }
}

static void put_frames(tm__output *output, const frames *found, size_t stack)
{
    const int32_t *stacks = tm_table_int32(found->table, "stack");
    size_t first = stack < found->count ? found->first[stack] : 0, end;

    if (first == 0) {
        tm__output_text(output, "[unknown stack];");
        return;
    }
    for (end = first;
         end < tm_table_row_count(found->table) && (size_t)stacks[end] == stack;)
        end++;
    for (; end >= first; end--) {
        const char *name = tm_table_string(found->table, "method", end - 1);

        put_name(output, name ? name : "[unknown method]");
        tm__output_put(output, ";", 1);
    }
}

static void put_line(const tm__export *to, const frames *found, const tm_table *sums,
                     size_t row, const char *state, int64_t total_ns)
{
    const char *class_name = tm_table_string(sums, "class", row);

    if (tm_table_is_null(sums, "stack", row))
        tm__output_text(to->output, "[unknown stack];");
    else
        put_frames(to->output, found, (size_t)tm_table_int32(sums, "stack")[row]);
    tm__output_text(to->output, state);
    if (class_name) {
        tm__output_put(to->output, " ", 1);
        put_name(to->output, class_name);
    }
    tm__output_format(to->output, " %" PRId64 "\n", total_ns);
}

int tm__export_collapsed(const tm__export *to)
{
    tm_statistics_options options = {.size = sizeof(options),
                                     .keys = TM_STATISTICS_BY_CLASS |
                                             TM_STATISTICS_BY_STACK};
    tm_table *sums = NULL;
    frames found = {0};
    int rc = find_frames(&found, to);

    if (rc == TM_OK)
        rc = tm_statistics_list(&sums, to->model, &options);
    for (size_t s = 0; rc == TM_OK && s < sizeof(states) / sizeof(*states); s++) {
        const char *name = tm_state_name(states[s]);
        const int64_t *totals;
        char column[40];

        if (to->options->state && to->options->state != states[s])
            continue;
        snprintf(column, sizeof(column), "%s_total_ns", name);
        totals = tm_table_int64(sums, column);
        for (size_t row = 0; row < tm_table_row_count(sums); row++)
            if (totals[row] > 0)
                put_line(to, &found, sums, row, name, totals[row]);
    }
    tm_table_free(sums);
    tm__free(to->memory, found.first, (found.count + 1) * sizeof(*found.first));
    tm_table_free(found.table);
    return rc;
}
