/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Java's states say less than ours: what WAITING is for stands in the innermost
 * frames, in methods of the JDK whose names have not changed since version 5.
 */
#include "formats/dump/dump_names.h"
#include "formats/dump/java_state.h"

#include <string.h>

/* Frames that a blocking interval may have above the method that tells it. */
enum { FRAMES_ABOVE = 8 };

int tm__dump_is_method(const tm__dump *dump, uint32_t frame, const char *class_name,
                       const char *name)
{
    uint64_t id = dump->frames[frame].method;
    const struct tm__dump_method *method = id ? &dump->methods[id - 1] : NULL;

    return method &&
           strcmp(
               tm__strings_get(&dump->texts, dump->classes[method->class_id - 1].name),
               class_name) == 0 &&
           strncmp(tm__strings_get(&dump->texts, method->name), name, strlen(name)) ==
               0;
}

uint32_t tm__dump_class_of(const tm__dump *dump, uint32_t frame)
{
    uint64_t id = dump->frames[frame].method;

    return id ? dump->methods[id - 1].class_id : 0;
}

static int is_sleep(const tm__dump *dump, uint32_t frame)
{
    return tm__dump_is_method(dump, frame, "java.lang.Thread", "sleep") ||
           tm__dump_is_method(dump, frame, "java.lang.VirtualThread", "sleep");
}

static int is_park(const tm__dump *dump, uint32_t frame)
{
    return tm__dump_is_method(dump, frame, "jdk.internal.misc.Unsafe", "park") ||
           tm__dump_is_method(dump, frame, "sun.misc.Unsafe", "park") ||
           tm__dump_is_method(dump, frame, "java.lang.VirtualThread", "park");
}

/* How many frames are on top by which a virtual thread leaves its carrier; heap dumps
 * show them. */
static uint32_t yield_frames(const tm__dump *dump, const uint32_t *frames,
                             uint32_t count)
{
    uint32_t depth = 0;

    while (depth < count &&
           (tm__dump_is_method(dump, frames[depth], "jdk.internal.vm.Continuation",
                               "yield") ||
            tm__dump_is_method(dump, frames[depth], "java.lang.VirtualThread",
                               "yieldContinuation")))
        depth++;
    return depth;
}

/* How many frames of Object.wait are on top. */
static uint32_t wait_frames(const tm__dump *dump, const uint32_t *frames,
                            uint32_t count)
{
    uint32_t depth = 0;

    while (depth < count &&
           tm__dump_is_method(dump, frames[depth], "java.lang.Object", "wait"))
        depth++;
    return depth;
}

/* The state of a thread that does not run, by its stack alone. */
static int blocked_state(const tm__dump *dump, const uint32_t *frames, uint32_t count,
                         uint32_t *wait_depth)
{
    uint32_t yields = yield_frames(dump, frames, count), waits;
    int parks = 0;

    if (yields > 0) {
        frames += yields;
        count -= yields;
    }
    waits = wait_frames(dump, frames, count);

    if (waits > 0) {
        *wait_depth = yields + waits;
        /* Android parks by waiting. */
        if (waits < count &&
            tm__dump_is_method(dump, frames[waits], "java.lang.Thread", "parkFor"))
            return TM_STATE_PARKED;
        return waits < count && tm__dump_is_method(dump, frames[waits],
                                                   "java.lang.Thread", "join")
                   ? TM_STATE_JOINING
                   : TM_STATE_WAITING;
    }
    /* A virtual thread sleeps by parking. */
    for (uint32_t i = 0; i < count && i < FRAMES_ABOVE; i++) {
        if (is_sleep(dump, frames[i]))
            return TM_STATE_SLEEPING;
        if (is_park(dump, frames[i]))
            parks = 1;
        else if (!parks)
            break;
    }
    return parks ? TM_STATE_PARKED : TM_STATE_UNKNOWN;
}

int tm__dump_is_timed(tm__slice java_state)
{
    static const char prefix[] = "TIMED_";

    return java_state.length >= sizeof(prefix) - 1 &&
           memcmp(java_state.bytes, prefix, sizeof(prefix) - 1) == 0;
}

int tm__dump_state(const tm__dump *dump, tm__slice java_state, const uint32_t *frames,
                   uint32_t frame_count, uint32_t *wait_depth)
{
    int state;

    *wait_depth = TM__NONE;
    if (tm__slice_begins(java_state, "RUNNABLE"))
        return TM_STATE_RUNNING;
    if (tm__slice_begins(java_state, "NEW"))
        return TM_STATE_NEW;
    if (tm__slice_begins(java_state, "TERMINATED"))
        return TM_STATE_DEAD;
    state = blocked_state(dump, frames, frame_count, wait_depth);
    if (tm__slice_begins(java_state, "BLOCKED"))
        return *wait_depth == TM__NONE ? TM_STATE_BLOCKED : TM_STATE_REENTERING;
    return state;
}
