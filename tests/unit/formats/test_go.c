/* SPDX-License-Identifier: Apache-2.0 */
/* Execution traces of Go made by hand: what becomes of their events. */
#include "support/go_world.h"
#include "support/recorded.h"

#include "formats/go/go_generation.h"

static void a_goroutine_waits_is_woken_and_runs(void **state)
{
    (void)state;
    make(mutex);
    assert_reads(TM_OK, "class 4 sync.Mutex|(null)\nobject 1 4 0 0 2\n");
    assert_reads(TM_OK, "event 1003 1 0 0 2 0 22 0\n" /* runs */
                        "event 1004 1 0 2 0 1 1 0\n"  /* creates goroutine 2, */
                        "event 1004 2 0 1 0 0 34 0\n" /* which may run */
                        "event 1005 1 1 0 0 2 31 0\n" /* awaits the mutex */
                        "event 1006 2 0 0 1 0 35 0\n" /* the other is on a processor */
                        "event 1006 2 0 1 0 0 2 0\n"  /* for the first time, */
                        "event 1007 2 1 1 0 3 33 0\n" /* posts, */
                        "event 1007 1 0 2 0 0 34 0\n" /* so that the first may run, */
                        "event 1008 2 0 0 0 0 36 0\n" /* and yields */
                        "event 1009 1 0 0 1 0 35 0\n" /* the first goes on */
                        "event 1009 1 1 2 0 0 32 4\n" /* with the mutex, */
                        "event 1010 1 0 0 0 3 12 0\n" /* sleeps */
                        "event 1011 2 0 0 1 0 35 0\n"
                        "event 1012 1 0 2 0 0 34 0\n"
                        "event 1013 2 0 0 0 0 3 0\n" /* the second ends */
                        "event 1014 1 0 0 1 0 35 0\n"
                        "event 1014 1 0 0 0 0 13 1\n"); /* the first slept to its end */
    assert_reads(TM_OK, " 1000 1014 0 31f8200300e 3 0 processors 4\n");
}

static const go_numbers calls =
    GO_NUMBERS(STARTED, CALL(1), TM__GO_SYSCALL_END, 1, CALL(2), STEAL(0, 3, 7),
               TM__GO_SYSCALL_END_BLOCKED, 1, TM__GO_PROC_START, 1, 0, 4, START(1, 1));

static void a_system_call_may_cost_the_processor(void **state)
{
    (void)state;
    make(calls);
    assert_reads(TM_OK, "syscall|(null)\n");
    assert_reads(TM_OK, "event 1002 1 0 0 2 0 22 0\n"
                        "event 1003 1 1 0 0 1 31 0\n"
                        "event 1004 1 1 0 0 0 32 0\n"
                        "event 1005 1 1 0 0 1 31 0\n"
                        "event 1007 1 0 0 0 0 34 0\n"
                        "event 1009 1 0 0 1 0 35 0\n"
                        "event 1009 1 1 0 0 0 32 0\n");
}

static const go_numbers from_c = GO_NUMBERS(
    TM__GO_CREATE_SYSCALL, 1, 5, P_IS(0, IDLE), TM__GO_SYSCALL_END_BLOCKED, 1,
    TM__GO_PROC_START, 1, 0, 1, START(5, 1), CALL(2), TM__GO_DESTROY_SYSCALL, 1,
    STEAL(0, 3, 9), TM__GO_PROC_START, 1, 0, 4, TM__GO_PROC_STOP, 1);

static void a_thread_of_c_gets_a_goroutine_for_its_calls(void **state)
{
    (void)state;
    make(from_c);
    assert_reads(TM_OK, "thread 5 0 0 goroutine #5|(null) 0 0\n");
    assert_reads(TM_OK, "event 1001 5 0 0 0 0 2 0\n"
                        "event 1001 5 1 0 0 0 31 0\n"
                        "event 1003 5 0 0 0 0 34 0\n"
                        "event 1005 5 0 0 1 0 35 0\n"
                        "event 1005 5 1 0 0 0 32 0\n"
                        "event 1006 5 2 0 0 1 31 0\n"
                        "event 1007 5 2 0 0 0 32 0\n"
                        "event 1007 5 0 0 0 0 3 0\n");
}

