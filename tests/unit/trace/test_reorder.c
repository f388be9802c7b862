/* SPDX-License-Identifier: Apache-2.0 */
/* Events that come out of order, and leave a window by their time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <threadmodel/error.h>
#include <threadmodel/reorder.h>

enum { MOST = 300000, MS = 1000000 };

/* The output: the times, and of each the number that it went in with. */
static struct {
    int64_t times[MOST];
    uint64_t numbers[MOST];
    size_t count;
    size_t classes;
    size_t refuse_at; ///< the batch with this event; 0: none
} out;

static int take(void *payload, const tm_event *events, size_t count)
{
    (void)payload;
    for (size_t i = 0; i < count; i++) {
        assert_true(out.count < MOST);
        out.times[out.count] = events[i].time_ns;
        out.numbers[out.count++] = events[i].thread;
    }
    return out.refuse_at && out.count >= out.refuse_at ? -77 : TM_OK;
}

static int take_class(void *payload, const tm_class *definition)
{
    (void)payload, (void)definition;
    out.classes++;
    return TM_OK;
}

static const tm_sink sink = {
    .size = sizeof(tm_sink), .define_class = take_class, .events = take};

static tm_reorder *new_window(int64_t window_ns, size_t event_limit)
{
    tm_reorder_options options = TM_REORDER_OPTIONS_INIT;
    tm_reorder *window;

    memset(&out, 0, sizeof(out));
    options.window_ns = window_ns;
    options.event_limit = event_limit;
    assert_int_equal(tm_reorder_new(&window, &sink, &options), TM_OK);
    return window;
}

static int put(tm_reorder *window, uint64_t number, int64_t time_ns)
{
    const tm_sink *in = tm_reorder_sink(window);
    tm_event event = {.time_ns = time_ns, .thread = number};

    return in->events(in->payload, &event, 1);
}

static void assert_in_order(size_t count)
{
    assert_int_equal(out.count, count);
    for (size_t i = 1; i < out.count; i++)
        if (out.times[i] < out.times[i - 1] ||
            (out.times[i] == out.times[i - 1] && out.numbers[i] < out.numbers[i - 1]))
            fail_msg("event %zu is out of order", i);
}

static void events_leave_by_their_time_and_equals_as_they_came(void **state)
{
    tm_reorder *window = new_window(MS, 0);
    uint64_t random = 1;

    (void)state;
    for (uint64_t i = 0; i < 200000; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        /* Up to 1 ms late; one in four at a time that others have. */
        assert_int_equal(
            put(window, i, (int64_t)(i * 100 - (random >> 40) % 990000) / 400 * 400),
            TM_OK);
    }
    assert_true(out.count > 100000);
    assert_int_equal(tm_reorder_flush(window, INT64_MAX), TM_OK);
    assert_in_order(200000);
    assert_int_equal(tm_reorder_late_count(window), 0);
    tm_reorder_free(window);
}

static void an_event_later_than_the_window_is_counted_and_not_lost(void **state)
{
    tm_reorder *window = new_window(MS, 0);

    (void)state;
    for (uint64_t i = 0; i < 10000; i++)
        assert_int_equal(put(window, i, (int64_t)i * MS), TM_OK);
    assert_int_equal(put(window, 10000, 5), TM_OK);
    assert_int_equal(tm_reorder_flush(window, INT64_MAX), TM_OK);
    assert_int_equal(out.count, 10001);
    assert_int_equal(tm_reorder_late_count(window), 1);
    tm_reorder_free(window);
}

static void no_more_is_held_back_than_the_limit(void **state)
{
    tm_reorder *window = new_window(INT64_MAX, 100);

    (void)state;
    for (uint64_t i = 0; i < 1000; i++) {
        assert_int_equal(put(window, i, (int64_t)i ^ 1), TM_OK);
        assert_true(i + 1 - out.count <= 100);
    }
    assert_int_equal(tm_reorder_flush(window, INT64_MAX), TM_OK);
    assert_in_order(1000);
    tm_reorder_free(window);
}

