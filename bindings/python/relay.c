/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoding a recording and replaying its events take about as long as each other, and
 * neither waits for the other's result:
 *
 *     reading thread   source ──events──▶ ring ──▶ take ──▶ sink   taking thread
 *                         └──definitions, when the ring is empty──▶ sink
 *
 * The order of all calls is that of the source. Definitions are lent for their call, so
 * they are not kept: while the other stands still in take, the reading thread passes on
 * the events that came before them and makes the call itself. So the sink is used by
 * one thread at a time, and only while somebody is in take; and a source with few
 * events between its definitions, as text dumps have, wakes nobody.
 */
#include "relay.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <threadmodel/error.h>

enum {
    PART_EVENTS = 4096, ///< fewer are not worth waking a thread for
    CALL_EVENTS = 1 << 18,
    CALL_NS = 200000000
};

struct threadmodel_relay {
    tm_sink sink;
    pthread_mutex_t lock;
    pthread_cond_t came; ///< events, the end, or the wish to have the ring empty
    pthread_cond_t went; ///< events, or all that will ever go
    tm_event *events;
    size_t room;
    size_t head, tail;   ///< events passed on and come, since the beginning
    const tm_sink *next; ///< while somebody is in take
    int is_passing;      ///< the taking thread is in the sink
    int wants_empty;
    int is_closed;
    int failed; ///< what the sink said, or TM_ESTOPPED
};

/* ---- the reading thread ---- */

/* The events that lie side by side and go on next. @return how many */
static size_t next_events(const threadmodel_relay *self, const tm_event **events)
{
    size_t at = self->head % self->room;
    size_t count = self->tail - self->head;

    if (count > self->room - at)
        count = self->room - at;
    *events = &self->events[at];
    return count < PART_EVENTS ? count : PART_EVENTS;
}

/* Pass on the next events while the other thread stands still. */
static void pass_on_here(threadmodel_relay *self)
{
    const tm_event *events;
    size_t count = next_events(self, &events);
    int rc = self->next->events(self->next->payload, events, count);

    self->head += count;
    if (rc < 0 && !self->failed)
        self->failed = rc;
}

/* Wait until a definition can be passed on. @return TM_OK, with the lock held */
static int begin_definition(threadmodel_relay *self)
{
    pthread_mutex_lock(&self->lock);
    while (!self->failed && (self->head != self->tail || !self->next)) {
        if (self->next && !self->is_passing) {
            pass_on_here(self);
            continue;
        }
        self->wants_empty = 1;
        pthread_cond_signal(&self->came);
        pthread_cond_wait(&self->went, &self->lock);
    }
    self->wants_empty = 0;
    if (self->failed)
        pthread_mutex_unlock(&self->lock);
    return self->failed;
}

static int end_definition(threadmodel_relay *self, int rc)
{
    pthread_mutex_unlock(&self->lock);
    return rc;
}

#define PASS_ON(callback, argument)                                                    \
    threadmodel_relay *self = payload;                                                 \
    int rc = begin_definition(self);                                                   \
                                                                                       \
    if (rc < 0)                                                                        \
        return rc;                                                                     \
    return end_definition(self, self->next->callback(self->next->payload, argument))

static int register_run(void *payload, const tm_run *run)
{
    PASS_ON(run, run);
}

static int register_caveat(void *payload, const char *sentence)
{
    PASS_ON(caveat, sentence);
}

static int register_class(void *payload, const tm_class *definition)
{
    PASS_ON(define_class, definition);
}

static int register_method(void *payload, const tm_method *definition)
{
    PASS_ON(define_method, definition);
}

static int register_stack(void *payload, const tm_stack *definition)
{
    PASS_ON(define_stack, definition);
}

static int register_thread(void *payload, const tm_thread *definition)
{
    PASS_ON(define_thread, definition);
}

static int register_object(void *payload, const tm_object *definition)
{
    PASS_ON(define_object, definition);
}

