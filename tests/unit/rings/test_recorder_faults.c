/* SPDX-License-Identifier: Apache-2.0 */
/* A recorder that is misused, lacks memory or room, or has its rings cut. */
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

static void without_memory_for_a_ring_events_are_counted(void **state)
{
    tm_recorder_options options = TM_RECORDER_OPTIONS_INIT;
    tm_recorder_thread *first, *second;
    tm_recorder *recorder;

    (void)state;
    options.sink = &sink;
    options.memory_bytes = 100000;
    assert_int_equal(tm_recorder_open(&recorder, &options), TM_OK);
    first = attach(recorder, 1);
    second = attach(recorder, 2);
    assert_int_equal(report(first, 0), 1);
    assert_int_equal(report(second, 0), 0);
    assert_int_equal(report(second, 1), 0);
    assert_int_equal(tm_recorder_close(recorder), TM_OK);
    assert_int_equal(got.recorded[1], 1);
    assert_int_equal(got.lost, 2);
}

static void a_full_ring_wakes_its_drainer_and_counts(void **state)
{
    tm_recorder *recorder = open_recorder(NULL, &sink);
    tm_recorder_thread *thread = attach(recorder, 1);
    int64_t count = 0, woken = 0;
    uint64_t wakes;

    (void)state;
    while (report(thread, count)) {
        count++;
        if (read(tm_recorder_wake_fd(recorder), &wakes, sizeof(wakes)) > 0)
            woken = count;
    }
    assert_in_range(woken, 65536 / 64 / 2 - 8, 65536 / 64 / 2 + 8);
    assert_int_equal(tm_recorder_drain(recorder), TM_OK);
    usleep(2000);
    assert_int_equal(tm_recorder_drain(recorder), TM_OK);
    assert_int_equal(report(thread, count), 1);
    assert_int_equal(tm_recorder_drain(recorder), TM_OK);
    assert_int_equal(tm_recorder_close(recorder), TM_OK);
    assert_int_equal(got.recorded[1], count + 1);
    assert_int_equal(got.lost, 1);
}

static void deep_stacks_and_long_names_are_cut(void **state)
{
    static tm_frame frames[TM_RECORDER_FRAMES + 1];
    static char name[2 * TM_RECORDER_NAME_BYTES];
    tm_recorder *recorder = open_recorder(NULL, &sink);
    tm_recorder_thread *thread = attach(recorder, 1);
    tm_event event = {.kind = TM_EVENT_SLEEP};
    tm_class class = {.size = sizeof(class), .id = 8, .name = name, .source = name};

    (void)state;
    memset(name, 'a', sizeof(name) - 1);
    /* A character of two bytes across the limit. */
    name[TM_RECORDER_NAME_BYTES - 1] = (char)0xc3;
    name[TM_RECORDER_NAME_BYTES] = (char)0xa4;
    assert_int_equal(tm_recorder_define_class(thread, &class), TM_OK);
    assert_int_equal(tm_recorder_report(thread, &event, frames, TM_RECORDER_FRAMES + 1),
                     1);
    assert_int_equal(tm_recorder_close(recorder), TM_OK);
    assert_int_equal(got.frame_count, TM_RECORDER_FRAMES);
    assert_int_equal(got.stack_flags, TM_STACK_TRUNCATED);
    assert_int_equal(strlen(got.class_name), sizeof(got.class_name) - 1);
}

static void wait_for_end(int file)
{
    char byte;

    while (read(file, &byte, 1) > 0)
        continue;
}

/* Open a recorder when `ready` ends, write to `results` whether it could be, and have
 * it until `all` ends. */
static void begin_one(const int *ready, const int *results, const int *all)
{
    tm_recorder_options options = TM_RECORDER_OPTIONS_INIT;
    tm_recorder *recorder;
    int rc, is_refused;

    options.path = path;
    close(ready[1]);
    close(all[1]);
    wait_for_end(ready[0]);
    rc = tm_recorder_open(&recorder, &options);
    is_refused = rc == TM_EIO && strstr(tm_error_text(), path) != NULL;
    if (write(results[1], rc == TM_OK ? "1" : "0", 1) != 1)
        _exit(2);
    wait_for_end(all[0]);
    if (rc == TM_OK)
        rc = tm_recorder_close(recorder);
    _exit(rc == TM_OK || is_refused ? 0 : 2);
}

