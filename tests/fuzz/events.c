/* SPDX-License-Identifier: Apache-2.0 */
/* Events out of bytes, few enough threads and objects that they meet. */
#include "events.h"

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

tm_event fuzz_event(const uint8_t *record, int64_t *now)
{
    tm_event event = {.kind = record[0] % (TM_EVENT_KIND_END + 2)};

    *now = (int64_t)((uint64_t)*now + (uint64_t)step_of(record[1]));
    event.time_ns = *now;
    event.thread = id_of(record[2]);
    event.object = id_of(record[3]);
    event.peer = id_of(record[4]);
    event.value = record[5] == 0xff ? INT64_MIN : (int64_t)(int8_t)record[5];
    event.flags = (uint16_t)(record[6] | (record[7] >> 3) << 8);
    event.stack = record[7] % 8;
    return event;
}

/* Half of the numbers get a meaning; the rest stay undefined. */
void fuzz_define_some(const tm_sink *sink)
{
    for (uint32_t i = 1; i < 8; i++) {
        tm_line line = {.location = i, .line = (int32_t)i};
        tm_frame frames[] = {{.method = i, .location = 3},
                             {.method = 9 - i, .line = 7}};
        tm_class class_ = {sizeof(class_),
                           i,
                           i % 2 ? "a.B" : "java.lang.\xff",
                           NULL,
                           i == 3 ? TM_CLASS_LIBRARY : 0,
                           NULL};
        tm_monitor_range monitor = {i, 2 * (int64_t)i};
        tm_method method = {sizeof(method),
                            i,
                            i,
                            "run",
                            NULL,
                            &line,
                            1,
                            i == 2 ? TM_METHOD_IDLES : 0,
                            i % 2 ? &monitor : NULL,
                            i % 3 / 2};
        tm_stack stack = {sizeof(stack), i, i % 2, frames, i % 3};
        tm_thread thread = {.size = sizeof(thread),
                            .id = i,
                            .object = 12 - i,
                            .name = i % 3 ? "t" : NULL};
        tm_object object = {.size = sizeof(object),
                            .id = i,
                            .class_id = i,
                            .thread = i % 4 ? 0 : i,
                            .name = i == 5 ? "a lock" : NULL,
                            .kind = i % 3 * 5};

        sink->define_class(sink->payload, &class_);
        sink->define_method(sink->payload, &method);
        sink->define_stack(sink->payload, &stack);
        sink->define_thread(sink->payload, &thread);
        sink->define_object(sink->payload, &object);
    }
}
