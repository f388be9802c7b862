/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of tm_recorder_report() for the thread that calls it: the best of 1,000
 * times 250 events, with and without a file of rings, without frames and with 16.
 * Prints the rows of docs/embedding.md, and what reading the clock takes of each.
 *
 *     bench_recorder
 */
#define _GNU_SOURCE
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <threadmodel/error.h>
#include <threadmodel/recorder.h>

#include "rings/membarrier.h"

enum { TIMES = 1000, EVENTS = 250, FRAMES = 16 };

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void check(int rc)
{
    if (rc >= 0)
        return;
    fprintf(stderr, "bench_recorder: %s\n", tm_error_text());
    exit(1);
}

/* @return ns an event */
static double report(const char *path, const char *rings, size_t frame_count)
{
    tm_recorder_options options = TM_RECORDER_OPTIONS_INIT;
    tm_thread self = {.size = sizeof(self), .id = 1};
    tm_event event = {.kind = TM_EVENT_CONTENDED_ENTER, .object = 1};
    tm_frame frames[FRAMES];
    tm_recorder *recorder;
    tm_recorder_thread *me;
    int64_t best_ns = INT64_MAX;

    for (uint32_t i = 0; i < FRAMES; i++)
        frames[i] = (tm_frame){.method = i + 1, .location = -1, .line = 1};
    options.path = path;
    options.rings = rings;
    check(tm_recorder_open(&recorder, &options));
    check(tm_recorder_attach(recorder, &self, &me));
    /* Until the kernel has answered, a drain leaves the last millisecond in the rings,
     * which is all of the events here. */
    for (int i = 0; i < 100 && tm__membarrier() > 0; i++)
        poll(NULL, 0, 10);
    for (int i = 0; i < TIMES; i++) {
        int64_t begun_ns = now_ns(), taken_ns;

        for (int j = 0; j < EVENTS; j++)
            tm_recorder_report(me, &event, frames, frame_count);
        taken_ns = now_ns() - begun_ns;
        if (taken_ns < best_ns)
            best_ns = taken_ns;
        check(tm_recorder_drain(recorder));
    }
    if (tm_recorder_lost_count(recorder) > 0)
        fprintf(stderr, "bench_recorder: events were lost\n");
    check(tm_recorder_close(recorder));
    return (double)best_ns / EVENTS;
}

static double clock_alone(void)
{
    int64_t best_ns = INT64_MAX;

    for (int i = 0; i < TIMES; i++) {
        int64_t begun_ns = now_ns(), taken_ns;

        for (int j = 0; j < EVENTS; j++)
            (void)now_ns();
        taken_ns = now_ns() - begun_ns;
        if (taken_ns < best_ns)
            best_ns = taken_ns;
    }
    return (double)best_ns / EVENTS;
}

int main(void)
{
    static const struct {
        const char *name, *rings;
        size_t frame_count;
    } cases[] = {
        {"in memory", "none", 0},
        {"with the file of rings", NULL, 0},
        {"in memory, 16 frames", "none", FRAMES},
        {"with the file of rings, 16 frames", NULL, FRAMES},
    };
    char path[] = "/tmp/bench_recorder.XXXXXX";
    int file = mkstemp(path);

    if (file < 0) {
        perror(path);
        return 1;
    }
    close(file);
    printf("reading the clock: %.0f ns\n", clock_alone());
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        printf("an event %s: %.0f ns\n", cases[i].name,
               report(path, cases[i].rings, cases[i].frame_count));
    unlink(path);
    return 0;
}
