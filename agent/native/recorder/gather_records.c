/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program may write anything into a ring, and at any time: what is read is copied
 * first, and the copy is checked before it is used. How far a ring was read, the
 * recorder knows itself.
 */
#include "recorder/gather_records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout/ticks.h"
#include "recorder/definitions.h"
#include "recorder/fresh_names.h"
#include "recorder/image_events.h"

enum { LOST_MOST = 1 << 30 };

tm__item *tm__gather_item(tm__ring_reader *reader, int kind, uint64_t time)
{
    static uint64_t order;
    tm__item *item = tm__image_add_item(reader->image);

    if (!item) {
        /* Out of memory: reported with the records that found no room in the ring. */
        atomic_fetch_add(&reader->ring->lost, 1);
        return NULL;
    }
    if (time > reader->last_time)
        reader->last_time = time;
    item->time = time;
    item->order = ++order;
    reader->image->item_order = order;
    item->reader = reader;
    item->event.kind = (uint16_t)kind;
    item->event.thread = reader->thread;
    return item;
}

static void take_stack(tm__ring_reader *reader, const void *place,
                       const tm__record *record)
{
    if (record->object < TM__STACKS_CACHED)
        reader->stacks[record->object] = tm__fresh_stack(place);
}

static void take_name(tm__ring_reader *reader, const void *place,
                      const tm__record *record)
{
    size_t room = record->bytes - sizeof(*record);
    tm__item *item = tm__gather_item(reader, 0, record->time);

    if (!item || record->value < 0 || (uint64_t)record->value >= sizeof(item->name) ||
        (uint64_t)record->value > room)
        return;
    item->event.object = record->object;
    item->event.value = (int64_t)record->peer;
    memcpy(item->name, (const unsigned char *)place + sizeof(*record),
           (size_t)record->value);
}

static void take_handle(tm__ring_reader *reader, const tm__record *record)
{
    tm__item *item = tm__gather_item(reader, 0, record->time);

    if (!item)
        return;
    item->event.object = record->object;
    item->event.peer = record->peer;
}

/* The program may have written anything: the key alone identifies the endpoint. */
static void take_endpoint(tm__ring_reader *reader, const void *place,
                          const tm__record *record)
{
    size_t room = record->bytes - sizeof(*record);
    char text[TM__ENDPOINT_TEXT_BYTES];
    tm__endpoint it;
    size_t length;

    if (record->value < (int64_t)sizeof(it) || (uint64_t)record->value > room)
        return;
    memcpy(&it, (const unsigned char *)place + sizeof(*record), sizeof(it));
    length = (size_t)record->value - sizeof(it);
    if (length >= sizeof(text))
        length = sizeof(text) - 1;
    memcpy(text, (const unsigned char *)place + sizeof(*record) + sizeof(it), length);
    text[length] = 0;
    if (it.key == record->object)
        tm__endpoint_learn(reader->image, &it, text);
}

static void take_event(tm__ring_reader *reader, const tm__record *record)
{
    int kind = record->kind - TM__NOTED_EVENTS;
    uint64_t place;
    tm__item *item;

    if (kind <= 0 || kind >= TM_EVENT_KIND_END ||
        !(item = tm__gather_item(reader, kind, record->time)))
        return;
    item->object_kind = record->object_kind;
    if (item->object_kind != TM__OBJECT_NONE)
        item->object =
            tm__object_at(reader->image, record->object, record->object_kind,
                          record->flags >> TM__GENERATION_SHIFT & TM__GENERATION_BITS);
    if (item->object && record->flags & TM__LIFE_SEEN)
        item->object->is_life_seen = 1;
    item->event.object = record->object;
    item->event.peer = record->peer;
    item->event.value = record->value;
    item->event.flags = (uint16_t)record->flags;
    if (record->stack < TM__STACKS_CACHED) {
        item->stack = reader->stacks[record->stack];
    } else if ((kind == TM_EVENT_NESTED || kind == TM_EVENT_THREAD_START) &&
               record->peer) {
        /* A routine as if it had called something at once. */
        place = record->peer + (kind == TM_EVENT_THREAD_START);
        item->stack = tm__stack_of_frames(reader->image, &place, 1);
    }
    if (kind == TM_EVENT_NESTED || kind == TM_EVENT_THREAD_START)
        item->event.peer = 0;
    if (item->stack && kind != TM_EVENT_THREAD_START)
        item->event.stack = tm__stack_id(item->stack);
}

static void extract_loss(tm__ring_reader *reader, uint64_t now)
{
    uint64_t lost = atomic_load(&reader->ring->lost);
    uint64_t time = atomic_exchange(&reader->ring->lost_time, 0);
    tm__item *item;

    if (lost == reader->lost)
        return;
    item = tm__gather_item(reader, TM_EVENT_LOST, now);
    if (item) {
        item->event.value = lost - reader->lost < LOST_MOST
                                ? (int64_t)(lost - reader->lost)
                                : LOST_MOST;
        item->event.object = time ? time : now;
    }
    reader->lost = lost;
}

/* Copy the head of the record at a place.
 * @return where it lies; NULL: there is none that makes sense */
