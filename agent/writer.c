/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer: a thread of the VM's that comes by the buffers twenty times a
 * second, merges them by time and pours the result into the trace.
 *
 * The trace is to be sorted by time, so a round ends at a horizon before which
 * every event has been committed: no thread has an earlier one in work. What lies
 * beyond stays in its buffer until the next round, so that what is held back
 * takes no memory of its own.
 *
 *      A  ──e1────e4──────e6───▶          a thread says when the event that it has
 *      B  ────e2─────[e5 in work]         in work began; the horizon is the earliest
 *      C  ───────e3────────e7──▶          of these, here that of e5
 */
#include "agent.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <threadmodel/error.h>

enum { ROUND_MS = 50, MS = 1000000, BATCH = 256 };

/* "I begin an event" may sit in a processor's store buffer for a while, some
 * nanoseconds in truth; only what is older than this is taken to be complete. */
static const int64_t SLACK_NS = 1 * MS;

/* A thread that a debugger stopped in a callback must not hold up all others. */
static const int64_t STUCK_NS = 2000 * (int64_t)MS;

/* Blocked for longer is worth asking the VM for what the thread holds; asking for
 * this many is about 3 % of a round. */
static const int64_t BLOCKED_LONG_NS = 50 * (int64_t)MS;
enum { ASK_A_ROUND = 32, ASK_AT_END = 1000 };

typedef struct cursor {
    tm__buffer *buffer;
    uint64_t at;
    tm__record *record; ///< at `at`, and an event
} cursor;

static tm__buffer *own;
static cursor *heap; /* the earliest first */
static size_t heap_count, heap_capacity;
static int64_t last_horizon = TM__BEGINS;
static tm_event batch[BATCH];
static size_t batch_count;
static int wake_fd = -1;
static atomic_int stopping;
static int finished = 1;
static pthread_mutex_t finished_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t finished_signal = PTHREAD_COND_INITIALIZER;

static int pour_batch(void)
{
    const tm_sink *sink = tm__the_agent.sink;
    size_t count = batch_count;

    batch_count = 0;
    return count ? sink->events(sink->payload, batch, count) : TM_OK;
}

/* Events that begin or end a block, or that may stand for one that does. */
static const uint64_t FOLLOWED = UINT64_C(1) << TM_EVENT_CONTENDED_ENTER |
                                 UINT64_C(1) << TM_EVENT_CONTENDED_ENTERED |
                                 UINT64_C(1) << TM_EVENT_THREAD_END |
                                 UINT64_C(1) << TM_EVENT_LOST;

static int pour(JNIEnv *jni, const tm__buffer *buffer, const tm__record *record)
{
    tm_event *event = &batch[batch_count];
    int rc;

    *event = record->event;
    if (FOLLOWED >> event->kind & 1) {
        jweak weak = (jweak)(uintptr_t)event->peer;

        event->peer = 0;
        tm__held_follow(jni, event,
                        event->thread == buffer->thread ? buffer->thread_weak : weak,
                        weak != NULL);
    }
    rc = tm__code_stack(&event->stack, jni, own, (const jvmtiFrameInfo *)(record + 1),
                        record->extra, record->truncated);
    if (rc < 0)
        return rc;
    return ++batch_count == BATCH ? pour_batch() : TM_OK;
}

/* Move a cursor to the next event. @return 0: there is none in this round */
static int advance(cursor *c)
{
    while ((c->record = tm__buffer_at(c->buffer, &c->at, c->buffer->limit))) {
        if (c->record->kind < TM_EVENT_KIND_END)
            return 1;
        c->at += c->record->bytes;
    }
    return 0;
}