static const go_numbers coroutines =
    GO_NUMBERS(STARTED, TM__GO_CREATE_BLOCKED, 1, 2, AT_WORK, 0, SWITCH(2, 1),
               TM__GO_SWITCH_DESTROY, 1, 1, 1);

static void a_coroutine_hands_its_thread_over(void **state)
{
    (void)state;
    make(coroutines);
    assert_reads(TM_OK, "coroutine|(null)\n");
    assert_reads(TM_OK, "event 1003 1 0 2 0 0 1 0\n"
                        "event 1004 2 0 1 0 0 34 0\n"
                        "event 1004 1 1 0 0 0 31 0\n"
                        "event 1004 2 0 0 1 0 35 0\n"
                        "event 1004 2 0 1 0 0 2 0\n"
                        "event 1005 2 1 1 0 0 33 0\n"
                        "event 1005 1 0 2 0 0 34 0\n"
                        "event 1005 2 0 0 0 0 3 0\n"
                        "event 1005 1 0 0 1 0 35 0\n"
                        "event 1005 1 1 2 0 0 32 4\n");
}

static void who_was_there_before_is_shown_as_it_was(void **state)
{
    static const uint64_t events[] = {STARTED,
                                      TM__GO_STATUS_STACK,
                                      1,
                                      2,
                                      NOBODY,
                                      TM__GO_WAITING,
                                      IN_COND,
                                      TM__GO_STATUS_STACK,
                                      1,
                                      3,
                                      NOBODY,
                                      TM__GO_RUNNABLE,
                                      IN_MAIN,
                                      IS(4, 8, IN_SYSCALL),
                                      IS(5, NOBODY, IN_SYSCALL),
                                      IS(6, 7, IN_SYSCALL),
                                      IS(9, 8, IN_SYSCALL)};

    (void)state;
    make((go_numbers){events, sizeof(events) / sizeof(*events)});
    assert_reads(TM_OK, "thread 2 0 0 main.(*account).work #2|");
    assert_reads(TM_OK, "thread 3 0 0 main.main #3|main.main 0 0\n");
    assert_reads(TM_OK, "event 1003 2 1 0 4 1 22 0\n");
    assert_reads(TM_OK, "event 1004 3 0 0 11 2 22 0\n");
    assert_reads(TM_OK, "event 1005 4 2 0 4 0 22 0\n"
                        "event 1006 5 2 0 4 0 22 0\n"
                        "event 1007 6 2 0 4 0 22 0\n"
                        "event 1008 9 2 0 4 0 22 0\n");
}

static void a_world_that_stops_is_a_pause(void **state)
{
    static const uint64_t events[] = {
        STARTED, TM__GO_STW_END, 1, TM__GO_STW_BEGIN, 1, 0, 0, TM__GO_STW_END, 40};

    (void)state;
    make((go_numbers){events, sizeof(events) / sizeof(*events)});
    assert_reads(TM_OK, "event 1002 1 0 0 2 0 22 0\nevent 1044 0 0 0 40 0 25 0\n");
}

static void the_wall_clock_is_that_of_the_comparison(void **state)
{
    static const struct {
        uint64_t batch, ticks, seconds, rest;
        const char *run;
    } clocks[] = {
        {1500, 2, 7, 5, "Go 1.25|(null) 0 6999999503 1000 0 "}, /* 502 behind it */
        {1500, 2, INT64_MAX, 5, "Go 1.25|(null) 0 0 1000 0 "},
        {1500, 2, 7, 1000000000, "Go 1.25|(null) 0 0 1000 0 "},
        {UINT64_MAX, 2, 7, 5, "Go 1.25|(null) 0 0 1000 0 "},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(clocks) / sizeof(*clocks); i++) {
        begin(25);
        go_begin_batch(&paper, TM__GO_NO_THREAD, clocks[i].batch);
        GO_PUT(&paper, TM__GO_SYNC, TM__GO_FREQUENCY, 1000000000, TM__GO_CLOCK_SNAPSHOT,
               clocks[i].ticks, 0, clocks[i].seconds, clocks[i].rest);
        go_end_batch(&paper);
        assert_reads(TM_OK, clocks[i].run);
    }
}

