/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer: a thread of the VM's that comes by the buffers twenty times a
 * second, has them merged into the trace, and makes sure that a reader could have
 * all of it by then. It alone uses the trace.
 */
#include "sampler.h"
#include "stacks.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <threadmodel/error.h>

#include "outlet.h"
#include "standing.h"

/* Who has been held up for longer, and without a stack, is asked for it; so many take
 * less than 1 % of a round. */
static const int64_t HELD_UP_LONG_NS = INT64_C(50000000);
enum { ASK_A_ROUND = 32, ASK_AT_END = 1000 };
enum { ROUND_MS = 50 };

static tm__buffer *own;
static int wake_fd = -1;
static atomic_int stopping;
static int finished = 1;
static pthread_mutex_t finished_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t finished_signal = PTHREAD_COND_INITIALIZER;

static int report_losses(void)
{
    int rc = TM_OK;

    for (tm__buffer *b = tm__buffer_first(); b && rc >= 0; b = b->next)
        rc = tm__merge_loss(b, tm__now_ns());
    return rc >= 0 ? tm__cost_report() : rc;
}

/* The callbacks that run now may still commit what they have begun. */
static void wait_until_idle(void)
{
    for (int tries = 0; tries < 100; tries++) {
        int busy = 0;

        for (tm__buffer *b = tm__buffer_first(); b; b = b->next)
            busy |= atomic_load(&b->since) != TM__IDLE;
        if (!busy)
            return;
        poll(NULL, 0, 1);
    }
}

/* How long to wait: for the next round, or until a question is due. */
static int pause_ms(int64_t round_ns)
{
    int64_t now_ns = tm__now_ns();
    int64_t due_ns = tm__standing_due_ns(now_ns);
    int64_t left_ns;

    if (tm__sampler_due_ns() < due_ns)
        due_ns = tm__sampler_due_ns();
    left_ns = (due_ns < round_ns ? due_ns : round_ns) - now_ns;

    return left_ns > 0 ? (int)(left_ns / 1000000) + 1 : 1;
}

static int run_to_the_end(JNIEnv *jni)
{
    int64_t round_ns = tm__now_ns();
    int rc = tm__recording_connect();

    if (rc >= 0)
        rc = tm__run_report(0);
    if (rc >= 0)
        rc = tm__recording_flush();
    while (rc >= 0 && !atomic_load(&stopping)) {
        struct pollfd wake = {.fd = wake_fd, .events = POLLIN};
        uint64_t count;
        int woken = poll(&wake, 1, pause_ms(round_ns)) > 0;

        if (woken && read(wake_fd, &count, sizeof(count)) < 0)
            continue;
        rc = tm__merge_round(jni, own, 0);
        if (rc >= 0 && (woken || tm__now_ns() >= round_ns)) {
            rc = tm__recording_flush();
            round_ns = tm__now_ns() + ROUND_MS * INT64_C(1000000);
        }
        tm__standing_ask(jni, own, 0);
        tm__stacks_ask(jni, own, tm__now_ns() - HELD_UP_LONG_NS, ASK_A_ROUND);
        tm__stacks_pace();
        tm__sampler_round(jni, own);
    }
    /* Who is blocked for good has been so for long enough to be merged; a deadlock
     * among them is suspected in the first round, and confirmed in the second. */
    for (int round = 0; rc >= 0 && round < 2; round++) {
        poll(NULL, 0, 2 * TM__MERGE_SLACK_MS);
        wait_until_idle();
        rc = tm__merge_round(jni, own, 0);
        tm__standing_ask(jni, own, 1);
        tm__stacks_ask(jni, own, INT64_MAX, ASK_AT_END);
    }
    atomic_store(&tm__the_agent.recording, 0);
    tm__events_enable(0);
    if (rc < 0)
        return rc;
    wait_until_idle();
    rc = tm__merge_round(jni, own, 1);
    if (rc >= 0)
        rc = report_losses();
    return rc >= 0 ? tm__run_report(tm__now_ns()) : rc;
}

static void JNICALL writer_main(jvmtiEnv *jvmti, JNIEnv *jni, void *payload)
{
    jthread self = NULL;
    int rc;

    (void)payload;
    if ((*jvmti)->GetCurrentThread(jvmti, &self) == JVMTI_ERROR_NONE)
        own = tm__thread_buffer(jni, self);
    if (own)
        tm__thread_define(own, jni, self, own->thread, own->os_id, TM_THREAD_AGENT);
    tm__merge_open();
    tm__code_open();
    if (tm__the_agent.options.stacks == TM__STACKS_ADAPTIVE)
        tm__samples_open();
    tm__deadlock_open();
    rc = own ? run_to_the_end(jni) : TM_ENOMEM;
    tm__recording_close(rc);
    tm__standing_close(jni);
    tm__code_close();
    tm__samples_close();
    tm__merge_close();
    pthread_mutex_lock(&finished_lock);
    finished = 1;
    pthread_cond_broadcast(&finished_signal);
    pthread_mutex_unlock(&finished_lock);
}

/* A Thread object in the system group, not yet started. */
static jthread new_thread(JNIEnv *jni)
{
    jvmtiEnv *jvmti = tm__the_agent.jvmti;
    jclass class = tm__the_agent.thread_class;
    jthreadGroup *groups = NULL;
    jint group_count = 0;
    jthread thread = NULL;
    jstring name = (*jni)->NewStringUTF(jni, "threadmodel writer");
    jmethodID constructor = (*jni)->GetMethodID(
        jni, class, "<init>", "(Ljava/lang/ThreadGroup;Ljava/lang/String;)V");

    if ((*jvmti)->GetTopThreadGroups(jvmti, &group_count, &groups) ==
            JVMTI_ERROR_NONE &&
        group_count > 0 && name && constructor)
        thread = (*jni)->NewObject(jni, class, constructor, groups[0], name);
    if (groups)
        (*jvmti)->Deallocate(jvmti, (unsigned char *)groups);
    (*jni)->ExceptionClear(jni);
    return thread;
}

int tm__writer_start(JNIEnv *jni)
{
    jvmtiEnv *jvmti = tm__the_agent.jvmti;
    jthread thread = new_thread(jni);
    jvmtiError error = JVMTI_ERROR_OUT_OF_MEMORY;

    finished = 0;
    if (thread)
        error = (*jvmti)->RunAgentThread(jvmti, thread, writer_main, NULL,
                                         JVMTI_THREAD_NORM_PRIORITY);
    if (error == JVMTI_ERROR_NONE)
        return 0;
    finished = 1;
    tm__complain(
        "nothing is recorded: the VM starts no thread for the agent (error %d)",
        (int)error);
    return -1;
}

int tm__writer_open(void)
{
    wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (wake_fd >= 0)
        tm__buffers_open(wake_fd);
    return wake_fd >= 0 ? 0 : -1;
}

void tm__writer_stop(void)
{
    uint64_t one = 1;

    atomic_store(&stopping, 1);
    tm__outlet_hurry();
    /* At worst the writer comes by at its own time. */
    (void)!write(wake_fd, &one, sizeof(one));
    pthread_mutex_lock(&finished_lock);
    while (!finished)
        pthread_cond_wait(&finished_signal, &finished_lock);
    pthread_mutex_unlock(&finished_lock);
}
