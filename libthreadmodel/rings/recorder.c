/* SPDX-License-Identifier: Apache-2.0 */
/* A recorder of a program's own threads: its life, and the thread that drains it. */
#include "rings/recorder_state.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/error.h"
#include "base/sized.h"
#include "base/system.h"
#include "rings/clock.h"
#include "rings/recorder_drain.h"
#include "rings/recorder_forks.h"
#include "rings/recorder_thread.h"
#include "trace/trace_writer.h"

enum { RING_BYTES = 256 << 10, PRESENCE_BYTES = 4096 };

/* The program pays for the drainer's time and memory. A block of this size stays in the
 * caches; level 1 packs it in a tenth less time than zstd's default. */
enum { TRACE_LEVEL = 1, TRACE_BLOCK_EVENTS = 2048 };

int tm_recorder_drain(tm_recorder *recorder)
{
    int rc;

    TM__CHECK(recorder);
    tm__recorder_notice_fork(recorder);
    pthread_mutex_lock(&recorder->drain_lock);
    rc = tm__recorder_drain(recorder, 0);
    pthread_mutex_unlock(&recorder->drain_lock);
    return rc;
}

static void *help(void *payload)
{
    tm_recorder *recorder = payload;

    prctl(PR_SET_NAME, "threadmodel");
    while (!atomic_load(&recorder->is_stopping)) {
        struct pollfd wake = {.fd = recorder->wake_fd, .events = POLLIN};

        poll(&wake, 1, (int)recorder->every_ms);
        /* The failure that ended the recording is kept for tm_recorder_close(). */
        if (tm_recorder_drain(recorder) < 0)
            break;
    }
    return NULL;
}

int tm_recorder_start(tm_recorder *recorder, uint32_t every_ms)
{
    sigset_t all, before;
    int error;

    TM__CHECK(recorder);
    if (every_ms == 0 || every_ms > INT32_MAX)
        return tm__fail(TM_EINVAL, "invalid drain interval: %u ms", every_ms);
    if (recorder->has_helper)
        return tm__fail(TM_EINVAL, "the recorder has a helper thread already");
    recorder->every_ms = every_ms;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(&recorder->helper, NULL, help, recorder);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error)
        return tm__fail_system("the recorder's thread", error);
    recorder->has_helper = 1;
    return TM_OK;
}

int tm_recorder_wake_fd(const tm_recorder *recorder)
{
    return recorder ? recorder->wake_fd : -1;
}

uint64_t tm_recorder_lost_count(const tm_recorder *recorder)
{
    return recorder ? atomic_load(&recorder->lost) : 0;
}

static int put_end(tm_recorder *recorder)
{
    tm_run run = TM_RUN_INIT;

    run.end_ns = tm__now_ns();
    return recorder->sink.run(recorder, &run);
}

/* Free all but the trace. */
static void recorder_free(tm_recorder *recorder)
{
    tm_recorder_thread *next = atomic_load(&recorder->threads);
    tm__memory memory;

    while (next) {
        tm_recorder_thread *thread = next;

        next = (tm_recorder_thread *)thread->ring.next;
        tm__recorder_thread_free(thread);
    }
    tm__rings_leave(&recorder->rings);
    tm__stack_numbers_free(&recorder->stacks);
    tm__round_free(&recorder->round);
    tm__free(&recorder->memory, recorder->batch,
             TM__RECORDER_BATCH * sizeof(*recorder->batch));
    if (recorder->wake_fd >= 0)
        close(recorder->wake_fd);
    if (recorder->presence)
        munmap(recorder->presence, PRESENCE_BYTES);
    pthread_mutex_destroy(&recorder->thread_lock);
    pthread_mutex_destroy(&recorder->drain_lock);
    memory = recorder->memory;
    tm__free(&memory, recorder, sizeof(*recorder));
}

/* End the trace; in a child, only release it. */
static int close_trace(tm_recorder *recorder)
{
    if (!recorder->writer)
        return TM_OK;
    if (recorder->failure && !recorder->writer->failure) {
        recorder->writer->failure = recorder->failure;
        snprintf(recorder->writer->failure_text, sizeof(recorder->writer->failure_text),
                 "%s", recorder->failure_text);
    }
    return tm__trace_writer_close(recorder->writer);
}

int tm_recorder_close(tm_recorder *recorder)
{
    char text[512];
    int rc;

    if (!recorder)
        return TM_OK;
    tm__recorder_notice_fork(recorder);
    if (recorder->has_helper) {
        atomic_store(&recorder->is_stopping, 1);
        (void)tm__wake_drainer(recorder->wake_fd);
        pthread_join(recorder->helper, NULL);
    }
    tm__recorder_delist(recorder);
    rc = tm__recorder_drain(recorder, 1);
    if (rc >= 0)
        rc = tm__recorder_judge(recorder, put_end(recorder));
    if (rc >= 0)
        rc = close_trace(recorder);
    else
        (void)close_trace(recorder);
    snprintf(text, sizeof(text), "%s", rc < 0 ? tm_error_text() : "");
    /* Records that could not be written are still in the rings, for a reader of the
     * trace. */
    tm__rings_close(&recorder->rings, rc < 0);
    recorder_free(recorder);
    return rc < 0 ? tm__fail(rc, "%s", text) : TM_OK;
}

