/* SPDX-License-Identifier: Apache-2.0 */
#include "recorder/image.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <threadmodel/error.h>
#include <threadmodel/version.h>

#include "endpoint/endpoint.h"
#include "recorder/live_deadlock.h"
#include "recorder/definitions.h"
#include "recorder/image_events.h"
#include "recorder/lookup.h"
#include "recorder/kernel_switches.h"

#define KIND(kind) (UINT64_C(1) << TM_EVENT_##kind)
#define KINDS                                                                          \
    (KIND(THREAD_START_CALLED) | KIND(THREAD_START) | KIND(THREAD_END) |               \
     KIND(CONTENDED_ENTER) | KIND(CONTENDED_ENTERED) | KIND(WAIT) | KIND(WAITED) |     \
     KIND(NOTIFY) | KIND(NOTIFY_ALL) | KIND(SLEEP) | KIND(SLEPT) | KIND(JOIN) |        \
     KIND(JOINED) | KIND(PARK) | KIND(UNPARKED) | KIND(ACQUIRED) | KIND(RELEASED) |    \
     KIND(AWAIT) | KIND(AWAITED) | KIND(POST) | KIND(LOST) | KIND(SHUTDOWN) |          \
     KIND(HELD) | KIND(NESTED))

static const char *const CAVEATS[] = {
    "Waits for a futex by a system call in the program's own code, not through the C "
    "library (Go, OpenMP's runtime), and for the C library's own locks are not "
    "recorded; nor are reads and writes of single characters (getc) and of formatted "
    "text (printf, scanf) by its streams.",
    "A lock that was acquired and released while no thread queued for it leaves no "
    "event, unless it was held for milliseconds.",
    "The time in which a thread that was woken from a condition variable queues for "
    "its mutex is part of the wait.",
};

/* Its arguments, with spaces between them. */
static void read_command(uint32_t pid, char *command, size_t room)
{
    char path[64];
    FILE *file;
    size_t length;

    snprintf(path, sizeof(path), "/proc/%u/cmdline", pid);
    file = fopen(path, "re");
    length = file ? fread(command, 1, room - 1, file) : 0;
    if (file)
        fclose(file);
    for (size_t i = 0; i + 1 < length; i++)
        if (command[i] == 0)
            command[i] = ' ';
    command[length] = 0;
}

/* Those that the program may use. */
static uint32_t processors_of(pid_t pid)
{
    cpu_set_t all;

    return sched_getaffinity(pid, sizeof(all), &all) == 0 ? (uint32_t)CPU_COUNT(&all)
                                                          : 0;
}

static void describe_run(tm__image *image, int records_io, int has_switches)
{
    struct timespec wall = {0}, monotonic = {0};
    char command[4096], producer[64];
    tm_run run = TM_RUN_INIT;

    clock_gettime(CLOCK_MONOTONIC, &monotonic);
    clock_gettime(CLOCK_REALTIME, &wall);
    read_command(image->pid, command, sizeof(command));
    snprintf(producer, sizeof(producer), "threadmodel-preload %d.%d.%d",
             TM_VERSION_MAJOR, TM_VERSION_MINOR, TM_VERSION_PATCH);
    run.producer = producer;
    run.command = command;
    run.pid = image->pid;
    run.start_ns = image->start_ns;
    run.start_wall_ns = (wall.tv_sec - monotonic.tv_sec) * INT64_C(1000000000) +
                        (wall.tv_nsec - monotonic.tv_nsec) + image->start_ns;
    run.kinds = KINDS | (has_switches ? tm__kernel_switches_kinds() : 0);
    run.object_kinds = UINT64_C(1) << TM_OBJECT_KIND_CONDITION |
                       UINT64_C(1) << TM_OBJECT_KIND_SEMAPHORE |
                       UINT64_C(1) << TM_OBJECT_KIND_BARRIER |
                       (records_io ? TM__ENDPOINT_KINDS : 0);
    run.identity = TM_IDENTITY_ADDRESS;
    run.processors = processors_of(image->pid);
    TM__IMAGE_DEFINE(image, run, &run);
    for (size_t i = 0; i < sizeof(CAVEATS) / sizeof(*CAVEATS); i++)
        TM__IMAGE_DEFINE(image, caveat, CAVEATS[i]);
    tm__kernel_switches_describe(image, has_switches);
}