/* Those of the heap and of goroutines, tasks and logs tell nothing of threads. */
static void other_events_are_passed_over(void **state)
{
    static const int numbers[] = {4, 4, 2, 3, 3, 2, 3, 3, 2};

    (void)state;
    begin(25);
    go_begin_batch(&paper, 7, GO_START);
    GO_PUT(&paper, STARTED);
    for (uint8_t i = 0; i < 9; i++) {
        go_byte(&paper, (uint8_t)(128 + i));
        for (int j = 0; j < numbers[i]; j++)
            go_byte(&paper, 1);
    }
    GO_PUT(&paper, 40, 1, 1, 1, 1, 1, DESTROY);
    go_end_batch(&paper);
    assert_reads(TM_OK, "event 1013 1 0 0 0 0 3 0\n");
    assert_int_equal(tm__go_arguments(137), 0);
    assert_int_equal(tm__go_arguments(-1), 0);
}

/* One goroutine, created to run a function, that waits in others. */
static void name_one(const char *function, const char *file, uint64_t line,
                     const char *wait, const char *reason)
{
    const char *texts[] = {function, file, wait, reason};

    go_begin(&paper, 25);
    go_rate(&paper, 1000000000);
    go_strings(&paper, texts, 4);
    go_begin_stacks(&paper);
    GO_PUT(&paper, TM__GO_STACK, 1, 1, 0, 1, 2, line, TM__GO_STACK, 2, 2, 0, 3, 0, 1, 0,
           1, 2, line);
    go_end_batch(&paper);
    go_events(&paper, 7, GO_START,
              (go_numbers)GO_NUMBERS(STARTED, TM__GO_CREATE, 1, 2, 1, 1, BLOCK,
                                     START(2, 1), TM__GO_BLOCK, 1, 4, 2));
}

static void functions_are_split_into_package_and_name(void **state)
{
    (void)state;
    name_one("a.com/b.Do[c.com/d.T].func1", "/src/b/do.go", 7, "internal/poll.wait",
             "");
    assert_reads(TM_OK, "thread 2 0 0 a.com/b.Do[c.com/d.T].func1 #2|");
    assert_reads(TM_OK, "class 1 a.com/b|do.go\nmethod 1 1 Do[c.com/d.T].func1|");
    assert_reads(TM_OK, "class 3 unknown|(null)\n"); /* no reason is given */
    name_one("_cgoexp_1", "do.go", 1 + (UINT64_C(1) << 31), "sync.runtime_Sem", "sync");
    assert_reads(TM_OK, "class 1 ?|do.go\nmethod 1 1 _cgoexp_1|");
    assert_reads(TM_OK, "  frame 1 -1 0\n"); /* an invalid line */
    assert_reads(TM_OK, " sync|(null)\n");
    name_one("runtime.bgsweep", "", 7, "sync.(*Mut", "sync");
    assert_reads(TM_OK, "thread 2 0 0 runtime.bgsweep #2|runtime.bgsweep 0 8\n");
    assert_reads(TM_OK, "class 1 runtime|(null)\n");
    assert_reads(TM_OK, " sync|(null)\n"); /* a type without an end */
    name_one("runtime/trace.Start.func1", "", 7, "x.y", "sync.(*Cond).Wait");
    assert_reads(TM_OK, "thread 2 0 0 runtime/trace.Start.func1 #2|"
                        "runtime/trace.Start.func1 0 8\n");
    name_one("runtime.mains", "", 7, "sync.(*WaitGroup).Wait", "sync.(*Cond).Wait");
    assert_reads(TM_OK, "thread 2 0 0 runtime.mains #2|runtime.mains 0 8\n");
    assert_reads(TM_OK, "class 3 sync.WaitGroup|(null)\n");
    name_one("main.main", "", 7, "runtime.gopark", "select");
    assert_reads(TM_OK, "class 3 select|(null)\n");
    assert_reads(TM_OK, "thread 2 0 0 main.main #2|main.main 0 0\n");
}

