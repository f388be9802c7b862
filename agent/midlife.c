/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that were there before recording began, at an attach or after a pause.
 * Events come in while they are asked, so each may have moved on: what a thread
 * reports itself counts, and an answer only where it has reported nothing so far.
 *
 *      recording ────────── asked ─────────▶
 *      A      ──ENTERED──        it was blocked before: its own event says so
 *      B      ─────────────────  blocked, as the VM says
 *      C      ─────────────WAIT  its own event says so; the answer came too late
 *
 * A park or sleep that began before our stand-in was in its place ends without an
 * event. Who was found in one is looked at again, a round each, until it has moved.
 *
 * Once a recording, for some hundred threads; virtual ones are not listed by the VM,
 * and show when they first report something.
 */
#include "midlife.h"

#include <stdlib.h>
#include <string.h>

#include <threadmodel/error.h>
#include <threadmodel/model.h>

#include "base/map.h"
#include "foreign.h"
#include "management.h"
#include "methods.h"
#include "snapshot.h"

enum { TRIES = 3, ASK_A_ROUND = 256 };

#define KNOWN (TM__NONE - 1)

/* One that is parked or asleep, and whose end no event tells. */
typedef struct silent {
    uint64_t thread; ///< 0: it is over
    uint64_t object;
    jweak weak;
    int64_t left_ns; ///< it was seen to have moved then; 0: not yet
    uint16_t end;    ///< enum tm_event_kind
} silent;

static tm__memory memory;
static tm__map threads; /* by id: silent_list[], or KNOWN */
static silent *silent_list;
static uint32_t silent_count, silent_capacity, silent_left;
static uint64_t newest; /* threads with a higher number began later; 0: not in use */
static int64_t began_ns;

/* Whether a thread has reported something of its own. */
static int has_spoken(uint64_t thread)
{
    for (const tm__buffer *b = tm__buffer_first(); b; b = b->next)
        if (b->thread == thread && !atomic_load(&b->orphan) && b->listed &&
            (atomic_load_explicit(&b->since, memory_order_acquire) != TM__IDLE ||
             atomic_load_explicit(&b->ring->head, memory_order_acquire) != b->renewed))
            return 1;
    return 0;
}

/* To wait on a thread is to join it. @return its index, -1: it is none of them */
static jint find_thread(const tm__lock_info *lock, const jthread *all, jint count)
{
    jvmtiEnv *jvmti = tm__the_agent.jvmti;

    if (!lock->class || !strstr(lock->class, "Thread"))
        return -1;
    for (jint i = 0; i < count; i++) {
        jint hash = 0;

        if ((*jvmti)->GetObjectHashCode(jvmti, all[i], &hash) == JVMTI_ERROR_NONE &&
            (uint32_t)hash == lock->hash)
            return i;
    }
    return -1;
}

static uint64_t lock_id(tm__buffer *own, JNIEnv *jni, const tm__lock_info *lock,
                        const jthread *all, jint count)
{
    jint thread = find_thread(lock, all, count);

    if (thread >= 0)
        return tm__object_id(own, jni, all[thread]);
    return lock->class ? tm__foreign_id(own, lock->class, lock->hash) : 0;
}

/* What a parked thread names as the reason, as the object itself. */
static uint64_t blocker_id(tm__buffer *own, JNIEnv *jni, jthread thread)
{
    jobject blocker =
        tm__the_agent.thread_blocker
            ? (*jni)->GetObjectField(jni, thread, tm__the_agent.thread_blocker)
            : NULL;
    int is_synchronizer;
    uint64_t id = blocker ? tm__parked_for_id(own, jni, blocker, &is_synchronizer) : 0;

    if (blocker)
        (*jni)->DeleteLocalRef(jni, blocker);
    return id;
}

/* A blocked thread whose innermost frame is Object.wait was notified. */
static int is_in_wait(const jvmtiFrameInfo *frames, jint count)
{
    jvmtiEnv *jvmti = tm__the_agent.jvmti;
    char *name = NULL;
    int is;

    if (count == 0 || (*jvmti)->GetMethodName(jvmti, frames[0].method, &name, NULL,
                                              NULL) != JVMTI_ERROR_NONE)
        return 0;
    is = strcmp(name, "wait") == 0 || strcmp(name, "wait0") == 0;
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    return is;
}

static void commit_held(tm__buffer *own, const tm__thread_info *info, uint64_t object,
                        int32_t depth, int64_t time_ns)
{
    tm__record *record = tm__buffer_reserve(own, 0);

    if (!record) {
        tm__buffer_lose(own, time_ns);
        return;
    }
    record->kind = TM_EVENT_HELD;
    record->event = (tm_event){
        .time_ns = time_ns,
        .thread = info->thread,
        .object = object,
        .value = depth,
        .kind = TM_EVENT_HELD,
        .flags = TM_EVENT_PEER_REPORTED | TM_EVENT_CONFIRMED,
    };
    tm__record_set_weak(record, NULL);
    tm__buffer_commit(own, record, 0);
}

