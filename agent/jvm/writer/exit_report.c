/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report at the end, in place of a trace or beside it: the first rows of the
 * tables that people look at first. The command line's report of a trace has more.
 */
#include "writer/exit_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <threadmodel/deadlock.h>
#include <threadmodel/error.h>
#include <threadmodel/statistics.h>

#include "base/duration.h"
#include "vm/options.h"
#include "writer/text_grid.h"

enum { TOP = 12, NAME_BYTES = 600 };

static const char *const STATES[] = {"blocked", "reentering", "waiting", "joining",
                                     "parked"};
enum { STATE_COUNT = sizeof(STATES) / sizeof(*STATES) };

static const int64_t *column(const tm_table *table, const char *state, const char *what)
{
    char name[64];

    snprintf(name, sizeof(name), "%s_%s", state, what);
    return tm_table_int64(table, name);
}

/* A row of one state of a table, to be sorted. */
typedef struct entry {
    size_t row;
    int64_t total_ns;
} entry;

static int longest_first(const void *left, const void *right)
{
    int64_t a = ((const entry *)left)->total_ns, b = ((const entry *)right)->total_ns;

    if (a != b)
        return a < b ? 1 : -1;
    return ((const entry *)left)->row < ((const entry *)right)->row ? -1 : 1;
}

/* The rows that were longest in a state. @return for free(); NULL: none, or no memory
 */
static entry *sorted(const tm_table *table, const int64_t *totals, size_t *count,
                     double cutoff)
{
    size_t rows = tm_table_row_count(table);
    entry *entries = calloc(rows + 1, sizeof(*entries));
    double sum = 0;
    size_t kept = 0;

    *count = 0;
    if (!entries || !totals)
        return entries;
    for (size_t i = 0; i < rows; i++)
        sum += (double)totals[i];
    for (size_t i = 0; i < rows; i++)
        if (totals[i] > 0 && (double)totals[i] >= cutoff * sum)
            entries[kept++] = (entry){i, totals[i]};
    qsort(entries, kept, sizeof(*entries), longest_first);
    *count = kept;
    return entries;
}

static const char *text(const tm_table *table, const char *name, size_t row)
{
    const char *value = tm_table_string(table, name, row);

    return value ? value : "-";
}

static void caller(char *out, const tm_table *table, size_t row, int lineno)
{
    int32_t line =
        tm_table_int32(table, "line") ? tm_table_int32(table, "line")[row] : 0;

    if (lineno && line > 0)
        snprintf(out, NAME_BYTES, "%s:%" PRId32, text(table, "method", row), line);
    else
        snprintf(out, NAME_BYTES, "%s", text(table, "method", row));
}

static void print_state(FILE *out, const tm_table *table, const char *state,
                        const tm__options *options)
{
    const int64_t *counts = column(table, state, "count");
    const int64_t *most = column(table, state, "max_ns");
    const int64_t *median = column(table, state, "p50_ns");
    const int64_t *threads = tm_table_int64(table, "threads");
    tm__text_grid *grid = calloc(1, sizeof(*grid));
    size_t count;
    entry *entries =
        sorted(table, column(table, state, "total_ns"), &count, options->cutoff);

    if (grid && entries && count > 0 && counts && most && median && threads) {
        fprintf(out, "\nThreads were %s\n", state);
        tm__text_grid_row(grid);
        for (size_t i = 0; i < 7; i++)
            tm__text_grid_text(grid, (const char *const[]){"class", "called from",
                                                           "count", "total", "p50",
                                                           "max", "threads"}[i]);
        for (size_t i = 0; i < count && i < TOP; i++) {
            size_t row = entries[i].row;
            char name[NAME_BYTES];

            tm__text_grid_row(grid);
            caller(name, table, row, options->lineno != 0);
            tm__text_grid_text(grid, text(table, "class", row));
            tm__text_grid_text(grid, name);
            tm__text_grid_count(grid, counts[row]);
            tm__text_grid_time(grid, entries[i].total_ns);
            tm__text_grid_time(grid, median[row]);
            tm__text_grid_time(grid, most[row]);
            tm__text_grid_count(grid, threads[row]);
        }
        tm__text_grid_print(grid, out);
        if (count > TOP)
            fprintf(out, "  and %zu more\n", count - TOP);
    }
    free(entries);
    free(grid);
}

