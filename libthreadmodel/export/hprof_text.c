/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of HPROF's monitor=y and cpu=samples, of a model. Times are those of
 * blocks and of queueing again after a wait, in ns; HPROF took milliseconds for
 * nanoseconds, so that its table was empty below 1000 s of contention, and its totals
 * a million times too small. Shares are of all blocks, those left out too.
 *
 * Numbers begin where HPROF's did, each kind's somewhere else: threads at 200001,
 * stacks at 300001.
 */
#include "writer/hprof_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <threadmodel/context.h>
#include <threadmodel/error.h>
#include <threadmodel/statistics.h>
#include <threadmodel/timeline.h>

#include "vm/options.h"

enum { FIRST_THREAD = 200001, FIRST_TRACE = 300001, NO_STACK = -1 };

/* A row of one of the tables. */
typedef struct line {
    int32_t stack;    ///< NO_STACK: not known
    int32_t thread;   ///< row of the threads' table; -1: any
    int64_t amount;   ///< ns, or samples
    int64_t count;    ///< of blocks, or samples
    const char *name; ///< of the class, lent from its table
    uint32_t trace;
} line;

typedef struct lines {
    line *items;
    size_t count;
    double total;
} lines;

static void print_date(FILE *out, int64_t wall_ns)
{
    time_t seconds = (time_t)(wall_ns / 1000000000);
    struct tm parts;
    char text[64] = "";

    if (localtime_r(&seconds, &parts))
        strftime(text, sizeof(text), "%a %b %e %H:%M:%S %Y", &parts);
    fprintf(out, "%s\n", text);
}

void tm__hprof_text_head(FILE *out, const char *producer, int64_t wall_ns)
{
    fputs("JAVA PROFILE 1.0.1, created ", out);
    print_date(out, wall_ns);
    fprintf(
        out,
        "\nWritten by %s, in the form of HPROF.\n"
        "Times of monitors are those for which threads were blocked, in all threads\n"
        "together; a row is a stack and a class of monitors.\n--------\n\n",
        producer);
}

static const char *text(const tm_table *table, const char *column, size_t row)
{
    const char *value = tm_table_string(table, column, row);

    return value ? value : "";
}

static void print_threads(FILE *out, const tm_table *threads)
{
    for (size_t i = 0; i < tm_table_row_count(threads); i++)
        fprintf(out,
                "THREAD START (obj=%" PRIx64 ", id = %zu, name=\"%s\", group=\"%s\")\n",
                tm_table_uint64(threads, "thread_id")[i], FIRST_THREAD + i,
                text(threads, "name", i), text(threads, "group", i));
    for (size_t i = 0; i < tm_table_row_count(threads); i++)
        if (strcmp(text(threads, "state", i), "dead") == 0)
            fprintf(out, "THREAD END (id = %zu)\n", FIRST_THREAD + i);
}

static int most_first(const void *left, const void *right)
{
    const line *a = left, *b = right;

    if (a->amount != b->amount)
        return a->amount < b->amount ? 1 : -1;
    return a->stack != b->stack ? (a->stack < b->stack ? -1 : 1) : 0;
}

static int32_t row_of_thread(const tm_table *threads, uint64_t id)
{
    const uint64_t *ids = tm_table_uint64(threads, "thread_id");

    for (size_t i = 0; i < tm_table_row_count(threads); i++)
        if (ids[i] == id)
            return (int32_t)i;
    return -1;
}

/* Room for as many lines as a table has rows. */
static int make_lines(lines *out, const tm_table *table)
{
    out->items = calloc(tm_table_row_count(table) + 1, sizeof(*out->items));
    return out->items ? TM_OK : TM_ENOMEM;
}

static void sort_and_cut(lines *out, double cutoff)
{
    size_t kept = 0;

    for (size_t i = 0; i < out->count; i++)
        out->total += (double)out->items[i].amount;
    qsort(out->items, out->count, sizeof(*out->items), most_first);
    while (kept < out->count && (double)out->items[kept].amount >= cutoff * out->total)
        kept++;
    out->count = kept;
}

