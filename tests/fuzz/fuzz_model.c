/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any events, in any order, into a model that is asked everything.
 *
 * The first bytes choose policy and memory; then each 8 bytes are one event over few
 * threads and objects, so that they meet, with odd times and ids now and then.
 */
#include <string.h>

#include "fuzz.h"

enum { HEAD = 4, RECORD = 8, BATCH = 32 };

/* Few enough that events meet, with the edges of 64 bits among them. */
static uint64_t id_of(uint8_t byte)
{
    switch (byte) {
    case 0xff: return UINT64_MAX;
    case 0xfe: return UINT64_C(1) << 63;
    case 0xfd: return UINT32_MAX;
    default: return byte % 13;
    }
}

static int64_t step_of(uint8_t byte)
{
    switch (byte) {
    case 0xff: return INT64_MAX / 2;
    case 0xfe: return INT64_MIN / 2;
    case 0xfd: return -1000;
    default: return byte;
    }
}

static tm_event event_of(const uint8_t *record, int64_t *now)
{
    tm_event event = {.kind = record[0] % (TM_EVENT_KIND_END + 2)};

    *now = (int64_t)((uint64_t)*now + (uint64_t)step_of(record[1]));
    event.time_ns = *now;
    event.thread = id_of(record[2]);
    event.object = id_of(record[3]);
    event.peer = id_of(record[4]);
    event.value = record[5] == 0xff ? INT64_MIN : (int64_t)(int8_t)record[5];
    event.flags = record[6];
    event.stack = record[7] % 8;
    return event;
}

/* Half of the numbers get a meaning; the rest stay undefined. */
static void define_some(const tm_sink *sink)
{
    for (uint32_t i = 1; i < 8; i++) {
        tm_line line = {.location = i, .line = (int32_t)i};
        tm_frame frames[] = {{.method = i, .location = 3},
                             {.method = 9 - i, .line = 7}};
        tm_class class_ = {sizeof(class_), i, i % 2 ? "a.B" : "java.lang.\xff", NULL};
        tm_method method = {sizeof(method), i, i, "run", NULL, &line, 1};
        tm_stack stack = {sizeof(stack), i, i % 2, frames, i % 3};
        tm_thread thread = {.size = sizeof(thread),
                            .id = i,
                            .object = 12 - i,
                            .name = i % 3 ? "t" : NULL};
        tm_object object = {
            .size = sizeof(object), .id = i, .class_id = i, .thread = i % 4 ? 0 : i};

        sink->define_class(sink->payload, &class_);
        sink->define_method(sink->payload, &method);
        sink->define_stack(sink->payload, &stack);
        sink->define_thread(sink->payload, &thread);
        sink->define_object(sink->payload, &object);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    fuzz_memory memory = {SIZE_MAX};
    tm_allocator allocator = fuzz_allocator(&memory);
    tm_model_options options = {.size = sizeof(options), .allocator = &allocator};
    tm_event events[BATCH];
    tm_model *model;
    int64_t now = 0;
    size_t pending = 0;

    if (count < HEAD)
        return 0;
    options.policy = bytes[0] % 4;
    options.memory_limit_bytes = (size_t)bytes[1] * 4096;
    if (tm_model_new(&model, &options) != TM_OK)
        return 0;
    define_some(tm_model_sink(model));
    if (bytes[2])
        memory.calls_left = bytes[2];
    for (size_t at = HEAD; at + RECORD <= count; at += RECORD) {
        events[pending++] = event_of(bytes + at, &now);
        if (pending == 1u + bytes[3] % BATCH || at + 2 * RECORD > count) {
            int rc = tm_model_ingest(model, events, pending);

            FUZZ_CHECK(rc == TM_OK || rc == TM_ENOMEM);
            pending = 0;
        }
        if (bytes[at] == 0x80)
            fuzz_ask_all(model);
    }
    fuzz_ask_all(model);
    memory.calls_left = SIZE_MAX; /* it goes on once there is memory again */
    events[0] = (tm_event){.time_ns = now, .thread = 1, .kind = TM_EVENT_THREAD_START};
    FUZZ_CHECK(tm_model_ingest(model, events, 1) == TM_OK);
    fuzz_ask_all(model);
    tm_model_free(model);
    return 0;
}
