/* SPDX-License-Identifier: Apache-2.0 */
#include "ring/buffer.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ring/recording_state.h"

__thread tm__buffer *tm__buffer_mine;
tm__buffer tm__buffer_none;
tm__rings tm__the_rings = TM__RINGS_INIT;
static tm__ring no_ring;

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static tm__buffer *_Atomic list; /* all buffers; none is ever taken out */
static pthread_key_t exit_key;   /* its destructor tells that a thread has gone */
static int wake;

static void thread_gone(void *buffer)
{
    tm__buffer_mine = NULL;
    atomic_store_explicit(&((tm__buffer *)buffer)->orphan, 1, memory_order_release);
}

void tm__buffers_open(int wake_fd)
{
    wake = wake_fd;
    pthread_key_create(&exit_key, thread_gone);
}

/* One that nobody uses, still with its ring. */
static tm__buffer *claim_free(void)
{
    tm__buffer *buffer;

    for (buffer = atomic_load(&list); buffer; buffer = tm__buffer_next(buffer))
        if (!atomic_load(&buffer->listed))
            break;
    return buffer;
}

/* Without memory every event of it is lost, and counted. A ring that it has stays, also
 * one without room: the writer looks at the rings of all buffers, used or not. */
static void claim_ring(tm__buffer *buffer)
{
    tm__mirror mirror;
    tm__ring *page = buffer->ring.page == &no_ring
                         ? tm__rings_acquire(&tm__the_rings, &mirror)
                         : NULL;

    if (page)
        tm__thread_ring_put(&buffer->ring, page, &mirror);
}

static tm__buffer *make(void)
{
    tm__buffer *buffer = aligned_alloc(64, sizeof(*buffer));
    tm__mirror mirror;
    tm__ring *page = buffer ? tm__rings_acquire(&tm__the_rings, &mirror) : NULL;

    if (!page) {
        free(buffer);
        return NULL;
    }
    memset(buffer, 0, sizeof(*buffer));
    tm__thread_ring_put(&buffer->ring, page, &mirror);
    buffer->ring.wake_fd = wake;
    buffer->ring.next = (tm__thread_ring *)atomic_load(&list);
    atomic_store_explicit(&list, buffer, memory_order_release);
    return buffer;
}

tm__buffer *tm__buffer_new(void)
{
    tm__buffer *buffer;

    pthread_mutex_lock(&list_lock);
    buffer = claim_free();
    if (!buffer)
        buffer = make();
    if (buffer) {
        claim_ring(buffer);
        if (!buffer->ring.capacity)
            tm__counter_add(&buffer->costs.ringless, 1);
        buffer->renewed = atomic_load(&buffer->ring.page->head);
        /* In this order: one that is listed and an orphan goes to the next thread. */
        atomic_store(&buffer->orphan, 0);
        atomic_store(&buffer->listed, 1);
    }
    pthread_mutex_unlock(&list_lock);
    if (!buffer)
        return NULL;
    buffer->ring.woke_at = UINT64_MAX;
    tm__buffer_mine = buffer;
    pthread_setspecific(exit_key, buffer);
    return buffer;
}

static __thread uint32_t left_in __attribute__((tls_model("initial-exec")));

uint32_t tm__buffer_left_in(void)
{
    return left_in;
}

void tm__buffer_leave(void)
{
    tm__buffer *buffer = tm__buffer_mine;

    left_in = tm__session();

    if (buffer) {
        pthread_setspecific(exit_key, NULL);
        thread_gone(buffer);
    }
    tm__buffer_mine = &tm__buffer_none;
}

tm__buffer *tm__buffer_first(void)
{
    return atomic_load_explicit(&list, memory_order_acquire);
}

