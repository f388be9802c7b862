/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From all rings to a trace and a sink. A round takes definitions, then events by time;
 * when they are in the trace, the threads get their room back.
 *
 * A forked child shares the file of rings with its parent, and must leave it alone. So
 * the recorders of the process are in a list, and in a child all of them are off.
 */
#include "rings/recorder_state.h"
#include "rings/recorder_thread.h"

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
#include "rings/membarrier.h"
#include "trace/compose.h"
#include "trace/trace_writer.h"

enum { BATCH = 256, RING_BYTES = 256 << 10, PRESENCE_BYTES = 4096 };

/* The program pays for the drainer's time and memory. A block of this size stays in the
 * caches; level 1 packs it in a tenth less time than zstd's default. */
enum { TRACE_LEVEL = 1, TRACE_BLOCK_EVENTS = 2048 };

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static tm_recorder *list;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void before_fork(void)
{
    pthread_mutex_lock(&list_lock);
}

static void in_parent(void)
{
    pthread_mutex_unlock(&list_lock);
}

static void forget_file(int *file)
{
    if (*file >= 0)
        close(*file);
    *file = -1;
}

/* Locks on the files end with the parent, and not with this process. Those in memory
 * may be some thread's that is not here. */
static void disown(tm_recorder *r)
{
    r->is_disowned = 1;
    atomic_store(&r->presence->is_own, 0);
    atomic_store(&r->presence->is_on, 0);
    forget_file(&r->rings.file);
    if (r->writer)
        forget_file(&r->writer->file.descriptor);
    r->rings.is_guarded = 0;
    r->has_helper = 0;
    pthread_mutex_init(&r->rings.lock, NULL);
    pthread_mutex_init(&r->thread_lock, NULL);
    pthread_mutex_init(&r->drain_lock, NULL);
    r->failure = TM_ESTOPPED;
    snprintf(r->failure_text, sizeof(r->failure_text),
             "a forked child has no recorder");
}

/* Where no handler ran when this process was forked. */
static void notice_fork(tm_recorder *recorder)
{
    if (!atomic_load(&recorder->presence->is_own) && !recorder->is_disowned)
        disown(recorder);
}

static void in_child(void)
{
    for (tm_recorder *r = list; r; r = r->next)
        disown(r);
    list = NULL;
    pthread_mutex_unlock(&list_lock);
}

static void begin_process(void)
{
    pthread_atfork(before_fork, in_parent, in_child);
    tm__membarrier_open();
}

static void enlist(tm_recorder *recorder)
{
    pthread_once(&once, begin_process);
    pthread_mutex_lock(&list_lock);
    recorder->next = list;
    list = recorder;
    pthread_mutex_unlock(&list_lock);
}

static void delist(tm_recorder *recorder)
{
    pthread_mutex_lock(&list_lock);
    for (tm_recorder **at = &list; *at; at = &(*at)->next)
        if (*at == recorder) {
            *at = recorder->next;
            break;
        }
    pthread_mutex_unlock(&list_lock);
}

/* To the trace, and to the user's sink. */
#define TEE(name, type)                                                                \
    static int tee_##name(void *payload, const type *what)                             \
    {                                                                                  \
        tm_recorder *recorder = payload;                                               \
        int rc = TM_OK;                                                                \
                                                                                       \
        if (recorder->writer) {                                                        \
            const tm_sink *trace = tm__trace_writer_sink(recorder->writer);            \
                                                                                       \
            rc = trace->name(trace->payload, what);                                    \
        }                                                                              \
        if (rc >= 0 && recorder->given.name)                                           \
            rc = recorder->given.name(recorder->given.payload, what);                  \
        return rc;                                                                     \
    }

TEE(run, tm_run)
TEE(caveat, char)
TEE(define_class, tm_class)
TEE(define_method, tm_method)
TEE(define_stack, tm_stack)
TEE(define_thread, tm_thread)
TEE(define_object, tm_object)

static int tee_events(void *payload, const tm_event *events, size_t count)
{
    tm_recorder *recorder = payload;
    int rc = TM_OK;

    for (size_t i = 0; i < count; i++)
        if (events[i].kind == TM_EVENT_LOST)
            atomic_fetch_add(&recorder->lost, (uint64_t)events[i].value);
    if (recorder->writer) {
        const tm_sink *trace = tm__trace_writer_sink(recorder->writer);

        rc = trace->events(trace->payload, events, count);
    }
    if (rc >= 0 && recorder->given.events)
        rc = recorder->given.events(recorder->given.payload, events, count);
    return rc;
}