static void sift_down(size_t i)
{
    cursor moved = heap[i];

    for (;;) {
        size_t child = 2 * i + 1;

        if (child >= heap_count)
            break;
        if (child + 1 < heap_count &&
            heap[child + 1].record->event.time_ns < heap[child].record->event.time_ns)
            child++;
        if (moved.record->event.time_ns <= heap[child].record->event.time_ns)
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = moved;
}

static int reserve_heap(void)
{
    size_t count = 0;
    cursor *grown;

    for (tm__buffer *b = tm__buffer_first(); b; b = b->next)
        count++;
    if (count <= heap_capacity)
        return 0;
    grown = realloc(heap, 2 * count * sizeof(*heap));
    if (!grown)
        return -1;
    heap = grown;
    heap_capacity = 2 * count;
    return 0;
}

/* Set every buffer's limit. @return the time before which all is committed */
static int64_t find_horizon(tm__buffer *first, int final)
{
    int64_t now = tm__now_ns();
    int64_t horizon = final ? now : now - SLACK_NS;

    for (tm__buffer *b = first; b; b = b->next) {
        int64_t since = atomic_load_explicit(&b->since, memory_order_acquire);

        /* One that is about to read the clock reads a later time than that at
         * which it was last seen idle; a new one, than the last round's. */
        if (since == TM__IDLE)
            b->idle_ns = now - SLACK_NS;
        else if (since == TM__BEGINS)
            since = b->idle_ns ? b->idle_ns : last_horizon;
        if (!final && since != TM__IDLE && since < horizon && now - since < STUCK_NS)
            horizon = since;
        b->limit = atomic_load_explicit(&b->head, memory_order_acquire);
    }
    last_horizon = horizon;
    return horizon;
}

static int merge(JNIEnv *jni, int64_t horizon)
{
    int rc = TM_OK;

    for (size_t i = heap_count; i-- > 0;)
        sift_down(i);
    while (rc >= 0 && heap_count > 0 && heap[0].record->event.time_ns < horizon) {
        cursor *c = &heap[0];

        rc = pour(jni, c->buffer, c->record);
        c->at += c->record->bytes;
        if (!advance(c)) {
            atomic_store_explicit(&c->buffer->tail, c->at, memory_order_release);
            *c = heap[--heap_count];
        }
        if (heap_count > 1)
            sift_down(0);
    }
    /* What is beyond the horizon waits in its buffer. */
    for (size_t i = 0; i < heap_count; i++)
        atomic_store_explicit(&heap[i].buffer->tail, heap[i].at, memory_order_release);
    heap_count = 0;
    return rc < 0 ? rc : pour_batch();
}

/* An orphan that is empty may go to a thread to come. */
static void recycle(JNIEnv *jni, tm__buffer *first)
{
    for (tm__buffer *b = first; b; b = b->next) {
        if (!b->listed || !atomic_load_explicit(&b->orphan, memory_order_acquire) ||
            atomic_load(&b->tail) != atomic_load(&b->head) ||
            b->scanned != atomic_load(&b->head))
            continue;
        if (b->thread_weak)
            (*jni)->DeleteWeakGlobalRef(jni, b->thread_weak);
        tm__buffer_recycle(b);
    }
}

static int round_of_all(JNIEnv *jni, int final)
{
    tm__buffer *first = tm__buffer_first();
    int64_t horizon;
    int rc = TM_OK;

    if (reserve_heap() != 0)
        return TM_OK; /* there may be memory in the next round */
    horizon = find_horizon(first, final);
    /* After all limits were read: what events up to them name is defined. */
    for (tm__buffer *b = first; b && rc >= 0; b = b->next) {
        cursor c = {.buffer = b, .at = atomic_load(&b->tail)};

        rc = tm__define_all(b);
        if (advance(&c))
            heap[heap_count++] = c;
        else
            atomic_store_explicit(&b->tail, c.at, memory_order_release);
    }
    if (rc >= 0)
        rc = merge(jni, horizon);
    heap_count = 0;
    if (rc >= 0)
        rc = tm__held_pour(horizon);
    recycle(jni, first);
    return rc;
}

/* What threads lost and never had room to say, and that anything was lost at all. */
static int report_losses(void)
{
    const tm_sink *sink = tm__the_agent.sink;
    uint64_t total = 0;
    int rc = TM_OK;

    for (tm__buffer *b = tm__buffer_first(); b && rc >= 0; b = b->next) {
        tm_event event = {
            .time_ns = tm__now_ns(),
            .thread = b->thread,
            .object = (uint64_t)atomic_load(&b->lost_first_ns),
            .value = (int64_t)atomic_load(&b->lost),
            .kind = TM_EVENT_LOST,
        };

        total += atomic_load(&b->lost_total);
        if (event.value > 0)
            rc = sink->events(sink->payload, &event, 1);
    }
    if (rc >= 0 && total > 0) {
        char sentence[160];

        snprintf(sentence, sizeof(sentence),
                 "%llu events found no room in their thread's buffer and are missing; "
                 "a larger buffer= may hold them.",
                 (unsigned long long)total);
        rc = sink->limit(sink->payload, sentence);
    }
    return rc;
}

/* The callbacks that run now may still commit what they have begun. */
static void wait_until_idle(void)
{
    for (int tries = 0; tries < 100; tries++) {
        int busy = 0;

        for (tm__buffer *b = tm__buffer_first(); b; b = b->next)
            busy |= atomic_load(&b->since) != TM__IDLE;
        if (!busy)
            return;
        poll(NULL, 0, 1);
    }
}

static int run_to_the_end(JNIEnv *jni)
{
    int rc = tm__run_report(0);

    if (rc >= 0)
        rc = tm_trace_writer_flush(tm__the_agent.trace);
    while (rc >= 0 && !atomic_load(&stopping)) {
        struct pollfd wake = {.fd = wake_fd, .events = POLLIN};
        uint64_t count;

        if (poll(&wake, 1, ROUND_MS) > 0 && read(wake_fd, &count, sizeof(count)) < 0)
            continue;
        rc = round_of_all(jni, 0);
        if (rc >= 0)
            rc = tm_trace_writer_flush(tm__the_agent.trace);
        tm__held_ask(jni, own, tm__now_ns() - BLOCKED_LONG_NS, ASK_A_ROUND);
    }
    if (rc >= 0)
        rc = round_of_all(jni, 0);
    if (rc >= 0)
        tm__held_ask(jni, own, INT64_MAX, ASK_AT_END);
    atomic_store(&tm__the_agent.recording, 0);
    tm__events_enable(0);
    if (rc < 0)
        return rc;
    wait_until_idle();
    rc = round_of_all(jni, 1);
    if (rc >= 0)
        rc = report_losses();
    return rc >= 0 ? tm__run_report(tm__now_ns()) : rc;
}

static void JNICALL writer_main(jvmtiEnv *jvmti, JNIEnv *jni, void *payload)
{
    jthread self = NULL;
    int rc, closed;

    (void)payload;
    if ((*jvmti)->GetCurrentThread(jvmti, &self) == JVMTI_ERROR_NONE)
        own = tm__thread_buffer(jni, self);
    if (own)
        tm__thread_define(own, jni, self, own->thread, own->os_id, TM_THREAD_AGENT);
    tm__code_open();
    rc = own ? run_to_the_end(jni) : TM_ENOMEM;
    if (rc < 0)
        tm__complain("recording ends here: %s", own ? tm_error_text() : "no memory");
    closed = tm_trace_writer_close(tm__the_agent.trace);
    if (rc >= 0 && closed < 0)
        tm__complain("the trace is not complete: %s", tm_error_text());
    tm__the_agent.trace = NULL;
    tm__held_forget_all(jni);
    tm__code_close();
    free(heap);
    heap = NULL;
    pthread_mutex_lock(&finished_lock);
    finished = 1;
    pthread_cond_broadcast(&finished_signal);
    pthread_mutex_unlock(&finished_lock);
}

/* A Thread object in the system group, not yet started. */
static jthread new_thread(JNIEnv *jni)
{
    jvmtiEnv *jvmti = tm__the_agent.jvmti;
    jclass class = tm__the_agent.thread_class;
    jthreadGroup *groups = NULL;
    jint group_count = 0;
    jthread thread = NULL;
    jstring name = (*jni)->NewStringUTF(jni, "threadmodel writer");
    jmethodID constructor = (*jni)->GetMethodID(
        jni, class, "<init>", "(Ljava/lang/ThreadGroup;Ljava/lang/String;)V");

    if ((*jvmti)->GetTopThreadGroups(jvmti, &group_count, &groups) ==
            JVMTI_ERROR_NONE &&
        group_count > 0 && name && constructor)
        thread = (*jni)->NewObject(jni, class, constructor, groups[0], name);
    if (groups)
        (*jvmti)->Deallocate(jvmti, (unsigned char *)groups);
    (*jni)->ExceptionClear(jni);
    return thread;
}

int tm__writer_start(JNIEnv *jni)
{
    jvmtiEnv *jvmti = tm__the_agent.jvmti;
    jthread thread = new_thread(jni);
    jvmtiError error = JVMTI_ERROR_OUT_OF_MEMORY;

    finished = 0;
    if (thread)
        error = (*jvmti)->RunAgentThread(jvmti, thread, writer_main, NULL,
                                         JVMTI_THREAD_NORM_PRIORITY);
    if (error == JVMTI_ERROR_NONE)
        return 0;
    finished = 1;
    tm__complain(
        "nothing is recorded: the VM starts no thread for the agent (error %d)",
        (int)error);
    return -1;
}

int tm__writer_open(void)
{
    wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (wake_fd >= 0)
        tm__buffers_open(tm__the_agent.options.buffer_bytes, wake_fd);
    return wake_fd >= 0 ? 0 : -1;
}

void tm__writer_stop(void)
{
    uint64_t one = 1;

    atomic_store(&stopping, 1);
    /* At worst the writer comes by at its own time. */
    (void)!write(wake_fd, &one, sizeof(one));
    pthread_mutex_lock(&finished_lock);
    while (!finished)
        pthread_cond_wait(&finished_signal, &finished_lock);
    pthread_mutex_unlock(&finished_lock);
}