static void a_flush_hands_on_what_is_earlier(void **state)
{
    tm_reorder *window = new_window(100 * MS, 0);

    (void)state;
    for (uint64_t i = 0; i < 10; i++)
        assert_int_equal(put(window, i, (int64_t)(9 - i) * MS), TM_OK);
    assert_int_equal(tm_reorder_flush(window, 4 * MS), TM_OK);
    assert_in_order(4);
    assert_int_equal(tm_reorder_flush(window, INT64_MIN), TM_OK);
    assert_in_order(4);
    assert_int_equal(tm_reorder_flush(window, INT64_MAX), TM_OK);
    assert_in_order(10);
    tm_reorder_free(window);
}

static void definitions_pass_at_once(void **state)
{
    tm_reorder *window = new_window(MS, 0);
    const tm_sink *in = tm_reorder_sink(window);
    tm_class item = TM_CLASS_INIT;
    tm_thread thread = TM_THREAD_INIT;

    (void)state;
    assert_int_equal(put(window, 1, 1), TM_OK);
    assert_int_equal(in->define_class(in->payload, &item), TM_OK);
    assert_int_equal(in->define_thread(in->payload, &thread), TM_OK);
    assert_int_equal(out.classes, 1);
    assert_int_equal(out.count, 0);
    tm_reorder_free(window);
}

static void the_code_of_the_sink_is_handed_back(void **state)
{
    tm_reorder *window = new_window(MS, 0);

    (void)state;
    for (uint64_t i = 0; i < 100; i++)
        assert_int_equal(put(window, i, (int64_t)i), TM_OK);
    out.refuse_at = 1;
    assert_int_equal(tm_reorder_flush(window, INT64_MAX), -77);
    out.refuse_at = 0;
    assert_int_equal(tm_reorder_flush(window, INT64_MAX), TM_OK);
    assert_in_order(100);
    tm_reorder_free(window);
}

static size_t allocations_left;

static void *scarce(void *payload, void *block, size_t bytes)
{
    (void)payload;
    if (bytes == 0) {
        free(block);
        return NULL;
    }
    if (allocations_left == 0)
        return NULL;
    allocations_left--;
    return realloc(block, bytes);
}

static void memory_may_run_out_anywhere(void **state)
{
    const tm_allocator hook = {.resize = scarce};
    tm_reorder_options options = TM_REORDER_OPTIONS_INIT;

    (void)state;
    options.allocator = &hook;
    for (size_t allowed = 0;; allowed++) {
        tm_reorder *window;
        int rc;

        memset(&out, 0, sizeof(out));
        allocations_left = allowed;
        rc = tm_reorder_new(&window, &sink, &options);
        for (uint64_t i = 0; rc == TM_OK && i < 2000; i++)
            rc = put(window, i, (int64_t)(i ^ 3) * MS);
        if (rc == TM_OK)
            rc = tm_reorder_flush(window, INT64_MAX);
        if (rc == TM_OK)
            assert_in_order(2000);
        tm_reorder_free(window);
        if (rc == TM_OK)
            return;
        assert_int_equal(rc, TM_ENOMEM);
    }
}

static void choices_are_checked(void **state)
{
    tm_reorder_options options = TM_REORDER_OPTIONS_INIT;
    tm_reorder *window;

    (void)state;
    options.window_ns = -1;
    assert_int_equal(tm_reorder_new(&window, &sink, &options), TM_EINVAL);
    assert_null(window);
    options.window_ns = 0;
    options.event_limit = 1;
    assert_int_equal(tm_reorder_new(&window, &sink, &options), TM_EINVAL);
    assert_int_equal(tm_reorder_new(&window, NULL, NULL), TM_EINVAL);
    tm_reorder_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_leave_by_their_time_and_equals_as_they_came),
        cmocka_unit_test(an_event_later_than_the_window_is_counted_and_not_lost),
        cmocka_unit_test(no_more_is_held_back_than_the_limit),
        cmocka_unit_test(a_flush_hands_on_what_is_earlier),
        cmocka_unit_test(definitions_pass_at_once),
        cmocka_unit_test(the_code_of_the_sink_is_handed_back),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(choices_are_checked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