/* "run-PID.tmt" for "run.tmt"; the first image that is wanted gets the plain name. */
static void name_trace(tm__image *image, const char *output)
{
    const char *slash = strrchr(output, '/');
    const char *dot = strrchr(slash ? slash : output, '.');
    int stem = (int)(dot ? dot - output : (ptrdiff_t)strlen(output));

    for (int i = 1; i < 1000; i++) {
        char again[16] = "";

        if (i > 1)
            snprintf(again, sizeof(again), "-%d", i);
        snprintf(image->path, sizeof(image->path), "%.*s-%u%s%s", stem, output,
                 image->pid, again, dot ? dot : "");
        if (access(image->path, F_OK) != 0)
            return;
    }
}

tm__image *tm__image_new(uint64_t id, uint32_t pid, const char *output,
                         int64_t start_ns, int records_io, int has_switches,
                         size_t live_bytes)
{
    tm_model_options options = TM_MODEL_OPTIONS_INIT;
    tm__image *image = calloc(1, sizeof(*image));

    if (!image)
        return NULL;
    image->id = id;
    image->pid = pid;
    image->start_ns = start_ns;
    image->descriptor = -1;
    image->has_switches = has_switches;
    image->symbols = tm__symbols_new();
    name_trace(image, output);
    if (tm_writer_open(&image->writer, image->path, NULL) != TM_OK)
        tm__image_report_error(image, "no trace");
    options.memory_limit_bytes = live_bytes;
    if (tm_model_new(&image->model, &options) == TM_OK)
        tm_deadlock_watch(image->model, tm__deadlock_suspected, image);
    describe_run(image, records_io, has_switches);
    return image;
}

void tm__image_add_child(tm__image *image, uint32_t pid, const char *program)
{
    size_t length = strlen(image->child_programs);
    const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;

    for (size_t i = 0; i < image->child_count; i++)
        if (image->children[i] == pid)
            return;
    if (image->child_count == TM__CHILDREN_MOST)
        return;
    image->children[image->child_count++] = pid;
    if (*name && !strstr(image->child_programs, name))
        snprintf(image->child_programs + length, sizeof(image->child_programs) - length,
                 "%s%s", length ? ", " : "", name);
}

void tm__image_drop_child(tm__image *image, uint32_t pid)
{
    for (size_t i = 0; i < image->child_count; i++)
        if (image->children[i] == pid) {
            image->children[i] = image->children[--image->child_count];
            return;
        }
}

static void describe_children(tm__image *image)
{
    char caveat[512];

    if (image->child_count == 0)
        return;
    snprintf(
        caveat, sizeof(caveat),
        "%zu%s processes that this one started are in no trace (%s): they were not "
        "recorded, or their threads never met at a lock or a wait.",
        image->child_count, image->child_count == TM__CHILDREN_MOST ? " or more" : "",
        image->child_programs);
    TM__IMAGE_DEFINE(image, caveat, caveat);
}

static void describe_nestings(tm__image *image)
{
    char caveat[256];

    if (image->nestings_left_out == 0)
        return;
    snprintf(
        caveat, sizeof(caveat),
        "Lock order is not complete: %" PRIu64 " acquisitions with other locks "
        "owned were not looked at, as the program has more pairs of locks than are "
        "recorded.",
        image->nestings_left_out);
    TM__IMAGE_DEFINE(image, caveat, caveat);
}

int tm__image_close(tm__image *image)
{
    tm_run run = TM_RUN_INIT;
    int rc = 0;

    tm__image_flush(image);
    tm__definitions_complete(image);
    describe_children(image);
    describe_nestings(image);
    if (image->has_switches)
        tm__kernel_switches_report(image);
    run.end_ns = image->over_ns > image->last_ns ? image->over_ns : image->last_ns;
    run.stopped_ns = image->stopped_ns;
    run.ending = image->ending;
    run.ending_status = image->ending_status;
    if (image->writer) {
        TM__IMAGE_DEFINE(image, run, &run);
        rc = tm_writer_close(image->writer) == TM_OK ? 0 : -1;
        if (rc != 0)
            tm__image_report_error(image, "the trace is not complete");
    }
    tm_model_free(image->model);
    tm__definitions_free(image);
    tm__lookup_end(image->symbols);
    free(image->items);
    if (image->descriptor >= 0)
        close(image->descriptor);
    free(image);
    return rc;
}