/* Positions go on where they were: head, taken and scanned are equal by now. */
void tm__buffer_recycle(tm__buffer *buffer)
{
    pthread_mutex_lock(&list_lock);
    atomic_store(&buffer->ring.since, TM__IDLE);
    tm__thread_ring_forget_loss(&buffer->ring);
    buffer->thread = 0;
    buffer->object = 0;
    buffer->deferred = (tm_event){0};
    buffer->in_wait = 0;
    buffer->os_id = 0;
    buffer->has_use_base = 0;
    buffer->switches = (tm__switched){0};
    buffer->thread_weak = NULL;
    buffer->name_hash = 0;
    buffer->is_shared = 0;
    atomic_store(&buffer->stacks.bare_since_ns, 0);
    buffer->stacks.round = 0;
    buffer->ring.idle_ns = 0;
    buffer->place_thread = 0;
    memset(buffer->notified, 0, sizeof(buffer->notified));
    memset(buffer->virtuals, 0, sizeof(buffer->virtuals));
    atomic_store(&buffer->call.since_ns, TM__CALL_NONE);
    buffer->call.voluntary = 0;
    atomic_store(&buffer->listed, 0);
    pthread_mutex_unlock(&list_lock);
}

/* Read a new base: processor time until now belongs to another recording. */
static void renew_use(tm__buffer *buffer)
{
    buffer->has_use_base = buffer->os_id && !atomic_load(&buffer->orphan) &&
                           tm__schedstat_read(&buffer->use_base, buffer->os_id) == 0;
    buffer->use_of = 0;
}

void tm__buffer_renew(tm__buffer *buffer, int is_resumed)
{
    if (atomic_load(&buffer->listed))
        claim_ring(buffer);
    if (!is_resumed)
        renew_use(buffer);
    buffer->sampled_os_id = 0;
    buffer->ring.taken = atomic_load(&buffer->ring.page->head);
    buffer->ring.scanned = buffer->ring.taken;
    buffer->renewed = buffer->ring.taken;
    buffer->ring.woke_at = UINT64_MAX;
    buffer->ring.idle_ns = 0;
    buffer->switches = (tm__switched){0};
    buffer->place_thread = 0; /* numbers of stacks begin again */
    buffer->object = 0;
    /* Its thread, in Object.wait, ends what it has in work itself. */
    if (atomic_load(&buffer->ring.since) == TM__IDLE)
        buffer->deferred = (tm_event){0};
    buffer->name_hash = 0;
    atomic_store(&buffer->stacks.bare_since_ns, 0);
    /* A call that goes on began when nothing was recorded. */
    atomic_store(&buffer->call.since_ns, TM__CALL_NONE);
    memset(buffer->notified, 0, sizeof(buffer->notified));
    memset(buffer->virtuals, 0, sizeof(buffer->virtuals));
}

void tm__buffer_release(tm__buffer *buffer)
{
    if (buffer->ring.page != &no_ring)
        tm__rings_release(&tm__the_rings, buffer->ring.page, &buffer->ring.mirror);
    buffer->ring.page = &no_ring;
    buffer->ring.mirror = (tm__mirror){0};
    buffer->ring.base = NULL;
    buffer->ring.capacity = 0;
    atomic_store(&buffer->left_out, 0);
    memset(&buffer->costs, 0, sizeof(buffer->costs));
    memset(&buffer->stacks, 0, sizeof(buffer->stacks));
}

void tm__buffers_wake_writer(void)
{
    (void)tm__wake_drainer(wake);
}

/* The thread whose events it has; a carrier's buffer has those of virtual threads,
 * too. */
static uint64_t thread_of(const tm__buffer *buffer)
{
    return buffer->is_shared ? 0 : buffer->thread;
}

void tm__buffer_lose(tm__buffer *buffer, int64_t time_ns)
{
    tm__thread_ring_lose(&buffer->ring, thread_of(buffer), time_ns);
}

void tm__buffer_report_loss(tm__buffer *buffer, int64_t time_ns)
{
    tm__thread_ring_report_loss(&buffer->ring, thread_of(buffer), time_ns);
}

tm_event tm__buffer_extract_loss(tm__buffer *buffer, int64_t time_ns)
{
    return tm__thread_ring_extract_loss(&buffer->ring, thread_of(buffer), time_ns);
}

void tm__buffers_release(void)
{
    for (tm__buffer *b = tm__buffer_first(); b; b = tm__buffer_next(b))
        tm__thread_ring_release(&b->ring);
}
