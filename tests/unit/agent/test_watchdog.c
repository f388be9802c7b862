/* SPDX-License-Identifier: Apache-2.0 */
/* When a writer that does not come by ends the recording. Times are made up; the time
 * for which these threads wait for a processor is real, and short. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <pthread.h>

#include <cmocka.h>

#include "ring/watchdog.h"

static const int64_t MS = INT64_C(1000000);
static int64_t base_ns;

/* An earlier test, which has these threads' notes, was long ago. */
static int begin(void **state)
{
    (void)state;
    base_ns += 1000000 * MS;
    atomic_store(&tm__the_recording.ended_ns, 0);
    atomic_store(&tm__the_recording.is_on, 1);
    atomic_store(&tm__the_recording.came_ns, base_ns);
    return 0;
}

static void *look(void *at_ns)
{
    tm__watchdog_look(*(int64_t *)at_ns);
    return NULL;
}

/* A thread with this as its only event. @return whether it goes on being recorded
 */
static int is_on_after_a_new_thread(int64_t at_ms)
{
    int64_t at_ns = base_ns + at_ms * MS;
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, look, &at_ns), 0);
    pthread_join(thread, NULL);
    return atomic_load(&tm__the_recording.is_on);
}

static int is_on_after_this_thread(int64_t at_ms)
{
    tm__watchdog_look(base_ns + at_ms * MS);
    return atomic_load(&tm__the_recording.is_on);
}

static void a_thread_that_lives_ends_it_after_a_second(void **state)
{
    (void)state;
    assert_true(is_on_after_this_thread(900));
    assert_true(is_on_after_this_thread(1001));
    assert_true(is_on_after_this_thread(1900));
    /* It may have waited for a processor for some of that. */
    assert_false(is_on_after_this_thread(6000));
    assert_int_equal(atomic_load(&tm__the_recording.ended_ns), base_ns + 6000 * MS);
}

static void threads_that_do_not_live_end_it_after_the_longest_wait(void **state)
{
    (void)state;
    /* None of them knows whether the processors are busy. */
    for (int64_t at_ms = 1100; at_ms < 10100; at_ms += 100)
        assert_true(is_on_after_a_new_thread(at_ms));
    assert_false(is_on_after_a_new_thread(10100));
    assert_int_equal(atomic_load(&tm__the_recording.ended_ns), base_ns + 10100 * MS);
}

static void a_writer_that_came_by_is_late_anew(void **state)
{
    (void)state;
    assert_true(is_on_after_a_new_thread(1100));
    assert_true(is_on_after_a_new_thread(9000));
    atomic_store(&tm__the_recording.came_ns, base_ns + 9500 * MS);
    assert_true(is_on_after_a_new_thread(10400));
    assert_true(is_on_after_a_new_thread(10600));
    assert_true(is_on_after_a_new_thread(19500));
    assert_false(is_on_after_a_new_thread(19600));
}

static void a_process_that_was_stopped_has_its_writer_back(void **state)
{
    (void)state;
    assert_true(is_on_after_a_new_thread(60000));
    assert_true(is_on_after_this_thread(60001));
    atomic_store(&tm__the_recording.came_ns, base_ns + 60050 * MS);
    assert_true(is_on_after_a_new_thread(61000));
    assert_true(is_on_after_this_thread(61001));
}

static void a_writer_that_is_away_is_not_late(void **state)
{
    (void)state;
    tm__watchdog_away();
    assert_true(is_on_after_a_new_thread(60000));
    assert_true(is_on_after_a_new_thread(90000));
    /* A thread that looked before it went away, and goes on now. */
    tm__watchdog_late(base_ns + 90000 * MS);
    tm__watchdog_late(base_ns + 120000 * MS);
    assert_true(atomic_load(&tm__the_recording.is_on));
}

int main(void)
{
    static const struct CMUnitTest TESTS[] = {
        cmocka_unit_test_setup(a_thread_that_lives_ends_it_after_a_second, begin),
        cmocka_unit_test_setup(threads_that_do_not_live_end_it_after_the_longest_wait,
                               begin),
        cmocka_unit_test_setup(a_writer_that_came_by_is_late_anew, begin),
        cmocka_unit_test_setup(a_process_that_was_stopped_has_its_writer_back, begin),
        cmocka_unit_test_setup(a_writer_that_is_away_is_not_late, begin),
    };

    return cmocka_run_group_tests(TESTS, NULL, NULL);
}
