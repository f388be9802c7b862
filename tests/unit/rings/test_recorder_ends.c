/* SPDX-License-Identifier: Apache-2.0 */
/* A recorder whose process is killed, forks, or gets a signal. */
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

static void report_all_there_is(tm_recorder *recorder)
{
    static const tm_frame frames[] = {{.method = 70, .location = 12, .line = 90210},
                                      {.method = 71, .location = -1}};
    tm_recorder_thread *thread;
    tm_thread me = {.size = sizeof(me),
                    .id = 1,
                    .name = "fädchen 🧵",
                    .group = "pool",
                    .pid = 4711};
    tm_line line = {.location = 3, .line = 14};
    tm_method method = {.size = sizeof(method),
                        .id = 70,
                        .class_id = 8,
                        .name = "operator()",
                        .lines = &line,
                        .line_count = 1,
                        .flags = TM_METHOD_IDLES};
    tm_class class = {.size = sizeof(class),
                      .id = 8,
                      .name = "std::Lock/a.b;",
                      .flags = TM_CLASS_LIBRARY,
                      .build_id = "5f0e"};
    tm_object object = {.size = sizeof(object),
                        .id = 5,
                        .class_id = 8,
                        .name = "schloß",
                        .kind = TM_OBJECT_KIND_RWLOCK};
    tm_event event = {.object = 5, .kind = TM_EVENT_CONTENDED_ENTER};

    assert_int_equal(tm_recorder_attach(recorder, &me, &thread), TM_OK);
    assert_int_equal(tm_recorder_define_class(thread, &class), TM_OK);
    assert_int_equal(tm_recorder_define_method(thread, &method), TM_OK);
    assert_int_equal(tm_recorder_define_object(thread, &object), TM_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(tm_recorder_report(thread, &event, frames, 2), 1);
}

static void assert_all_there_is(void)
{
    assert_string_equal(got.thread_name, "fädchen 🧵");
    assert_string_equal(got.group, "pool");
    assert_string_equal(got.class_name, "std::Lock/a.b;");
    assert_string_equal(got.source, "(none)");
    assert_string_equal(got.method_name, "operator()");
    assert_int_equal(got.line.location, 3);
    assert_int_equal(got.line.line, 14);
    assert_int_equal(got.object.id, 5);
    assert_int_equal(got.object.class_id, 8);
    assert_int_equal(got.object.flags, 0);
    assert_int_equal(got.object.kind, TM_OBJECT_KIND_RWLOCK);
    assert_string_equal(got.object_name, "schloß");
    assert_int_equal(got.class_flags, TM_CLASS_LIBRARY);
    assert_string_equal(got.build_id, "5f0e");
    assert_int_equal(got.method_flags, TM_METHOD_IDLES);
    assert_int_equal(got.pid, 4711);
    assert_int_equal(got.recorded[1], 3);
    assert_int_equal(got.stacks, 1);
    assert_int_equal(got.stack_flags, 0);
    assert_int_equal(got.frame_count, 2);
    assert_int_equal(got.frames[0].method, 70);
    assert_int_equal(got.frames[0].location, 12);
    assert_int_equal(got.frames[0].line, 90210);
    assert_int_equal(got.frames[1].method, 71);
    assert_int_equal(got.frames[1].line, 0);
    assert_int_equal(got.last.object, 5);
}

static void names_lines_and_stacks_arrive(void **state)
{
    tm_recorder *recorder = open_recorder(path, NULL);

    (void)state;
    report_all_there_is(recorder);
    assert_int_equal(tm_recorder_close(recorder), TM_OK);
    assert_int_equal(read_back(), TM_OK);
    assert_all_there_is();
}

static void a_killed_process_leaves_them_in_its_rings(void **state)
{
    pid_t child = fork();
    int status;

    (void)state;
    if (child == 0) {
        report_all_there_is(open_recorder(path, NULL));
        kill(getpid(), SIGKILL);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(access(rings_path, F_OK), 0);
    assert_int_equal(read_back(), TM_OK); /* it has no end, and nothing is missing */
    assert_all_there_is();
}

static void a_process_killed_between_drains_loses_nothing(void **state)
{
    int64_t reported[2];
    int ends[2], status;
    pid_t child;

    (void)state;
    assert_int_equal(pipe(ends), 0);
    child = fork();
    if (child == 0) {
        tm_recorder *recorder = open_recorder(path, NULL);
        tm_recorder_thread *thread = attach(recorder, 1);
        int64_t ok = 0;

        tm_recorder_start(recorder, 1);
        for (int64_t i = 0;; i++) {
            int64_t said[2] = {i + 1, ok += report(thread, i)};

            if (i % 64 == 63 && write(ends[1], said, sizeof(said)) < 0)
                break;
            /* Only a reader that is gone ends this. */
            if (i % 4096 == 4095)
                usleep(1000);
        }
        _exit(1);
    }
    close(ends[1]);
    for (int i = 0; i < 2000; i++)
        assert_int_equal(read(ends[0], reported, sizeof(reported)), sizeof(reported));
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    while (read(ends[0], reported, sizeof(reported)) == sizeof(reported))
        ;
    close(ends[0]);
    assert_int_equal(read_back(), TM_OK);
    /* At least what it had said by its end; a few more were under way. */
    assert_in_range(recorded(), reported[1], reported[1] + 64);
    assert_in_range(recorded() + got.lost, reported[0], reported[0] + 64);
    assert_false(got.in_disorder);
}

static pid_t fork_by_libc(void)
{
    return fork();
}

/* As _Fork() does, and who calls clone() itself: no handler runs. */
static pid_t fork_without_libc(void)
{
#ifdef SYS_fork
    return (pid_t)syscall(SYS_fork);
#else
    return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
#endif
}

static void let_child_use(tm_recorder *recorder, tm_recorder_thread *thread)
{
    tm_recorder_thread *other;
    tm_class class = {.size = sizeof(class), .id = 1, .name = "of.a.Child"};
    tm_thread definition = {.size = sizeof(definition), .id = 2};
    int wrong = report(thread, 1) != 0;

    wrong |= tm_recorder_attach(recorder, &definition, &other) != TM_ESTOPPED ? 2 : 0;
    wrong |= tm_recorder_drain(recorder) != TM_ESTOPPED ? 4 : 0;
    wrong |= tm_recorder_define_class(thread, &class) != TM_ESTOPPED ? 8 : 0;
    wrong |= tm_recorder_close(recorder) != TM_ESTOPPED ? 16 : 0;
    _exit(wrong);
}

static void assert_child_has_none(pid_t (*how)(void))
{
    tm_recorder *recorder = open_recorder(path, NULL), *second;
    tm_recorder_options options = TM_RECORDER_OPTIONS_INIT;
    tm_recorder_thread *thread = attach(recorder, 1);
    int status;
    pid_t child;

    options.path = path;
    assert_int_equal(report(thread, 0), 1);
    assert_int_equal(tm_recorder_start(recorder, 1), TM_OK);
    child = how();
    if (child == 0)
        let_child_use(recorder, thread);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(access(rings_path, F_OK), 0);
    assert_int_equal(tm_recorder_open(&second, &options), TM_EIO);
    assert_int_equal(report(thread, 2), 1);
    assert_int_equal(tm_recorder_close(recorder), TM_OK);
    assert_int_equal(read_back(), TM_OK);
    assert_int_equal(got.recorded[1], 2);
}

static void a_forked_child_has_no_recorder(void **state)
{
    (void)state;
    assert_child_has_none(fork_by_libc);
}

static int is_wiped_on_fork(void)
{
    int *page =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int status = 0;

    assert_true(page != MAP_FAILED);
    *page = 1;
    if (madvise(page, 4096, MADV_WIPEONFORK) == 0) {
        if (fork() == 0)
            _exit(*page == 0);
        assert_true(wait(&status) > 0);
    }
    munmap(page, 4096);
    return status != 0;
}

static void a_child_that_was_forked_without_handlers_has_none(void **state)
{
    if (!is_wiped_on_fork())
        skip();
    /* valgrind has the memory of a thread that is not in the child as lost. */
    if (is_slow_machine())
        return;
    for (int i = 0; i < 20; i++) {
        begin(state);
        assert_child_has_none(fork_without_libc);
    }
}

static tm_recorder_thread *handled;
static volatile sig_atomic_t in_handler;
static int64_t value_in_turn;

static void handle(int number)
{
    (void)number;
    in_handler++;
    report(handled, 0);
}

static void an_event_of_a_signal_handler_is_recorded_or_counted(void **state)
{
    const struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
    struct sigaction action = {.sa_handler = handle}, before;
    tm_recorder *recorder = open_recorder(NULL, &sink);

    (void)state;
    handled = attach(recorder, 1);
    assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
    for (value_in_turn = 0; value_in_turn < 200000 || in_handler < 100;
         value_in_turn++) {
        report(handled, 0);
        if (value_in_turn % 500 == 0)
            assert_int_equal(tm_recorder_drain(recorder), TM_OK);
    }
    assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
    assert_int_equal(tm_recorder_close(recorder), TM_OK);
    assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
    assert_int_equal(recorded() + got.lost, value_in_turn + in_handler);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(names_lines_and_stacks_arrive, begin),
        cmocka_unit_test_setup(a_killed_process_leaves_them_in_its_rings, begin),
        cmocka_unit_test_setup(a_process_killed_between_drains_loses_nothing, begin),
        cmocka_unit_test_setup(a_forked_child_has_no_recorder, begin),
        cmocka_unit_test_setup(a_child_that_was_forked_without_handlers_has_none,
                               begin),
        cmocka_unit_test_setup(an_event_of_a_signal_handler_is_recorded_or_counted,
                               begin),
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