static int print_monitors(FILE *out, const tm_model *model, const tm__options *options)
{
    tm_statistics_options choices = {.size = sizeof(choices),
                                     .keys = TM_STATISTICS_BY_CLASS |
                                             TM_STATISTICS_BY_CALLER};
    tm_table *table;
    int rc = tm_statistics_list(&table, model, &choices);

    if (rc < 0)
        return rc;
    for (int i = 0; i < STATE_COUNT; i++)
        print_state(out, table, STATES[i], options);
    tm_table_free(table);
    return rc;
}

static int print_threads(FILE *out, const tm_model *model, const tm__options *options)
{
    tm__text_grid *grid = calloc(1, sizeof(*grid));
    tm_table *table = NULL;
    int64_t *blocked = NULL;
    entry *entries = NULL;
    size_t count = 0;
    int rc = grid ? tm_thread_list(&table, model, NULL) : TM_ENOMEM;

    if (rc == TM_OK) {
        size_t rows = tm_table_row_count(table);

        blocked = calloc(rows + 1, sizeof(*blocked));
        /* Blocked, and queueing again after a wait: the others may be idle. */
        for (int i = 0; blocked && i < 2; i++) {
            const int64_t *totals = column(table, STATES[i], "total_ns");

            for (size_t row = 0; totals && row < rows; row++)
                blocked[row] += totals[row];
        }
        entries = blocked ? sorted(table, blocked, &count, options->cutoff) : NULL;
        rc = entries ? TM_OK : TM_ENOMEM;
    }
    if (rc == TM_OK && count > 0) {
        fputs("\nThreads that monitors blocked most\n", out);
        tm__text_grid_row(grid);
        for (int i = -1; i < STATE_COUNT - 1; i++)
            tm__text_grid_text(grid, i < 0 ? "thread" : STATES[i]);
        for (size_t i = 0; i < count && i < TOP; i++) {
            tm__text_grid_row(grid);
            tm__text_grid_text(grid, text(table, "name", entries[i].row));
            for (int s = 0; s < STATE_COUNT - 1; s++) {
                const int64_t *totals = column(table, STATES[s], "total_ns");

                tm__text_grid_time(grid, totals ? totals[entries[i].row] : 0);
            }
        }
        tm__text_grid_print(grid, out);
        if (count > TOP)
            fprintf(out, "  and %zu more\n", count - TOP);
    }
    free(entries);
    free(blocked);
    free(grid);
    tm_table_free(table);
    return rc;
}

static int print_deadlocks(FILE *out, const tm_model *model)
{
    tm_table *table;
    int rc = tm_deadlock_list(&table, model);

    if (rc < 0)
        return rc;
    for (size_t row = 0; row < tm_table_row_count(table); row++) {
        int32_t position = tm_table_int32(table, "position")[row];
        int64_t time_ns = tm_table_int64(table, "time_ns")[row];

        if (position == 0)
            fprintf(out, "\nDeadlock at %s, the owners are %s\n",
                    tm__duration_of(time_ns).text, text(table, "provenance", row));
        fprintf(out, "  %s wants %s (%s), which is held by %s, at %s\n",
                text(table, "thread", row), text(table, "object", row),
                text(table, "kind", row), text(table, "owner", row),
                text(table, "method", row));
    }
    tm_table_free(table);
    return rc;
}

static int print_caveats(FILE *out, const tm_model *model)
{
    tm_table *table;
    int rc = tm_caveat_list(&table, model);

    if (rc < 0)
        return rc;
    if (tm_table_row_count(table) > 0)
        fputc('\n', out);
    for (size_t row = 0; row < tm_table_row_count(table); row++)
        fprintf(out, "  %s\n", text(table, "caveat", row));
    tm_table_free(table);
    return rc;
}

void tm__exit_report_print(FILE *out, const tm_model *model, const tm__options *options)
{
    const tm_run *run = tm_model_run(model);
    int rc;

    fprintf(out, "threadmodel: %s, %" PRIu64 " events in %s\n",
            run->command ? run->command : "a run", tm_model_event_count(model),
            tm__duration_of(tm_model_length_ns(model)).text);
    rc = print_deadlocks(out, model);
    if (rc >= 0)
        rc = print_monitors(out, model, options);
    if (rc >= 0)
        rc = print_threads(out, model, options);
    if (rc >= 0)
        rc = print_caveats(out, model);
    if (rc < 0)
        fputs("  There is no memory for the rest.\n", out);
    fflush(out);
}
