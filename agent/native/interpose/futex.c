/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Futexes that a program or a library asks the kernel for by syscall(), as Rust's, Qt's
 * and abseil's locks and the waits of C++20 do. The program gives the word its meaning,
 * so that no owner is known. A wait is recorded where the thread has slept, and a
 * wake-up where it has woken a thread.
 *
 * Signal handlers call it, and so do threads that are not recorded.
 */
#include "interpose/guard_call.h"
#include "record/call_wait.h"

#include <linux/futex.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <threadmodel/definition.h>

/** FUTEX_LOCK_PI2, which older headers do not have. */
enum { LOCK_PI2 = 13 };

typedef struct futex_wait {
    tm__ring *ring;
    tm__fact await;
    uint64_t since;
    uint32_t end_flags;
    int has_slept;
} futex_wait;

static void end(void *payload)
{
    futex_wait *it = payload;
    _Atomic uint32_t *waiters = tm__waiters(it->await.object);
    uint64_t since = it->since;

    /* In a fork the count was reset. */
    if (atomic_load(waiters) != 0)
        atomic_fetch_sub(waiters, 1);
    if (!it->has_slept &&
        atomic_compare_exchange_strong(&it->ring->call.since, &since, TM__IDLE))
        return;
    tm__record_kernel_wait(it->ring, &it->await, it->since, it->end_flags);
}

