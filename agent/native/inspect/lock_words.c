/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions in a thread's stack name the kind of a lock; where it has no names, a
 * layout is taken whose other members fit.
 */
#include "inspect/lock_words.h"

#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "inspect/frames.h"
#include "inspect/futex_call.h"
#include "inspect/glibc_words.h"
#include "inspect/musl_words.h"
#include "inspect/semaphore_words.h"

enum { HINT_FRAMES = 8 };

static const struct {
    const char *begin;
    int kind;
} FUNCTIONS[] = {
    {"pthread_mutex_", TM__WAIT_MUTEX},
    {"mtx_", TM__WAIT_MUTEX},
    {"pthread_rwlock_rd", TM__WAIT_RWLOCK_READ},
    {"pthread_rwlock_timedrd", TM__WAIT_RWLOCK_READ},
    {"pthread_rwlock_clockrd", TM__WAIT_RWLOCK_READ},
    {"pthread_rwlock_wr", TM__WAIT_RWLOCK_WRITE},
    {"pthread_rwlock_timedwr", TM__WAIT_RWLOCK_WRITE},
    {"pthread_rwlock_clockwr", TM__WAIT_RWLOCK_WRITE},
    {"pthread_cond_", TM__WAIT_CONDITION},
    {"cnd_", TM__WAIT_CONDITION},
    {"sem_", TM__WAIT_SEMAPHORE},
    {"new_sem_", TM__WAIT_SEMAPHORE},
    {"pthread_barrier_wait", TM__WAIT_BARRIER},
    {"pthread_once", TM__WAIT_ONCE},
    {"call_once", TM__WAIT_ONCE},
    {"cxa_guard_acquire", TM__WAIT_ONCE},
    {"pthread_join", TM__WAIT_JOIN},
    {"pthread_timedjoin", TM__WAIT_JOIN},
    {"pthread_clockjoin", TM__WAIT_JOIN},
    {"thrd_join", TM__WAIT_JOIN},
    {"syscall", TM__WAIT_FUTEX},
};

/* The innermost function that says what it waits for. @return TM__WAIT_NONE: none does
 */
static int hint_of(tm__target *target, const tm__task *task)
{
    for (size_t i = 0; i < task->frame_count && i < HINT_FRAMES; i++) {
        const char *name = tm__frame_function(target, task->frames[i], i == 0);

        name += strspn(name, "_");
        for (size_t k = 0; *name && k < sizeof(FUNCTIONS) / sizeof(*FUNCTIONS); k++)
            if (strncmp(name, FUNCTIONS[k].begin, strlen(FUNCTIONS[k].begin)) == 0)
                return FUNCTIONS[k].kind;
    }
    return TM__WAIT_NONE;
}

static int find_by_hint(const tm__target *target, tm__thread_wait *wait,
                        const tm__task *task, int hint, uint64_t address,
                        uint32_t operation, uint32_t value)
{
    switch (hint) {
    case TM__WAIT_MUTEX:
        return tm__glibc_refused(wait, task, address, value) ||
               tm__glibc_mutex(target, wait, address, operation, value, 1);
    case TM__WAIT_RWLOCK_READ:
    case TM__WAIT_RWLOCK_WRITE: return tm__glibc_rwlock(target, wait, address, hint);
    case TM__WAIT_CONDITION:
        /* Woken, it queues for its mutex in the same call. */
        return tm__glibc_mutex(target, wait, address, operation, value, 0) ||
               tm__glibc_condition(target, wait, address, 1);
    case TM__WAIT_SEMAPHORE: return tm__semaphore_words(target, wait, address, 1);
    case TM__WAIT_BARRIER: return tm__glibc_barrier(target, wait, address, 0, value, 1);
    case TM__WAIT_JOIN:
        return tm__glibc_join(target, wait, task, address, operation, value);
    case TM__WAIT_ONCE:
        wait->kind = TM__WAIT_ONCE;
        wait->object = address;
        return 1;
    default: return 0;
    }
}

static int find_by_layout(const tm__target *target, tm__thread_wait *wait,
                          const tm__task *task, uint64_t address, uint32_t operation,
                          uint32_t value)
{
    if (tm__futex_has_owner(operation))
        return tm__glibc_mutex(target, wait, address, operation, value, 0);
    return tm__glibc_refused(wait, task, address, value) ||
           tm__glibc_join(target, wait, task, address, operation, value) ||
           tm__glibc_stream(target, wait, address, value) ||
           tm__glibc_mutex(target, wait, address, operation, value, 0) ||
           tm__glibc_barrier(target, wait, address, operation & 0x7F, value, 0) ||
           tm__glibc_condition(target, wait, address, 0) ||
           tm__glibc_rwlock(target, wait, address, 0) ||
           tm__semaphore_words(target, wait, address, 0) ||
           tm__glibc_low_level(target, wait, address, value);
}

