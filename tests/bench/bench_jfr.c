/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast a file is read: into a sink that only counts, into a model, and for the
 * one question what blocked by class.
 *
 *     bench_jfr FILE        all three; of any format, for the first two
 *     bench_jfr FILE PART   counter, model or class alone, to be timed as a process
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <threadmodel/threadmodel.h>

#include "../unit/support/recorder.h"

static double now_seconds(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int read_file(const char *path, const tm_sink *sink, const char *into,
                     const uint64_t *events)
{
    double cpu = now_seconds(CLOCK_PROCESS_CPUTIME_ID);
    double wall = now_seconds(CLOCK_MONOTONIC);
    tm_source *source;
    int rc = tm_source_open(&source, path, NULL);

    if (rc < 0) {
        fprintf(stderr, "bench_jfr: %s\n", tm_error_text());
        return 1;
    }
    while ((rc = tm_source_read(source, sink)) == TM_MORE)
        ;
    cpu = now_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    wall = now_seconds(CLOCK_MONOTONIC) - wall;
    printf("into %s: %.2f s of processor, %.2f s in all, %.1f M events/s, %.0f MB/s\n",
           into, cpu, wall, (double)*events / cpu / 1e6,
           (double)tm_source_position_bytes(source) / cpu / 1e6);
    tm_source_close(source);
    return 0;
}

/* The question of `jfr view contention-by-class`: how often, and how long, by class. */
static int ask_by_class(const char *path)
{
    tm_source_options options = {.size = sizeof(options),
                                 .kinds = 1 << TM_EVENT_CONTENDED_ENTER |
                                          1 << TM_EVENT_CONTENDED_ENTERED,
                                 .flags = TM_SOURCE_NO_STACKS | TM_SOURCE_BY_THREAD};
    double cpu = now_seconds(CLOCK_PROCESS_CPUTIME_ID);
    double wall = now_seconds(CLOCK_MONOTONIC);
    tm_class_sums *summary;
    tm_source *source;
    tm_table *table;
    int rc = tm_class_sums_new(&summary, NULL);

    if (rc < 0 || tm_source_open(&source, path, &options) < 0) {
        fprintf(stderr, "bench_jfr: %s\n", tm_error_text());
        tm_class_sums_free(summary);
        return 1;
    }
    while ((rc = tm_source_read(source, tm_class_sums_sink(summary))) == TM_MORE)
        ;
    tm_source_close(source);
    if (tm_class_sums_list(&table, summary) < 0)
        return 1;
    cpu = now_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    wall = now_seconds(CLOCK_MONOTONIC) - wall;
    for (size_t row = 0; row < tm_table_row_count(table); row++) {
        const char *name = tm_table_string(table, "class", row);

        printf("%10lld %14lld ns mean %14lld ns p90 %14lld ns max  %s\n",
               (long long)tm_table_int64(table, "count")[row],
               (long long)tm_table_int64(table, "mean_ns")[row],
               (long long)tm_table_int64(table, "p90_ns")[row],
               (long long)tm_table_int64(table, "max_ns")[row], name ? name : "?");
    }
    printf("blocked by class: %.3f s of processor, %.3f s in all\n", cpu, wall);
    tm_table_free(table);
    tm_class_sums_free(summary);
    return 0;
}

static int count_events(const char *path, uint64_t *events)
{
    recorder counter;
    int failed;

    recorder_init(&counter);
    counter.counts_only = 1;
    failed = read_file(path, &counter.sink, "a counter", &counter.events);
    *events = counter.events;
    recorder_free(&counter);
    return failed;
}

static int fill_model(const char *path, uint64_t events)
{
    tm_model *model;
    int failed;

    if (tm_model_new(&model, NULL) < 0)
        return 1;
    failed = read_file(path, tm_model_sink(model), "a model", &events);
    tm_model_free(model);
    return failed;
}

int main(int count, char **arguments)
{
    const char *part = count == 3 ? arguments[2] : "";
    uint64_t events = 0;

    if (count == 3 && !strcmp(part, "class"))
        return ask_by_class(arguments[1]);
    if (count == 3 && !strcmp(part, "counter"))
        return count_events(arguments[1], &events);
    if (count == 3 && !strcmp(part, "model"))
        return fill_model(arguments[1], events);
    if (count != 2) {
        fputs("usage: bench_jfr FILE [class | counter | model]\n", stderr);
        return 2;
    }
    return ask_by_class(arguments[1]) || count_events(arguments[1], &events) ||
           fill_model(arguments[1], events);
}
