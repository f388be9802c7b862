/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer: a thread of the VM's that comes by the buffers some twenty times a
 * second, has them merged into the trace, and makes sure that a reader could have
 * all of it by then. It alone uses the trace.
 */
#include "session/writer_thread.h"

#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <threadmodel/error.h>

#include "blocked/catch_up.h"
#include "blocked/deadlock_watch.h"
#include "blocked/long_blocked.h"
#include "blocked/part_watch.h"
#include "blocked/standstill_watch.h"
#include "capture/cpu_sampler.h"
#include "capture/cpu_use.h"
#include "capture/missing_stacks.h"
#include "capture/stack_policy.h"
#include "ident/objects_by_hash.h"
#include "ident/thread_identity.h"
#include "ring/buffer.h"
#include "rings/clock.h"
#include "rings/membarrier.h"
#include "ring/recording_state.h"
#include "ring/watchdog.h"
#include "session/agent_thread.h"
#include "session/mid_run.h"
#include "session/pace.h"
#include "session/session.h"
#include "vm/capabilities.h"
#include "vm/message.h"
#include "vm/options.h"
#include "vm/thread_mxbean.h"
#include "vm/thread_snapshot.h"
#include "vm/vm.h"
#include "writer/budget.h"
#include "writer/destination.h"
#include "writer/hurry.h"
#include "writer/limits.h"
#include "writer/merge.h"
#include "writer/overhead.h"
#include "writer/recording.h"
#include "writer/run_facts.h"
#include "writer/sampled_stacks.h"
#include "writer/stack_table.h"
#include "writer/switches.h"

/* A thread that has been blocked for longer, and without a stack, is asked for it; so
 * many take less than 1 % of a round. */
static const int64_t BLOCKED_LONG_NS = INT64_C(50000000);
enum { ASK_A_ROUND = 32, ASK_AT_END = 1000 };
/* For what is left to write the destination has three seconds. */
static const int64_t END_NS = INT64_C(10000000000);

static tm__buffer *own;
static int wake_fd = -1;
static jthread writer_thread;
static int is_quiet; /* nobody was in work when recording stopped: 0 */
static int vm_ends;
static tm__ended_fn reported_end; /* NULL: recording began with the VM */
static uint64_t emitted_kinds;    /* tm_run.kinds as emitted last */

/* Between the writer and those who want something of it. */
enum { RUNNING, ENDED_WELL, ENDED_BADLY };
static atomic_int stopping;
static atomic_int starting;
static atomic_int wanted; /* enum tm__control */
static atomic_int finished = ENDED_WELL;
static pthread_mutex_t change_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void signal_that(atomic_int *what, int value)
{
    pthread_mutex_lock(&change_lock);
    atomic_store(what, value);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&change_lock);
}

static void wait_while(atomic_int *what, int value)
{
    pthread_mutex_lock(&change_lock);
    while (atomic_load(what) == value && atomic_load(&finished) == RUNNING)
        pthread_cond_wait(&changed, &change_lock);
    pthread_mutex_unlock(&change_lock);
}

/* The same for the end of the VM, which a writer that hangs, in a file system that does
 * not answer, may not hold up for ever. By short naps: a library that fakes the time,
 * as tests preload, may have a timed wait for a condition end at once. */
static void wait_for_the_end(void)
{
    int64_t until_ns = tm__now_ns() + END_NS;

    while (atomic_load(&finished) == RUNNING && tm__now_ns() < until_ns)
        poll(NULL, 0, 1);
    if (atomic_load(&finished) == RUNNING)
        atomic_store(&tm__the_recording.is_on, 0);
}

static int report_losses(JNIEnv *jni)
{
    int rc = TM_OK;

    for (tm__buffer *b = tm__buffer_first(); b && rc >= 0; b = tm__buffer_next(b))
        rc = tm__merge_loss(jni, b, tm__now_ns());
    if (rc >= 0)
        rc = tm__catch_up_report();
    if (rc >= 0)
        rc = tm__switches_report();
    if (rc >= 0)
        rc = tm__overhead_report();
    return rc >= 0 ? tm__budget_report() : rc;
}

