/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks are walked by the tables that C++ exceptions use, which nearly all code has,
 * with the unwinder of the compiler's own library, linked in. It allocates nothing.
 */
#include "record/stack.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

#include "record/own_thread.h"

/* To look at what is loaded takes a lock of the loader's, which a fork leaves as it is.
 * Any other thread may have it then: one that walks, that throws, that loads a library,
 * or that is the first of all to be cancelled. So a process that was not forked by the
 * only thread of its parent has no stacks. */
static int was_alone, is_walk_unsafe;

static void set_blocked(const uint64_t *blocked, uint64_t *before)
{
    int error = errno;

    syscall(SYS_rt_sigprocmask, SIG_SETMASK, blocked, before, sizeof(*blocked));
    errno = error;
}

size_t tm__left_of_alternate(uintptr_t frame)
{
    stack_t alternate = {.ss_flags = SS_DISABLE};
    int error = errno;

    sigaltstack(NULL, &alternate);
    errno = error;
    return alternate.ss_flags & SS_ONSTACK ? frame - (uintptr_t)alternate.ss_sp
                                           : SIZE_MAX;
}

/* The thread is in a frame that the begun one would lie in. On a stack of its own a
 * handler may be anywhere. */
int tm__frame_was_left(uintptr_t begun, uintptr_t frame)
{
    return frame > begun && !atomic_load(&tm__is_sandboxed) &&
           tm__left_of_alternate(frame) == SIZE_MAX;
}

/* No signal handler leaves a walk by a jump, with the loader's lock. In a sandbox one
 * may. */
int tm__stack_walk_begin(uint64_t *blocked)
{
    const uint64_t all = UINT64_MAX;

    if (is_walk_unsafe)
        return 0;
    *blocked = all;
    if (!atomic_load(&tm__is_sandboxed))
        set_blocked(&all, blocked);
    return 1;
}

void tm__stack_walk_end(const uint64_t *blocked)
{
    if (*blocked != UINT64_MAX)
        set_blocked(blocked, NULL);
}

/* The kernel counts the threads among the links of their folder, beside two. In a
 * sandbox it may not be asked. */
static void before_fork(void)
{
    struct stat facts;
    int error = errno;

    was_alone = !atomic_load(&tm__is_sandboxed) &&
                stat("/proc/self/task", &facts) == 0 && facts.st_nlink == 3;
    errno = error;
}

static void after_fork(void)
{
    was_alone = 0;
}

static void after_fork_in_child(void)
{
    is_walk_unsafe |= !was_alone;
}

void tm__stack_forked(void)
{
    is_walk_unsafe |= !was_alone;
    was_alone = 0;
}

typedef struct walk {
    uint64_t *frames;
    size_t count;
    uint64_t site;
    tm__known_stack *known;
    uintptr_t frame_begin; ///< of the frame before
} walk;

static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *payload)
{
    walk *it = payload;
    uint64_t address = _Unwind_GetIP(context);
    uintptr_t begin = it->frame_begin;

    if (address == 0 || it->count == TM__FRAMES_MOST)
        return _URC_END_OF_STACK;
    if (it->count == 0 && address != it->site)
        return _URC_NO_REASON;
    it->frame_begin = _Unwind_GetCFA(context);
    if (it->known && it->count != 0)
        tm__known_stack_add(it->known, begin, it->frame_begin, (uintptr_t)address);
    it->frames[it->count++] = address;
    return _URC_NO_REASON;
}

size_t tm__stack_walk(uint64_t frames[TM__FRAMES_MOST], const void *site,
                      tm__known_stack *known)
{
    walk it = {frames, 0, (uint64_t)(uintptr_t)site, known, 0};

    _Unwind_Backtrace(step, &it);
    if (it.count == 0)
        frames[it.count++] = it.site;
    return it.count;
}

void tm__stacks_begin(void)
{
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
}
