/* SPDX-License-Identifier: Apache-2.0 */
#include "recorder/facts.h"

#include <string.h>

#include "recorder/call_bounds.h"
#include "recorder/definitions.h"
#include "recorder/image_events.h"
#include "recorder/lock_holds.h"
#include "recorder/thread_names.h"

/* So many events may wait for names; they have some 60 MB. */
enum { WAITING_MOST = 400000 };

/* The first to leave a barrier shows who came last: that one let all go on. */
static int leave_barrier(tm__item *item, const tm__readers *readers,
                         tm__native_object *object)
{
    tm_event event = item->event;
    tm__ring_reader *reader = item->reader;

    if (reader->barrier_cycle == object->cycle) {
        tm__ring_reader *last =
            tm__ring_reader_of(readers, reader->image, object->last);

        object->poster = object->last;
        object->cycle++;
        event.thread = object->poster;
        event.object = object->id;
        tm__image_emit(reader->image, &event);
        if (last)
            last->is_blocked = 0;
        event.kind = TM_EVENT_POST;
        event.flags = 0;
        tm__image_emit_late(reader->image, last, &event);
    }
    if (object->poster == item->event.thread)
        return 0;
    item->event.peer = object->poster;
    item->event.flags |= TM_EVENT_PEER_INFERRED;
    return 1;
}

/* A signal handler that locks something in the middle of a wait ends it here, which
 * costs the report of a deadlock and makes none up. */
static void note_wanted(const tm__item *item, const tm__native_object *object)
{
    tm__wanted *wanted = &item->reader->wanted;

    switch (item->event.kind) {
    case TM_EVENT_CONTENDED_ENTER:
    case TM_EVENT_PARK:
        *wanted = (tm__wanted){.object = object,
                               .is_shared = item->event.flags & TM_EVENT_SHARED,
                               .since_ns = item->event.time_ns};
        break;
    case TM_EVENT_JOIN:
        *wanted =
            (tm__wanted){.joined = item->event.peer, .since_ns = item->event.time_ns};
        break;
    case TM_EVENT_ACQUIRED:
        if (object != wanted->object)
            break;
        /* fall through */
    case TM_EVENT_CONTENDED_ENTERED:
    case TM_EVENT_UNPARKED:
    case TM_EVENT_JOINED: *wanted = (tm__wanted){0}; break;
    default: break;
    }
}

/* Note when any wait begins or ends. */
static void note_wait(tm__ring_reader *reader, const tm_event *event)
{
    switch (event->kind) {
    case TM_EVENT_CONTENDED_ENTER:
    case TM_EVENT_WAIT:
    case TM_EVENT_AWAIT:
    case TM_EVENT_PARK:
    case TM_EVENT_JOIN: reader->waits_since_ns = event->time_ns; break;
    case TM_EVENT_CONTENDED_ENTERED:
    case TM_EVENT_WAITED:
    case TM_EVENT_AWAITED:
    case TM_EVENT_UNPARKED:
    case TM_EVENT_JOINED:
    case TM_EVENT_SLEEP:
    case TM_EVENT_THREAD_END:
    case TM_EVENT_LOST: reader->waits_since_ns = 0; break;
    default: break;
    }
}

/* A thread's own events show what it does in a block; each of them shows that it runs.
 * @return whether a switch is to be emitted */
static int follow_processor(tm__ring_reader *reader, const tm_event *event)
{
    switch (event->kind) {
    case TM_EVENT_OFF_CPU:
        if (reader->is_blocked)
            return 0;
        reader->is_off = 1;
        reader->is_off_by_itself = event->flags & TM_EVENT_VOLUNTARY;
        return 1;
    case TM_EVENT_ON_CPU:
        if (!reader->is_off)
            return 0;
        reader->is_off = 0;
        return 1;
    case TM_EVENT_CONTENDED_ENTER:
    case TM_EVENT_WAIT:
    case TM_EVENT_AWAIT:
    case TM_EVENT_PARK:
    case TM_EVENT_JOIN:
    case TM_EVENT_SLEEP:
    case TM_EVENT_THREAD_END: reader->is_blocked = 1; break;
    case TM_EVENT_CONTENDED_ENTERED:
    case TM_EVENT_WAITED:
    case TM_EVENT_AWAITED:
    case TM_EVENT_UNPARKED:
    case TM_EVENT_JOINED:
    case TM_EVENT_SLEPT:
    case TM_EVENT_THREAD_START:
    case TM_EVENT_LOST: reader->is_blocked = 0; break;
    default: return 1;
    }
    reader->is_off = 0;
    return 1;
}

