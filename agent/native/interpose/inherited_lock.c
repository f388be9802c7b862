/* SPDX-License-Identifier: Apache-2.0 */
#include "interpose/inherited_lock.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint32_t word_of(const volatile void *word)
{
    uint32_t value = 0;

    tm__futex_read(word, &value, sizeof(value));
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

long tm__inherited_lock(tm__ring *ring, const futex_call *call)
{
    uint32_t word = word_of(call->word);
    int64_t timeout_ns = tm__futex_timeout_ns((int)call->operation,
                                              (const struct timespec *)call->fourth);
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
        return tm__futex_ask(call);
    fact.peer = owner_in(ring, word);
    atomic_fetch_add(tm__waiters(call->word), 1);
    tm__record_now(ring, &fact);
    rc = tm__futex_ask(call);
    error = errno;
    end_lock(ring, &fact, rc == 0);
    errno = error;
    return rc;
}

long tm__inherited_unlock(tm__ring *ring, const futex_call *call)
{
    const tm__fact fact = {TM_EVENT_RELEASED, TM__OBJECT_INHERITED, 0, call->word, 0, 0,
                           call->site};
    uint64_t time = tm__record_open(ring);
    long rc = tm__futex_ask(call);

    if (time)
        tm__record_close(ring, &fact, rc == 0, time);
    return rc;
}
