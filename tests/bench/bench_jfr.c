/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast a recording is read: into a sink that only counts, and into a model.
 *
 *     bench_jfr FILE
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <threadmodel/threadmodel.h>

#include "../unit/recorder.h"

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
           (double)tm_source_position(source) / cpu / 1e6);
    tm_source_close(source);
    return 0;
}

int main(int count, char **arguments)
{
    recorder counter;
    tm_model *model;
    uint64_t events;
    int failed;

    if (count != 2) {
        fputs("usage: bench_jfr FILE\n", stderr);
        return 2;
    }
    recorder_init(&counter);
    counter.counts_only = 1;
    failed = read_file(arguments[1], &counter.sink, "a counter", &counter.events);
    recorder_free(&counter);
    if (failed || tm_model_new(&model, NULL) < 0)
        return 1;
    events = counter.events;
    failed = read_file(arguments[1], tm_model_sink(model), "a model", &events);
    tm_model_free(model);
    return failed;
}