static const void *record_at(const tm__ring_reader *reader, uint64_t tail,
                             tm__record *record)
{
    const unsigned char *bytes =
        (const unsigned char *)reader->ring + TM__RING_HEADER_BYTES;
    uint64_t at = tail % reader->ring_bytes, left = reader->ring_bytes - at;

    if (left > reader->head - tail)
        left = reader->head - tail;
    *record = (tm__record){0};
    memcpy(record, bytes + at, left < sizeof(*record) ? left : sizeof(*record));
    atomic_signal_fence(memory_order_seq_cst);
    return record->bytes < 8 || record->bytes % 8 != 0 || record->bytes > left ||
                   (record->kind != TM__PADDING && record->bytes < sizeof(*record))
               ? NULL
               : bytes + at;
}

/* A head that no program of ours wrote: nothing up to there can be read. */
static void drop(tm__ring_reader *reader)
{
    reader->tail = reader->head & ~UINT64_C(7);
    reader->head = reader->tail;
    atomic_store_explicit(&reader->ring->tail, reader->tail, memory_order_release);
    atomic_fetch_add(&reader->ring->lost, 1);
}

void tm__gather_begin(tm__ring_reader *reader)
{
    tm__ring *ring = reader->ring;
    uint64_t tail = reader->tail;
    const void *place;
    tm__record record;

    reader->head = atomic_load_explicit(&ring->head, memory_order_acquire);
    if (reader->head - tail > reader->ring_bytes || reader->head % 8 != 0)
        drop(reader);
    else
        for (; tail != reader->head && (place = record_at(reader, tail, &record));
             tail += record.bytes)
            if (record.kind == TM__MODULE || record.kind == TM__STACK)
                tm__fresh_add(reader, place, &record);
}

/* No record is of a time to come, or it would never be emitted. */
static void take(tm__ring_reader *reader, const void *place, tm__record *record,
                 uint64_t now)
{
    if (record->time > now)
        record->time = now;
    switch (record->kind) {
    case TM__PADDING:
    case TM__MODULE: break;
    case TM__STACK: take_stack(reader, place, record); break;
    case TM__NAME: take_name(reader, place, record); break;
    case TM__HANDLE: take_handle(reader, record); break;
    case TM__ENDPOINT: take_endpoint(reader, place, record); break;
    case TM__EXIT: tm__gather_item(reader, TM_EVENT_SHUTDOWN, record->time); break;
    default: take_event(reader, record); break;
    }
}

void tm__gather_records(tm__ring_reader *reader, const tm__tick_clock *clock)
{
    tm__ring *ring = reader->ring;
    uint64_t now = tm__ticks(clock->uses_counter);
    uint32_t left_out;

    while (reader->tail != reader->head) {
        tm__record record;
        const void *place = record_at(reader, reader->tail, &record);

        if (!place) {
            atomic_fetch_add(&ring->lost, 1);
            reader->tail = reader->head;
            break;
        }
        take(reader, place, &record, now);
        reader->tail += record.bytes;
    }
    /* Records in the ring by now came before a loss, and those that follow one are
     * later than this. */
    now = tm__ticks(clock->uses_counter);
    atomic_store_explicit(&ring->tail, reader->tail, memory_order_release);
    extract_loss(reader, now);
    left_out = atomic_load_explicit(&ring->nestings_left_out, memory_order_relaxed);
    reader->image->nestings_left_out += left_out - reader->nestings_left_out;
    reader->nestings_left_out = left_out;
}

static int is_open(const tm__ring_reader *reader, uint64_t address)
{
    for (size_t i = 0; i < TM__HOLDS_MOST; i++)
        if (reader->holds[i].address == address)
            return 1;
    return 0;
}

void tm__gather_holds(tm__ring_reader *reader, uint64_t horizon)
{
    tm__ring *ring = reader->ring;
    uint32_t count = atomic_load_explicit(&ring->hold_count, memory_order_acquire);

    for (uint32_t i = 0; i < count && i < TM__HOLDS_MOST; i++) {
        tm__hold *hold = &ring->holds[i];
        uint64_t address = atomic_load_explicit(&hold->object, memory_order_acquire);
        uint64_t time = atomic_load_explicit(&hold->time, memory_order_relaxed);
        uint32_t kind = hold->object_kind, flags = hold->flags;
        tm__item *item;

        /* A lock that it owns twice is reported once. */
        if (address == 0 || time >= horizon || is_open(reader, address) ||
            atomic_exchange(&hold->is_reported, 1) != 0)
            continue;
        item = tm__gather_item(reader, TM_EVENT_ACQUIRED, time);
        if (!item)
            continue;
        item->object_kind = kind;
        if (item->object_kind != TM__OBJECT_NONE)
            item->object =
                tm__object_last_at(reader->image, address, item->object_kind);
        item->event.object = address;
        item->event.flags = (uint16_t)(flags & TM_EVENT_SHARED);
    }
}

static int by_time(const void *left, const void *right)
{
    const tm__item *a = left, *b = right;

    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

void tm__gather_sort(tm__image *image)
{
    /* Nothing comes late, so what was before the horizon stays as it is. */
    size_t count = image->item_count - image->ordered_count;

    if (count > 0)
        qsort(image->items + image->item_first + image->ordered_count, count,
              sizeof(*image->items), by_time);
}
