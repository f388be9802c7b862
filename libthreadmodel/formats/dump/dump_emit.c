/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/dump/dump_emit.h"

#include "formats/dump/dump_names.h"

/* As much as one call should emit. */
enum { FULL_EVENTS = 8192 };

int tm__dump_is_full(const tm__dump *dump)
{
    return dump->event_count - dump->events_emitted >= FULL_EVENTS;
}

static const char *letters_at(const tm__dump *dump, uint32_t offset)
{
    return offset == TM__NONE ? NULL : dump->letters + offset;
}

static int emit_threads(tm__dump *dump, const tm_sink *sink)
{
    int rc = TM_OK;

    while (rc >= 0 && dump->names_emitted < dump->name_count) {
        const struct tm__dump_name *name = &dump->names[dump->names_emitted];
        tm_thread item = name->thread;

        item.name = letters_at(dump, name->name);
        item.group = letters_at(dump, name->group);
        rc = sink->define_thread(sink->payload, &item);
        if (rc >= 0)
            dump->names_emitted++;
    }
    if (rc >= 0)
        dump->names_emitted = dump->name_count = dump->letter_count = 0;
    return rc;
}

static int emit_objects(tm__dump *dump, const tm_sink *sink)
{
    int rc = TM_OK;

    while (rc >= 0 && dump->objects_emitted < dump->object_count) {
        rc = sink->define_object(sink->payload, &dump->objects[dump->objects_emitted]);
        if (rc >= 0)
            dump->objects_emitted++;
    }
    if (rc >= 0)
        dump->objects_emitted = dump->object_count = 0;
    return rc;
}

int tm__dump_emit(tm__dump *dump, const tm_sink *sink)
{
    int rc = tm__notes_emit(dump->notes, sink);

    if (rc >= 0)
        rc = tm__dump_emit_names(dump, sink);
    if (rc >= 0)
        rc = emit_threads(dump, sink);
    if (rc >= 0)
        rc = emit_objects(dump, sink);
    while (rc >= 0 && dump->events_emitted < dump->event_count) {
        uint32_t left = dump->event_count - dump->events_emitted;
        uint32_t count = left < FULL_EVENTS ? left : FULL_EVENTS;

        rc = sink->events(sink->payload, dump->events + dump->events_emitted, count);
        /* A sink that has no memory has taken those before the one that failed. */
        dump->events_emitted += count;
    }
    if (dump->events_emitted == dump->event_count)
        dump->events_emitted = dump->event_count = 0;
    return rc < 0 ? rc : TM_OK;
}

void tm__dump_describe(const tm__dump *dump, tm_run *run)
{
    run->start_ns = dump->first_ns;
    run->end_ns = dump->time_ns;
    run->policy = TM_POLICY_REPORTED;
    run->kinds = UINT64_C(1) << TM_EVENT_SNAPSHOT | UINT64_C(1) << TM_EVENT_HELD |
                 UINT64_C(1) << TM_EVENT_VIRTUAL_MOUNT;
    /* A dump that lacks no thread shows which threads no longer exist. */
    if (!dump->is_partial)
        run->kinds |= UINT64_C(1) << TM_EVENT_THREAD_END;
    if (dump->cpu_count)
        run->kinds |= UINT64_C(1) << TM_EVENT_CPU_TIME;
}
