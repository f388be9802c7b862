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
#include "interpose/inherited_lock.h"
#include "record/call_wait.h"

#include <linux/futex.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <threadmodel/definition.h>

/** WAIT_FOR_ANY, the same on all processors. */
enum { WAIT_FOR_ANY = 449 };

/** One of several words that a call waits for, as the kernel has it. */
typedef struct waited_word {
    uint64_t value, address, flags;
} waited_word;

enum { WORDS_MOST = 128 }; /* the kernel takes no more */

typedef struct futex_wait {
    tm__ring *ring;
    tm__fact await;
    uint64_t since;
    uint32_t end_flags;
    int has_slept;
    const waited_word *words; ///< NULL: it is the one of `await`
    size_t word_count;
} futex_wait;

static void count_waiters(const futex_wait *it, int more)
{
    for (size_t i = 0; i < (it->words ? it->word_count : 1); i++) {
        const volatile void *word =
            it->words ? (const volatile void *)(uintptr_t)it->words[i].address
                      : it->await.object;
        _Atomic uint32_t *waiters = tm__waiters(word);

        /* In a fork the count was reset. */
        if (more > 0)
            atomic_fetch_add(waiters, 1);
        else if (atomic_load(waiters) != 0)
            atomic_fetch_sub(waiters, 1);
    }
}

static void end(void *payload)
{
    futex_wait *it = payload;
    uint64_t since = it->since;

    count_waiters(it, -1);
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
    count_waiters(it, 1);
    it->since = tm__now();
    atomic_store_explicit(&call->key, (uint64_t)(uintptr_t)it->await.object,
                          memory_order_relaxed);
    atomic_store_explicit(&call->use, TM__USE_FUTEX, memory_order_relaxed);
    atomic_store_explicit(&call->is_idle, 0, memory_order_relaxed);
    atomic_store_explicit(&call->stack, stack, memory_order_relaxed);
    atomic_store_explicit(&call->timeout_ns, it->await.value, memory_order_relaxed);
    atomic_store_explicit(&call->since, it->since, memory_order_release);
}

static int may_begin(const tm__ring *ring)
{
    return tm__the_self.record == 0 &&
           (atomic_load_explicit(&ring->call.since, memory_order_relaxed) == TM__IDLE ||
            tm__kernel_call_was_left((uintptr_t)__builtin_frame_address(0)));
}

static void note_answer(futex_wait *it, long rc)
{
    it->has_slept = rc >= 0 || errno == ETIMEDOUT || errno == EINTR;
    if (rc >= 0)
        it->end_flags = 0;
    else if (errno == ETIMEDOUT)
        it->end_flags = TM_EVENT_TIMED_OUT;
}

static long wait_for(tm__ring *ring, const futex_call *call)
{
    futex_wait it = {.ring = ring, .end_flags = TM_EVENT_BY_INTERRUPT, .has_slept = 1};
    int64_t timeout_ns = tm__futex_timeout_ns((int)call->operation,
                                              (const struct timespec *)call->fourth);
    long rc;

    if (timeout_ns < 0)
        return tm__futex_ask(call);
    it.await = (tm__fact){TM_EVENT_AWAIT, TM__OBJECT_FUTEX, 0, call->word, 0,
                          timeout_ns,     call->site};
    begin(&it, tm__record_stack(ring, call->site));
    pthread_cleanup_push(end, &it);
    rc = tm__futex_ask(call);
    note_answer(&it, rc);
    pthread_cleanup_pop(1);
    return rc;
}

/* If there are several words, the one that ended the wait is known at its end. A begin
 * that the recorder has reported already is that of the first one. */
static long wait_for_any(tm__ring *ring, const long values[6], const void *site)
{
    waited_word words[WORDS_MOST];
    size_t count = (size_t)values[1];
    futex_wait it = {.ring = ring, .end_flags = TM_EVENT_BY_INTERRUPT, .has_slept = 1};
    const struct timespec *until = (const struct timespec *)values[3];
    struct timespec time = {INT32_MAX, 0};
    int64_t timeout_ns = 0;
    long rc;

    if (count == 0 || count > WORDS_MOST || atomic_load(&tm__is_sandboxed) ||
        !tm__futex_read((const void *)values[0], words, count * sizeof(*words)) ||
        (until && !tm__futex_read(until, &time, sizeof(time))))
        return TM__REAL(syscall)(WAIT_FOR_ANY, values[0], values[1], values[2],
                                 values[3], values[4]);
    if (until)
        timeout_ns = tm__timeout_ns((clockid_t)values[4], &time);
    it.words = words;
    it.word_count = count;
    it.await = (tm__fact){TM_EVENT_AWAIT,
                          TM__OBJECT_FUTEX,
                          0,
                          (const volatile void *)(uintptr_t)words[0].address,
                          0,
                          timeout_ns,
                          site};
    begin(&it, tm__record_stack(ring, site));
    pthread_cleanup_push(end, &it);
    rc = TM__REAL(syscall)(WAIT_FOR_ANY, values[0], values[1], values[2], values[3],
                           values[4]);
    note_answer(&it, rc);
    if (rc > 0 && (size_t)rc < count)
        it.await.object = (const volatile void *)(uintptr_t)words[rc].address;
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
    long rc = tm__futex_ask(call), woken = rc, first = woken;

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

/* Apart, so that all other calls save few registers. */
static __attribute__((noinline)) long futex(const futex_call *call)
{
    tm__ring *ring = tm__ring_here();
    tm__guard_call *guard = tm__the_self.guard;

    if (!ring)
        return tm__futex_ask(call);
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
    case LOCK_PI2: return tm__inherited_lock(ring, call);
    case FUTEX_UNLOCK_PI: return tm__inherited_unlock(ring, call);
    default: break;
    }
    return tm__futex_ask(call);
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
    if (__builtin_expect(number == WAIT_FOR_ANY, 0)) {
        tm__ring *ring = tm__ring_here();

        if (ring && may_begin(ring))
            return wait_for_any(ring, values, TM__SITE);
    }
    if (__builtin_expect(number == SYS_seccomp, 0))
        return enter_sandbox(values);
    return TM__REAL(syscall)(number, values[0], values[1], values[2], values[3],
                             values[4], values[5]);
}