static int ingest_events(void *payload, const tm_event *events, size_t count)
{
    threadmodel_relay *self = payload;
    int rc;

    pthread_mutex_lock(&self->lock);
    while (count > 0 && !self->failed) {
        size_t at = self->tail % self->room;
        size_t free_count = self->room - (self->tail - self->head);
        size_t part = count < free_count ? count : free_count;

        if (part == 0) {
            pthread_cond_wait(&self->went, &self->lock);
            continue;
        }
        if (part > self->room - at)
            part = self->room - at;
        memcpy(&self->events[at], events, part * sizeof(*events));
        self->tail += part;
        events += part;
        count -= part;
        if (self->tail - self->head >= PART_EVENTS ||
            self->tail - self->head == self->room)
            pthread_cond_signal(&self->came);
    }
    rc = self->failed;
    pthread_mutex_unlock(&self->lock);
    return rc;
}

const tm_sink *threadmodel_relay_sink(threadmodel_relay *self)
{
    return &self->sink;
}

void threadmodel_relay_close(threadmodel_relay *self)
{
    pthread_mutex_lock(&self->lock);
    self->is_closed = 1;
    pthread_cond_signal(&self->came);
    pthread_mutex_unlock(&self->lock);
}

/* ---- the taking thread ---- */

/* Whether what is there should go on now. */
static int is_due(const threadmodel_relay *self)
{
    size_t count = self->tail - self->head;

    return count > 0 && (count >= PART_EVENTS || count == self->room ||
                         self->wants_empty || self->is_closed);
}

/* Pass on the next events; the lock is held before and after, and not in between.
 * @return how many */
static size_t pass_on(threadmodel_relay *self)
{
    const tm_event *events;
    size_t count = next_events(self, &events);
    int rc;

    self->is_passing = 1;
    pthread_mutex_unlock(&self->lock);
    rc = self->next->events(self->next->payload, events, count);
    pthread_mutex_lock(&self->lock);
    self->is_passing = 0;
    self->head += count;
    if (rc < 0 && !self->failed)
        self->failed = rc;
    pthread_cond_signal(&self->went);
    return count;
}

int threadmodel_relay_read(threadmodel_relay *self, const tm_sink *sink)
{
    struct timespec until;
    size_t passed = 0;
    int rc = TM_MORE, is_late = 0;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += CALL_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&self->lock);
    self->next = sink;
    pthread_cond_signal(&self->went);
    while (!self->failed && rc == TM_MORE && passed < CALL_EVENTS && !is_late) {
        if (is_due(self))
            passed += pass_on(self);
        else if (self->is_closed)
            rc = TM_OK;
        else
            is_late = pthread_cond_timedwait(&self->came, &self->lock, &until) != 0;
    }
    self->next = NULL;
    rc = self->failed ? self->failed : rc;
    pthread_mutex_unlock(&self->lock);
    return rc;
}

void threadmodel_relay_stop(threadmodel_relay *self)
{
    pthread_mutex_lock(&self->lock);
    if (!self->failed)
        self->failed = TM_ESTOPPED;
    pthread_cond_signal(&self->went);
    pthread_mutex_unlock(&self->lock);
}

/* ---- both ---- */

static int init_locks(threadmodel_relay *self)
{
    pthread_condattr_t monotonic;

    if (pthread_mutex_init(&self->lock, NULL) != 0)
        return -1;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&self->came, &monotonic);
    pthread_cond_init(&self->went, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return 0;
}

threadmodel_relay *threadmodel_relay_new(size_t room)
{
    threadmodel_relay *self = calloc(1, sizeof(*self));

    if (!self)
        return NULL;
    self->sink = (tm_sink){.size = sizeof(self->sink),
                           .payload = self,
                           .run = register_run,
                           .caveat = register_caveat,
                           .define_class = register_class,
                           .define_method = register_method,
                           .define_stack = register_stack,
                           .define_thread = register_thread,
                           .define_object = register_object,
                           .events = ingest_events};
    self->room = room;
    self->events = malloc(room * sizeof(*self->events));
    if (!self->events || init_locks(self) < 0) {
        free(self->events);
        free(self);
        return NULL;
    }
    return self;
}

void threadmodel_relay_free(threadmodel_relay *self)
{
    if (!self)
        return;
    pthread_cond_destroy(&self->came);
    pthread_cond_destroy(&self->went);
    pthread_mutex_destroy(&self->lock);
    free(self->events);
    free(self);
}
