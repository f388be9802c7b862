/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread records a sleep, or a call that waits, around the call of the C library. The
 * kernel's work in it before the thread leaves its processor, and after it is back,
 * does not count; it is a good part of a wait of some tens of us. No lock depends on
 * when exactly such a wait began or ended.
 *
 *     recorded   running │ sleep ················ slept │ running
 *     switches                  out ········ in
 *     emitted    running ──────│ sleep ····· slept │───── running
 *
 * A call that the thread spent preempted alone, or on its processor, did not wait. All
 * switches up to the horizon were read.
 */
#include "recorder/call_bounds.h"

/* @param at  a place among all items that the image ever had, and 1
 * @return NULL: it was emitted */
static tm__item *item_at(const tm__image *image, uint64_t at)
{
    return at > image->items_emitted
               ? &image->items[image->item_first + (at - 1 - image->items_emitted)]
               : NULL;
}

/* Have an event take place when a switch did, which it makes superfluous. */
static void move(const tm__image *image, uint64_t from, uint64_t to)
{
    tm__item *event = item_at(image, from), *place = item_at(image, to);
    uint64_t time;

    if (!event || !place)
        return;
    time = place->time;
    *place = *event;
    place->time = time;
    event->is_left_out = 1;
}

static void leave(const tm__image *image, tm__call *call, const tm_event *event,
                  uint64_t at)
{
    call->back_at = 0;
    call->is_preempted = 1;
    if (!(event->flags & TM_EVENT_VOLUNTARY))
        return;
    if (call->begin_at)
        move(image, call->begin_at, at);
    call->has_left |= call->begin_at != 0;
    call->begin_at = 0;
}

static void end(const tm__image *image, tm__call *call, int kind, uint64_t at)
{
    tm__item *begin = item_at(image, call->begin_at);

    if (call->has_left && call->back_at)
        move(image, at, call->back_at);
    else if (kind == TM_EVENT_AWAITED && call->is_preempted && begin)
        begin->is_no_wait = 1;
}

static void look(const tm__image *image, const tm__item *item, uint64_t at)
{
    tm__call *call = &item->reader->call;
    int is_begin = item->event.kind == TM_EVENT_SLEEP ||
                   (item->event.kind == TM_EVENT_AWAIT &&
                    item->object_kind == TM__OBJECT_ENDPOINT);

    switch (item->event.kind) {
    case TM_EVENT_ON_CPU: call->back_at = at; return;
    case TM_EVENT_OFF_CPU: leave(image, call, &item->event, at); return;
    case TM_EVENT_SLEPT:
    case TM_EVENT_AWAITED: end(image, call, item->event.kind, at); break;
    default: break;
    }
    *call = (tm__call){.begin_at = is_begin ? at : 0};
}

void tm__call_bounds_find(tm__image *image, size_t first)
{
    for (size_t i = first; i < image->ordered_count; i++)
        look(image, &image->items[image->item_first + i], image->items_emitted + i + 1);
}