/* Begin two recorders of one path in two processes. @return how many did */
static int begin_two(void)
{
    int ready[2], results[2], all[2], begun = 0;

    assert_int_equal(pipe(ready) | pipe(results) | pipe(all), 0);
    for (int i = 0; i < 2; i++)
        if (fork() == 0)
            begin_one(ready, results, all);
    close(ready[0]);
    close(ready[1]);
    for (int i = 0; i < 2; i++) {
        char byte;

        assert_int_equal(read(results[0], &byte, 1), 1);
        begun += byte == '1';
    }
    close(results[0]);
    close(results[1]);
    close(all[0]);
    close(all[1]);
    for (int i = 0; i < 2; i++) {
        int status;

        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    return begun;
}

static void of_recorders_that_begin_together_one_records(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        if (i % 2)
            unlink(path);
        assert_int_equal(begin_two(), 1);
    }
}

/* Between the end of a trace and that of its rings, another recorder may begin. */
static void rings_of_the_next_recorder_are_left_alone(void **state)
{
    tm_recorder *recorder = open_recorder(path, NULL);

    (void)state;
    assert_int_equal(unlink(rings_path), 0);
    assert_int_equal(symlink("of another", rings_path), 0);
    assert_int_equal(tm_recorder_close(recorder), TM_OK);
    assert_int_equal(unlink(rings_path), 0);
}

/* Assert the error of a call, which begins with the words that state the reason. */
static void assert_refused(int rc, int code, const char *why)
{
    assert_int_equal(rc, code);
    assert_non_null(strstr(tm_error_text(), why));
}

static void what_is_wrong_is_refused(void **state)
{
    tm_recorder_options options = TM_RECORDER_OPTIONS_INIT;
    tm_recorder *recorder = NULL, *second = NULL;
    tm_thread nobody = {.size = sizeof(nobody)};
    tm_event event = {.kind = TM_EVENT_KIND_END};
    tm_recorder_thread *thread;

    (void)state;
    assert_refused(tm_recorder_open(&recorder, &options), TM_EINVAL,
                   "needs a path or a sink");
    assert_null(recorder);
    options.path = path;
    options.ring_bytes = 65537;
    assert_refused(tm_recorder_open(&recorder, &options), TM_EINVAL, "65537 bytes");
    options.ring_bytes = 0;
    options.rings = "/no/such/folder";
    assert_refused(tm_recorder_open(&recorder, &options), TM_EIO, "/no/such/folder");
    options.rings = NULL;
    options.path = "/no/such/folder/run.tmt";
    assert_refused(tm_recorder_open(&recorder, &options), TM_EIO, options.path);
    options.path = path;
    assert_int_equal(tm_recorder_open(&recorder, &options), TM_OK);
    assert_refused(tm_recorder_open(&second, &options), TM_EIO, "another producer");
    assert_null(second);
    assert_refused(tm_recorder_start(recorder, 0), TM_EINVAL, "drain interval: 0 ms");
    assert_int_equal(tm_recorder_start(recorder, 1000), TM_OK);
    assert_refused(tm_recorder_start(recorder, 1), TM_EINVAL, "has a helper");
    assert_refused(tm_recorder_attach(recorder, &nobody, &thread), TM_EINVAL,
                   "thread id 0");
    thread = attach(recorder, 1);
    assert_refused(tm_recorder_report(thread, &event, NULL, 0), TM_EINVAL,
                   "unknown event kind");
    event.kind = 0;
    assert_refused(tm_recorder_report(thread, &event, NULL, 0), TM_EINVAL,
                   "unknown event kind 0");
    tm_recorder_detach(thread);
    tm_recorder_detach(NULL);
    assert_int_equal(tm_recorder_close(recorder), TM_OK);
    assert_int_equal(tm_recorder_close(NULL), TM_OK);
    assert_int_equal(tm_recorder_wake_fd(NULL), -1);
    assert_int_equal(tm_recorder_lost_count(NULL), 0);
}

static void a_sink_that_refuses_ends_the_recording(void **state)
{
    tm_recorder *recorder = open_recorder(NULL, &sink);
    tm_recorder_thread *thread = attach(recorder, 1), *second;
    tm_thread other = {.size = sizeof(other), .id = 2};

    (void)state;
    got.fails = TM_ENOTFOUND;
    assert_int_equal(report(thread, 0), 1);
    usleep(2000);
    assert_int_equal(tm_recorder_drain(recorder), TM_ENOTFOUND);
    assert_int_equal(report(thread, 1), 0);
    assert_refused(tm_recorder_define_thread(thread, &other), TM_ESTOPPED, "ended");
    assert_refused(tm_recorder_attach(recorder, &other, &second), TM_ESTOPPED, "ended");
    got.fails = 0;
    assert_int_equal(tm_recorder_drain(recorder), TM_ENOTFOUND);
    assert_int_equal(tm_recorder_close(recorder), TM_ENOTFOUND);
}

