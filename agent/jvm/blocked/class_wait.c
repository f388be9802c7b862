/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that needs a class which another one initialises waits within the VM, which
 * calls it runnable and reports no event. Such a thread is in Java code as far as the
 * VM says, and the scheduler has neither run nor queued it for a second. The bytecode
 * at which it stands names the class that it waits for. The initialiser has that
 * class's <clinit> on its stack, or the one of a supertype.
 *
 *      base   Base.<clinit> ─▶ new Sub      waits for Sub: leaf is at it, since it
 *      leaf   new Sub                       waits for its supertype: base is at it
 *
 * The scheduler is not asked about a thread that has reported nothing since an attach,
 * as its number is not known: it has to stand there at each look.
 *
 * Stacks are asked for only where such a thread was found that is not known yet.
 *
 * No event says when it began to wait. That was after its last event, and it ran from
 * then on, as far as nothing else was recorded that would have stopped it.
 */
#include "blocked/class_wait.h"

#include <stdio.h>
#include <string.h>

#include <threadmodel/model.h>

#include "blocked/catch_up_ask.h"
#include "blocked/class_initialisers.h"
#include "ident/class_needed.h"
#include "ident/definition_records.h"
#include "ident/method_identity.h"
#include "ident/thread_id.h"
#include "ring/schedstat.h"
#include "ring/watchdog.h"
#include "rings/clock.h"
#include "vm/options.h"
#include "vm/vm.h"

enum { SLEEPERS = 64, CLASSES = 64, TRIES = 5 };

/* A thread that seems to sleep within the VM. */
typedef struct sleeper {
    tm__class_wait wait;
    tm__schedstat use;
    int64_t first_ns; ///< of the looks at which it had used so much
    int64_t seen_ns;  ///< of the last of these
    tm__schedstat before;
    int64_t before_ns; ///< the last look at which it had used less; 0: no such look
    int tries;
    int is_seen;     ///< in this round
    int is_reported; ///< the trace has it
    int has_use;     ///< the scheduler was asked
    jthread thread;  ///< local, of this round
} sleeper;

static sleeper sleepers[SLEEPERS];
static size_t sleeper_count;
/* Objects that stand for the initialisation of a class. */
static struct {
    char name[TM__CLASS_NAME_BYTES];
    uint64_t id;
} classes[CLASSES];
static size_t class_count;
static uint64_t class_of_classes; ///< 0: not defined yet

void tm__class_waits_open(void)
{
    sleeper_count = 0;
    class_count = 0;
    class_of_classes = 0;
}

const tm__class_wait *tm__class_wait_of(uint64_t thread)
{
    for (size_t i = 0; i < sleeper_count; i++)
        if (sleepers[i].wait.thread == thread && sleepers[i].wait.owner)
            return &sleepers[i].wait;
    return NULL;
}

size_t tm__class_waits_circle(const tm__class_wait **members, size_t most,
                              int64_t before_ns)
{
    for (size_t i = 0; i < sleeper_count; i++) {
        const tm__class_wait *it = &sleepers[i].wait;
        size_t count = 0;

        if (!it->owner)
            continue;
        while (it && !it->is_deadlocked && it->since_ns <= before_ns && count < most) {
            members[count++] = it;
            it = tm__class_wait_of(it->owner);
            if (it != members[0])
                continue;
            for (size_t k = 0; k < count; k++)
                ((tm__class_wait *)members[k])->is_deadlocked = 1;
            return count;
        }
    }
    return 0;
}

/* ---- threads that sleep within the VM ---- */

static const tm__buffer *buffer_of(uint64_t thread)
{
    for (const tm__buffer *it = tm__buffer_first(); it; it = tm__buffer_next(it))
        if (it->thread == thread && !atomic_load(&it->orphan) &&
            atomic_load(&it->thread_weak))
            return it;
    return NULL;
}

static sleeper *sleeper_of(uint64_t thread)
{
    for (size_t i = 0; i < sleeper_count; i++)
        if (sleepers[i].wait.thread == thread)
            return &sleepers[i];
    if (sleeper_count == SLEEPERS)
        return NULL;
    sleepers[sleeper_count] = (sleeper){.wait = {.thread = thread}, .first_ns = -1};
    return &sleepers[sleeper_count++];
}

static int seems_to_run(jthread thread)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    jint bits = 0;

    return (*jvmti)->GetThreadState(jvmti, thread, &bits) == JVMTI_ERROR_NONE &&
           bits & JVMTI_THREAD_STATE_RUNNABLE &&
           !(bits & (JVMTI_THREAD_STATE_IN_NATIVE | JVMTI_THREAD_STATE_SUSPENDED));
}

