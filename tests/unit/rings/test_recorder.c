/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recorder of many threads: what they reported is drained by rising time, is in the
 * rings of a process that was killed, or is counted as lost. Nothing else may happen,
 * whoever forks, interrupts, cuts files or refuses memory.
 */
#include "support/recorded_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include <threadmodel/threadmodel.h>

#include "rings/recorder_state.h"
#include "support/slow_machine.h"

struct life {
    tm_recorder *recorder;
    uint64_t id;
};

static void *live(void *payload)
{
    const struct life *life = payload;
    tm_recorder_thread *thread = attach(life->recorder, life->id);

    for (int64_t value = 0; value < EVENTS; value++)
        report(thread, value);
    tm_recorder_detach(thread);
    return NULL;
}

static atomic_int done;

/* One thread after the other. */
static void *live_in_turn(void *payload)
{
    struct life life = *(const struct life *)payload;

    for (int i = 0; i < LIVES; i++, life.id++) {
        pthread_t thread;

        if (pthread_create(&thread, NULL, live, &life) != 0)
            abort();
        pthread_join(thread, NULL);
    }
    atomic_fetch_add(&done, 1);
    return NULL;
}

static void run_threads(tm_recorder *recorder, int drains)
{
    pthread_t threads[AT_A_TIME];
    struct life lives[AT_A_TIME];

    atomic_store(&done, 0);
    for (uint64_t i = 0; i < AT_A_TIME; i++) {
        lives[i] = (struct life){recorder, 1 + i * LIVES};
        assert_int_equal(pthread_create(&threads[i], NULL, live_in_turn, &lives[i]), 0);
    }
    while (drains && atomic_load(&done) < AT_A_TIME) {
        assert_int_equal(tm_recorder_drain(recorder), TM_OK);
        sched_yield();
    }
    for (size_t i = 0; i < AT_A_TIME; i++)
        pthread_join(threads[i], NULL);
}

static void every_event_is_drained_in_order_or_counted(void **state)
{
    tm_recorder *recorder = open_recorder(NULL, &sink);

    (void)state;
    run_threads(recorder, 1);
    assert_int_equal(tm_recorder_close(recorder), TM_OK);
    assert_int_equal(recorded() + got.lost, THREADS * EVENTS);
    assert_true(recorded() > 0);
    assert_false(got.in_disorder);
    assert_int_equal(got.run.pid, getpid());
    assert_true(got.run.end_ns >= got.last_ns);
}

static void a_helper_thread_drains(void **state)
{
    tm_recorder *recorder = open_recorder(path, NULL);

    (void)state;
    assert_int_equal(tm_recorder_start(recorder, 1), TM_OK);
    run_threads(recorder, 0);
    assert_int_equal(tm_recorder_close(recorder), TM_OK);
    assert_int_equal(access(rings_path, F_OK), -1);
    assert_int_equal(read_back(), TM_OK);
    assert_int_equal(recorded() + got.lost, THREADS * EVENTS);
    assert_false(got.in_disorder);
}

/* A thread that is idle, has an event in work, and begins the next one. */
static void a_later_round_goes_no_less_far(void **state)
{
    static const tm__mirror none;
    static tm__ring page = {.capacity = 4096};
    tm__thread_ring ring = {.wake_fd = -1};
    tm__round round = {0};
    int64_t horizon_ns;

    (void)state;
    tm__thread_ring_put(&ring, &page, &none);
    tm__round_begin(&round);
    assert_int_equal(tm__round_limit(&round, &ring, 0), 0);
    horizon_ns = round.horizon_ns;
    for (int i = 0; i < 3; i++) {
        tm__round_begin(&round);
        atomic_store(&ring.since, i == 2 ? TM__BEGINS : round.seen_ns - 1);
        assert_int_equal(tm__round_limit(&round, &ring, 0), 0);
        assert_true(round.horizon_ns >= horizon_ns);
        horizon_ns = round.horizon_ns;
    }
    tm__round_free(&round);
}

