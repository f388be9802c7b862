/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks. Events bring frames as the VM gives them; a program has some
 * hundred different stacks that block, seen a million times, so nearly every look-up
 * ends with one hash, one find and one comparison.
 *
 * A method has been put down by whoever had it on its stack first (method_identity.c).
 * The VM never gives the number of one that was unloaded to another.
 */

#include "writer/stack_table.h"

#include <string.h>

#include <threadmodel/error.h>

#include "base/map.h"
#include "ring/recording_state.h"
#include "vm/options.h"

typedef struct stack {
    size_t first; ///< frames[]
    uint32_t count;
    int truncated;
} stack;

static tm__memory memory;
static tm__map methods; /* jmethodID of those that are defined */
static tm__map stacks;  /* hash of frames to stack_list[]; id is one more */
static stack *stack_list;
static uint32_t stack_count, stack_capacity;
static jvmtiFrameInfo *frame_list;
static uint32_t frame_count, frame_capacity;
static uint64_t refused;

/* Of the memory that the agent may take. */
enum { PART = 4 };

void tm__stack_table_open(void)
{
    tm__memory_init(&memory, NULL);
    tm__map_init(&methods, &memory);
    tm__map_init(&stacks, &memory);
}

int tm__stack_table_method(const tm__record *record)
{
    uint64_t method = record->method.id;
    int rc = TM_OK;

    if (tm__map_find(&methods, method) != TM__NONE)
        return TM_OK;
    rc = tm__map_put(&methods, method, 0);
    return rc < 0 ? rc : tm__record_define(record, tm__the_recording.sink);
}

static uint64_t hash_frames(const jvmtiFrameInfo *frames, uint32_t count, int truncated)
{
    uint64_t hash = count * 2 + (truncated != 0);

    for (uint32_t i = 0; i < count; i++) {
        uint64_t frame =
            (uint64_t)(uintptr_t)frames[i].method << 16 ^ (uint64_t)frames[i].location;

        hash = (hash ^ frame) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

static int same(const stack *known, const jvmtiFrameInfo *frames, uint32_t count,
                int truncated)
{
    return known->count == count && known->truncated == truncated &&
           memcmp(frame_list + known->first, frames, count * sizeof(*frames)) == 0;
}

/* Whether there is a limit, and one more stack would go beyond it: an array that is
 * full grows by as much as it has. */
static int is_full(uint32_t count)
{
    uint64_t limit = tm__the_options.memory_bytes / PART;
    size_t more = 0;

    if (frame_count + (size_t)count > frame_capacity)
        more += frame_capacity * sizeof(*frame_list);
    if (stack_count == stack_capacity)
        more += stack_capacity * sizeof(*stack_list);
    return limit && memory.used_bytes + more > limit;
}

/* Number a new stack. */
static int add_stack(uint32_t *id, uint64_t key, const jvmtiFrameInfo *frames,
                     uint32_t count, int truncated)
{
    int rc = tm__reserve(&memory, &stack_list, &stack_capacity, stack_count + (size_t)1,
                         sizeof(*stack_list));

    if (rc == TM_OK)
        rc = tm__reserve(&memory, &frame_list, &frame_capacity,
                         (size_t)frame_count + count, sizeof(*frame_list));
    if (rc == TM_OK)
        rc = tm__map_put(&stacks, key, stack_count);
    if (rc != TM_OK)
        return rc;
    memcpy(frame_list + frame_count, frames, count * sizeof(*frames));
    stack_list[stack_count++] = (stack){frame_count, count, truncated};
    frame_count += count;
    *id = stack_count;
    return TM_OK;
}

/* A ring that is read without a VM holds the VM's numbers of methods, so these are the
 * trace's. One that nobody found room to put down stays unknown. */
static int define_stack(uint32_t id, const jvmtiFrameInfo *frames, uint32_t count,
                        int truncated)
{
    tm_frame named[TM__DEPTH_MAX] = {0};
    tm_stack definition = {
        .size = sizeof(definition),
        .id = id,
        .flags = truncated ? TM_STACK_TRUNCATED : 0,
        .frames = named,
        .frame_count = count,
    };

    for (uint32_t i = 0; i < count; i++) {
        uint64_t method = (uint64_t)(uintptr_t)frames[i].method;

        if (tm__map_find(&methods, method) != TM__NONE)
            named[i].method = method;
        named[i].location = frames[i].location;
    }
    return tm__the_recording.sink->define_stack(tm__the_recording.sink->payload,
                                                &definition);
}

int tm__stack_table_stack(uint32_t *id, const jvmtiFrameInfo *frames, uint32_t count,
                          int truncated)
{
    uint64_t key;
    uint32_t found;
    int rc;

    *id = 0;
    if (count == 0)
        return TM_OK;
    key = hash_frames(frames, count, truncated);
    /* Two stacks of one hash stand at neighbouring keys. */
    while ((found = tm__map_find(&stacks, key)) != TM__NONE) {
        if (same(&stack_list[found], frames, count, truncated)) {
            *id = found + 1;
            return TM_OK;
        }
        key++;
    }
    if (is_full(count)) {
        refused++;
        return TM_OK;
    }
    rc = add_stack(id, key, frames, count, truncated);
    return rc < 0 ? rc : define_stack(*id, frames, count, truncated);
}

int tm__stack_table_outer(uint32_t *id, uint32_t of, int64_t depth)
{
    jvmtiFrameInfo frames[TM__DEPTH_MAX];
    const stack *inner;

    *id = 0;
    if (of == 0 || depth < 0 || depth >= stack_list[of - 1].count)
        return TM_OK;
    inner = &stack_list[of - 1];
    /* A new stack may move the list of frames. */
    memcpy(frames, frame_list + inner->first + depth,
           (inner->count - (size_t)depth) * sizeof(*frames));
    return tm__stack_table_stack(id, frames, inner->count - (uint32_t)depth,
                                 inner->truncated);
}

uint64_t tm__stack_table_refused(void)
{
    return refused;
}

void tm__stack_table_close(void)
{
    tm__map_clear(&methods);
    tm__map_clear(&stacks);
    tm__free(&memory, stack_list, stack_capacity * sizeof(*stack_list));
    tm__free(&memory, frame_list, frame_capacity * sizeof(*frame_list));
    stack_list = NULL;
    frame_list = NULL;
    stack_capacity = 0;
    frame_capacity = 0;
    stack_count = 0;
    frame_count = 0;
    refused = 0;
}
