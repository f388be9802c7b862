/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread reports a hold either when it releases a lock that others queue for, or
 * because the recorder saw it in the thread's list. Both can happen to the same hold:
 * then it counts once. An acquisition of a lock shows that the owner before has
 * released it.
 */
#include "recorder/lock_holds.h"

#include "recorder/definitions.h"
#include "recorder/image_events.h"

static tm__open_hold *find_hold(tm__ring_reader *reader, uint64_t address)
{
    for (size_t i = 0; i < TM__HOLDS_MOST; i++)
        if (reader->holds[i].address == address)
            return &reader->holds[i];
    return NULL;
}

static void emit_switch(tm__ring_reader *reader, int64_t time_ns, int kind)
{
    int is_voluntary = kind == TM_EVENT_OFF_CPU && reader->is_off_by_itself;

    tm__image_emit(reader->image,
                   &(tm_event){.time_ns = time_ns,
                               .thread = reader->thread,
                               .kind = (uint16_t)kind,
                               .flags = is_voluntary ? TM_EVENT_VOLUNTARY : 0});
}

void tm__image_emit_late(tm__image *image, tm__ring_reader *reader,
                         const tm_event *event)
{
    int is_off = reader && reader->is_off;

    if (is_off)
        emit_switch(reader, event->time_ns, TM_EVENT_ON_CPU);
    tm__image_emit(image, event);
    if (is_off)
        emit_switch(reader, event->time_ns, TM_EVENT_OFF_CPU);
}

static void release(tm__image *image, const tm__readers *readers,
                    tm__native_object *object, uint64_t thread, uint32_t flags,
                    int64_t time_ns)
{
    tm_event event = {.time_ns = time_ns,
                      .thread = thread,
                      .object = object->id,
                      .kind = TM_EVENT_RELEASED,
                      .flags = (uint16_t)(flags & TM_EVENT_SHARED)};

    if (object->owner == thread)
        object->owner = 0;
    tm__image_emit_late(image, tm__ring_reader_of(readers, image, thread), &event);
}

/* Another thread owns it now: so its owner released it before, unseen or not seen yet.
 */
static void release_owner(tm__image *image, const tm__readers *readers,
                          tm__native_object *object, int64_t time_ns)
{
    uint64_t owner = object->owner;
    tm__ring_reader *reader = tm__ring_reader_of(readers, image, owner);
    tm__open_hold *hold = reader ? find_hold(reader, object->key.address) : NULL;

    if (object->is_left) {
        object->owner = 0;
        object->is_left = 0;
        return;
    }
    if (hold)
        hold->is_over = 1;
    release(image, readers, object, owner, 0, time_ns);
}

int tm__hold_acquire(tm__item *item, const tm__readers *readers,
                     tm__native_object *object)
{
    tm__ring_reader *reader = item->reader;
    tm__open_hold *hold = find_hold(reader, object->key.address);
    int is_shared = item->event.flags & TM_EVENT_SHARED;

    /* The same hold, or a recursive lock that the thread has already. */
    if (hold && hold->time == item->time)
        return 0;
    /* Or the error of a lock that checks: it has queued for what it owns. */
    if (hold && !hold->is_over && object->owner == item->event.thread)
        return item->event.kind == TM_EVENT_CONTENDED_ENTERED;
    if (object->owner && object->owner != item->event.thread)
        release_owner(reader->image, readers, object, item->event.time_ns);
    if (!hold)
        hold = find_hold(reader, 0);
    if (hold)
        *hold = (tm__open_hold){object->key.address, item->time, item->object_kind,
                                item->event.flags,   0,          0};
    object->owner = is_shared ? 0 : item->event.thread;
    return 1;
}

int tm__hold_let_go(const tm__item *item, tm__native_object *object)
{
    tm__open_hold *hold = find_hold(item->reader, object->key.address);
    int is_news = hold && !hold->is_over;

    if (hold)
        hold->address = 0;
    if (is_news && object->owner == item->event.thread)
        object->owner = 0;
    return is_news;
}

void tm__holds_leave(tm__ring_reader *reader)
{
    for (size_t i = 0; i < TM__HOLDS_MOST; i++) {
        tm__open_hold *hold = &reader->holds[i];
        tm__native_object *object =
            hold->address
                ? tm__object_last_at(reader->image, hold->address, hold->object_kind)
                : NULL;

        if (object && !hold->is_over && object->owner == reader->thread)
            object->is_left = 1;
        hold->address = 0;
    }
}

static int lists(const tm__ring *ring, const tm__open_hold *hold)
{
    for (size_t i = 0; i < TM__HOLDS_MOST; i++)
        if (atomic_load_explicit(&ring->holds[i].object, memory_order_relaxed) ==
            hold->address)
            return 1;
    return 0;
}

int tm__holds_share(const tm__ring_reader *reader, const tm__native_object *object)
{
    for (size_t i = 0; i < TM__HOLDS_MOST; i++) {
        const tm__open_hold *hold = &reader->holds[i];

        if (hold->address == object->key.address &&
            hold->object_kind == object->key.kind && hold->flags & TM_EVENT_SHARED &&
            !hold->is_over)
            return lists(reader->ring, hold);
    }
    return 0;
}

void tm__holds_close(tm__ring_reader *reader, const tm__readers *readers,
                     int64_t now_ns)
{
    /* Items that wait for names are older. */
    if (reader->image->ordered_count)
        return;
    for (size_t i = 0; i < TM__HOLDS_MOST; i++) {
        tm__open_hold *hold = &reader->holds[i];
        tm__native_object *object;

        if (hold->address == 0 || lists(reader->ring, hold)) {
            hold->missing = 0;
            continue;
        }
        if (++hold->missing < 3)
            continue;
        object = tm__object_last_at(reader->image, hold->address, hold->object_kind);
        if (object && !hold->is_over)
            release(reader->image, readers, object, reader->thread, hold->flags,
                    now_ns);
        hold->address = 0;
    }
}