/* Do what was asked for. @return TM_OK or what the sink returned */
static int obey(JNIEnv *jni)
{
    int rc = TM_OK;

    switch (atomic_load(&wanted)) {
    case TM__CONTROL_NONE: return TM_OK;
    case TM__CONTROL_PAUSE: rc = tm__mid_run_pause(jni); break;
    case TM__CONTROL_RESUME: rc = tm__mid_run_resume(jni, own, writer_thread); break;
    case TM__CONTROL_STOP: atomic_store(&stopping, 1); return TM_OK;
    default: break;
    }
    if (rc >= 0 && !tm__mid_run_is_paused()) {
        tm__membarrier_wait();
        rc = tm__merge_round(jni, 0);
    }
    if (rc >= 0)
        rc = tm__recording_flush();
    signal_that(&wanted, TM__CONTROL_NONE);
    return rc;
}

/* The kinds reported of virtual threads are known once there is one: a reader must know
 * them before the events. */
static int emit_kinds(void)
{
    uint64_t kinds = atomic_load(&tm__the_recording.kinds);

    if (kinds == emitted_kinds)
        return TM_OK;
    emitted_kinds = kinds;
    return tm__run_facts_emit(0, TM_ENDING_UNKNOWN);
}

static int round_of_work(JNIEnv *jni)
{
    int rc = emit_kinds();

    if (rc < 0 || tm__mid_run_is_paused())
        return rc;
    rc = tm__merge_round(jni, 0);
    /* Ended meanwhile: no event tells any more whether a thread is still blocked. */
    if (rc < 0 || atomic_load(&tm__the_recording.ended_ns))
        return rc;
    rc = tm__overhead_emit();
    tm__catch_up_look(jni);
    rc = rc < 0 ? rc : tm__catch_up_round(jni, own);
    if (!tm__is_left_out(TM__LEFT_OUT_STACKS)) {
        tm__long_blocked_ask(jni, own, 0);
        tm__missing_stacks_ask(jni, own, tm__now_ns() - BLOCKED_LONG_NS, ASK_A_ROUND);
        tm__cpu_sampler_round(jni, own);
        tm__cpu_use_round(own, 0);
    }
    tm__standstill_watch_round(jni, own);
    tm__part_watch_round(jni, tm__destination_path());
    tm__stack_policy_pace();
    tm__budget_pace();
    return rc;
}

static int is_over(void)
{
    return atomic_load(&stopping) || tm__limits_are_reached();
}

/* With which status a VM ends, it does not tell us. */
static enum tm_ending ending(void)
{
    return atomic_load(&stopping) && vm_ends ? TM_ENDING_UNKNOWN : TM_ENDING_WENT_ON;
}

static int emit_lacking(void)
{
    const tm_sink *sink = tm__the_recording.sink;
    const char *sentence = tm__capabilities_lacking();

    return sentence ? sink->caveat(sink->payload, sentence) : TM_OK;
}

static int run_to_the_end(JNIEnv *jni)
{
    int rc;

    tm__watchdog_away();
    rc = tm__recording_connect();
    tm__watchdog_came();
    tm__pace_begin();
    emitted_kinds = 0;
    tm__run_facts_open();
    tm__budget_begin();
    if (rc >= 0)
        rc = tm__switches_emit_facts();
    if (rc >= 0)
        rc = emit_kinds();
    if (rc >= 0)
        rc = emit_lacking();
    if (rc >= 0)
        rc = tm__recording_flush();
    while (rc >= 0 && !is_over()) {
        uint64_t count;
        int woken = tm__pace_wait(wake_fd);

        tm__watchdog_came();
        if (woken && read(wake_fd, &count, sizeof(count)) < 0)
            continue;
        rc = round_of_work(jni);
        if (rc >= 0 && (woken || tm__pace_is_due())) {
            rc = tm__recording_flush();
            tm__pace_next();
        }
        if (rc >= 0)
            rc = obey(jni);
    }
    if (rc >= 0 && tm__mid_run_is_paused()) {
        is_quiet = tm__session_halt();
        rc = tm__mid_run_emit_pause();
        if (rc >= 0)
            rc = report_losses(jni);
        if (rc >= 0)
            rc = tm__limits_report();
        return rc >= 0 ? tm__run_facts_emit(tm__now_ns(), ending()) : rc;
    }
    /* A thread that is blocked for good has been so for long enough to be merged; a
     * deadlock among them is suspected in the first round, and confirmed in the second.
     */
    for (int round = 0; rc >= 0 && round < 2 && !tm__limits_are_urgent(); round++) {
        tm__session_wait();
        rc = tm__merge_round(jni, 0);
        tm__long_blocked_ask(jni, own, 1);
        tm__missing_stacks_ask(jni, own, INT64_MAX, ASK_AT_END);
    }
    if (rc >= 0 && !tm__limits_are_urgent()) {
        tm__standstill_watch_last(jni, own);
        tm__cpu_use_round(own, 1);
    }
    is_quiet = tm__session_halt();
    if (rc < 0)
        return rc;
    rc = tm__merge_round(jni, 1);
    if (rc >= 0)
        rc = report_losses(jni);
    if (rc >= 0)
        rc = tm__limits_report();
    return rc >= 0 ? tm__run_facts_emit(tm__limits_end_ns(), ending()) : rc;
}

