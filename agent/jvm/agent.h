/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the JVM TI agent share.
 *
 *   VM's threads                                     the writer thread
 *   capture/ ──▶ ring/ (one a thread) ──▶ writer/, blocked/ ──▶ trace
 *      └─ ident/ (who is who)
 */
#ifndef TM_AGENT_AGENT_H
#define TM_AGENT_AGENT_H

#include <jvmti.h>
#include <stdatomic.h>
#include <time.h>

#include <threadmodel/sink.h>

#include "ring/buffer.h"
#include "vm/message.h"
#include "vm/options.h"

typedef struct tm__agent {
    JavaVM *vm;
    jvmtiEnv *jvmti;
    tm__options options;
    atomic_int recording;     ///< 0: callbacks return at once
    const tm_sink *sink;      ///< of the trace
    _Atomic uint64_t kinds;   ///< as in tm_run: what this VM lets us report
    int vm_release;           ///< 17, 25
    int tells_held;           ///< the VM tells which monitors a thread holds
    int stands_in;            ///< native methods of the JDK may be replaced
    _Atomic uint32_t session; ///< changes whenever recording begins
    atomic_int entering;      ///< threads that are about to get a buffer
    uint64_t run_id;          ///< at random
    int64_t start_ns;
    int64_t start_wall_ns;
    jclass thread_class;  ///< global references; the second NULL where unknown
    jclass virtual_class; ///< java.lang.BaseVirtualThread
    jfieldID thread_tid;
    jfieldID thread_interrupted; ///< NULL where the VM has none; so the next five
    jfieldID thread_name;
    jfieldID thread_container;
    jfieldID thread_blocker;
    jclass initialisation_class; ///< int[]: of what is locked to initialise a class
    jclass synchronizer_class;   ///< j.u.c.locks.AbstractOwnableSynchronizer
    jfieldID synchronizer_owner;
} tm__agent;

/** The agent: a VM has one, and a process has one VM. */
extern tm__agent tm__the_agent;

/** Now, on the clock of all our events. About 50 ns, in user space. */
static inline int64_t tm__now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/** Whoever calls Java has to look whether it threw. What it threw is dropped. */
static inline int tm__threw(JNIEnv *jni)
{
    int it_did = (*jni)->ExceptionCheck(jni);

    if (it_did)
        (*jni)->ExceptionClear(jni);
    return it_did;
}

/** The first instant after a time on a grid that begins with the recording: what may
 * wait a little is done together then. */
static inline int64_t tm__on_grid_ns(int64_t time_ns, int64_t every_ns)
{
    int64_t since_ns = time_ns - tm__the_agent.start_ns;

    return time_ns + every_ns - since_ns % every_ns;
}

/* load.c: the agent's life in the VM */

/**
 * Begin to record in a VM that is up.
 * @return 0; -1: it cannot be, which was said
 */
int tm__agent_begin(JNIEnv *jni);

/* jvmti_events.c: what the VM calls */

/** Add our functions to those that the VM is going to be told of. */
void tm__events_set(jvmtiEventCallbacks *callbacks);
/** Have the VM call us for every event, or not any more. @return 0, or its error */
jvmtiError tm__events_enable(int on);

/* native_hooks.c: what the VM has no events for */

/** Have native methods replaced when they are bound, from the next one on. */
void tm__hooks_set(jvmtiEventCallbacks *callbacks);

/* thread_identity.c: which thread */

/** @return 0; -1: this VM's threads have no number that we can read */
int tm__identity_open(JNIEnv *jni);
/** @return Thread.threadId(), 0 for none */
uint64_t tm__thread_id(JNIEnv *jni, jthread thread);
/**
 * Whether a number is that of a carrier, of these threads: what the virtual thread on
 * it has, the VM may say that it has.
 */
int tm__carrier_has_id(JNIEnv *jni, uint64_t id, const jthread *threads, jint count);
/**
 * Put a thread's name, group and so on into a buffer, if they are new there.
 * @param os_id  0: not known
 * @param flags  enum tm_thread_flag, added to those found
 * @return 0; -1: no room, or the thread has gone
 */
int tm__thread_define(tm__buffer *buffer, JNIEnv *jni, jthread thread, uint64_t id,
                      uint64_t os_id, uint32_t flags);
/** The same for a virtual thread, unless it was done here lately. */
void tm__virtual_define(tm__buffer *buffer, JNIEnv *jni, jthread thread, uint64_t id);
/** Whether virtual threads run on a thread. */
int tm__is_carrier(JNIEnv *jni, jthread thread);
/** The calling thread's buffer, made when it is first asked for; NULL: no memory. */
tm__buffer *tm__thread_buffer(JNIEnv *jni, jthread thread);

/* object_identity.c: which object, which class */

/** Longer names are cut: a record must fit the smallest ring many times over. */
enum { TM__TEXT_BYTES = 2000 };

void tm__tags_open(void);
/** Copy as much of a text as a record may have. @return bytes */
uint32_t tm__text_copy(char *to, const char *text);
/** @return the id of an object, which is defined by then; 0: not known */
uint64_t tm__object_id(tm__buffer *buffer, JNIEnv *jni, jobject object);
/** The same, and note that somebody waits on it.
 * @param[out] joined  the thread whose object this is, 0: it is none */
uint64_t tm__waited_on_id(tm__buffer *buffer, JNIEnv *jni, jobject object,
                          uint64_t *joined);
/** The same as tm__object_id(), of something that a thread parks for.
 * @param[out] is_synchronizer  it is of a class that knows its owner */
uint64_t tm__parked_for_id(tm__buffer *buffer, JNIEnv *jni, jobject object,
                           int *is_synchronizer);
