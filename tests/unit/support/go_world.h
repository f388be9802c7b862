/* SPDX-License-Identifier: Apache-2.0 */
/* The parts that traces of Go made by hand have in common: their strings, stacks and
 * checks. */
#ifndef TM_TESTS_GO_WORLD_H
#define TM_TESTS_GO_WORLD_H

#include "support/go_paper.h"
#include "support/hardship.h"

static go_paper paper;

enum { WORK = 1, FILE_NAME, LOCK, SYNC, SLEEP, MAIN, RECEIVE, COND, PARK, STRINGS };

static const char *const strings[STRINGS] = {NULL,
                                             "main.(*account).work",
                                             "/src/bank/main.go",
                                             "sync.(*Mutex).Lock",
                                             "sync",
                                             "sleep",
                                             "runtime.main",
                                             "chan receive",
                                             "sync.(*Cond).Wait",
                                             "runtime.gopark"};

enum { AT_WORK = 1, IN_LOCK, IN_MAIN, IN_COND };

static inline void begin(int release)
{
    go_begin(&paper, release);
    go_rate(&paper, 1000000000);
    go_strings(&paper, strings + 1, STRINGS - 1);
    go_begin_stacks(&paper);
    GO_PUT(&paper, TM__GO_STACK, AT_WORK, 1, 0, WORK, FILE_NAME, 10);
    GO_PUT(&paper, TM__GO_STACK, IN_LOCK, 3, 0, PARK, 0, 1, 0, LOCK, 0, 5);
    GO_PUT(&paper, 0, WORK, FILE_NAME, 11);
    GO_PUT(&paper, TM__GO_STACK, IN_MAIN, 2, 0, PARK, 0, 1, 0, MAIN, 0, 7);
    GO_PUT(&paper, TM__GO_STACK, IN_COND, 2, 0, COND, 0, 3, 0, WORK, FILE_NAME, 12);
    go_end_batch(&paper);
}

/* Thread 7 has processor 0 and runs goroutine 1; each event is a tick behind the last.
 */
#define P_IS(p, status) TM__GO_PROC_STATUS, 1, p, TM__GO_P_##status
#define IS(g, thread, status) TM__GO_STATUS, 1, g, thread, TM__GO_##status
#define NOBODY TM__GO_NO_THREAD
#define STARTED P_IS(0, RUNNING), IS(1, 7, RUNNING)
#define START(g, number) TM__GO_START, 1, g, number
#define CREATE(g) TM__GO_CREATE, 1, g, AT_WORK, 0
#define BLOCK TM__GO_BLOCK, 1, SYNC, IN_LOCK
#define UNBLOCK(g, number) TM__GO_UNBLOCK, 1, g, number, 0
#define SWITCH(g, number) TM__GO_SWITCH, 1, g, number
#define DESTROY TM__GO_DESTROY, 1
#define CALL(number) TM__GO_SYSCALL_BEGIN, 1, number, AT_WORK
#define STEAL(p, number, m) TM__GO_PROC_STEAL, 1, p, number, m

/* A trace of these events of thread 7. */
static inline void make(go_numbers events)
{
    begin(25);
    go_events(&paper, 7, GO_START, events);
}

/* Goroutine 1 waits for a mutex and sleeps, 2 wakes it and ends. */
static const go_numbers mutex =
    GO_NUMBERS(TM__GO_PROCS_CHANGE, 1, 4, 0, STARTED, TM__GO_CREATE, 1, 2, AT_WORK,
               IN_MAIN, BLOCK, START(2, 1), TM__GO_UNBLOCK, 1, 1, 1, AT_WORK,
               TM__GO_STOP, 1, RECEIVE, AT_WORK, START(1, 2), TM__GO_BLOCK, 1, SLEEP,
               AT_WORK, START(2, 2), UNBLOCK(1, 3), DESTROY, START(1, 4));

static inline void assert_reads(int code, const char *text)
{
    assert_emits((const char *)paper.bytes, paper.length, code, text);
}

static inline void assert_damaged(const char *text)
{
    int rc;
    recorder all = emit_all((const char *)paper.bytes, paper.length, &rc);

    assert_int_equal(rc, TM_EDAMAGED);
    if (!strstr(tm_error_text(), text))
        fail_msg("\"%s\" is not in \"%s\"", text, tm_error_text());
    recorder_free(&all);
}

#endif
