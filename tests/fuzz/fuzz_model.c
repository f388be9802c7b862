/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any events, in any order, into a model that is asked everything.
 *
 * The first bytes choose policy and memory; then each 8 bytes are one event over few
 * threads and objects, so that they meet, with odd times and ids now and then.
 */
#include "events.h"

enum { HEAD = 4, RECORD = FUZZ_EVENT_BYTES, BATCH = 32 };

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
    fuzz_define_some(tm_model_sink(model));
    if (bytes[2])
        memory.calls_left = bytes[2];
    for (size_t at = HEAD; at + RECORD <= count; at += RECORD) {
        events[pending++] = fuzz_event(bytes + at, &now);
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
