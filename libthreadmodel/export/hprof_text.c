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
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include <threadmodel/context.h>
#include <threadmodel/statistics.h>
#include <threadmodel/timeline.h>

#include "base/error.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "base/system.h"
#include "export/export_state.h"
#include "export/hprof_text.h"

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
    size_t room, count;
    double total;
} lines;

/* As ctime() writes it, in any locale. */
static void put_date(tm__output *out, int64_t wall_ns, int32_t utc_offset_s)
{
    static const char DAYS[] = "SunMonTueWedThuFriSat";
    static const char MONTHS[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    time_t seconds = (time_t)(wall_ns / 1000000000 + utc_offset_s);
    struct tm parts;

    if (tm__calendar(&seconds, &parts))
        tm__output_format(out, "%.3s %.3s %2d %02d:%02d:%02d %d",
                          DAYS + 3 * parts.tm_wday, MONTHS + 3 * parts.tm_mon,
                          parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                          1900 + parts.tm_year);
    tm__output_text(out, "\n");
}

static void put_head(const tm__export *to)
{
    const tm_run *run = tm_model_run(to->model);

    tm__output_text(to->output, "JAVA PROFILE 1.0.1, created ");
    put_date(to->output, run->start_wall_ns, to->options->utc_offset_s);
    tm__output_text(to->output, "\nWritten by ");
    tm__output_text(to->output, run->producer ? run->producer : "threadmodel");
    tm__output_text(
        to->output,
        ", in the form of HPROF.\n"
        "Times of monitors are those for which threads were blocked, in all threads\n"
        "together; a row is a stack and a class of monitors.\n--------\n\n");
}

static const char *text(const tm_table *table, const char *column, size_t row)
{
    const char *value = tm_table_string(table, column, row);

    return value ? value : "";
}

/* Line feeds in a name become blanks: a line is a fact. */
static void put_text(tm__output *out, const char *name)
{
    for (; *name; name++)
        tm__output_put(out, (unsigned char)*name < 0x20 ? " " : name, 1);
}

static void put_threads(tm__output *out, const tm_table *threads)
{
    for (size_t i = 0; i < tm_table_row_count(threads); i++) {
        tm__output_format(out, "THREAD START (obj=%" PRIx64 ", id = %zu, name=\"",
                          tm_table_uint64(threads, "thread_id")[i], FIRST_THREAD + i);
        put_text(out, text(threads, "name", i));
        tm__output_text(out, "\", group=\"");
        put_text(out, text(threads, "group", i));
        tm__output_text(out, "\")\n");
    }
    for (size_t i = 0; i < tm_table_row_count(threads); i++)
        if (strcmp(text(threads, "state", i), "dead") == 0)
            tm__output_format(out, "THREAD END (id = %zu)\n", FIRST_THREAD + i);
}

static int by_stack(const line *a, const line *b)
{
    if (a->stack != b->stack)
        return a->stack < b->stack ? -1 : 1;
    return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static int by_number(const void *payload, uint32_t left, uint32_t right)
{
    const lines *of = payload;

    return by_stack(&of->items[left], &of->items[right]);
}

/* Those of the largest amount first, or else by stack. */
static int sort_lines(lines *of, tm__memory *memory, int by_amount)
{
    size_t keys_bytes = 2 * of->count * sizeof(tm__sortable);
    size_t items_bytes = of->room * sizeof(*of->items);
    tm__sortable *keys = tm__zalloc(memory, keys_bytes + sizeof(*keys));
    line *sorted = tm__zalloc(memory, items_bytes);
    int rc = keys && sorted ? TM_OK : TM_ENOMEM;

    if (rc == TM_OK) {
        for (size_t i = 0; i < of->count; i++)
            keys[i] = (tm__sortable){by_amount ? -of->items[i].amount : 0, (uint32_t)i};
        tm__sort(keys, keys + of->count, of->count, by_number, of);
        for (size_t i = 0; i < of->count; i++)
            sorted[i] = of->items[keys[i].number];
        if (of->count > 0)
            memcpy(of->items, sorted, of->count * sizeof(*sorted));
    }
    if (keys)
        tm__free(memory, keys, keys_bytes + sizeof(*keys));
    if (sorted)
        tm__free(memory, sorted, items_bytes);
    return rc;
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
static int make_lines(lines *out, const tm_table *table, tm__memory *memory)
{
    out->room = tm_table_row_count(table) + 1;
    out->items = tm__zalloc(memory, out->room * sizeof(*out->items));
    return out->items ? TM_OK : TM_ENOMEM;
}

static void free_lines(lines *of, tm__memory *memory)
{
    if (of->items)
        tm__free(memory, of->items, of->room * sizeof(*of->items));
}

static int sort_and_cut(lines *out, const tm__export *to)
{
    size_t kept = 0;
    int rc = sort_lines(out, to->memory, 1);

    for (size_t i = 0; i < out->count; i++)
        out->total += (double)out->items[i].amount;
    while (kept < out->count &&
           (double)out->items[kept].amount >= to->options->cutoff * out->total)
        kept++;
    out->count = kept;
    return rc;
}

/* By stack and class, and by thread if that is wanted. */
static int blocks(lines *out, tm_table **table, const tm__export *to,
                  const tm_table *threads)
{
    tm_statistics_options choices = {
        .size = sizeof(choices),
        .keys = TM_STATISTICS_BY_CLASS | TM_STATISTICS_BY_STACK |
                (to->options->by_thread ? TM_STATISTICS_BY_THREAD : 0),
    };
    const int64_t *blocked_ns, *blocked, *again_ns, *again;
    int rc = tm_statistics_list(table, to->model, &choices);

    if (rc == TM_OK)
        rc = make_lines(out, *table, to->memory);
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
            to->options->by_thread
                ? row_of_thread(threads, tm_table_uint64(*table, "thread_id")[i])
                : -1;
        one->amount = blocked_ns[i] + again_ns[i];
        one->count = blocked[i] + again[i];
        one->name = text(*table, "class", i);
        out->count++;
    }
    return sort_and_cut(out, to);
}

/* By stack, and by thread if that is wanted. */
static int samples(lines *out, tm_table **table, const tm__export *to,
                   const tm_table *threads)
{
    size_t merged = 0;
    int rc = tm_context_list(table, to->model, NULL);

    if (rc == TM_OK)
        rc = make_lines(out, *table, to->memory);
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
                to->options->by_thread
                    ? row_of_thread(threads, tm_table_uint64(*table, "thread_id")[i])
                    : -1,
            .amount = 1,
            .count = 1,
            .name = text(*table, "method", i),
        };
    }
    rc = sort_lines(out, to->memory, 0);
    for (size_t i = 0; i < out->count && rc == TM_OK; i++) {
        line *last = merged > 0 ? &out->items[merged - 1] : NULL;

        if (last && by_stack(last, &out->items[i]) == 0) {
            last->amount++;
            last->count++;
        } else {
            out->items[merged++] = out->items[i];
        }
    }
    out->count = merged;
    return rc < 0 ? rc : sort_and_cut(out, to);
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

static void put_frames(const tm__export *to, const tm_table *stacks, int32_t stack)
{
    const int32_t *ids = tm_table_int32(stacks, "stack");
    const int32_t *numbers = tm_table_int32(stacks, "line");
    size_t rows = tm_table_row_count(stacks);
    size_t first = first_frame(ids, rows, stack);

    for (size_t i = first; i < rows && ids[i] == stack; i++) {
        const char *source = tm_table_string(stacks, "source", i);

        tm__output_text(to->output, "\t");
        put_text(to->output, text(stacks, "method", i));
        tm__output_text(to->output, "(");
        put_text(to->output, source ? source : "Unknown Source");
        if (!to->options->without_lines && numbers[i] > 0)
            tm__output_format(to->output, ":%" PRId32 ")\n", numbers[i]);
        else
            tm__output_text(to->output, ":Unknown line)\n");
    }
    if (first == rows || ids[first] != stack)
        tm__output_text(to->output, "\t<empty>\n");
}

/* Number the stacks of some lines, and put those that were not put yet. */
static void put_traces(const tm__export *to, lines *of, const lines *before,
                       uint32_t *last, const tm_table *stacks)
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
        tm__output_format(to->output, "TRACE %" PRIu32 ":", one->trace);
        if (one->thread >= 0)
            tm__output_format(to->output, " (thread=%d)", FIRST_THREAD + one->thread);
        tm__output_text(to->output, "\n");
        put_frames(to, stacks, one->stack);
    }
}

