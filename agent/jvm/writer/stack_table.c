/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks. Events bring frames as the VM gives them.
 *
 * A method has been put down by whoever had it on its stack first (method_identity.c).
 * The VM never gives the number of one that was unloaded to another.
 */

#include "writer/stack_table.h"

#include <string.h>

#include <threadmodel/error.h>

#include "rings/stack_numbers.h"
#include "ring/recording_state.h"
#include "virtual/native_methods.h"
#include "vm/options.h"

static tm__memory memory;
static tm__map methods; /* jmethodID of those that are defined */
static tm__stack_numbers stacks;

/* The part of the agent's memory that stacks may take. */
enum { PART = 4 };
enum { WORDS = sizeof(jvmtiFrameInfo) / sizeof(uint64_t) };

void tm__stack_table_open(void)
{
    tm__memory_init(&memory, NULL);
    tm__map_init(&methods, &memory);
    tm__stack_numbers_init(&stacks, &memory, tm__the_options.memory_bytes / PART);
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

/* A ring that is read without a VM holds the VM's numbers of methods, so these are the
 * trace's. One that nobody found room to put down stays unknown. Our class has frames
 * in the middle of a stack where what it calls for the program blocks in its turn. */
static int define_stack(uint32_t id, const jvmtiFrameInfo *frames, uint32_t count,
                        uint32_t flags)
{
    tm_frame named[TM__DEPTH_MAX] = {0};
    tm_stack definition = {
        .size = sizeof(definition),
        .id = id,
        .flags = flags,
        .frames = named,
    };

    for (uint32_t i = 0; i < count; i++) {
        uint64_t method = (uint64_t)(uintptr_t)frames[i].method;
        tm_frame *frame = &named[definition.frame_count];

        if (tm__virtual_has_method(frames[i].method))
            continue;
        if (tm__map_find(&methods, method) != TM__NONE)
            frame->method = method;
        frame->location = frames[i].location;
        definition.frame_count++;
    }
    return tm__the_recording.sink->define_stack(tm__the_recording.sink->payload,
                                                &definition);
}

int tm__stack_table_stack(uint32_t *id, const jvmtiFrameInfo *frames, uint32_t count,
                          uint32_t flags)
{
    int rc = tm__stack_numbers_find(&stacks, (const uint64_t *)frames, count * WORDS,
                                    flags, id);

    return rc == TM_MORE ? define_stack(*id, frames, count, flags) : rc;
}

int tm__stack_table_outer(uint32_t *id, uint32_t of, int64_t depth)
{
    jvmtiFrameInfo frames[TM__DEPTH_MAX];
    const tm__numbered_stack *inner;
    uint32_t count;

    *id = 0;
    if (of == 0 || of > stacks.count || depth < 0)
        return TM_OK;
    inner = tm__stack_numbers_at(&stacks, of);
    count = inner->words / WORDS;
    if (depth >= count)
        return TM_OK;
    /* A new stack may move the list of frames. */
    count -= (uint32_t)depth;
    memcpy(frames, stacks.words + inner->first + (size_t)depth * WORDS,
           count * sizeof(*frames));
    return tm__stack_table_stack(id, frames, count, inner->flags);
}

uint64_t tm__stack_table_refused(void)
{
    return stacks.refused;
}

void tm__stack_table_close(void)
{
    tm__map_clear(&methods);
    tm__stack_numbers_free(&stacks);
}
