/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From records to definitions. Callbacks copy what the VM says as it is; names
 * become readable here, on the writer thread.
 */
#include "agent.h"

#include <threadmodel/error.h>

/* Once, when the first virtual thread is met. */
static int limit_virtual(const tm_sink *sink)
{
    static int said;

    return said++ ? TM_OK
                  : sink->limit(sink->payload,
                                "Of virtual threads only blocks and waits were "
                                "recorded: no start, end, park, sleep or join.");
}

static int define(const tm__record *record)
{
    const tm_sink *sink = tm__the_agent.sink;

    if (record->kind == TM__RECORD_THREAD && record->event.stack & TM_THREAD_VIRTUAL) {
        int rc = limit_virtual(sink);

        if (rc < 0)
            return rc;
    }
    return tm__record_define(record, sink);
}

int tm__define_all(tm__buffer *buffer)
{
    uint64_t end = atomic_load_explicit(&buffer->ring->head, memory_order_acquire);
    tm__record *record;
    int rc = TM_OK;

    while (rc >= 0 && (record = tm__buffer_at(buffer, &buffer->scanned, end))) {
        if (!tm__record_is_event(record))
            rc = define(record);
        buffer->scanned += record->bytes;
    }
    return rc;
}