static int put_batch(tm_recorder *recorder)
{
    size_t count = recorder->batch_count;

    recorder->batch_count = 0;
    return count ? tee_events(recorder, recorder->batch, count) : TM_OK;
}

static int emit_stack(tm_recorder *recorder, const tm__record *record, uint32_t id)
{
    tm_stack definition = {
        .size = sizeof(definition),
        .id = id,
        .flags = record->event.stack_flags & TM_STACK_TRUNCATED,
        .frames = (const tm_frame *)(record + 1),
        .frame_count = record->event.frame_count,
    };

    return tee_define_stack(recorder, &definition);
}

static int put_event(tm_recorder *recorder, const tm__record *record)
{
    enum { WORDS = sizeof(tm_frame) / sizeof(uint64_t) };
    tm_event *event = &recorder->batch[recorder->batch_count];
    int rc;

    *event = record->event.fact;
    rc = tm__stack_numbers_find(&recorder->stacks, (const uint64_t *)(record + 1),
                                record->event.frame_count * WORDS,
                                record->event.stack_flags, &event->stack);
    if (rc == TM_MORE)
        rc = emit_stack(recorder, record, event->stack);
    if (rc < 0)
        return rc;
    return ++recorder->batch_count == BATCH ? put_batch(recorder) : TM_OK;
}

static int define_all(tm_recorder *recorder, tm__thread_ring *first)
{
    int rc = TM_OK;

    for (tm__thread_ring *ring = first; ring && rc >= 0; ring = ring->next) {
        uint64_t end = UINT64_MAX;
        tm__record *record;

        while (rc >= 0 && (record = tm__thread_ring_next_definition(ring, &end)))
            rc = tm__record_define(record, &recorder->sink);
    }
    return rc;
}

/* Say what a thread lost and never had room to say itself. */
static int put_loss(tm_recorder *recorder, tm_recorder_thread *thread, int64_t time_ns)
{
    tm_event event;

    tm__recorder_count_interrupted(thread, time_ns);
    event = tm__thread_ring_extract_loss(&thread->ring, thread->id, time_ns);
    return event.value > 0 ? tee_events(recorder, &event, 1) : TM_OK;
}

/* Rings of threads that are gone, and whose last was taken, are for others. */
static int recycle(tm_recorder *recorder, tm__thread_ring *first, int64_t time_ns)
{
    int rc = TM_OK;

    for (tm__thread_ring *ring = first; ring && rc >= 0; ring = ring->next) {
        tm_recorder_thread *thread = (tm_recorder_thread *)ring;

        if (atomic_load(&thread->is_free) ||
            !atomic_load_explicit(&thread->is_detached, memory_order_acquire) ||
            ring->taken != atomic_load(&ring->page->head) ||
            ring->scanned < ring->taken)
            continue;
        rc = put_loss(recorder, thread, time_ns);
        ring->idle_ns = 0;
        atomic_store(&thread->is_free, 1);
    }
    return rc;
}

static int put_round(tm_recorder *recorder, int final)
{
    tm__thread_ring *first, *ring;
    tm__record *record;
    int64_t horizon_ns;
    int rc;

    tm__round_begin(&recorder->round);
    first = (tm__thread_ring *)atomic_load(&recorder->threads);
    /* There may be memory in the next round. */
    if (tm__round_limit(&recorder->round, first, final) != 0)
        return final ? tm__fail(TM_ENOMEM, "no memory to sort events") : TM_OK;
    horizon_ns = recorder->round.horizon_ns;
    if (final)
        recorder->round.horizon_ns = INT64_MAX;
    tm__rings_begin_round(&recorder->rings, recorder->round.horizon_ns);
    rc = define_all(recorder, first);
    tm__round_load(&recorder->round, first);
    while (rc >= 0 && (record = tm__round_next(&recorder->round, &ring)))
        rc = put_event(recorder, record);
    if (rc >= 0)
        rc = put_batch(recorder);
    if (rc >= 0)
        rc = recycle(recorder, first, horizon_ns - 1);
    for (ring = first; final && ring && rc >= 0; ring = ring->next)
        rc = put_loss(recorder, (tm_recorder_thread *)ring, horizon_ns);
    return rc;
}