static void look_at(JNIEnv *jni, jthread thread, int64_t now_ns)
{
    const tm__buffer *buffer;
    tm__schedstat use;
    uint64_t id;
    sleeper *it;

    if (!seems_to_run(thread) || tm__is_carrier(jni, thread))
        return;
    id = tm__thread_id(jni, thread);
    buffer = buffer_of(id);
    if (buffer && (!buffer->os_id || tm__schedstat_read(&use, buffer->os_id) != 0))
        return;
    it = sleeper_of(id);
    if (!it)
        return;
    it->is_seen = 1;
    it->thread = thread;
    it->has_use = buffer != NULL;
    if (!buffer) {
        it->first_ns = it->first_ns < 0 ? now_ns : it->first_ns;
        it->wait.owner = 0;
        it->tries = 0;
        return;
    }
    if (it->first_ns >= 0 && it->use.ran_ns == use.ran_ns &&
        it->use.waited_ns == use.waited_ns) {
        it->seen_ns = now_ns;
        return;
    }
    /* It ran: what it waited for before is over. */
    it->is_seen = !it->wait.owner;
    it->before = it->use;
    it->before_ns = it->first_ns >= 0 ? it->seen_ns : 0;
    it->seen_ns = now_ns;
    it->first_ns = now_ns;
    it->use = use;
    it->tries = 0;
}

static void name_of(char *name, jclass class)
{
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    char *signature = NULL;
    size_t length;

    *name = 0;
    if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) != JVMTI_ERROR_NONE)
        return;
    length = strlen(signature);
    if (length > 2)
        snprintf(name, TM__CLASS_NAME_BYTES, "%.*s", (int)(length - 2), signature + 1);
    for (char *at = name; *at; at++)
        if (*at == '/')
            *at = '.';
    tm__deallocate(signature);
}

/* When a thread began to wait, at the earliest look that found it so at the latest. */
static int64_t begin_of(const sleeper *it)
{
    const tm__buffer *buffer = buffer_of(it->wait.thread);
    int64_t last_ns = buffer ? buffer->switches.last_ns : 0;

    if (it->before_ns > last_ns)
        last_ns = it->before_ns + (int64_t)(it->use.ran_ns - it->before.ran_ns) +
                  (int64_t)(it->use.waited_ns - it->before.waited_ns);
    return last_ns > 0 && last_ns < it->first_ns ? last_ns : it->first_ns;
}

/* Find the other thread that initialises what a thread needs, or a supertype of it. */
static int resolve(JNIEnv *jni, sleeper *it, jclass needed, tm__initialiser *all,
                   size_t *count)
{
    for (int is_super = 0; is_super < 2; is_super++)
        for (size_t i = 0; i < *count; i++) {
            if (all[i].thread == it->wait.thread ||
                !(is_super ? (*jni)->IsAssignableFrom(jni, needed, all[i].class)
                           : (*jni)->IsSameObject(jni, needed, all[i].class)))
                continue;
            it->wait.owner = all[i].thread;
            it->wait.since_ns = begin_of(it);
            name_of(it->wait.class_name, all[i].class);
            if (is_super)
                tm__initialiser_add(all, count, it->wait.thread, needed);
            return 1;
        }
    return 0;
}

static int is_to_be_resolved(const sleeper *it, int64_t now_ns)
{
    return it->is_seen && !it->wait.owner && it->tries < TRIES && it->first_ns < now_ns;
}

static void resolve_all(JNIEnv *jni, const jthread *threads, jint count, int64_t now_ns)
{
    tm__initialiser all[TM__INITIALISERS];
    jclass needed[SLEEPERS] = {0};
    size_t found = 0;
    int is_new = 1;

    for (jint i = 0; i < count; i++)
        tm__initialisers_find(jni, threads[i], all, &found);
    for (size_t i = 0; i < sleeper_count; i++)
        if (is_to_be_resolved(&sleepers[i], now_ns)) {
            sleepers[i].tries++;
            needed[i] = found ? tm__class_needed(jni, sleepers[i].thread) : NULL;
        }
    while (is_new) {
        is_new = 0;
        for (size_t i = 0; i < sleeper_count; i++)
            if (needed[i] && !sleepers[i].wait.owner)
                is_new |= resolve(jni, &sleepers[i], needed[i], all, &found);
    }
}

/* ---- the trace ---- */