/* However long ago it was last looked at: only who was seen to begin is stuck. */
static void the_first_round_waits_for_who_begins(void **state)
{
    static const tm__mirror none;
    static tm__ring page = {.capacity = 4096};
    tm__thread_ring ring = {.wake_fd = -1};
    tm__round round = {0};

    (void)state;
    tm__thread_ring_put(&ring, &page, &none);
    atomic_store(&ring.since, TM__BEGINS);
    tm__round_begin(&round);
    assert_int_equal(tm__round_limit(&round, &ring, 0), 0);
    assert_true(round.horizon_ns <= 1);
    round.now_ns += INT64_C(3000000000);
    round.seen_ns = round.now_ns;
    assert_int_equal(tm__round_limit(&round, &ring, 0), 0);
    assert_int_equal(round.horizon_ns, round.seen_ns);
    tm__round_free(&round);
}

static void rings_of_threads_that_ended_are_used_again(void **state)
{
    tm_recorder *recorder = open_recorder(NULL, &sink);
    size_t rings = 0;

    (void)state;
    for (int i = 0; i < 100; i++) {
        tm_recorder_thread *thread = attach(recorder, 1);

        report(thread, i);
        tm_recorder_detach(thread);
        /* An event of the instant of a drain is in a later one. */
        do
            assert_int_equal(tm_recorder_drain(recorder), TM_OK);
        while (got.recorded[1] == i);
    }
    for (tm__thread_ring *r = (tm__thread_ring *)recorder->threads; r; r = r->next)
        rings++;
    assert_in_range(rings, 1, 3);
    assert_int_equal(tm_recorder_close(recorder), TM_OK);
    assert_int_equal(got.recorded[1], 100);
}

static void times_given_by_the_caller_are_kept_unless_they_are_to_come(void **state)
{
    tm_recorder *recorder = open_recorder(NULL, &sink);
    tm_recorder_thread *thread = attach(recorder, 1);
    tm_event event = {.time_ns = 17, .thread = 3, .kind = TM_EVENT_SLEEP};

    (void)state;
    assert_int_equal(tm_recorder_report(thread, &event, NULL, 0), 1);
    assert_int_equal(tm_recorder_drain(recorder), TM_OK);
    usleep(2000);
    assert_int_equal(tm_recorder_drain(recorder), TM_OK);
    assert_int_equal(got.last.time_ns, 17);
    assert_int_equal(got.last.thread, 3);
    event.time_ns = INT64_MAX;
    assert_int_equal(tm_recorder_report(thread, &event, NULL, 0), 1);
    assert_int_equal(tm_recorder_close(recorder), TM_OK);
    assert_int_equal(got.recorded[3], 2);
    assert_true(got.last.time_ns < INT64_MAX);
}

static void rings_may_lie_elsewhere(void **state)
{
    tm_recorder_options options = TM_RECORDER_OPTIONS_INIT;
    struct stat status;
    tm_recorder *recorder;

    (void)state;
    options.path = path;
    options.rings = "/dev/shm";
    assert_int_equal(tm_recorder_open(&recorder, &options), TM_OK);
    assert_int_equal(lstat(rings_path, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(tm_recorder_close(recorder), TM_OK);
    assert_int_equal(lstat(rings_path, &status), -1);
    options.rings = "none";
    assert_int_equal(tm_recorder_open(&recorder, &options), TM_OK);
    assert_int_equal(lstat(rings_path, &status), -1);
    assert_int_equal(tm_recorder_close(recorder), TM_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_event_is_drained_in_order_or_counted, begin),
        cmocka_unit_test_setup(a_helper_thread_drains, begin),
        cmocka_unit_test(a_later_round_goes_no_less_far),
        cmocka_unit_test(the_first_round_waits_for_who_begins),
        cmocka_unit_test_setup(rings_of_threads_that_ended_are_used_again, begin),
        cmocka_unit_test_setup(
            times_given_by_the_caller_are_kept_unless_they_are_to_come, begin),
        cmocka_unit_test_setup(rings_may_lie_elsewhere, begin),
    };
    int failed;

    if (!mkdtemp(folder))
        return 1;
    snprintf(path, sizeof(path), "%s/run.tmt", folder);
    snprintf(rings_path, sizeof(rings_path), "%s.rings", path);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    unlink(rings_path);
    rmdir(folder);
    return failed;
}