/* Others may do to the file of rings what they like: the trace says so. */
static int look_after_file(tm_recorder *recorder)
{
    const char *changed = tm__rings_changed(&recorder->rings);
    char sentence[200];

    if (!changed)
        return TM_OK;
    snprintf(sentence, sizeof(sentence),
             "The file of rings was %s by another program: had the program been killed "
             "after that, its last events would be missing.",
             changed);
    return tee_caveat(recorder, sentence);
}

static int flush(tm_recorder *recorder)
{
    int rc = recorder->writer ? tm__trace_writer_flush(recorder->writer) : TM_OK;

    if (rc < 0)
        return rc;
    tm__rings_begin_advance(&recorder->rings);
    for (tm__thread_ring *ring = (tm__thread_ring *)atomic_load(&recorder->threads);
         ring; ring = ring->next)
        tm__thread_ring_release(ring);
    tm__rings_end_advance(&recorder->rings,
                          recorder->writer ? tm__trace_writer_events(recorder->writer)
                                           : 0);
    tm__rings_prepare(&recorder->rings);
    return look_after_file(recorder);
}

/* @return TM_OK, or what has ended the recording */
static int judge(tm_recorder *recorder, int rc)
{
    if (rc >= 0)
        return TM_OK;
    if (recorder->failure == 0) {
        recorder->failure = rc;
        snprintf(recorder->failure_text, sizeof(recorder->failure_text), "%s",
                 tm_error_text());
        atomic_store(&recorder->presence->is_on, 0);
    }
    return rc;
}

static int drain(tm_recorder *recorder, int final)
{
    uint64_t count;
    int rc;

    if (recorder->failure)
        return tm__fail(recorder->failure, "%s", recorder->failure_text);
    /* Where no drain is due there is nothing to read. */
    if (read(recorder->wake_fd, &count, sizeof(count)) < 0)
        count = 0;
    rc = put_round(recorder, final);
    if (rc >= 0)
        rc = flush(recorder);
    return judge(recorder, rc);
}

int tm_recorder_drain(tm_recorder *recorder)
{
    int rc;

    TM__CHECK(recorder);
    notice_fork(recorder);
    pthread_mutex_lock(&recorder->drain_lock);
    rc = drain(recorder, 0);
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
        /* What ended the recording is kept for who closes it. */
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
    return tee_run(recorder, &run);
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
    tm__free(&recorder->memory, recorder->batch, BATCH * sizeof(*recorder->batch));
    if (recorder->wake_fd >= 0)
        close(recorder->wake_fd);
    if (recorder->presence)
        munmap(recorder->presence, PRESENCE_BYTES);
    pthread_mutex_destroy(&recorder->thread_lock);
    pthread_mutex_destroy(&recorder->drain_lock);
    memory = recorder->memory;
    tm__free(&memory, recorder, sizeof(*recorder));
}

/* End the trace, or in a child let go of it. */
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
    notice_fork(recorder);
    if (recorder->has_helper) {
        atomic_store(&recorder->is_stopping, 1);
        (void)tm__wake_drainer(recorder->wake_fd);
        pthread_join(recorder->helper, NULL);
    }
    delist(recorder);
    rc = drain(recorder, 1);
    if (rc >= 0)
        rc = judge(recorder, put_end(recorder));
    if (rc >= 0)
        rc = close_trace(recorder);
    else
        (void)close_trace(recorder);
    snprintf(text, sizeof(text), "%s", rc < 0 ? tm_error_text() : "");
    /* What could not be written is still in the rings, for a reader of the trace. */
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
    return tee_run(recorder, &run);
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
    recorder->sink = (tm_sink){sizeof(tm_sink),  recorder,          tee_run,
                               tee_caveat,       tee_define_class,  tee_define_method,
                               tee_define_stack, tee_define_thread, tee_define_object,
                               tee_events};
    *out = recorder;
    recorder->batch = tm__zalloc(&recorder->memory, BATCH * sizeof(*recorder->batch));
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
        enlist(recorder);
        *out = recorder;
        return TM_OK;
    }
    snprintf(text, sizeof(text), "%s", tm_error_text());
    if (recorder->presence)
        (void)judge(recorder, rc);
    (void)close_trace(recorder);
    recorder_free(recorder);
    return tm__fail(rc, "%s", text);
}