/* ---- owners in the process that forked ---- */

static tm__ring_reader *reader_of_task(const tm__readers *readers, uint32_t pid,
                                       uint32_t task)
{
    for (uint32_t i = 0; i < readers->end; i++)
        if (readers->all[i].image && readers->all[i].image->pid == pid &&
            readers->all[i].os_id == task)
            return &readers->all[i];
    return NULL;
}

/* @return the thread with that number of the process that forked; 0: it is not known */
static uint64_t not_forked(const tm__item *item, const tm__readers *readers,
                           uint32_t task)
{
    tm__image *image = item->reader->image;
    const tm__ring_reader *owner;

    for (size_t i = 0; i < image->not_forked_count; i++)
        if (image->not_forked[i].task == task)
            return image->not_forked[i].thread;
    owner = reader_of_task(readers, image->parent_pid, task);
    if (!owner || image->not_forked_count == TM__NOT_FORKED_MOST)
        return 0;
    image->not_forked[image->not_forked_count].task = task;
    image->not_forked[image->not_forked_count++].thread = owner->thread;
    tm__thread_define_not_forked(image, owner->thread, task, owner->name);
    return owner->thread;
}

/* In a fork a mutex is as it was: perhaps owned by a thread that is not there. */
static void name_owner_of_before(tm__item *item, const tm__readers *readers)
{
    uint32_t task = (uint32_t)item->event.peer;

    item->event.peer = 0;
    if (task && item->object && !item->object->owner &&
        !reader_of_task(readers, item->reader->image->pid, task))
        item->event.peer = not_forked(item, readers, task);
}

/* The word of a lock with priority inheritance had the number of its owner when the
 * thread looked, before it queued. */
static void name_owner_in_word(tm__item *item, const tm__readers *readers)
{
    const tm__ring_reader *owner =
        reader_of_task(readers, item->reader->image->pid, (uint32_t)item->event.peer);

    item->event.peer = owner ? owner->thread : 0;
    if (!owner)
        return;
    item->event.flags |= TM_EVENT_PEER_INFERRED;
    item->object->owner = owner->thread;
}

/* Such a lock is in no list of its owner's, and each event of it is one. */
static void follow_inherited(const tm__item *item)
{
    tm__native_object *object = item->object;
    uint64_t thread = item->event.thread;

    if (item->event.kind == TM_EVENT_RELEASED)
        object->owner = object->owner == thread ? 0 : object->owner;
    else
        object->owner = thread;
}

/* An owner that cannot release a lock any more. */
static void name_owner_that_left(tm__item *item, const tm__readers *readers)
{
    name_owner_of_before(item, readers);
    if (item->object && item->object->is_left) {
        item->event.peer = item->object->owner;
        item->event.flags |= TM_EVENT_PEER_REPORTED;
    }
}

/* @return whether an event is the begin or the end of a call that did not wait */
static int is_no_wait(tm__item *item)
{
    if (item->object_kind != TM__OBJECT_ENDPOINT)
        return 0;
    if (item->event.kind == TM_EVENT_AWAIT)
        return item->reader->skips_end = item->is_no_wait;
    if (item->event.kind != TM_EVENT_AWAITED || !item->reader->skips_end)
        return 0;
    item->reader->skips_end = 0;
    return 1;
}

