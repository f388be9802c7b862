/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What threads that have been blocked for long hold. A monitor that was taken
 * without contention was never reported, so a deadlock of two such monitors would
 * not be seen; only the VM knows who has them.
 *
 * The question stops the asked thread, not the others, for 3 to 40 us by the depth
 * of its stack. A thread is asked once a block, and only when it has been blocked
 * for longer than most ever are; what it then holds it goes on holding until it
 * gets on. So the answer is kept until all events up to it have been merged, and
 * is true if the thread is in the same block then, and dropped otherwise:
 *
 *      ──Enter────────────── asked ──────── horizon ──▶ no Entered: it holds these
 *                              └ may be between two blocks
 */
#include "agent.h"

#include <stdlib.h>

#include <threadmodel/error.h>

#include "base/hash.h"

typedef enum stage { FRESH, ASKED, DONE } stage;

typedef struct block {
    uint64_t thread; ///< the key
    int64_t since_ns;
    int64_t asked_ns; ///< when the answer was there
    jweak weak;       ///< to the thread object
    int weak_is_ours; ///< to be deleted with the block
    stage stage;
    uint32_t held_count;
    uint64_t *held; ///< objects
    int32_t *depths;
    UT_hash_handle hh;
} block;

static tm__memory hash_memory;
static block *blocks; /* oldest first */
static int asked;     /* some are in stage ASKED */

static void forget(JNIEnv *jni, block *b)
{
    tm__memory *memory = &hash_memory;

    HASH_DEL(blocks, b);
    if (b->weak_is_ours)
        (*jni)->DeleteWeakGlobalRef(jni, b->weak);
    free(b->held);
    free(b->depths);
    free(b);
}

static block *find(uint64_t thread)
{
    block *found;

    HASH_FIND(hh, blocks, &thread, sizeof(thread), found);
    return found;
}

static void enter(JNIEnv *jni, const tm_event *event, jweak weak, int weak_is_ours)
{
    tm__memory *memory = &hash_memory;
    block *b = calloc(1, sizeof(*b));
    int failed = 0;

    if (!hash_memory.hook.resize)
        tm__memory_init(&hash_memory, NULL);
    if (b) {
        *b = (block){.thread = event->thread,
                     .since_ns = event->time_ns,
                     .weak = weak,
                     .weak_is_ours = weak_is_ours};
        HASH_ADD(hh, blocks, thread, sizeof(b->thread), b);
    }
    /* Without memory this block is not asked for; that is all. */
    if (!b || failed) {
        free(b);
        if (weak_is_ours)
            (*jni)->DeleteWeakGlobalRef(jni, weak);
    }
}

void tm__held_forget_all(JNIEnv *jni)
{
    block *b, *next;

    HASH_ITER(hh, blocks, b, next)
    forget(jni, b);
}

void tm__held_follow(JNIEnv *jni, const tm_event *event, jweak weak, int weak_is_ours)
{
    block *known = find(event->thread);

    if (known)
        forget(jni, known);
    if (event->kind == TM_EVENT_CONTENDED_ENTER && weak)
        enter(jni, event, weak, weak_is_ours);
    /* One that was lost may have been the end of any block. */
    if (event->kind == TM_EVENT_LOST)
        tm__held_forget_all(jni);
}

static void keep(block *b, JNIEnv *jni, tm__buffer *own,
                 const jvmtiMonitorStackDepthInfo *monitors, jint count)
{
    b->held = calloc((size_t)count + 1, sizeof(*b->held));
    b->depths = calloc((size_t)count + 1, sizeof(*b->depths));
    if (!b->held || !b->depths)
        return;
    for (jint i = 0; i < count; i++) {
        uint64_t object = tm__object_id(own, jni, monitors[i].monitor);

        if (!object)
            continue;
        b->held[b->held_count] = object;
        b->depths[b->held_count++] = monitors[i].stack_depth;
    }
    b->stage = ASKED;
    asked = 1;
}

static void ask(JNIEnv *jni, tm__buffer *own, block *b, jthread thread)
{
    jvmtiEnv *jvmti = tm__the_agent.jvmti;
    jvmtiMonitorStackDepthInfo *monitors = NULL;
    jint count = 0;

    if ((*jvmti)->GetOwnedMonitorStackDepthInfo(jvmti, thread, &count, &monitors) !=
        JVMTI_ERROR_NONE)
        return;
    b->asked_ns = tm__now_ns();
    keep(b, jni, own, monitors, count);
    for (jint i = 0; i < count; i++)
        (*jni)->DeleteLocalRef(jni, monitors[i].monitor);
    if (monitors)
        (*jvmti)->Deallocate(jvmti, (unsigned char *)monitors);
}

void tm__held_ask(JNIEnv *jni, tm__buffer *own, int64_t before_ns, size_t limit)
{
    block *b, *next;

    HASH_ITER(hh, blocks, b, next)
    {
        jthread thread;

        if (b->since_ns > before_ns || limit == 0)
            break;
        if (b->stage != FRESH)
            continue;
        b->stage = DONE;
        thread = (*jni)->NewLocalRef(jni, b->weak);
        if (thread) {
            ask(jni, own, b, thread);
            (*jni)->DeleteLocalRef(jni, thread);
            limit--;
        }
    }
}

static int pour_answer(const block *b, int64_t time_ns)
{
    const tm_sink *sink = tm__the_agent.sink;
    int rc = TM_OK;

    /* The first, without an object, says that those which follow are all. */
    for (uint32_t i = 0; i <= b->held_count && rc >= 0; i++) {
        tm_event event = {
            .time_ns = time_ns,
            .thread = b->thread,
            .object = i > 0 ? b->held[i - 1] : 0,
            .value = i > 0 ? b->depths[i - 1] : 0,
            .kind = TM_EVENT_HELD,
            .flags = TM_EVENT_PEER_REPORTED | TM_EVENT_CONFIRMED,
        };

        rc = sink->events(sink->payload, &event, 1);
    }
    return rc;
}

int tm__held_pour(int64_t horizon_ns)
{
    block *b, *next;
    int rc = TM_OK;

    if (!asked)
        return TM_OK;
    asked = 0;
    HASH_ITER(hh, blocks, b, next)
    {
        if (b->stage != ASKED)
            continue;
        if (b->asked_ns < horizon_ns && rc >= 0) {
            rc = pour_answer(b, horizon_ns - 1);
            b->stage = DONE;
        } else {
            asked = 1;
        }
    }
    return rc;
}