/* By stack and class, and by thread if that is wanted. */
static int blocks(lines *out, tm_table **table, const tm_model *model,
                  const tm_table *threads, const tm__options *options)
{
    tm_statistics_options choices = {
        .size = sizeof(choices),
        .keys = TM_BY_CLASS | TM_BY_STACK | (options->thread ? TM_BY_THREAD : 0),
    };
    const int64_t *blocked_ns, *blocked, *again_ns, *again;
    int rc = tm_statistics_monitors(table, model, &choices);

    if (rc == TM_OK)
        rc = make_lines(out, *table);
    if (rc < 0)
        return rc;
    blocked_ns = tm_table_int64(*table, "blocked_total_ns");
    blocked = tm_table_int64(*table, "blocked_count");
    again_ns = tm_table_int64(*table, "reentering_total_ns");
    again = tm_table_int64(*table, "reentering_count");
    for (size_t i = 0; i < tm_table_row_count(*table); i++) {
        line *one = &out->items[out->count];

        if (blocked[i] + again[i] == 0)
            continue;
        one->stack = tm_table_is_null(*table, "stack", i)
                         ? NO_STACK
                         : tm_table_int32(*table, "stack")[i];
        one->thread =
            options->thread
                ? row_of_thread(threads, tm_table_uint64(*table, "thread_id")[i])
                : -1;
        one->amount = blocked_ns[i] + again_ns[i];
        one->count = blocked[i] + again[i];
        one->name = text(*table, "class", i);
        out->count++;
    }
    sort_and_cut(out, options->cutoff);
    return TM_OK;
}

static int by_stack(const void *left, const void *right)
{
    const line *a = left, *b = right;

    if (a->stack != b->stack)
        return a->stack < b->stack ? -1 : 1;
    return a->thread < b->thread ? -1 : a->thread > b->thread;
}

/* By stack, and by thread if that is wanted. */
static int samples(lines *out, tm_table **table, const tm_model *model,
                   const tm_table *threads, const tm__options *options)
{
    size_t merged = 0;
    int rc = tm_model_context(table, model, NULL);

    if (rc == TM_OK)
        rc = make_lines(out, *table);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < tm_table_row_count(*table); i++) {
        if (strcmp(text(*table, "kind", i), "cpu_sample") != 0)
            continue;
        out->items[out->count++] = (line){
            .stack = tm_table_is_null(*table, "stack", i)
                         ? NO_STACK
                         : tm_table_int32(*table, "stack")[i],
            .thread =
                options->thread
                    ? row_of_thread(threads, tm_table_uint64(*table, "thread_id")[i])
                    : -1,
            .amount = 1,
            .count = 1,
            .name = text(*table, "method", i),
        };
    }
    qsort(out->items, out->count, sizeof(*out->items), by_stack);
    for (size_t i = 0; i < out->count; i++) {
        line *last = merged > 0 ? &out->items[merged - 1] : NULL;

        if (last && by_stack(last, &out->items[i]) == 0) {
            last->amount++;
            last->count++;
        } else {
            out->items[merged++] = out->items[i];
        }
    }
    out->count = merged;
    sort_and_cut(out, options->cutoff);
    return TM_OK;
}