static void begin(futex_wait *it, uint32_t stack)
{
    tm__kernel_call *call = &it->ring->call;

    atomic_store_explicit(&call->since, TM__BEGINS, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    tm__the_self.call = (uintptr_t)__builtin_frame_address(0);
    atomic_fetch_add(tm__waiters(it->await.object), 1);
    it->since = tm__now();
    atomic_store_explicit(&call->key, (uint64_t)(uintptr_t)it->await.object,
                          memory_order_relaxed);
    atomic_store_explicit(&call->use, TM__USE_FUTEX, memory_order_relaxed);
    atomic_store_explicit(&call->is_idle, 0, memory_order_relaxed);
    atomic_store_explicit(&call->stack, stack, memory_order_relaxed);
    atomic_store_explicit(&call->timeout_ns, it->await.value, memory_order_relaxed);
    atomic_store_explicit(&call->since, it->since, memory_order_release);
}

/* The address is the program's, and may be wrong. Where it cannot be read,
 * `to` is not changed.
 * @return 0: no memory is mapped there, which the kernel then reports */
static int read_given(const volatile void *from, void *to, size_t bytes)
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

/* FUTEX_WAIT takes a length, the others a time.
 * @return ns; 0: no timeout; -1: it cannot be read */
static int64_t timeout_of(int operation, const struct timespec *given)
{
    struct timespec time = {INT32_MAX, 0};

    if (!given)
        return 0;
    if (!read_given(given, &time, sizeof(time)))
        return -1;
    if ((operation & FUTEX_CMD_MASK) != FUTEX_WAIT)
        return tm__timeout_ns(clock_of(operation), &time);
    if (time.tv_sec < 0 || time.tv_sec > INT32_MAX)
        return 1;
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec + !time.tv_nsec;
}

static int may_begin(const tm__ring *ring)
{
    return tm__the_self.record == 0 &&
           (atomic_load_explicit(&ring->call.since, memory_order_relaxed) == TM__IDLE ||
            tm__kernel_call_was_left((uintptr_t)__builtin_frame_address(0)));
}

/* The six words of a call, as the kernel has them. */
typedef struct futex_call {
    const volatile void *word;
    long operation, value, fourth, fifth, sixth;
    const void *site;
} futex_call;

static long ask(const futex_call *call)
{
    return TM__REAL(syscall)(SYS_futex, call->word, call->operation, call->value,
                             call->fourth, call->fifth, call->sixth);
}

static long wait_for(tm__ring *ring, const futex_call *call)
{
    futex_wait it = {.ring = ring, .end_flags = TM_EVENT_BY_INTERRUPT, .has_slept = 1};
    int64_t timeout_ns =
        timeout_of((int)call->operation, (const struct timespec *)call->fourth);
    long rc;

    if (timeout_ns < 0)
        return ask(call);
    it.await = (tm__fact){TM_EVENT_AWAIT, TM__OBJECT_FUTEX, 0, call->word, 0,
                          timeout_ns,     call->site};
    begin(&it, tm__record_stack(ring, call->site));
    pthread_cleanup_push(end, &it);
    rc = ask(call);
    it.has_slept = rc == 0 || errno == ETIMEDOUT || errno == EINTR;
    if (rc == 0)
        it.end_flags = 0;
    else if (errno == ETIMEDOUT)
        it.end_flags = TM_EVENT_TIMED_OUT;
    pthread_cleanup_pop(1);
    return rc;
}

static int has_waiters(const volatile void *word)
{
    return word && atomic_load(tm__waiters(word)) != 0;
}

/*
 * A thread that is moved to another word has got what it waited for here. As with a
 * condition, how long it queues there for a lock is part of its wait.
 */
static long wake(tm__ring *ring, const futex_call *call)
{
    int has_other = (call->operation & FUTEX_CMD_MASK) == FUTEX_WAKE_OP;
    const volatile void *other = has_other ? (const volatile void *)call->fifth : NULL;
    int has_own = has_waiters(call->word), is_open = has_own || has_waiters(other);
    uint64_t time = is_open ? tm__record_open(ring) : tm__now();
    tm__fact posts[2];
    size_t count = 0;
    long rc = ask(call), woken = rc, first = woken;

    if (!time || (!is_open && woken <= 0))
        return rc;
    if (other && woken > 0)
        first = !has_own ? 0 : woken > call->value ? call->value : woken;
    if (first > 0)
        posts[count++] = (tm__fact){TM_EVENT_POST, TM__OBJECT_FUTEX, 0, call->word, 0,
                                    first,         call->site};
    if (woken > first)
        posts[count++] = (tm__fact){TM_EVENT_POST, TM__OBJECT_FUTEX, 0, other, 0,
                                    woken - first, call->site};
    if (is_open)
        tm__record_close(ring, posts, count, time);
    /* A thread went to sleep in between. */
    for (size_t i = 0; !is_open && i < count; i++)
        tm__record_fact(ring, &posts[i], time);
    return rc;
}

/* ---- locks with priority inheritance, whose word has the number of the owner ---- */

static uint32_t word_of(const volatile void *word)
{
    uint32_t value = 0;

    read_given(word, &value, sizeof(value));
    return value;
}

/* @return the kernel's number of the owner, as the recorder knows it; 0: unknown */
static uint32_t owner_in(const tm__ring *ring, uint32_t word)
{
    if (atomic_load(&tm__is_sandboxed) ||
        atomic_load(&ring->os_id) != (uint32_t)TM__FOUND(syscall)(SYS_gettid))
        return 0;
    return word & FUTEX_TID_MASK;
}

/* While others queue, the kernel marks the word, and its owner has to ask the kernel to
 * release it: else nobody sees for how long it is owned. */
static void end_lock(tm__ring *ring, tm__fact *fact, int is_owned)
{
    int is_timed = fact->kind == TM_EVENT_PARK;

    tm__block_end(ring, fact, is_timed ? TM_EVENT_UNPARKED : TM_EVENT_CONTENDED_ENTERED,
                  is_timed && !is_owned ? TM_EVENT_TIMED_OUT : 0);
    fact->flags = 0;
    if (is_timed && is_owned) {
        fact->kind = TM_EVENT_ACQUIRED;
        tm__record_now(ring, fact);
    }
    if (is_owned ? !(word_of(fact->object) & FUTEX_WAITERS) : !is_timed) {
        fact->kind = TM_EVENT_RELEASED;
        tm__record_now(ring, fact);
    }
}

static long lock_inherited(tm__ring *ring, const futex_call *call)
{
    uint32_t word = word_of(call->word);
    int64_t timeout_ns =
        timeout_of((int)call->operation, (const struct timespec *)call->fourth);
    tm__fact fact = {timeout_ns ? TM_EVENT_PARK : TM_EVENT_CONTENDED_ENTER,
                     TM__OBJECT_INHERITED,
                     0,
                     call->word,
                     0,
                     timeout_ns,
                     call->site};
    long rc;
    int error;

    if (timeout_ns < 0 || (word & FUTEX_TID_MASK) == 0)
        return ask(call);
    fact.peer = owner_in(ring, word);
    atomic_fetch_add(tm__waiters(call->word), 1);
    tm__record_now(ring, &fact);
    rc = ask(call);
    error = errno;
    end_lock(ring, &fact, rc == 0);
    errno = error;
    return rc;
}

static long unlock_inherited(tm__ring *ring, const futex_call *call)
{
    const tm__fact fact = {TM_EVENT_RELEASED, TM__OBJECT_INHERITED, 0, call->word, 0, 0,
                           call->site};
    uint64_t time = tm__record_open(ring);
    long rc = ask(call);

    if (time)
        tm__record_close(ring, &fact, rc == 0, time);
    return rc;
}

/* Apart, so that all other calls save few registers. */
static __attribute__((noinline)) long futex(const futex_call *call)
{
    tm__ring *ring = tm__ring_here();
    tm__guard_call *guard = tm__the_self.guard;

    if (!ring)
        return ask(call);
    switch (call->operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
    case FUTEX_WAIT_REQUEUE_PI:
        if (guard)
            tm__guard_waits(guard);
        else if (may_begin(ring))
            return wait_for(ring, call);
        break;
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE:
    case FUTEX_WAKE_OP:
    case FUTEX_CMP_REQUEUE_PI:
        if (!guard)
            return wake(ring, call);
        break;
    case FUTEX_LOCK_PI:
    case LOCK_PI2: return lock_inherited(ring, call);
    case FUTEX_UNLOCK_PI: return unlock_inherited(ring, call);
    default: break;
    }
    return ask(call);
}

/* As a library for sandboxes asks for one. Where the kernel refuses it, there is none.
 */
static long enter_sandbox(const long values[6])
{
    int enters =
        values[0] == SECCOMP_SET_MODE_STRICT || values[0] == SECCOMP_SET_MODE_FILTER;
    long rc;

    atomic_fetch_add(&tm__is_sandboxed, enters);
    rc = TM__REAL(syscall)(SYS_seccomp, values[0], values[1], values[2]);
    if (rc < 0)
        atomic_fetch_sub(&tm__is_sandboxed, enters);
    else if (values[0] == SECCOMP_SET_MODE_STRICT)
        tm__ring_leave();
    return rc;
}

/* Words that were not given are read as well, as in the C library, and not written. */
TM__EXPORT long syscall(long number, ...)
{
    long values[6];
    va_list arguments;

    va_start(arguments, number);
    for (int i = 0; i < 6; i++)
        values[i] = va_arg(arguments, long);
    va_end(arguments);
    if (__builtin_expect(number == SYS_futex, 0))
        return futex(&(futex_call){(const volatile void *)values[0], values[1],
                                   values[2], values[3], values[4], values[5],
                                   TM__SITE});
    if (__builtin_expect(number == SYS_seccomp, 0))
        return enter_sandbox(values);
    return TM__REAL(syscall)(number, values[0], values[1], values[2], values[3],
                             values[4], values[5]);
}
