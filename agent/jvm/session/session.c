/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recording on and off. A thread says that it is in work, and then looks whether
 * there is recording; so when it was switched off, and nobody is in work a moment
 * later, nobody uses our JVM TI environment any more, and it can be given back:
 *
 *      thread   in work ── recording? ──▶ report ── idle
 *      writer           off ── all idle? ──▶ originals back ──▶ dispose
 *
 * A stand-in may still be inside the original that it called, for hours: it reports
 * nothing on its way out, since another session has begun by then, or none.
 */
#include "session/session.h"

#include <poll.h>
#include <stdatomic.h>

#include "capture/gc_pauses.h"
#include "capture/jvmti_events.h"
#include "capture/virtual_calls.h"
#include "ident/method_identity.h"
#include "ident/monitor_owner.h"
#include "ident/object_cache.h"
#include "ring/buffer.h"
#include "rings/membarrier.h"
#include "rings/mirror.h"
#include "ring/recording_state.h"
#include "ring/watchdog.h"
#include "session/native_rebind.h"
#include "virtual/instrument.h"
#include "virtual/life_cycle.h"
#include "vm/vm.h"

enum { TRIES = 100 };

static jvmtiError enable(int on)
{
    jvmtiError error = tm__events_enable(on);

    if (error != JVMTI_ERROR_NONE)
        return error;
    tm__virtual_enable(on);
    tm__gc_pauses_enable(on);
    return JVMTI_ERROR_NONE;
}

jvmtiError tm__session_begin(int is_resumed)
{
    for (tm__buffer *b = tm__buffer_first(); b; b = tm__buffer_next(b))
        tm__buffer_renew(b, is_resumed);
    tm__virtual_calls_reset();
    if (is_resumed) {
        tm__watchdog_came();
    } else {
        atomic_store(&tm__the_recording.left_out, TM__LEFT_OUT_NOTHING);
        tm__watchdog_begin();
    }
    tm__monitor_owner_reset(1);
    atomic_fetch_add(&tm__the_recording.session, 1);
    /* In a pause it may have been ended for good. */
    atomic_store(&tm__the_recording.is_on,
                 atomic_load(&tm__the_recording.ended_ns) == 0);
    return enable(1);
}

int tm__session_wait(void)
{
    tm__membarrier_wait();
    for (int tries = 0; tries < TRIES; tries++) {
        int busy = atomic_load(&tm__the_recording.entering);

        for (tm__buffer *b = tm__buffer_first(); b; b = tm__buffer_next(b))
            busy |= atomic_load(&b->ring.since) != TM__IDLE;
        if (!busy)
            return 0;
        poll(NULL, 0, 1);
    }
    return -1;
}

int tm__session_halt(void)
{
    atomic_store(&tm__the_recording.is_on, 0);
    tm__monitor_owner_reset(0);
    enable(0);
    return tm__session_wait();
}

void tm__session_leave(JNIEnv *jni, int is_quiet)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;

    tm__natives_restore(jni);
    tm__virtual_leave();
    /* With it go the tags of all objects. One that a stopped thread may still use
     * stays: it costs memory, and nothing else. */
    if (is_quiet == 0 && tm__session_wait() == 0) {
        for (tm__buffer *b = tm__buffer_first(); b; b = tm__buffer_next(b)) {
            tm__object_cache_clear(b, jni);
            tm__buffer_release(b);
        }
        tm__rings_leave(&tm__the_rings);
        (*jvmti)->DisposeEnvironment(jvmti);
        tm__the_vm.jvmti = NULL;
    } else {
        is_quiet = -1;
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_DISABLE,
                                           JVMTI_EVENT_NATIVE_METHOD_BIND, NULL);
    }
    tm__methods_forget(is_quiet);
}