static void put_deep_stack(uint64_t frames_count)
{
    go_begin_stacks(&paper);
    GO_PUT(&paper, TM__GO_STACK, 9, frames_count);
    for (uint64_t i = 0; i < frames_count; i++)
        GO_PUT(&paper, 0, WORK, FILE_NAME, i + 1);
    go_end_batch(&paper);
}

/* The outermost frame of a truncated stack is not the goroutine's function. */
static void a_stack_that_was_cut_names_no_goroutine(void **state)
{
    static const uint64_t depths[] = {0, 127, 128};

    (void)state;
    for (size_t i = 0; i < sizeof(depths) / sizeof(*depths); i++) {
        begin(25);
        put_deep_stack(depths[i]);
        go_events(&paper, 7, GO_START,
                  (go_numbers)GO_NUMBERS(P_IS(0, RUNNING), TM__GO_STATUS_STACK, 1, 1, 7,
                                         TM__GO_RUNNING, 9));
        assert_reads(TM_OK, depths[i] == 127
                                ? "thread 1 0 0 main.(*account).work #1|"
                                : "thread 1 0 0 goroutine #1|(null) 0 0\n");
        assert_reads(TM_OK, depths[i] == 128   ? "stack 1 1 128\n"
                            : depths[i] == 127 ? "stack 1 0 127\n"
                                               : "event 1002 1 0 0 2 0 22 0\n");
    }
}

/* A trace of 1.26, with something of all that a trace may hold. */
static void make_whole(void)
{
    begin(26);
    /* A repeated definition equals the first. */
    go_strings(&paper, strings + 5, 2);
    go_begin_stacks(&paper);
    GO_PUT(&paper, TM__GO_STACK, AT_WORK, 1, 0, MAIN, 0, 3);
    go_end_batch(&paper);
    go_begin_batch(&paper, TM__GO_NO_THREAD, GO_START);
    GO_PUT(&paper, TM__GO_CPU_SAMPLES, TM__GO_CPU_SAMPLE, 1012, 7, 0, 2, AT_WORK,
           TM__GO_CPU_SAMPLE, 1007, 7, 0, 2, IN_COND, TM__GO_CPU_SAMPLE, 1008, 7, 0, 1,
           AT_WORK, TM__GO_CPU_SAMPLE, 5000, 7, 0, 99, AT_WORK, TM__GO_CPU_SAMPLE, 1012,
           7, 0, 2, 0);
    go_end_batch(&paper);
    go_events(&paper, 7, GO_START, mutex);
    go_events(&paper, 7, 1010, (go_numbers)GO_NUMBERS(CALL(1)));
    go_events(&paper, 8, GO_START, (go_numbers)GO_NUMBERS(P_IS(1, IDLE)));
    go_events(&paper, 9, 1020,
              (go_numbers)GO_NUMBERS(STEAL(0, 2, 7), TM__GO_PROC_START, 1, 0, 3,
                                     IS(3, NOBODY, WAITING), UNBLOCK(3, 1)));
    go_events(&paper, 11, 1030,
              (go_numbers)GO_NUMBERS(
                  TM__GO_CREATE_SYSCALL, 1, 5, P_IS(2, IDLE),
                  TM__GO_SYSCALL_END_BLOCKED, 1, TM__GO_PROC_START, 1, 2, 1,
                  START(5, 1), CREATE(6), TM__GO_CREATE_BLOCKED, 1, 7, IN_COND, IN_MAIN,
                  SWITCH(7, 1), TM__GO_STW_BEGIN, 1, 0, 0, TM__GO_STW_END, 1, CALL(2),
                  TM__GO_SYSCALL_END, 1, TM__GO_STATUS_STACK, 1, 8, 12,
                  TM__GO_IN_SYSCALL, IN_MAIN));
    go_begin_batch(&paper, 10, GO_START); /* an empty one */
    go_end_batch(&paper);
    go_byte(&paper, TM__GO_END_OF_GENERATION);
}

