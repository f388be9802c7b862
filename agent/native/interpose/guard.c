/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A static variable of C++ that is initialised by the first thread that needs it is a
 * lock of that thread: others queue for it. One whose initialisation needs itself, or
 * that of another variable whose initialisation needs this one, is in a deadlock.
 */
#include "interpose/guard_call.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

/* As the language's binary interface has them; no header declares them for C. */
int __cxa_guard_acquire(void *guard);
void __cxa_guard_release(void *guard);
void __cxa_guard_abort(void *guard);

/*
 * A library of C++ that was loaded later, and for itself, is behind us and cannot be
 * found without the loader's lock, which a thread that waits here may have. So what it
 * does is done here, as libstdc++ does it.
 */
enum { DONE, INITIALISES, WAITED_FOR };

static uint32_t bit(int byte)
{
    const union {
        unsigned char bytes[4];
        uint32_t word;
    } it = {.bytes = {byte == DONE, byte == INITIALISES, byte == WAITED_FOR}};

    return it.word;
}

static int own_acquire(_Atomic uint32_t *word)
{
    uint32_t seen = 0;

    while (!atomic_compare_exchange_strong(word, &seen, bit(INITIALISES))) {
        if (seen == bit(DONE))
            return 0;
        if (seen == bit(INITIALISES) &&
            !atomic_compare_exchange_strong(word, &seen, seen | bit(WAITED_FOR)))
            continue;
        if (seen)
            syscall(SYS_futex, word, FUTEX_WAIT, bit(INITIALISES) | bit(WAITED_FOR),
                    NULL, NULL, 0);
        seen = 0;
    }
    return 1;
}

static void own_end(_Atomic uint32_t *word, uint32_t state)
{
    if (atomic_exchange(word, state) & bit(WAITED_FOR))
        syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* Looked for once: a C program has none of these. */
static const tm__real *real_functions(void)
{
    static atomic_int is_found;

    if (!atomic_load_explicit(&is_found, memory_order_acquire)) {
        if (!tm__the_real.__cxa_guard_acquire)
            tm__real_find();
        atomic_store(&is_found, 1);
    }
    return &tm__the_real;
}

static int acquire(void *guard)
{
    const tm__real *real = real_functions();

    return real->__cxa_guard_acquire ? real->__cxa_guard_acquire(guard)
                                     : own_acquire(guard);
}

static void end_call(void *payload)
{
    (void)payload;
    tm__the_self.guard = NULL;
}

TM__EXPORT int __cxa_guard_acquire(void *guard)
{
    tm__guard_call it = {.ring = tm__ring_here()};
    int is_ours;

    if (!it.ring || tm__the_self.guard)
        return acquire(guard);
    it.wait = (tm__fact){
        TM_EVENT_CONTENDED_ENTER, TM__OBJECT_GUARD, 0, guard, 0, 0, TM__SITE};
    tm__the_self.guard = &it;
    pthread_cleanup_push(end_call, NULL);
    is_ours = acquire(guard);
    pthread_cleanup_pop(1);
    if (it.has_waited && is_ours) {
        tm__block_end_owning(it.ring, &it.wait);
    } else if (it.has_waited) {
        tm__block_end(it.ring, &it.wait, TM_EVENT_CONTENDED_ENTERED, 0);
        it.wait.kind = TM_EVENT_RELEASED;
        tm__record_now(it.ring, &it.wait);
    } else if (is_ours) {
        tm__hold_add(it.ring, guard, TM__OBJECT_GUARD, 0, 0, TM__SITE);
    }
    return is_ours;
}

static void end(void *guard, void (*real)(void *), uint32_t state)
{
    tm__guard_call it = {.ring = tm__ring_here()};
    int is_recorded = it.ring && !tm__the_self.guard;
    tm__released released = {0};

    if (is_recorded) {
        released = tm__hold_release(it.ring, guard, 0);
        tm__the_self.guard = &it;
    }
    if (real)
        real(guard);
    else
        own_end(guard, state);
    if (!is_recorded)
        return;
    tm__the_self.guard = NULL;
    tm__hold_released(it.ring, guard, released, 1);
}

TM__EXPORT void __cxa_guard_release(void *guard)
{
    end(guard, real_functions()->__cxa_guard_release, bit(DONE));
}

TM__EXPORT void __cxa_guard_abort(void *guard)
{
    end(guard, real_functions()->__cxa_guard_abort, 0);
}
