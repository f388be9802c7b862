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
    case TM__WAIT_SEMAPHORE: return tm__glibc_semaphore(target, wait, address, 1);
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
    return tm__glibc_refused(wait, task, address, value) ||
           tm__glibc_join(target, wait, task, address, operation, value) ||
           tm__glibc_stream(target, wait, address, value) ||
           tm__glibc_mutex(target, wait, address, operation, value, 0) ||
           tm__glibc_barrier(target, wait, address, operation & 0x7F, value, 0) ||
           tm__glibc_condition(target, wait, address, 0) ||
           tm__glibc_rwlock(target, wait, address, 0) ||
           tm__glibc_semaphore(target, wait, address, 0) ||
           tm__glibc_low_level(target, wait, address, value);
}

void tm__lock_words_find(tm__target *target, tm__task *task)
{
    const char *caller = tm__futex_caller(target, task);
    uint64_t address;
    uint32_t operation, value;
    int hint;

    memset(&task->wait, 0, sizeof(task->wait));
    if (!tm__futex_of(target, task, &address, &operation, &value))
        return;
    task->wait.is_timed = task->arguments[3] != 0;
    if (caller) {
        task->wait.kind = TM__WAIT_FUTEX;
        task->wait.object = address;
        snprintf(task->wait.detail, sizeof(task->wait.detail), "asked for by %s",
                 caller);
        return;
    }
    hint = hint_of(target, task);
    if (target->libc == TM__LIBC_MUSL)
        tm__musl_words_find(target, task, hint);
    else if (!find_by_hint(target, &task->wait, task, hint, address, operation,
                           value) &&
             hint != TM__WAIT_FUTEX)
        find_by_layout(target, &task->wait, task, address, operation, value);
    /* A program without shared libraries may have either. */
    if (task->wait.kind == TM__WAIT_NONE && target->libc == TM__LIBC_UNKNOWN)
        tm__musl_words_find(target, task, hint);
    if (task->wait.kind != TM__WAIT_NONE)
        return;
    task->wait.kind = TM__WAIT_FUTEX;
    task->wait.object = address;
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
    /* Of two routines nobody knows which of them is waited for. */
    for (size_t i = 0; runners == 1 && i < target->task_count; i++)
        if (target->tasks[i].wait.kind == TM__WAIT_ONCE)
            target->tasks[i].wait.owner = runner->inner;
}

void tm__lock_words_owner(const tm__target *target, tm__thread_wait *wait)
{
    if (wait->is_musl)
        wait->owner = tm__musl_words_owner(target, wait);
    else
        tm__glibc_owner(target, wait);
}
