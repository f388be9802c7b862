/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A routine that runs once is a lock of the thread that runs it: others queue for it,
 * and one that needs its own end is in a deadlock with itself.
 */
#include "interpose/lock.h"

/* Bit 0 of the control in both C libraries: set while the routine runs; the word is 0
 * before. */
enum { RUNS = 1 };

typedef struct running {
    struct running *outer;
    const volatile void *control;
    void (*routine)(void);
    const void *site;
    int has_run;
} running;

static __thread running *the_innermost __attribute__((tls_model("initial-exec")));

static void leave(void *payload)
{
    running *it = payload;
    tm__ring *ring = tm__ring_here();

    if (ring)
        tm__hold_release(ring, it->control, 0);
}

static void run(void)
{
    running *it = the_innermost;
    tm__ring *ring = tm__ring_here();

    it->has_run = 1;
    if (ring)
        tm__hold_add(ring, it->control, TM__OBJECT_ONCE, 0, 0, it->site);
    pthread_cleanup_push(leave, it);
    it->routine();
    pthread_cleanup_pop(1);
}

static void restore(void *payload)
{
    the_innermost = ((running *)payload)->outer;
}

static int call(int (*real)(volatile void *, void (*)(void)), volatile void *control,
                void (*routine)(void), const void *site)
{
    tm__ring *ring = tm__ring_here();
    running it = {the_innermost, control, routine, site, 0};
    tm__fact fact = {TM_EVENT_CONTENDED_ENTER, TM__OBJECT_ONCE, 0, control, 0, 0, site};
    int must_wait = ring && (*(volatile int *)control & RUNS);
    int rc;

    if (must_wait)
        tm__block_begin(ring, &fact);
    the_innermost = &it;
    pthread_cleanup_push(restore, &it);
    rc = real(control, run);
    pthread_cleanup_pop(1);
    if (must_wait) {
        tm__block_end(ring, &fact, TM_EVENT_CONTENDED_ENTERED, 0);
        fact.kind = TM_EVENT_RELEASED;
        tm__record_now(ring, &fact);
    }
    return rc;
}

static int real_pthread_once(volatile void *control, void (*routine)(void))
{
    return TM__REAL(pthread_once)((pthread_once_t *)control, routine);
}

static int real_call_once(volatile void *flag, void (*routine)(void))
{
    TM__REAL(call_once)((once_flag *)flag, routine);
    return 0;
}

TM__EXPORT int pthread_once(pthread_once_t *control, void (*routine)(void))
{
    return call(real_pthread_once, control, routine, TM__SITE);
}

TM__EXPORT void call_once(once_flag *flag, void (*routine)(void))
{
    call(real_call_once, flag, routine, TM__SITE);
}
