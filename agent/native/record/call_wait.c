/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The workload: up to some hundred thousand calls a second. Nearly all return at
 * once: they take two readings of the counter and no call of the kernel.
 *
 * Of one that took 20 us or more the kernel is asked, for 0.3 us, how often the thread
 * has left its processor by itself: if no more often than before, it computed, copied
 * or was preempted. Where the thread has waited for something else since, which makes
 * that unsure, a call of less than 200 us counts as a wait unless it writes: a read has
 * nothing else to do for so long, and a thread that is preempted mostly is so for
 * longer.
 */
#include "record/call_wait.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>

#include <threadmodel/definition.h>

#include "record/stack.h"

static void count_switches(void)
{
    struct rusage use;

    tm__the_self.voluntary = getrusage(RUSAGE_THREAD, &use) == 0 ? use.ru_nvcsw : 0;
    tm__the_self.voluntary_time = tm__the_self.recorded_time + 1;
}

/* Whether something else than the call may have made the switch. */
static int is_stale(void)
{
    return tm__the_self.voluntary_time != tm__the_self.recorded_time + 1;
}

int tm__kernel_call_was_left(uintptr_t frame)
{
    return tm__frame_was_left(tm__the_self.call, frame);
}

void tm__kernel_call_is_large(void)
{
    int error = errno;

    if (is_stale())
        count_switches();
    errno = error;
}

/* A socket that does not block is polled, and not waited for in a read. */
static int may_not_wait(const tm__kernel_wait *wait)
{
    uint32_t use = wait->use & TM__USE_KINDS;
    int flags;

    if (!wait->key || wait->use & TM__USE_WAITS || wait->fd < 0 ||
        (use != TM__USE_READ && use != TM__USE_WRITE))
        return 0;
    flags = fcntl(wait->fd, F_GETFL);
    return flags >= 0 && flags & O_NONBLOCK;
}

/* @return whether the thread left its processor by itself, as far as can be known */
static int has_waited(const tm__kernel_wait *wait, uint64_t took)
{
    long before = tm__the_self.voluntary;

    if (may_not_wait(wait))
        return 0;
    if (is_stale() && took * 5 < tm__the_control->ticks_per_ms)
        return wait->use & TM__USE_WAITS ||
               (wait->use & TM__USE_KINDS) != TM__USE_WRITE;
    count_switches();
    return tm__the_self.voluntary != before;
}

void tm__kernel_wait_end_slow(tm__kernel_wait *wait)
{
    tm__kernel_call *call = &wait->ring->call;
    uint64_t since = atomic_load_explicit(&call->since, memory_order_relaxed);
    uint64_t took = tm__now() - wait->since;
    tm__fact await = {TM_EVENT_AWAIT,   TM__OBJECT_ENDPOINT, 0, NULL, 0,
                      wait->timeout_ns, wait->site};
    int error = errno;

    if (since == wait->since && !has_waited(wait, took) &&
        atomic_compare_exchange_strong(&call->since, &since, TM__IDLE)) {
        errno = error;
        return;
    }
    wait->key =
        tm__endpoint_at_end(wait->ring, wait->key, wait->use, wait->fd, wait->host);
    await.object = (const void *)(uintptr_t)wait->key;
    if (tm__endpoint_is_idle(wait->key, wait->use, wait->fd))
        await.flags = TM_EVENT_IDLE;
    tm__record_kernel_wait(wait->ring, &await, wait->since, wait->end_flags);
    /* To read a file seldom waits, and often computes. */
    if (took * 5 >= tm__the_control->ticks_per_ms ||
        tm__endpoint_of_key(wait->key).kind == TM_OBJECT_KIND_FILE)
        count_switches();
    errno = error;
}