/* @return whether the event is to be emitted */
static int complete(tm__item *item, const tm__readers *readers)
{
    tm_event *event = &item->event;
    tm__image *image = item->reader->image;
    tm__native_object *object = item->object;

    if (item->event.stack)
        tm__thread_shows_stack(item);
    if (item->object_kind != TM__OBJECT_NONE) {
        if (!object)
            return 0;
        event->object = object->id;
    }
    if (is_no_wait(item))
        return 0;
    if (event->kind == TM_EVENT_JOIN) {
        event->peer = tm__thread_by_handle(image, event->object);
        event->object = 0;
    }
    note_wanted(item, object);
    note_wait(item->reader, event);
    if (!follow_processor(item->reader, event))
        return 0;
    switch (event->kind) {
    case 0:
        if (event->peer)
            tm__thread_set_handle(image, event->object, event->peer);
        else
            tm__thread_renamed(item, readers);
        return 0;
    case TM_EVENT_THREAD_START: tm__thread_begins(item); break;
    case TM_EVENT_CONTENDED_ENTER:
    case TM_EVENT_PARK:
        if (item->object_kind == TM__OBJECT_INHERITED)
            name_owner_in_word(item, readers);
        else
            name_owner_that_left(item, readers);
        break;
    case TM_EVENT_THREAD_END: tm__holds_leave(item->reader); break;
    case TM_EVENT_ACQUIRED:
    case TM_EVENT_CONTENDED_ENTERED:
    case TM_EVENT_RELEASED:
        if (object && item->object_kind == TM__OBJECT_INHERITED) {
            follow_inherited(item);
            return 1;
        }
        if (event->kind == TM_EVENT_RELEASED)
            return object && tm__hold_let_go(item, object);
        return object && tm__hold_acquire(item, readers, object);
    case TM_EVENT_SHUTDOWN: image->has_left = 1; break;
    case TM_EVENT_LOST:
        item->reader->lost_emitted += (uint64_t)event->value;
        item->reader->wanted = (tm__wanted){0};
        break;
    case TM_EVENT_AWAIT:
        if (object) {
            object->last = event->thread;
            item->reader->barrier_cycle = object->cycle;
        }
        break;
    case TM_EVENT_AWAITED:
        if (object && item->object_kind == TM__OBJECT_BARRIER)
            return leave_barrier(item, readers, object);
        break;
    default: break;
    }
    return 1;
}

/* Whether it says that threads had to do with one another. */
static int is_of_interest(tm__image *image, const tm_event *event)
{
    switch (event->kind) {
    case TM_EVENT_THREAD_START:
    case TM_EVENT_THREAD_END:
    case TM_EVENT_SLEEP:
    case TM_EVENT_SLEPT:
    case TM_EVENT_SHUTDOWN:
    case TM_EVENT_ACQUIRED:
    case TM_EVENT_RELEASED:
    case TM_EVENT_ON_CPU:
    case TM_EVENT_OFF_CPU: return 0;
    /* One thread alone nests what it likes. */
    case TM_EVENT_NESTED:
        if (!image->nesting_thread)
            image->nesting_thread = event->thread;
        return image->nesting_thread != event->thread;
    default: return 1;
    }
}

/* Whether all that an item refers to is defined. */
static int is_defined(const tm__item *item)
{
    tm__image *image = item->reader->image;

    return (!item->stack || tm__stack_define(image, item->stack)) &&
           (!item->object ||
            tm__object_define(image, item->object,
                              item->stack ? tm__stack_function(item->stack) : ""));
}

/* How many items are before the horizon. */
static size_t count_ordered(const tm__image *image, uint64_t horizon)
{
    const tm__item *items = image->items + image->item_first;
    size_t low = image->ordered_count, high = image->item_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (items[middle].time < horizon)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void tm__facts_emit(tm__image *image, const tm__readers *readers,
                    const tm__tick_clock *clock, uint64_t horizon)
{
    size_t before = image->ordered_count;

    image->ordered_count = count_ordered(image, horizon);
    tm__call_bounds_find(image, before);
    while (image->ordered_count) {
        tm__item *item = &image->items[image->item_first];

        /* A definition comes before its events, unless there are too many of them. */
        if (!is_defined(item) && image->item_count <= WAITING_MOST &&
            horizon != UINT64_MAX)
            break;
        image->item_first++;
        image->items_emitted++;
        image->item_count--;
        image->ordered_count--;
        item->event.time_ns = tm__tick_clock_ns(clock, item->time);
        if (item->event.kind == TM_EVENT_LOST)
            item->event.object = (uint64_t)tm__tick_clock_ns(clock, item->event.object);
        if (item->is_left_out || !complete(item, readers))
            continue;
        image->is_wanted |= item->object_kind != TM__OBJECT_ENDPOINT &&
                            is_of_interest(image, &item->event);
        tm__image_emit(image, &item->event);
    }
    if (image->item_count == 0)
        image->item_first = 0;
    tm__image_flush(image);
}

uint64_t tm__facts_emitted(const tm__image *image)
{
    return image->ordered_count ? image->items[image->item_first].time
                                : image->next_horizon;
}
