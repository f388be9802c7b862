/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/leftover_stacks.h"

#include <string.h>

#include "base/error.h"
#include "trace/leftover_state.h"
#include "trace/ring_layout.h"
#include "trace/ring_record.h"

/* Stacks of rings have numbers of their own, far from those of the trace. */
#define FIRST_STACK (UINT32_C(1) << 31)

static size_t frames_bytes(const tm__record *record)
{
    return record->event.frame_count * tm__record_frame_bytes(&record->event);
}

static uint64_t hash_frames(const tm__record *record)
{
    const uint64_t *words = (const uint64_t *)(record + 1);
    uint64_t hash =
        (uint64_t)record->event.frame_count << 16 | record->event.stack_flags;
    size_t count = frames_bytes(record) / sizeof(*words);

    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

static int define_stack(tm__leftover *leftover, const tm__record *record, uint32_t id,
                        const tm_sink *sink)
{
    const tm__record_frame *frames = (const tm__record_frame *)(record + 1);
    size_t bytes = record->event.frame_count * sizeof(tm_frame);
    tm_frame *copy = tm__zalloc(leftover->memory, bytes);
    tm_stack definition = {
        .size = sizeof(definition),
        .id = id,
        .flags = record->event.stack_flags & TM_STACK_TRUNCATED,
        .frames = copy,
        .frame_count = record->event.frame_count,
    };
    int rc;

    if (!copy)
        return TM_ENOMEM;
    if (record->event.stack_flags & TM__STACK_LINES)
        memcpy(copy, frames, bytes);
    else
        for (size_t i = 0; i < record->event.frame_count; i++)
            copy[i] =
                (tm_frame){.method = frames[i].method, .location = frames[i].location};
    rc = sink->define_stack(sink->payload, &definition);
    tm__free(leftover->memory, copy, bytes);
    return rc;
}

int tm__leftover_find_stack(tm__leftover *leftover, const tm__record *record,
                            size_t place, const tm_sink *sink, uint32_t *id)
{
    uint64_t key = hash_frames(record);
    uint32_t found;
    int rc;

    /* Two stacks of one hash stand at neighbouring keys. The number is the place of
     * the first record that has it, which no other stack can have. */
    while ((found = tm__map_find(&leftover->stacks, key)) != TM__NONE) {
        const tm__record *known = tm__leftover_record(leftover, (size_t)found * 8);

        *id = FIRST_STACK + found;
        if (known->event.frame_count == record->event.frame_count &&
            known->event.stack_flags == record->event.stack_flags &&
            memcmp(known + 1, record + 1, frames_bytes(record)) == 0)
            return TM_OK;
        key++;
    }
    *id = FIRST_STACK + (uint32_t)(place / 8);
    rc = define_stack(leftover, record, *id, sink);
    return rc < 0 ? rc : tm__map_put(&leftover->stacks, key, (uint32_t)(place / 8));
}