static void samples_are_of_who_runs_then(void **state)
{
    (void)state;
    make_whole();
    /* Goroutine 1 does not run at 1008, and nobody has number 99. */
    assert_reads(TM_OK, "event 1008 1 0 2 0 0 34 0\n"
                        "event 1009 2 0 0 0 4 24 0\n"
                        "event 1010 2 0 0 0 0 36 0\n"
                        "event 1011 1 0 0 1 0 35 0\n");
    assert_reads(TM_OK, "event 1014 1 0 2 0 0 34 0\n"
                        "event 1015 2 0 0 0 3 24 0\n"
                        "event 1016 2 0 0 0 0 24 0\n"
                        "event 1017 2 0 0 0 0 3 0\n");
    assert_reads(TM_OK, "event 1024 3 0 0 0 0 34 0\n"); /* woken by nobody */
}

/* More than are handed on at once. */
static void a_generation_may_have_many_events(void **state)
{
    enum { TURNS = 1500 };
    char event[80];

    (void)state;
    begin(25);
    go_begin_batch(&paper, 7, GO_START);
    GO_PUT(&paper, STARTED);
    for (uint64_t i = 1; i <= TURNS; i++)
        GO_PUT(&paper, TM__GO_STOP, 1, RECEIVE, AT_WORK, START(1, i));
    go_end_batch(&paper);
    for (uint64_t i = 1; i <= TURNS; i += TURNS - 1) {
        snprintf(event, sizeof(event),
                 "event %llu 1 0 0 0 0 36 0\nevent %llu 1 0 0 1 0 35 0\n",
                 (unsigned long long)(1001 + 2 * i),
                 (unsigned long long)(1002 + 2 * i));
        assert_reads(TM_OK, event);
    }
}

static void stacks_may_be_left_out(void **state)
{
    tm_source_options options = {.size = sizeof(options), .flags = TM_SOURCE_NO_STACKS};
    recorder all;

    (void)state;
    make_whole();
    assert_int_equal(
        emit_memory(&all, "t", (const char *)paper.bytes, paper.length, &options),
        TM_OK);
    assert_null(strstr(all.text, "\nstack "));
    assert_non_null(strstr(all.text, "event 1009 2 0 0 0 0 24 0\n"));
    assert_non_null(
        strstr(all.text, " sync.Mutex|")); /* waits are named all the same */
    recorder_free(&all);
}

int main(void)
{
    static go_paper whole;
    subject it = {.bytes = (const char *)whole.bytes, .events = 39};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_goroutine_waits_is_woken_and_runs),
        cmocka_unit_test(a_system_call_may_cost_the_processor),
        cmocka_unit_test(a_thread_of_c_gets_a_goroutine_for_its_calls),
        cmocka_unit_test(a_coroutine_hands_its_thread_over),
        cmocka_unit_test(who_was_there_before_is_shown_as_it_was),
        cmocka_unit_test(a_world_that_stops_is_a_pause),
        cmocka_unit_test(the_wall_clock_is_that_of_the_comparison),
        cmocka_unit_test(other_events_are_passed_over),
        cmocka_unit_test(functions_are_split_into_package_and_name),
        cmocka_unit_test(a_stack_that_was_cut_names_no_goroutine),
        cmocka_unit_test(samples_are_of_who_runs_then),
        cmocka_unit_test(a_generation_may_have_many_events),
        cmocka_unit_test(stacks_may_be_left_out),
        HARDSHIP_TESTS(&it),
    };

    make_whole();
    whole = paper;
    it.length = whole.length;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
