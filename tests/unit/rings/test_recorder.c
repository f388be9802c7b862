/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recorder of many threads: what they reported is drained by rising time, is in the
 * rings of a process that was killed, or is counted as lost. Nothing else may happen,
 * whoever forks, interrupts, cuts files or refuses memory.
 */
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

enum { AT_A_TIME = 4, LIVES = 5, EVENTS = 10000, THREADS = AT_A_TIME * LIVES };

static char folder[] = "/tmp/threadmodel-recorder-XXXXXX";
static char path[64], rings_path[80];

/* What came out. */
static struct {
    int64_t next_value[THREADS + 1];
    int64_t recorded[THREADS + 1];
    int64_t lost;
    int64_t last_ns;
    tm_event last;
    int in_disorder;
    tm_frame frames[TM_RECORDER_FRAMES];
    size_t frame_count;
    uint32_t stacks, stack_flags;
    char class_name[64], source[64], method_name[64], thread_name[64], group[64];
    char object_name[64], build_id[64];
    uint64_t class_flags, method_flags, pid;
    char caveat[300];
    tm_line line;
    tm_object object;
    tm_run run;
    int fails;
} got;

static void copy(char *to, size_t bytes, const char *text)
{
    snprintf(to, bytes, "%s", text ? text : "(none)");
}

static int collect_run(void *payload, const tm_run *run)
{
    (void)payload;
    if (run->pid)
        got.run.pid = run->pid;
    if (run->end_ns)
        got.run.end_ns = run->end_ns;
    return TM_OK;
}

static int collect_caveat(void *payload, const char *sentence)
{
    (void)payload;
    copy(got.caveat, sizeof(got.caveat), sentence);
    return TM_OK;
}

static int collect_class(void *payload, const tm_class *definition)
{
    (void)payload;
    copy(got.class_name, sizeof(got.class_name), definition->name);
    copy(got.source, sizeof(got.source), definition->source);
    got.class_flags = definition->flags;
    copy(got.build_id, sizeof(got.build_id), definition->build_id);
    return TM_OK;
}

static int collect_method(void *payload, const tm_method *definition)
{
    (void)payload;
    copy(got.method_name, sizeof(got.method_name), definition->name);
    got.method_flags = definition->flags;
    if (definition->line_count > 0)
        got.line = definition->lines[0];
    return TM_OK;
}

static int collect_stack(void *payload, const tm_stack *definition)
{
    (void)payload;
    got.stacks++;
    got.stack_flags = definition->flags;
    got.frame_count = definition->frame_count;
    memcpy(got.frames, definition->frames,
           definition->frame_count * sizeof(*got.frames));
    return TM_OK;
}

static int collect_thread(void *payload, const tm_thread *definition)
{
    (void)payload;
    if (definition->id != 1)
        return TM_OK;
    copy(got.thread_name, sizeof(got.thread_name), definition->name);
    copy(got.group, sizeof(got.group), definition->group);
    got.pid = definition->pid;
    return TM_OK;
}

static int collect_object(void *payload, const tm_object *definition)
{
    (void)payload;
    got.object = *definition;
    copy(got.object_name, sizeof(got.object_name), definition->name);
    return TM_OK;
}

static int collect_events(void *payload, const tm_event *events, size_t count)
{
    (void)payload;
    if (got.fails)
        return got.fails;
    for (size_t i = 0; i < count; i++) {
        const tm_event *event = &events[i];

        got.in_disorder |= event->time_ns < got.last_ns;
        got.last_ns = event->time_ns;
        if (event->kind == TM_EVENT_LOST) {
            got.lost += event->value;
            continue;
        }
        assert_in_range(event->thread, 1, THREADS);
        /* Those of the tests with many threads are numbered. */
        if (event->value > 0) {
            assert_true(event->value >= got.next_value[event->thread]);
            got.next_value[event->thread] = event->value + 1;
        }
        got.recorded[event->thread]++;
        got.last = *event;
    }
    return TM_OK;
}