static int put_run(tm_recorder *recorder, const tm_run *given)
{
    tm_run run;
    int rc = TM__READ(&run, given, tm_run, source);

    if (rc < 0)
        return rc;
    if (run.pid == 0)
        run.pid = (uint64_t)getpid();
    if (run.start_ns == 0) {
        run.start_ns = tm__now_ns();
        run.start_wall_ns = tm__clock_ns(CLOCK_REALTIME);
    }
    if (run.id == 0 && getrandom(&run.id, sizeof(run.id), GRND_NONBLOCK) < 0)
        run.id = (uint64_t)run.start_ns << 16 ^ run.pid;
    recorder->rings.header.run_id = run.id;
    return recorder->sink.run(recorder, &run);
}

/* A kernel before 4.14 does not clear it: then the handlers alone tell of a fork. */
static tm__presence *presence_new(void)
{
    tm__presence *presence = mmap(NULL, PRESENCE_BYTES, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (presence == MAP_FAILED)
        return NULL;
    (void)madvise(presence, PRESENCE_BYTES, MADV_WIPEONFORK);
    atomic_store(&presence->is_own, 1);
    return presence;
}

static int recorder_new(tm_recorder **out, const tm_recorder_options *options)
{
    tm_recorder *recorder;
    tm__memory memory;

    tm__memory_init(&memory, options->allocator);
    recorder = tm__zalloc(&memory, sizeof(*recorder));
    if (!recorder)
        return tm__fail(TM_ENOMEM, "out of memory: a recorder");
    recorder->memory = memory;
    recorder->wake_fd = -1;
    recorder->rings.file = -1;
    pthread_mutex_init(&recorder->rings.lock, NULL);
    pthread_mutex_init(&recorder->thread_lock, NULL);
    pthread_mutex_init(&recorder->drain_lock, NULL);
    tm__memory_init(&recorder->stack_memory, options->allocator);
    tm__stack_numbers_init(&recorder->stacks, &recorder->stack_memory, 0);
    tm__recorder_sink_init(recorder);
    *out = recorder;
    recorder->batch =
        tm__zalloc(&recorder->memory, TM__RECORDER_BATCH * sizeof(*recorder->batch));
    recorder->presence = presence_new();
    if (!recorder->batch || !recorder->presence)
        return tm__fail(TM_ENOMEM, "out of memory: a recorder");
    recorder->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return recorder->wake_fd < 0 ? tm__fail_system("eventfd", errno) : TM_OK;
}

static int open_trace(tm_recorder *recorder, const tm_recorder_options *options)
{
    tm_writer_options trace = {.allocator = options->allocator,
                               .level = TRACE_LEVEL,
                               .block_events = TRACE_BLOCK_EVENTS};

    return tm__trace_writer_open(&recorder->writer, options->path, &trace);
}

static int begin(tm_recorder *recorder, const tm_recorder_options *options)
{
    size_t ring_bytes = options->ring_bytes ? options->ring_bytes : RING_BYTES;
    char error[TM__RINGS_PATH_BYTES + 200];
    int rc = TM_OK;

    if (options->sink)
        rc = TM__READ(&recorder->given, options->sink, tm_sink, payload);
    if (rc >= 0 && options->path)
        rc = open_trace(recorder, options);
    if (rc >= 0)
        rc = put_run(recorder, options->run);
    if (rc >= 0 && recorder->writer)
        rc = tm__trace_writer_flush(recorder->writer);
    if (rc < 0)
        return rc;
    if (tm__rings_open(&recorder->rings, ring_bytes, options->path,
                       options->rings ? options->rings : "",
                       recorder->rings.header.run_id, options->memory_bytes, error,
                       sizeof(error)) != 0)
        return tm__fail(TM_EIO, "%s", error);
    return TM_OK;
}

int tm_recorder_open(tm_recorder **out, const tm_recorder_options *options)
{
    tm_recorder *recorder = NULL;
    tm_recorder_options given;
    char text[512];
    int rc;

    TM__CHECK(out);
    *out = NULL;
    rc = TM__READ(&given, options, tm_recorder_options, allocator);
    if (rc < 0)
        return rc;
    if (!given.path && !given.sink)
        return tm__fail(TM_EINVAL, "a recorder needs a path or a sink");
    if (given.ring_bytes && (given.ring_bytes < TM__RING_BYTES_MIN ||
                             given.ring_bytes > TM__RING_BYTES_MAX ||
                             (given.ring_bytes & (given.ring_bytes - 1))))
        return tm__fail(TM_EINVAL,
                        "a ring of %u bytes: it takes a power of two from 65536 to "
                        "1073741824",
                        given.ring_bytes);
    rc = recorder_new(&recorder, &given);
    if (!recorder)
        return rc;
    if (rc >= 0)
        rc = begin(recorder, &given);
    if (rc >= 0) {
        atomic_store(&recorder->presence->is_on, 1);
        tm__recorder_enlist(recorder);
        *out = recorder;
        return TM_OK;
    }
    snprintf(text, sizeof(text), "%s", tm_error_text());
    if (recorder->presence)
        (void)tm__recorder_judge(recorder, rc);
    (void)close_trace(recorder);
    recorder_free(recorder);
    return tm__fail(rc, "%s", text);
}