/* The kernel's own rule: the number of the owner is in the word. */
static void find_by_word(const tm__target *target, tm__thread_wait *wait,
                         uint64_t address)
{
    wait->kind = TM__WAIT_MUTEX;
    wait->layout = TM__LAYOUT_WORD;
    wait->object = address;
    wait->owner = tm__target_word(target, address) & FUTEX_TID_MASK;
    snprintf(wait->type, sizeof(wait->type), "priority inheritance");
}

/* The lock of the C library at an address; where there is none, the wait stays without
 * a kind. */
static void find_known(tm__target *target, tm__task *task, uint64_t address,
                       uint32_t operation, uint32_t value)
{
    int hint = hint_of(target, task);

    if (target->libc == TM__LIBC_MUSL)
        tm__musl_words_find(target, task, hint);
    else if (!find_by_hint(target, &task->wait, task, hint, address, operation,
                           value) &&
             hint != TM__WAIT_FUTEX)
        find_by_layout(target, &task->wait, task, address, operation, value);
    /* A program without shared libraries may have either. */
    if (task->wait.kind == TM__WAIT_NONE && target->libc == TM__LIBC_UNKNOWN)
        tm__musl_words_find(target, task, hint);
}

void tm__lock_words_find(tm__target *target, tm__task *task)
{
    const char *caller = tm__futex_caller(target, task);
    tm__thread_wait *wait = &task->wait;
    uint64_t address;
    uint32_t operation, value, words;

    memset(wait, 0, sizeof(*wait));
    words = tm__futex_of(target, task, &address, &operation, &value);
    if (!words)
        return;
    if (!caller && words == 1)
        find_known(target, task, address, operation, value);
    if (wait->kind == TM__WAIT_NONE && tm__futex_has_owner(operation))
        find_by_word(target, wait, address);
    if (wait->kind == TM__WAIT_NONE) {
        wait->kind = TM__WAIT_FUTEX;
        wait->object = address;
        if (words == 2)
            snprintf(wait->detail, sizeof(wait->detail), "or another");
        else if (words > 2)
            snprintf(wait->detail, sizeof(wait->detail), "or one of %u others",
                     words - 1);
        else if (caller)
            snprintf(wait->detail, sizeof(wait->detail), "asked for by %s", caller);
    }
    wait->is_timed = task->arguments[3] != 0;
}

/* Whether a thread is inside of a routine that runs once. */
static int runs_once(tm__target *target, const tm__task *task)
{
    for (size_t i = 0; task->wait.kind != TM__WAIT_ONCE && i < task->frame_count; i++) {
        const char *name = tm__frame_function(target, task->frames[i], i == 0);

        name += strspn(name, "_");
        if (strncmp(name, "pthread_once", 12) == 0 ||
            strncmp(name, "call_once", 9) == 0)
            return 1;
    }
    return 0;
}

void tm__lock_words_find_once(tm__target *target)
{
    const tm__task *runner = NULL;
    size_t runners = 0, waiters = 0;

    for (size_t i = 0; i < target->task_count; i++)
        waiters += target->tasks[i].wait.kind == TM__WAIT_ONCE;
    for (size_t i = 0; waiters && i < target->task_count; i++)
        if (runs_once(target, &target->tasks[i])) {
            runner = &target->tasks[i];
            runners++;
        }
    /* If two routines run, nobody knows which of them is waited for. */
    for (size_t i = 0; runners == 1 && i < target->task_count; i++)
        if (target->tasks[i].wait.kind == TM__WAIT_ONCE)
            target->tasks[i].wait.owner = runner->inner;
}

void tm__lock_words_owner(const tm__target *target, tm__thread_wait *wait)
{
    switch (wait->layout) {
    case TM__LAYOUT_MUSL: wait->owner = tm__musl_words_owner(target, wait); break;
    case TM__LAYOUT_WORD:
        wait->owner = tm__target_word(target, wait->object) & FUTEX_TID_MASK;
        break;
    default: tm__glibc_owner(target, wait); break;
    }
}
