/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A buffer that is sorted when it has grown by half, not with each event: what came in
 * order costs a copy and a look, and what did not a merge of the runs that are there.
 */
#include <threadmodel/reorder.h>

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sink.h"
#include "base/sized.h"
#include "trace/event_sort.h"

enum { WINDOW_NS = 10000000, EVENT_LIMIT = 65536, LEAST_EVENTS = 256, BATCH = 512 };

struct tm_reorder {
    tm__memory memory;
    tm_sink sink;
    tm_sink to;
    int64_t window_ns;
    uint32_t limit;
    tm_event *events; ///< those that are held back
    uint32_t count;
    uint32_t capacity;
    uint32_t sort_at; ///< when there are so many
    tm_event *spare;  ///< room to put them in order
    uint32_t spare_capacity;
    tm__order order;
    int64_t latest_ns; ///< of all that came
    int64_t handed_ns; ///< of the last one that was handed on
    uint64_t late_count;
};

#define PASS(callback, type)                                                           \
    static int pass_##callback(void *payload, const type *given)                       \
    {                                                                                  \
        const tm_reorder *self = payload;                                              \
                                                                                       \
        return self->to.callback(self->to.payload, given);                             \
    }

PASS(run, tm_run)
PASS(caveat, char)
PASS(define_class, tm_class)
PASS(define_method, tm_method)
PASS(define_stack, tm_stack)
PASS(define_thread, tm_thread)
PASS(define_object, tm_object)

/* Put all in order. @return TM_OK or TM_ENOMEM */
static int sort(tm_reorder *self)
{
    const uint32_t *arrivals;
    tm_event *sorted;
    uint32_t capacity;

    if (tm__reserve(&self->memory, &self->spare, &self->spare_capacity, self->count,
                    sizeof(*self->spare)) < 0 ||
        tm__order_events(&self->order, &arrivals, self->events, self->count) < 0)
        return tm__failure();
    for (uint32_t i = 0; i < self->count; i++)
        self->spare[i] = self->events[arrivals[i]];
    sorted = self->spare;
    capacity = self->spare_capacity;
    self->spare = self->events;
    self->spare_capacity = self->capacity;
    self->events = sorted;
    self->capacity = capacity;
    return TM_OK;
}

/* Hand on the first events, which are in order. */
static int hand_on(tm_reorder *self, uint32_t count)
{
    uint32_t done = 0;
    int rc = TM_OK;

    while (done < count && rc >= 0) {
        uint32_t batch = count - done < BATCH ? count - done : BATCH;

        rc = self->to.events(self->to.payload, self->events + done, batch);
        done += batch;
        if (self->events[done - 1].time_ns > self->handed_ns)
            self->handed_ns = self->events[done - 1].time_ns;
    }
    self->count -= done;
    memmove(self->events, self->events + done, self->count * sizeof(*self->events));
    return rc < 0 ? rc : TM_OK;
}

/* How many of the sorted events are earlier than an instant. */
static uint32_t earlier_than(const tm_reorder *self, int64_t until_ns)
{
    uint32_t low = 0, high = self->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (self->events[middle].time_ns < until_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int settle(tm_reorder *self)
{
    int64_t until_ns;
    uint32_t ready;
    int rc;

    if (self->count < self->sort_at)
        return TM_OK;
    rc = sort(self);
    if (rc < 0)
        return rc;
    if (__builtin_sub_overflow(self->latest_ns, self->window_ns, &until_ns))
        until_ns = INT64_MIN;
    ready = earlier_than(self, until_ns);
    if (self->count - ready >= self->limit)
        ready = self->count - self->limit / 2;
    rc = hand_on(self, ready);
    self->sort_at =
        self->count + (self->count > LEAST_EVENTS ? self->count / 2 + 1 : LEAST_EVENTS);
    if (self->sort_at > self->limit)
        self->sort_at = self->limit;
    return rc;
}

static int take(tm_reorder *self, const tm_event *event)
{
    if (event->time_ns < self->handed_ns)
        self->late_count++;
    if (tm__reserve(&self->memory, &self->events, &self->capacity,
                    (size_t)self->count + 1, sizeof(*self->events)) < 0)
        return tm__failure();
    self->events[self->count++] = *event;
    if (event->time_ns > self->latest_ns)
        self->latest_ns = event->time_ns;
    return settle(self);
}

static int take_events(void *payload, const tm_event *events, size_t count)
{
    int rc = TM_OK;

    for (size_t i = 0; i < count && rc >= 0; i++)
        rc = take(payload, &events[i]);
    return rc < 0 ? rc : TM_OK;
}

int tm_reorder_new(tm_reorder **out, const tm_sink *to, const tm_reorder_options *given)
{
    tm_reorder_options options;
    tm__memory memory;
    tm_reorder *self;
    int rc;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(to);
    rc = TM__READ(&options, given, tm_reorder_options, allocator);
    if (rc < 0)
        return rc;
    if (options.window_ns < 0)
        return tm__fail(TM_EINVAL, "invalid window: %lld ns",
                        (long long)options.window_ns);
    if (options.event_limit == 1 || options.event_limit > UINT32_MAX / 4)
        return tm__fail(TM_EINVAL, "invalid window: %zu events", options.event_limit);
    tm__memory_init(&memory, options.allocator);
    self = tm__zalloc(&memory, sizeof(*self));
    if (!self)
        return TM_ENOMEM;
    self->memory = memory;
    self->order.memory = &self->memory;
    self->window_ns = options.window_ns ? options.window_ns : WINDOW_NS;
    self->limit = options.event_limit ? (uint32_t)options.event_limit : EVENT_LIMIT;
    self->sort_at = self->limit < LEAST_EVENTS ? self->limit : LEAST_EVENTS;
    self->latest_ns = self->handed_ns = INT64_MIN;
    self->sink = (tm_sink){.size = sizeof(tm_sink),
                           .payload = self,
                           .run = pass_run,
                           .caveat = pass_caveat,
                           .define_class = pass_define_class,
                           .define_method = pass_define_method,
                           .define_stack = pass_define_stack,
                           .define_thread = pass_define_thread,
                           .define_object = pass_define_object,
                           .events = take_events};
    rc = tm__sink_read(&self->to, to);
    if (rc < 0) {
        tm_reorder_free(self);
        return rc;
    }
    *out = self;
    return TM_OK;
}

const tm_sink *tm_reorder_sink(tm_reorder *window)
{
    return &window->sink;
}

int tm_reorder_flush(tm_reorder *window, int64_t until_ns)
{
    int rc;

    TM__CHECK(window);
    rc = sort(window);
    return rc < 0 ? rc
                  : hand_on(window, until_ns == INT64_MAX
                                        ? window->count
                                        : earlier_than(window, until_ns));
}

uint64_t tm_reorder_late_count(const tm_reorder *window)
{
    return window->late_count;
}

void tm_reorder_free(tm_reorder *window)
{
    tm__memory memory;

    if (!window)
        return;
    memory = window->memory;
    tm__free(&memory, window->events, window->capacity * sizeof(*window->events));
    tm__free(&memory, window->spare, window->spare_capacity * sizeof(*window->spare));
    tm__order_free(&window->order);
    tm__free(&memory, window, sizeof(*window));
}
