/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readers leave out what saves them time; what they emit all the same stops here, so
 * that every format gives what was asked for. Most batches pass as they are.
 */
#include "formats/filter.h"

#include <threadmodel/error.h>
#include <threadmodel/source.h>

enum { BATCH = 256 };

static int register_run(void *payload, const tm_run *run)
{
    const tm__filter *self = payload;
    tm_run masked = *run;

    if (masked.kinds)
        masked.kinds &= self->kinds;
    return self->next->run(self->next->payload, &masked);
}

static int register_caveat(void *payload, const char *sentence)
{
    const tm__filter *self = payload;

    return self->next->caveat(self->next->payload, sentence);
}

static int register_class(void *payload, const tm_class *definition)
{
    const tm__filter *self = payload;

    return self->next->define_class(self->next->payload, definition);
}

static int register_method(void *payload, const tm_method *definition)
{
    const tm__filter *self = payload;

    return self->flags & TM_SOURCE_NO_STACKS
               ? TM_OK
               : self->next->define_method(self->next->payload, definition);
}

static int register_stack(void *payload, const tm_stack *definition)
{
    const tm__filter *self = payload;

    return self->flags & TM_SOURCE_NO_STACKS
               ? TM_OK
               : self->next->define_stack(self->next->payload, definition);
}

static int register_thread(void *payload, const tm_thread *definition)
{
    const tm__filter *self = payload;

    return self->next->define_thread(self->next->payload, definition);
}

static int register_object(void *payload, const tm_object *definition)
{
    const tm__filter *self = payload;

    return self->next->define_object(self->next->payload, definition);
}

static int is_wanted(const tm__filter *self, const tm_event *event)
{
    return event->kind >= 64 || (self->kinds >> event->kind & 1);
}

static int passes(const tm__filter *self, const tm_event *events, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!is_wanted(self, &events[i]) ||
            (self->flags & TM_SOURCE_NO_STACKS && events[i].stack))
            return 0;
    return 1;
}

static int ingest_events(void *payload, const tm_event *events, size_t count)
{
    const tm__filter *self = payload;
    tm_event batch[BATCH];
    size_t filled = 0;
    int rc = TM_OK;

    if (passes(self, events, count))
        return self->next->events(self->next->payload, events, count);
    for (size_t i = 0; i < count && rc >= 0; i++) {
        if (is_wanted(self, &events[i])) {
            batch[filled] = events[i];
            if (self->flags & TM_SOURCE_NO_STACKS)
                batch[filled].stack = 0;
            filled++;
        }
        if (filled == BATCH || (filled && i + 1 == count)) {
            rc = self->next->events(self->next->payload, batch, filled);
            filled = 0;
        }
    }
    return rc;
}

void tm__filter_init(tm__filter *filter, uint64_t kinds, uint32_t flags)
{
    *filter =
        (tm__filter){.sink = {.size = sizeof(filter->sink),
                              .payload = filter,
                              .run = register_run,
                              .caveat = register_caveat,
                              .define_class = register_class,
                              .define_method = register_method,
                              .define_stack = register_stack,
                              .define_thread = register_thread,
                              .define_object = register_object,
                              .events = ingest_events},
                     /* The losses of the producer are always needed. */
                     .kinds = kinds ? kinds | UINT64_C(1) << TM_EVENT_LOST : UINT64_MAX,
                     .flags = flags,
                     .is_needed = kinds != 0 || (flags & TM_SOURCE_NO_STACKS) != 0};
}

const tm_sink *tm__filter_before(tm__filter *filter, const tm_sink *next)
{
    filter->next = next;
    return filter->is_needed ? &filter->sink : next;
}

int tm__filter_emit_caveat(tm__filter *filter)
{
    if (!filter->is_needed)
        return TM_OK;
    return filter->next->caveat(filter->next->payload,
                                "Only a part of the file was read: it may hold other "
                                "kinds of events, or stacks.");
}