static unsigned char *volatile cut_page;

static void exit_by_address(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    _exit(info->si_addr == cut_page && info->si_code > 0);
}

/* An emulator may know of its own addresses alone. */
static int is_fault_reported(void)
{
    struct sigaction action = {.sa_sigaction = exit_by_address, .sa_flags = SA_SIGINFO};
    int status;

    if (fork() == 0) {
        int file = open(path, O_RDWR | O_CREAT, 0600);

        cut_page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (file < 0 || cut_page == MAP_FAILED || ftruncate(file, 0) < 0 ||
            sigaction(SIGBUS, &action, NULL) < 0)
            _exit(2);
        *cut_page = 1;
        _exit(2);
    }
    assert_true(wait(&status) > 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

static void rings_that_others_cut_do_no_harm(void **state)
{
    tm_recorder_thread *thread;
    tm_recorder *recorder;

    (void)state;
    if (!is_fault_reported())
        skip();
    recorder = open_recorder(path, NULL);
    thread = attach(recorder, 1);
    assert_int_equal(report(thread, 0), 1);
    assert_int_equal(truncate(rings_path, 4096), 0);
    assert_int_equal(report(thread, 1), 1);
    assert_int_equal(tm_recorder_close(recorder), TM_OK);
    assert_int_equal(read_back(), TM_OK);
    assert_int_equal(got.recorded[1], 2);
    assert_non_null(strstr(got.caveat, "was cut by another program"));
}

static int allocations_left, blocks;

static void *resize(void *payload, void *block, size_t bytes)
{
    (void)payload;
    if (bytes == 0) {
        blocks -= block != NULL;
        free(block);
        return NULL;
    }
    if (allocations_left-- <= 0)
        return NULL;
    blocks += block == NULL;
    return realloc(block, bytes);
}

static int record_with_little_memory(const tm_recorder_options *options)
{
    tm_thread me = {.size = sizeof(me), .id = 1, .name = "me"};
    tm_frame frame = {.method = 9};
    tm_event event = {.kind = TM_EVENT_SLEEP};
    tm_recorder_thread *thread;
    tm_recorder *recorder;
    int rc = tm_recorder_open(&recorder, options);
    int closed;

    if (rc < 0)
        return rc;
    rc = tm_recorder_attach(recorder, &me, &thread);
    for (int i = 0; i < 10 && rc >= 0; i++) {
        frame.location = i;
        rc = tm_recorder_report(thread, &event, &frame, 1);
    }
    closed = tm_recorder_close(recorder);
    return rc < 0 ? rc : closed;
}

static void each_allocation_may_fail(void **state)
{
    const tm_allocator allocator = {.resize = resize};
    tm_recorder_options options = TM_RECORDER_OPTIONS_INIT;
    int count, rc = TM_ENOMEM;

    (void)state;
    options.allocator = &allocator;
    options.path = path;
    options.sink = &sink;
    for (count = 0; rc != TM_OK; count++) {
        allocations_left = count;
        rc = record_with_little_memory(&options);
        if (rc != TM_OK)
            assert_int_equal(rc, TM_ENOMEM);
        assert_int_equal(blocks, 0);
    }
    assert_true(count > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(without_memory_for_a_ring_events_are_counted, begin),
        cmocka_unit_test_setup(a_full_ring_wakes_its_drainer_and_counts, begin),
        cmocka_unit_test_setup(deep_stacks_and_long_names_are_cut, begin),
        cmocka_unit_test_setup(of_recorders_that_begin_together_one_records, begin),
        cmocka_unit_test_setup(rings_of_the_next_recorder_are_left_alone, begin),
        cmocka_unit_test_setup(what_is_wrong_is_refused, begin),
        cmocka_unit_test_setup(a_sink_that_refuses_ends_the_recording, begin),
        cmocka_unit_test_setup(rings_that_others_cut_do_no_harm, begin),
        cmocka_unit_test_setup(each_allocation_may_fail, begin),
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