static uint64_t object_of(tm__buffer *own, const char *class_name)
{
    char name[TM__CLASS_NAME_BYTES + 32];

    for (size_t i = 0; i < class_count; i++)
        if (strcmp(classes[i].name, class_name) == 0)
            return classes[i].id;
    if (class_count == CLASSES)
        return 0;
    snprintf(name, sizeof(name), "initialisation of %s", class_name);
    if (!class_of_classes)
        class_of_classes = tm__class_by_name(own, "Ljava/lang/Class;");
    classes[class_count].id =
        tm__object_by_name(own, class_of_classes, TM_OBJECT_KIND_ONCE, name);
    if (!classes[class_count].id)
        return 0;
    snprintf(classes[class_count].name, sizeof(classes[class_count].name), "%s",
             class_name);
    return classes[class_count++].id;
}

/* @return 0; -1: there was no room */
static int emit(tm__buffer *own, JNIEnv *jni, const sleeper *it, int state)
{
    size_t room = (size_t)(tm__the_options.depth + 1) * sizeof(jvmtiFrameInfo);
    uint64_t object =
        state == TM_STATE_BLOCKED ? object_of(own, it->wait.class_name) : 0;
    jvmtiEnv *jvmti = tm__the_vm.jvmti;
    tm__record *record;
    jint depth = (jint)tm__the_options.depth, count = 0;

    if (state == TM_STATE_BLOCKED && !object)
        return -1;
    record = tm__thread_ring_reserve(&own->ring, room);
    if (!record)
        return -1;
    if (state == TM_STATE_BLOCKED && tm__the_options.stacks != TM__STACKS_NONE &&
        (*jvmti)->GetStackTrace(jvmti, it->thread, 0, depth + 1,
                                (jvmtiFrameInfo *)(record + 1),
                                &count) != JVMTI_ERROR_NONE)
        count = 0;
    record->kind = TM_EVENT_SNAPSHOT;
    record->event.stack_flags = count > depth ? TM_STACK_TRUNCATED : 0;
    record->event.frame_count = (uint32_t)(count > depth ? depth : count);
    record->event.fact = (tm_event){
        .time_ns = object ? it->wait.since_ns : tm__now_ns(),
        .thread = it->wait.thread,
        .object = object,
        .peer = object ? it->wait.owner : 0,
        .value = state,
        .kind = TM_EVENT_SNAPSHOT,
        .flags = object ? TM_EVENT_PEER_REPORTED | TM_EVENT_CONFIRMED |
                              TM_EVENT_INITIALISATION
                        : 0,
    };
    tm__record_set_weak(&record->event,
                        count > 0 ? (*jni)->NewWeakGlobalRef(jni, it->thread) : NULL);
    tm__methods_commit(own, record, record->event.frame_count * sizeof(jvmtiFrameInfo));
    return 0;
}

/* A thread that waits may have acquired and released anything before, but not what
 * others wait for it to end. */
static void emit_owner(tm__buffer *own, const sleeper *it)
{
    tm__catch_up_held(own, it->wait.owner, object_of(own, it->wait.class_name), -1,
                      tm__now_ns());
}

static void report(tm__buffer *own, JNIEnv *jni)
{
    size_t kept = 0;
    int is_new = 0;

    for (size_t i = 0; i < sleeper_count; i++) {
        sleeper *it = &sleepers[i];

        if (!it->has_use && !it->wait.owner)
            it->is_seen = !it->is_reported;
        if (it->is_seen && it->wait.owner && !it->is_reported)
            is_new |= it->is_reported = emit(own, jni, it, TM_STATE_BLOCKED) == 0;
        if (!it->is_seen && it->is_reported)
            emit(own, jni, it, TM_STATE_RUNNING);
        if (it->is_seen)
            sleepers[kept++] = *it;
    }
    sleeper_count = kept;
    for (size_t i = 0; is_new && i < kept; i++)
        if (sleepers[i].is_reported)
            emit_owner(own, &sleepers[i]);
}

void tm__class_waits_round(JNIEnv *jni, tm__buffer *own, jthread *threads, jint count)
{
    int64_t now_ns = tm__now_ns();
    int is_any = 0;

    for (size_t i = 0; i < sleeper_count; i++)
        sleepers[i].is_seen = 0;
    for (jint i = 0; i < count; i++) {
        tm__watchdog_came();
        look_at(jni, threads[i], now_ns);
    }
    for (size_t i = 0; i < sleeper_count; i++)
        is_any |= is_to_be_resolved(&sleepers[i], now_ns);
    if (is_any && (*jni)->PushLocalFrame(jni, TM__INITIALISERS + SLEEPERS * 2) == 0) {
        resolve_all(jni, threads, count, now_ns);
        (*jni)->PopLocalFrame(jni, NULL);
    }
    report(own, jni);
}