static const tm_sink sink = {
    sizeof(tm_sink), NULL,          collect_run,    collect_caveat, collect_class,
    collect_method,  collect_stack, collect_thread, collect_object, collect_events};

static int begin(void **state)
{
    (void)state;
    memset(&got, 0, sizeof(got));
    unlink(path);
    unlink(rings_path);
    return 0;
}

static tm_recorder *open_recorder(const char *to, const tm_sink *given)
{
    tm_recorder_options options = TM_RECORDER_OPTIONS_INIT;
    tm_recorder *recorder;

    options.path = to;
    options.sink = given;
    options.ring_bytes = 65536;
    assert_int_equal(tm_recorder_open(&recorder, &options), TM_OK);
    return recorder;
}

static tm_recorder_thread *attach(tm_recorder *recorder, uint64_t id)
{
    tm_thread definition = {.size = sizeof(definition), .id = id, .name = "worker"};
    tm_recorder_thread *thread;

    assert_int_equal(tm_recorder_attach(recorder, &definition, &thread), TM_OK);
    return thread;
}

static int report(tm_recorder_thread *thread, int64_t value)
{
    tm_event event = {.value = value, .kind = TM_EVENT_UNPARK_CALLED};

    return tm_recorder_report(thread, &event, NULL, 0);
}

/* Read the file back into `got`. @return as tm_source_read() */
static int read_back(void)
{
    tm_source *source;
    int rc;

    assert_int_equal(tm_source_open(&source, path, NULL), TM_OK);
    rc = tm_source_read(source, &sink);
    while (rc == TM_MORE)
        rc = tm_source_read(source, &sink);
    tm_source_close(source);
    return rc;
}

static int64_t recorded(void)
{
    int64_t sum = 0;

    for (size_t i = 1; i <= THREADS; i++)
        sum += got.recorded[i];
    return sum;
}

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

/* What a call said, beginning with the words that tell why. */
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
        cmocka_unit_test_setup(every_event_is_drained_in_order_or_counted, begin),
        cmocka_unit_test_setup(a_helper_thread_drains, begin),
        cmocka_unit_test(a_later_round_goes_no_less_far),
        cmocka_unit_test(the_first_round_waits_for_who_begins),
        cmocka_unit_test_setup(rings_of_threads_that_ended_are_used_again, begin),
        cmocka_unit_test_setup(names_lines_and_stacks_arrive, begin),
        cmocka_unit_test_setup(a_killed_process_leaves_them_in_its_rings, begin),
        cmocka_unit_test_setup(a_process_killed_between_drains_loses_nothing, begin),
        cmocka_unit_test_setup(a_forked_child_has_no_recorder, begin),
        cmocka_unit_test_setup(a_child_that_was_forked_without_handlers_has_none,
                               begin),
        cmocka_unit_test_setup(an_event_of_a_signal_handler_is_recorded_or_counted,
                               begin),
        cmocka_unit_test_setup(without_memory_for_a_ring_events_are_counted, begin),
        cmocka_unit_test_setup(a_full_ring_wakes_its_drainer_and_counts, begin),
        cmocka_unit_test_setup(deep_stacks_and_long_names_are_cut, begin),
        cmocka_unit_test_setup(
            times_given_by_the_caller_are_kept_unless_they_are_to_come, begin),
        cmocka_unit_test_setup(of_recorders_that_begin_together_one_records, begin),
        cmocka_unit_test_setup(rings_of_the_next_recorder_are_left_alone, begin),
        cmocka_unit_test_setup(what_is_wrong_is_refused, begin),
        cmocka_unit_test_setup(a_sink_that_refuses_ends_the_recording, begin),
        cmocka_unit_test_setup(rings_that_others_cut_do_no_harm, begin),
        cmocka_unit_test_setup(rings_may_lie_elsewhere, begin),
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
