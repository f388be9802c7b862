/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From records to definitions. Callbacks copy what the VM says as it is; names
 * become readable here, on the writer thread.
 */
#include "agent.h"

#include <threadmodel/error.h>

#include "text.h"

/* A name of 2,000 bytes grows threefold at most, where every byte is bad. */
enum { TEXT_BYTES = 6100 };

/* Once, when the first virtual thread is met. */
static int limit_virtual(const tm_sink *sink)
{
    static int said;

    return said++ ? TM_OK
                  : sink->limit(sink->payload,
                                "Of virtual threads only blocks and waits were "
                                "recorded: no start, end, park, sleep or join.");
}

static int define_thread(const tm__record *record)
{
    const tm_sink *sink = tm__the_agent.sink;
    const char *text = (const char *)(record + 1);
    char name[TEXT_BYTES], group[TEXT_BYTES];
    tm_thread definition = {
        .id = record->event.thread,
        .object = record->event.object,
        .os_id = record->event.peer,
        .name = name,
        .group = record->event.flags ? group : NULL,
        .priority = (int32_t)record->event.value,
        .flags = record->event.stack,
    };

    tm__text_utf8(name, sizeof(name), text, record->extra);
    tm__text_utf8(group, sizeof(group), text + record->extra, record->more);
    if (definition.flags & TM_THREAD_VIRTUAL) {
        int rc = limit_virtual(sink);

        if (rc < 0)
            return rc;
    }
    return sink->define_thread(sink->payload, &definition);
}

static int define_class(const tm__record *record)
{
    const tm_sink *sink = tm__the_agent.sink;
    const char *text = (const char *)(record + 1);
    char name[TEXT_BYTES], source[TEXT_BYTES];
    tm_class definition = {
        .id = record->event.object,
        .name = name,
        .source = record->event.flags ? source : NULL,
    };

    tm__text_class(name, sizeof(name), text, record->extra);
    tm__text_utf8(source, sizeof(source), text + record->extra, record->more);
    return sink->define_class(sink->payload, &definition);
}

static int define_object(const tm__record *record)
{
    const tm_sink *sink = tm__the_agent.sink;
    tm_object definition = {
        .id = record->event.object,
        .class_id = record->event.peer,
        .thread = record->event.thread,
        .hash = (uint32_t)record->event.value,
        .flags = TM_OBJECT_HAS_HASH | record->event.flags,
    };

    return sink->define_object(sink->payload, &definition);
}

int tm__define_all(tm__buffer *buffer)
{
    uint64_t end = atomic_load_explicit(&buffer->head, memory_order_acquire);
    tm__record *record;
    int rc = TM_OK;

    while (rc >= 0 && (record = tm__buffer_at(buffer, &buffer->scanned, end))) {
        if (record->kind == TM__RECORD_THREAD)
            rc = define_thread(record);
        else if (record->kind == TM__RECORD_CLASS)
            rc = define_class(record);
        else if (record->kind == TM__RECORD_OBJECT)
            rc = define_object(record);
        buffer->scanned += record->bytes;
    }
    return rc;
}