static void put_rows(tm__output *out, const lines *of, const char *last_column,
                     const char *suffix)
{
    double accumulated = 0;

    tm__output_format(out, "rank   self  accum   count trace %s\n", last_column);
    for (size_t i = 0; i < of->count; i++) {
        const line *one = &of->items[i];
        double share = of->total > 0 ? 100 * (double)one->amount / of->total : 0;

        accumulated += share;
        tm__output_format(out, "%4zu %5.2f%% %5.2f%% %7" PRId64 " %5" PRIu32 " ", i + 1,
                          share, accumulated, one->count, one->trace);
        put_text(out, one->name);
        tm__output_format(out, "%s\n", suffix);
    }
}

static void put_all(const tm__export *to, lines *monitors, lines *cpu,
                    const tm_table *threads, const tm_table *stacks)
{
    const tm_run *run = tm_model_run(to->model);
    int64_t length_ns = run->end_ns > run->start_ns ? run->end_ns - run->start_ns : 0;
    int64_t end_wall_ns = tm__sum(run->start_wall_ns, length_ns);
    int32_t utc_offset_s = to->options->utc_offset_s;
    uint32_t last = FIRST_TRACE - 1;

    put_head(to);
    put_threads(to->output, threads);
    put_traces(to, monitors, NULL, &last, stacks);
    put_traces(to, cpu, monitors, &last, stacks);
    if (cpu->total > 0) {
        tm__output_format(to->output, "CPU SAMPLES BEGIN (total = %.0f) ", cpu->total);
        put_date(to->output, end_wall_ns, utc_offset_s);
        put_rows(to->output, cpu, "method", "");
        tm__output_text(to->output, "CPU SAMPLES END\n");
    }
    tm__output_format(to->output, "MONITOR TIME BEGIN (total = %.0f ms) ",
                      monitors->total / 1e6);
    put_date(to->output, end_wall_ns, utc_offset_s);
    put_rows(to->output, monitors, "monitor", " (Java)");
    tm__output_text(to->output, "MONITOR TIME END\n");
}

int tm__export_hprof(const tm__export *to)
{
    tm_table *threads = NULL, *stacks = NULL, *monitor_table = NULL, *cpu_table = NULL;
    lines monitors = {0}, cpu = {0};
    int rc = tm_thread_list(&threads, to->model, NULL);

    if (rc == TM_OK)
        rc = tm_stack_list(&stacks, to->model);
    if (rc == TM_OK)
        rc = blocks(&monitors, &monitor_table, to, threads);
    if (rc == TM_OK)
        rc = samples(&cpu, &cpu_table, to, threads);
    if (rc == TM_OK)
        put_all(to, &monitors, &cpu, threads, stacks);
    free_lines(&monitors, to->memory);
    free_lines(&cpu, to->memory);
    tm_table_free(threads);
    tm_table_free(stacks);
    tm_table_free(monitor_table);
    tm_table_free(cpu_table);
    return rc;
}