static void close_all(JNIEnv *jni)
{
    tm__part_watch_reset();
    tm__long_blocked_close(jni);
    tm__catch_up_forget(jni);
    tm__by_hash_close();
    tm__thread_mxbean_close(jni);
    tm__thread_snapshot_close(jni);
    tm__stack_table_close();
    tm__sampled_stacks_close();
    tm__merge_close();
    tm__switches_close();
    /* The next recording does not define this thread, which may not have ended by
     * then. */
    if (own)
        own->os_id = 0;
    if (reported_end)
        reported_end(atomic_load(&wanted) == TM__CONTROL_STOP);
}

static void JNICALL writer_main(jvmtiEnv *jvmti, JNIEnv *jni, void *payload)
{
    int rc = TM_OK;

    writer_thread = NULL;
    own = NULL;
    tm__mid_run_open();
    if ((*jvmti)->GetCurrentThread(jvmti, &writer_thread) != JVMTI_ERROR_NONE)
        writer_thread = NULL;
    (void)payload;
    if (reported_end)
        rc = tm__mid_run_begin(jni, writer_thread, &own);
    else if (writer_thread)
        own = tm__thread_buffer(jni, writer_thread);
    if (own)
        tm__thread_define(own, jni, writer_thread, own->thread, own->os_id,
                          TM_THREAD_AGENT);
    signal_that(&starting, 0);
    tm__stack_table_open();
    if (tm__the_options.stacks == TM__STACKS_ADAPTIVE)
        tm__sampled_stacks_open();
    tm__deadlock_watch_open();
    tm__standstill_watch_open();
    tm__part_watch_reset();
    if (rc >= 0 && own) {
        rc = run_to_the_end(jni);
    } else {
        rc = rc < 0 ? rc : TM_ENOMEM;
        is_quiet = tm__session_halt();
    }
    tm__pace_end();
    tm__recording_close(rc);
    close_all(jni);
    if (!vm_ends)
        tm__session_leave(jni, is_quiet);
    signal_that(&finished, rc < 0 ? ENDED_BADLY : ENDED_WELL);
}

int tm__writer_start(JNIEnv *jni, tm__ended_fn ended)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jthread thread = tm__agent_thread_new(jni);
    jvmtiError error = JVMTI_ERROR_OUT_OF_MEMORY;

    reported_end = ended;
    tm__limits_begin();
    atomic_store(&stopping, 0);
    atomic_store(&wanted, TM__CONTROL_NONE);
    atomic_store(&starting, 1);
    atomic_store(&finished, RUNNING);
    if (thread)
        error = (*jvmti)->RunAgentThread(jvmti, thread, writer_main, NULL,
                                         JVMTI_THREAD_NORM_PRIORITY);
    if (error == JVMTI_ERROR_NONE) {
        if (ended)
            wait_while(&starting, 1);
        return 0;
    }
    atomic_store(&finished, ENDED_BADLY);
    tm__message("nothing is recorded: the VM starts no thread for the agent (error %d)",
                (int)error);
    return -1;
}

int tm__writer_open(void)
{
    if (wake_fd >= 0)
        return 0;
    wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (wake_fd < 0)
        return -1;
    tm__buffers_open(wake_fd);
    tm__membarrier_open();
    return 0;
}

int tm__writer_is_running(void)
{
    return atomic_load(&finished) == RUNNING;
}

int tm__writer_control(int what)
{
    atomic_store(&wanted, what);
    if (what == TM__CONTROL_STOP) {
        tm__limits_ask();
        tm__hurry();
    }
    tm__buffers_wake_writer();
    wait_while(&wanted, what);
    return atomic_load(&finished) == ENDED_BADLY ? -1 : 0;
}

void tm__writer_stop(void)
{
    vm_ends = 1;
    atomic_store(&stopping, 1);
    tm__hurry();
    tm__buffers_wake_writer();
    wait_for_the_end();
}