static void watch(JNIEnv *jni, uint64_t thread, jthread object, const tm_event *event)
{
    if (tm__reserve(&memory, &silent_list, &silent_capacity, (size_t)silent_count + 1,
                    sizeof(*silent_list)) < 0)
        return;
    silent_list[silent_count] = (silent){
        .thread = thread,
        .object = event->object,
        .weak = (*jni)->NewWeakGlobalRef(jni, object),
        .end = event->value == TM_STATE_PARKED ? TM_EVENT_UNPARKED : TM_EVENT_SLEPT,
    };
    if (tm__map_put(&threads, thread, silent_count) == TM_OK) {
        silent_count++;
        silent_left++;
    }
}

/* What one thread is doing, as an event and its frames in `record`. @return 0: it
 * moved while it was asked */
static int ask(jthread thread, tm__record *record, const tm__thread_info *info,
               uint64_t wanted, uint64_t blocker)
{
    jvmtiEnv *jvmti = tm__the_agent.jvmti;
    jvmtiFrameInfo *frames = (jvmtiFrameInfo *)(record + 1);
    jint depth = (jint)tm__the_agent.options.depth, count = 0;
    int state = tm__snapshot_state(thread);

    record->event = (tm_event){.kind = TM_EVENT_SNAPSHOT, .value = state};
    if (state > TM_STATE_RUNNING &&
        (*jvmti)->GetStackTrace(jvmti, thread, 0, depth + 1, frames, &count) !=
            JVMTI_ERROR_NONE)
        count = 0;
    record->truncated = count > depth;
    record->extra = (uint32_t)(count > depth ? depth : count);
    if (state == TM_STATE_PARKED)
        record->event.object = blocker;
    else if (state == TM_STATE_BLOCKED || state == TM_STATE_WAITING)
        record->event.object = wanted;
    if (state == TM_STATE_BLOCKED && is_in_wait(frames, count))
        record->event.value = TM_STATE_REENTERING;
    if (state == TM_STATE_BLOCKED || state == TM_STATE_PARKED)
        record->event.peer = info->owner;
    else if (state == TM_STATE_WAITING)
        record->event.peer = info->joined;
    record->event.flags = record->event.peer ? TM_EVENT_PEER_REPORTED : 0;
    return tm__snapshot_state(thread) == state &&
           (state == TM_STATE_BLOCKED) == (info->is_blocked != 0);
}

/* Objects have been numbered by now: a ring has one record in work at a time. */
static void report(tm__buffer *own, JNIEnv *jni, jthread thread,
                   const tm__thread_info *info, uint64_t wanted, const uint64_t *held)
{
    size_t frames = (size_t)(tm__the_agent.options.depth + 1) * sizeof(jvmtiFrameInfo);
    uint64_t blocker = blocker_id(own, jni, thread);
    tm__record *record;
    tm_event event;
    int64_t time_ns;
    int is_held_up;

    record = tm__buffer_reserve(own, frames);
    if (!record) {
        tm__buffer_lose(own, tm__now_ns());
        return;
    }
    for (int tries = 0; !ask(thread, record, info, wanted, blocker); tries++)
        if (tries == TRIES)
            return;
    time_ns = tm__now_ns();
    if (record->event.value == TM_STATE_UNKNOWN || has_spoken(info->thread))
        return;
    is_held_up = record->event.value > TM_STATE_RUNNING;
    record->kind = TM_EVENT_SNAPSHOT;
    record->event.time_ns = time_ns;
    record->event.thread = info->thread;
    event = record->event;
    tm__record_set_weak(record,
                        is_held_up ? (*jni)->NewWeakGlobalRef(jni, thread) : NULL);
    tm__methods_commit(own, record, record->extra * sizeof(jvmtiFrameInfo));
    commit_held(own, info, 0, 0, time_ns);
    for (uint32_t i = 0; i < info->held_count; i++)
        /* The one that it waits on is not held meanwhile. */
        if (held[i] && !(event.value == TM_STATE_WAITING && held[i] == event.object))
            commit_held(own, info, held[i], info->held[i].depth, time_ns);
    if (event.value == TM_STATE_PARKED || event.value == TM_STATE_SLEEPING)
        watch(jni, info->thread, thread, &event);
    else
        tm__map_put(&threads, info->thread, KNOWN);
}

static void snapshot_one(tm__buffer *own, JNIEnv *jni, const jthread *all, jint count,
                         jint i, tm__thread_info *info)
{
    tm__thread_info none = {.thread = tm__thread_id(jni, all[i])};
    uint64_t *held = NULL;
    uint64_t wanted;
    jint joined;

    if (!info)
        info = &none;
    joined = find_thread(&info->wanted, all, count);
    if (joined >= 0 && joined != i)
        info->joined = tm__thread_id(jni, all[joined]);
    if (tm__carrier_has_id(jni, info->owner, all, count))
        info->owner = 0;
    if (tm__thread_define(own, jni, all[i], info->thread, 0, 0) != 0)
        return;
    wanted = lock_id(own, jni, &info->wanted, all, count);
    held = calloc((size_t)info->held_count + 1, sizeof(*held));
    for (uint32_t j = 0; held && j < info->held_count; j++)
        held[j] = lock_id(own, jni, &info->held[j], all, count);
    if (held)
        report(own, jni, all[i], info, wanted, held);
    free(held);
}