/** The same. @param[out] was_waited_on  somebody did, ever, by Object.wait */
uint64_t tm__notified_id(tm__buffer *buffer, JNIEnv *jni, jobject object,
                         int *was_waited_on);
/** A number that nothing has. */
uint64_t tm__identity_new(void);
/** Put down what is known of a class by its signature alone. @return its number */
uint64_t tm__class_by_name(tm__buffer *own, const char *signature);
/** The same of an object. */
void tm__object_by_hash(tm__buffer *own, uint64_t number, uint64_t class_id,
                        uint32_t hash);
/** @return the id of a class, which is defined by then; 0: not known */
uint64_t tm__class_id(tm__buffer *buffer, JNIEnv *jni, jclass class);

/* definitions.c: from records to definitions, on the writer thread */

/** Pour all that a buffer holds now. @return TM_OK or what the sink returned */
int tm__define_all(tm__buffer *buffer);

/* stack_table.c: methods and stacks, on the writer thread */

void tm__code_open(void);
/** Pour what a method is, the first time. @return TM_OK or what the sink returned */
int tm__code_method(const tm__record *record);
/**
 * The number of a stack, defined in the trace on first sight.
 * @param[out] id    0 where there are no frames
 * @return TM_OK or what the sink returned
 */
int tm__code_stack(uint32_t *id, const jvmtiFrameInfo *frames, uint32_t count,
                   int truncated);
void tm__code_close(void);

/* stack_loans.c: stacks of events whose own was not taken, on the writer thread */

void tm__samples_open(void);
/** An object was defined, of this class. */
void tm__samples_meet(uint64_t object, uint64_t class_id);
/** Learn the stack of an event, or give it one. Events come by rising time. */
void tm__samples_follow(tm_event *event, int is_virtual);
/** Events that were given a stack, and hold-ups that got none. */
uint64_t tm__samples_shown(void);
uint64_t tm__samples_bare(void);
void tm__samples_close(void);

/* long_blocked.c: threads that are held up for long, on the writer thread */

/**
 * Follow the hold-ups: called for every event that begins or ends one, as it is
 * poured.
 * @param weak          to the thread object, where the event begins one
 * @param weak_is_ours  it is deleted when that ends
 */
void tm__standing_follow(JNIEnv *jni, const tm_event *event, jweak weak,
                         int weak_is_ours);
/**
 * Ask the VM about those that have lasted for long, once a hold-up.
 * @param own    the writer thread's buffer
 * @param final  about all, however long it takes
 */
void tm__standing_ask(JNIEnv *jni, tm__buffer *own, int final);
/** When to ask next; INT64_MAX: nobody stands. */
int64_t tm__standing_due_ns(int64_t now_ns);
/** Pour the answers of those that still stand when all events before `horizon_ns`
 * have been followed, and report what deadlocks they show. @return TM_OK or what
 * the sink returned */
int tm__standing_pour(JNIEnv *jni, int64_t horizon_ns);
void tm__standing_forget_all(JNIEnv *jni);
void tm__standing_close(JNIEnv *jni);

/* missed_notifies.c: whether calls are missing, on the writer thread */

void tm__selfcheck_follow(const tm_event *event);
/** Say so if they are. @return TM_OK or what the sink returned */
int tm__selfcheck_report(void);

/* overhead.c: what recording cost, on the writer thread */

/** Put down what it cost so far. */
void tm__cost_add(tm_run *run);
/** Pour that, if it was not lately. @return TM_OK or what the sink returned */
int tm__cost_tell(void);
/** Say what was left out. @return TM_OK or what the sink returned */
int tm__cost_report(void);

/* merge.c: from all buffers into the trace, on the writer thread */

/**
 * Pour what all buffers hold, but for what a thread may still come before.
 * @param final  no thread adds to a buffer any more: pour all
 * @return TM_OK or what the sink returned
 */
int tm__merge_round(JNIEnv *jni, int final);
/** Say what a thread lost and never had room to say itself. */
int tm__merge_loss(tm__buffer *buffer, int64_t time_ns);
void tm__merge_close(void);

/* recording.c: from the options to a trace */

/** Open the trace. @return 0; -1: nothing can be recorded, which was said */
int tm__recording_open(void);
/** The VM is up: have room for what its threads will report. */
void tm__recording_begin(void);
/** Find the listener, on the writer thread: that may take long. @return TM_OK or TM_EIO
 */
int tm__recording_connect(void);
/** Have all that was poured in the file, and its room in the rings free again.
 * @return TM_OK or what the sink returned */
int tm__recording_flush(void);
/** Complete the trace, and close it. @param rc  what the recording came to */
void tm__recording_close(int rc);

/* run_facts.c: facts of the run as a whole */

/** Pour what is known before there is a VM. @return TM_OK or what the sink returned */
int tm__run_announce(void);
/** Pour all. @param end_ns  0: it goes on  @return TM_OK or what the sink returned */
int tm__run_report(int64_t end_ns);

/* writer_thread.c: the thread that writes */

/** Get ready, before there are threads. @return 0; -1: no file descriptor for it */
int tm__writer_open(void);
/**
 * Start the thread that writes.
 * @param is_late  it is to begin the recording, in a VM that is up, and when this
 *                 returns has told what all threads are doing
 * @return 0; -1: it cannot be, which was said
 */
int tm__writer_start(JNIEnv *jni, int is_late);
int tm__writer_is_running(void);
/** Have the writer do something, and wait until it is done. @param what  enum
 * tm__control  @return 0; -1: the recording ended with an error */
int tm__writer_control(int what);
/** The VM ends: have all that is in the buffers written, and the trace closed. */
void tm__writer_stop(void);

#endif
