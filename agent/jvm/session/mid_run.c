/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording that begins while the program runs: after an attach, or after a pause.
 * Events show the activities from then on; the VM is asked for the state of each thread
 * by then.
 */
#include "session/mid_run.h"

#include <stdio.h>

#include <threadmodel/error.h>

#include "blocked/catch_up.h"
#include "blocked/long_blocked.h"
#include "capture/stated_units.h"
#include "ident/io_objects.h"
#include "ident/objects_by_hash.h"
#include "ident/thread_id.h"
#include "ident/thread_identity.h"
#include "rings/clock.h"
#include "ring/recording_state.h"
#include "session/agent_thread.h"
#include "session/native_rebind.h"
#include "session/session.h"
#include "virtual/enumerate.h"
#include "virtual/instrument.h"
#include "vm/vm.h"
#include "writer/merge.h"
#include "writer/switches.h"

static int64_t paused_ns; /* since when nothing is recorded; 0: it is */

void tm__mid_run_open(void)
{
    paused_ns = 0;
}

int tm__mid_run_is_paused(void)
{
    return paused_ns != 0;
}

int tm__mid_run_emit_pause(void)
{
    const tm_sink *sink = tm__the_recording.sink;
    int64_t start_ns = tm__the_recording.start_ns;
    char sentence[160];

    snprintf(sentence, sizeof(sentence),
             "Recording was paused from %.3f s to %.3f s: that time is unknown.",
             (double)(paused_ns - start_ns) / 1e9,
             (double)(tm__now_ns() - start_ns) / 1e9);
    return sink->caveat(sink->payload, sentence);
}

/* All that happened is in the trace, and that nothing more comes for now. */
int tm__mid_run_pause(JNIEnv *jni)
{
    const tm_sink *sink = tm__the_recording.sink;
    tm_event event = {.kind = TM_EVENT_LOST, .flags = TM_EVENT_PAUSED};
    int rc;

    if (paused_ns)
        return TM_OK;
    tm__session_halt();
    rc = tm__merge_round(jni, 1);
    if (rc >= 0)
        rc = tm__catch_up_report();
    if (rc < 0)
        return rc;
    paused_ns = tm__now_ns();
    event.time_ns = paused_ns;
    event.object = (uint64_t)paused_ns;
    tm__long_blocked_forget_all(jni);
    tm__catch_up_forget(jni);
    return sink->events(sink->payload, &event, 1);
}

/* Recording has begun: threads created from here on report themselves. */
static int ask_all(JNIEnv *jni, tm__buffer *own, jthread asker, int64_t since_ns)
{
    jthread last = tm__agent_thread_new(jni);
    int rc = tm__catch_up_snapshot(
        jni, own, asker, last ? tm__thread_id(jni, last) : UINT64_MAX, since_ns);

    if (last)
        (*jni)->DeleteLocalRef(jni, last);
    return rc;
}

int tm__mid_run_resume(JNIEnv *jni, tm__buffer *own, jthread asker)
{
    int64_t now_ns = tm__now_ns();
    int rc;

    if (!paused_ns)
        return TM_OK;
    rc = tm__mid_run_emit_pause();
    paused_ns = 0;
    tm__switches_resume(now_ns);
    if (!tm__the_vm.reports_held)
        tm__by_hash_open();
    tm__session_begin(1);
    if (rc >= 0)
        rc = ask_all(jni, own, asker, tm__now_ns());
    return rc;
}

/* Caveats of a recording that begins late. */
static int emit_late(void)
{
    const tm_sink *sink = tm__the_recording.sink;
    int rc =
        sink->caveat(sink->payload, "Recording began in mid-run: states that began "
                                    "before it lasted longer than is shown.");

    if (rc >= 0 && !tm__the_vm.reports_held)
        rc = sink->caveat(
            sink->payload,
            "After an attach this VM does not report which monitors a thread holds: "
            "owners are known only for the monitors that blocked threads want.");
    return rc;
}

/* The VM is up: events first, and then what they cannot tell. */
int tm__mid_run_begin(JNIEnv *jni, jthread asker, tm__buffer **own)
{
    int rc = TM_OK;

    if (tm__the_vm.replaces_natives) {
        tm__io_objects_look();
        tm__natives_rebind(jni);
        if (tm__virtual_exist(jni))
            tm__virtual_install(jni);
    }
    tm__units_announce(jni);
    tm__by_hash_open();
    tm__session_begin(0);
    *own = tm__thread_buffer(jni, asker);
    if (*own)
        rc = ask_all(jni, *own, asker, tm__the_recording.start_ns);
    return rc >= 0 ? emit_late() : rc;
}