void tm__midlife_snapshot(JNIEnv *jni, tm__buffer *own, jthread self, int64_t since_ns)
{
    jvmtiEnv *jvmti = tm__the_agent.jvmti;
    tm__thread_info *infos;
    jthread *all = NULL;
    jint count = 0;
    size_t info_count;

    tm__memory_init(&memory, NULL);
    tm__map_init(&threads, &memory);
    began_ns = since_ns;
    newest = tm__thread_id(jni, self);
    tm__management_open(jni);
    info_count = tm__management_threads(&infos, jni);
    if ((*jvmti)->GetAllThreads(jvmti, &count, &all) != JVMTI_ERROR_NONE)
        count = 0;
    for (jint i = 0; i < count; i++)
        if (!(*jni)->IsSameObject(jni, all[i], self))
            snapshot_one(
                own, jni, all, count, i,
                tm__management_find(infos, info_count, tm__thread_id(jni, all[i])));
    for (jint i = 0; i < count; i++)
        (*jni)->DeleteLocalRef(jni, all[i]);
    if (all)
        (*jvmti)->Deallocate(jvmti, (unsigned char *)all);
    tm__management_free(infos, info_count);
}

static int pour_end(silent *it, int64_t time_ns)
{
    const tm_sink *sink = tm__the_agent.sink;
    tm_event event = {
        .time_ns = time_ns,
        .thread = it->thread,
        .object = it->end == TM_EVENT_UNPARKED ? it->object : 0,
        .kind = it->end,
    };

    it->thread = 0;
    silent_left--;
    return sink->events(sink->payload, &event, 1);
}

/* The first event of a thread that was not asked may end what began before. */
static int pour_beginning(const tm_event *event)
{
    static const uint8_t states[TM_EVENT_KIND_END] = {
        [TM_EVENT_CONTENDED_ENTERED] = TM_STATE_BLOCKED,
        [TM_EVENT_WAITED] = TM_STATE_WAITING,
        [TM_EVENT_UNPARKED] = TM_STATE_PARKED,
        [TM_EVENT_SLEPT] = TM_STATE_SLEEPING,
    };
    const tm_sink *sink = tm__the_agent.sink;
    tm_event snapshot = {
        .time_ns = began_ns,
        .thread = event->thread,
        .object = event->object,
        .value = states[event->kind],
        .kind = TM_EVENT_SNAPSHOT,
    };

    return snapshot.value ? sink->events(sink->payload, &snapshot, 1) : TM_OK;
}

int tm__midlife_follow(const tm_event *event)
{
    uint32_t found;
    int rc;

    if (event->thread > newest || !event->thread || event->kind == TM_EVENT_SNAPSHOT ||
        event->kind == TM_EVENT_HELD)
        return TM_OK;
    found = tm__map_find(&threads, event->thread);
    if (found == TM__NONE) {
        rc = tm__map_put(&threads, event->thread, KNOWN);
        return rc < 0 ? rc : pour_beginning(event);
    }
    if (found == KNOWN || !silent_list[found].thread)
        return TM_OK;
    return pour_end(&silent_list[found], event->time_ns);
}

void tm__midlife_ask(JNIEnv *jni)
{
    static uint32_t last;

    for (uint32_t i = 0; silent_left && i < silent_count && i < ASK_A_ROUND; i++) {
        silent *it = &silent_list[last = (last + 1) % silent_count];
        jthread thread;
        int state;

        if (!it->thread || it->left_ns)
            continue;
        thread = (*jni)->NewLocalRef(jni, it->weak);
        state = thread ? tm__snapshot_state(thread) : TM_STATE_UNKNOWN;
        if (state !=
            (it->end == TM_EVENT_UNPARKED ? TM_STATE_PARKED : TM_STATE_SLEEPING))
            it->left_ns = tm__now_ns();
        if (thread)
            (*jni)->DeleteLocalRef(jni, thread);
    }
}

int tm__midlife_pour(int64_t horizon_ns)
{
    int rc = TM_OK;

    for (uint32_t i = 0; silent_left && i < silent_count && rc >= 0; i++) {
        silent *it = &silent_list[i];

        if (it->thread && it->left_ns && it->left_ns < horizon_ns)
            rc = pour_end(it, it->left_ns);
    }
    return rc;
}

void tm__midlife_forget(JNIEnv *jni)
{
    for (uint32_t i = 0; i < silent_count; i++)
        (*jni)->DeleteWeakGlobalRef(jni, silent_list[i].weak);
    tm__map_clear(&threads);
    tm__free(&memory, silent_list, silent_capacity * sizeof(*silent_list));
    silent_list = NULL;
    silent_count = 0;
    silent_capacity = 0;
    silent_left = 0;
    newest = 0;
}