/* The first row of a stack's frames, which stand by rising number. */
static size_t first_frame(const int32_t *ids, size_t rows, int32_t stack)
{
    size_t low = 0, high = rows;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (ids[middle] < stack)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void print_frames(FILE *out, const tm_table *stacks, int32_t stack, int lineno)
{
    const int32_t *ids = tm_table_int32(stacks, "stack");
    const int32_t *numbers = tm_table_int32(stacks, "line");
    size_t rows = tm_table_row_count(stacks);
    size_t first = first_frame(ids, rows, stack);

    for (size_t i = first; i < rows && ids[i] == stack; i++) {
        const char *source = tm_table_string(stacks, "source", i);

        fprintf(out, "\t%s(%s:", text(stacks, "method", i),
                source ? source : "Unknown Source");
        if (lineno && numbers[i] > 0)
            fprintf(out, "%" PRId32 ")\n", numbers[i]);
        else
            fputs("Unknown line)\n", out);
    }
    if (first == rows || ids[first] != stack)
        fputs("\t<empty>\n", out);
}

/* Number the stacks of some lines, and print those that were not printed yet. */
static void print_traces(FILE *out, lines *of, const lines *before, uint32_t *last,
                         const tm_table *stacks, int lineno)
{
    for (size_t i = 0; i < of->count; i++) {
        line *one = &of->items[i];

        for (size_t k = 0; k < i + (before ? before->count : 0) && !one->trace; k++) {
            const line *other = k < i ? &of->items[k] : &before->items[k - i];

            if (by_stack(one, other) == 0)
                one->trace = other->trace;
        }
        if (one->trace)
            continue;
        one->trace = ++*last;
        fprintf(out, "TRACE %" PRIu32 ":", one->trace);
        if (one->thread >= 0)
            fprintf(out, " (thread=%d)", FIRST_THREAD + one->thread);
        fputc('\n', out);
        print_frames(out, stacks, one->stack, lineno);
    }
}

static void print_rows(FILE *out, const lines *of, const char *last_column,
                       const char *suffix)
{
    double accumulated = 0;

    fprintf(out, "rank   self  accum   count trace %s\n", last_column);
    for (size_t i = 0; i < of->count; i++) {
        const line *one = &of->items[i];
        double share = of->total > 0 ? 100 * (double)one->amount / of->total : 0;

        accumulated += share;
        fprintf(out, "%4zu %5.2f%% %5.2f%% %7" PRId64 " %5" PRIu32 " %s%s\n", i + 1,
                share, accumulated, one->count, one->trace, one->name, suffix);
    }
}

static void print_all(FILE *out, lines *monitors, lines *cpu, const tm_table *threads,
                      const tm_table *stacks, int lineno, int64_t wall_ns)
{
    uint32_t last = FIRST_TRACE - 1;

    print_threads(out, threads);
    print_traces(out, monitors, NULL, &last, stacks, lineno);
    print_traces(out, cpu, monitors, &last, stacks, lineno);
    if (cpu->total > 0) {
        fprintf(out, "CPU SAMPLES BEGIN (total = %.0f) ", cpu->total);
        print_date(out, wall_ns);
        print_rows(out, cpu, "method", "");
        fputs("CPU SAMPLES END\n", out);
    }
    fprintf(out, "MONITOR TIME BEGIN (total = %.0f ms) ", monitors->total / 1e6);
    print_date(out, wall_ns);
    print_rows(out, monitors, "monitor", " (Java)");
    fputs("MONITOR TIME END\n", out);
}

int tm__hprof_text_print(FILE *out, const tm_model *model, const tm__options *options,
                         int64_t wall_ns)
{
    tm_table *threads = NULL, *stacks = NULL, *monitor_table = NULL, *cpu_table = NULL;
    lines monitors = {0}, cpu = {0};
    int rc = tm_statistics_threads(&threads, model, NULL);

    if (rc == TM_OK)
        rc = tm_stack_list(&stacks, model);
    if (rc == TM_OK)
        rc = blocks(&monitors, &monitor_table, model, threads, options);
    if (rc == TM_OK)
        rc = samples(&cpu, &cpu_table, model, threads, options);
    if (rc == TM_OK)
        print_all(out, &monitors, &cpu, threads, stacks, options->lineno != 0, wall_ns);
    free(monitors.items);
    free(cpu.items);
    tm_table_free(threads);
    tm_table_free(stacks);
    tm_table_free(monitor_table);
    tm_table_free(cpu_table);
    return rc;
}
