/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rings that the threads of a program and the writer share, by as many threads as
 * there are in turn: they fill up, are taken over from threads that ended, and are
 * merged meanwhile. Made for the thread sanitizer; what comes out is checked with any
 * compiler.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <pthread.h>
#include <sched.h>
#include <sys/eventfd.h>

#include <cmocka.h>

#include <threadmodel/error.h>

#include "ring/buffer.h"
#include "rings/clock.h"
#include "rings/membarrier.h"
#include "ring/recording_state.h"
#include "rings/ring_file.h"
#include "writer/merge.h"

enum { RING_BYTES = 64 * 1024, AT_A_TIME = 4, LIVES = 5, EVENTS = 10000 };
enum { THREADS = AT_A_TIME * LIVES };

static int64_t next_value[THREADS];
static int64_t recorded[THREADS];
static int64_t lost[THREADS];
static int64_t last_ns;
static atomic_int done;

static void record(tm__buffer *buffer, int64_t value)
{
    int64_t time_ns = tm__thread_ring_begin(&buffer->ring, tm__now_ns);
    tm__record *made;

    tm__buffer_report_loss(buffer, time_ns);
    made = tm__thread_ring_reserve(&buffer->ring, 0);
    if (made) {
        made->kind = TM_EVENT_UNPARK_CALLED;
        made->event.fact = (tm_event){.time_ns = time_ns,
                                      .thread = buffer->thread,
                                      .value = value,
                                      .kind = TM_EVENT_UNPARK_CALLED};
        tm__thread_ring_commit(&buffer->ring, made, 0);
    } else {
        tm__buffer_lose(buffer, time_ns);
    }
    tm__thread_ring_end(&buffer->ring);
}

static void *live(void *id)
{
    tm__buffer *buffer = tm__buffer_new();

    if (buffer) {
        buffer->thread = (uint64_t)(uintptr_t)id;
        for (int64_t value = 0; value < EVENTS; value++)
            record(buffer, value);
    }
    return buffer;
}

/* One thread after the other; its end comes when it is joined. */
static void *live_in_turn(void *first)
{
    for (uintptr_t i = 0; i < LIVES; i++) {
        void *id = (void *)((uintptr_t)first + i), *made = NULL;
        pthread_t thread;

        if (pthread_create(&thread, NULL, live, id) != 0)
            abort();
        pthread_join(thread, &made);
        if (!made)
            abort();
    }
    atomic_fetch_add(&done, 1);
    return NULL;
}

static int check_events(void *payload, const tm_event *events, size_t count)
{
    (void)payload;
    for (size_t i = 0; i < count; i++) {
        uint64_t thread = events[i].thread - 1;

        assert_true(thread < THREADS);
        assert_true(events[i].time_ns >= last_ns);
        last_ns = events[i].time_ns;
        if (events[i].kind == TM_EVENT_LOST) {
            lost[thread] += events[i].value;
            continue;
        }
        assert_true(events[i].value >= next_value[thread]);
        next_value[thread] = events[i].value + 1;
        recorded[thread]++;
    }
    return TM_OK;
}

static void every_event_is_merged_in_order_or_counted(void **state)
{
    const tm_sink sink = {.size = sizeof(sink), .events = check_events};
    int wake_fd = eventfd(0, EFD_NONBLOCK);
    pthread_t threads[AT_A_TIME];
    char error[128];

    (void)state;
    tm__rings_open(&tm__the_rings, RING_BYTES, NULL, "", 1, 0, error, sizeof(error));
    tm__buffers_open(wake_fd);
    tm__membarrier_open();
    tm__the_recording.sink = &sink;
    for (uintptr_t i = 0; i < AT_A_TIME; i++)
        assert_int_equal(
            pthread_create(&threads[i], NULL, live_in_turn, (void *)(1 + i * LIVES)),
            0);
    while (atomic_load(&done) < AT_A_TIME) {
        assert_int_equal(tm__merge_round(NULL, 0), TM_OK);
        tm__buffers_release();
        sched_yield();
    }
    for (size_t i = 0; i < AT_A_TIME; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(tm__merge_round(NULL, 1), TM_OK);
    tm__buffers_release();
    for (tm__buffer *b = tm__buffer_first(); b; b = tm__buffer_next(b))
        assert_int_equal(tm__merge_loss(NULL, b, tm__now_ns()), TM_OK);
    tm__merge_close();
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(recorded[i] + lost[i], EVENTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_event_is_merged_in_order_or_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
