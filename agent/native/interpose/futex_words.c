/* SPDX-License-Identifier: Apache-2.0 */
#include "interpose/futex_words.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

long tm__futex_ask(const futex_call *call)
{
    return TM__REAL(syscall)(SYS_futex, call->word, call->operation, call->value,
                             call->fourth, call->fifth, call->sixth);
}

int tm__futex_read(const volatile void *from, void *to, size_t bytes)
{
    const struct iovec own = {to, bytes}, given = {(void *)from, bytes};
    int error = errno, is_there;

    if (atomic_load_explicit(&tm__is_sandboxed, memory_order_relaxed))
        return 1;
    is_there = TM__FOUND(syscall)(SYS_process_vm_readv, getpid(), (long)&own, 1,
                                  (long)&given, 1, 0) == (long)bytes ||
               errno != EFAULT;
    errno = error;
    return is_there;
}

/* The clock of a call's time; of FUTEX_LOCK_PI it is not a choice. */
static clockid_t clock_of(int operation)
{
    return operation & FUTEX_CLOCK_REALTIME ||
                   (operation & FUTEX_CMD_MASK) == FUTEX_LOCK_PI
               ? CLOCK_REALTIME
               : CLOCK_MONOTONIC;
}

int64_t tm__futex_timeout_ns(int operation, const struct timespec *given)
{
    struct timespec time = {INT32_MAX, 0};

    if (!given)
        return 0;
    if (!tm__futex_read(given, &time, sizeof(time)))
        return -1;
    if ((operation & FUTEX_CMD_MASK) != FUTEX_WAIT)
        return tm__timeout_ns(clock_of(operation), &time);
    if (time.tv_sec < 0 || time.tv_sec > INT32_MAX)
        return 1;
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec + !time.tv_nsec;
}
