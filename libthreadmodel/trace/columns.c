/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events to columns and back; some ten thousand a call, or twenty when an agent
 * flushes twenty times a second, so nothing here may cost by the size of a block
 * that is not full.
 *
 * Ids are the producer's own and may be any 64 bits. A block has few different ones,
 * so it lists those once and events carry a number into that list, most often of one
 * byte. A number that was not seen before in the block is always the next one.
 */
#include "trace/columns.h"

#include <string.h>

#include "base/error.h"

int tm__section_put(tm__bytes *out, enum tm__section tag, const uint8_t *data,
                    size_t length)
{
    uint8_t *at;

    if (tm__bytes_reserve(out, 1 + TM__VARINT_BYTES + length) < 0)
        return tm__failure();
    at = tm__encode_varint(out->data + out->length, tag);
    at = tm__encode_varint(at, length);
    memcpy(at, data, length);
    out->length = (size_t)(at - out->data) + length;
    return TM_OK;
}

/* Room for `most` ids, and a table that those leave half empty. */
static int dictionary_open(tm__id_dictionary *dictionary, tm__memory *memory,
                           size_t most)
{
    size_t slots = 16;

    while (slots < 2 * most)
        slots *= 2;
    if (tm__reserve(memory, &dictionary->ids, &dictionary->id_capacity, most + 1,
                    sizeof(*dictionary->ids)) < 0 ||
        tm__reserve(memory, &dictionary->slots, &dictionary->slot_capacity, slots,
                    sizeof(*dictionary->slots)) < 0)
        return tm__failure();
    memset(dictionary->slots, 0, slots * sizeof(*dictionary->slots));
    dictionary->slot_mask = (uint32_t)slots - 1;
    dictionary->count = 1;
    return TM_OK;
}

static uint32_t dictionary_number(tm__id_dictionary *dictionary, uint64_t id)
{
    uint32_t slot = (uint32_t)(id * UINT64_C(0x9e3779b97f4a7c15) >> 32);

    if (id == 0)
        return 0;
    for (;; slot++) {
        uint32_t *number = &dictionary->slots[slot & dictionary->slot_mask];

        if (*number == 0) {
            *number = dictionary->count;
            dictionary->ids[dictionary->count] = id;
            return dictionary->count++;
        }
        if (dictionary->ids[*number] == id)
            return *number;
    }
}

static void dictionary_close(tm__id_dictionary *dictionary, tm__memory *memory)
{
    tm__free(memory, dictionary->ids,
             dictionary->id_capacity * sizeof(*dictionary->ids));
    tm__free(memory, dictionary->slots,
             dictionary->slot_capacity * sizeof(*dictionary->slots));
    *dictionary = (tm__id_dictionary){0};
}

/* Bytes of a section at the widest: 16 bits take three, numbers of ids as well. */
static const uint8_t widths[TM__SECTION_END] = {
    [TM__SECTION_KIND] = 3,   [TM__SECTION_FLAGS] = 3,  [TM__SECTION_TIME] = 10,
    [TM__SECTION_VALUE] = 10, [TM__SECTION_THREAD] = 3, [TM__SECTION_PEER] = 3,
    [TM__SECTION_OBJECT] = 3, [TM__SECTION_STACK] = 3,
};

/* Where the columns begin in the scratch, and what they hold together. */
typedef struct tm__lanes {
    uint8_t *start[TM__SECTION_END];
    uint8_t *end[TM__SECTION_END];
    uint64_t any[TM__SECTION_END]; ///< all numbers or-ed: 0 means none but zeros
} lanes;

static void spread(tm__columns *columns, lanes *lane, const tm_event *events,
                   const uint32_t *order, uint32_t count)
{
    uint8_t *kind = lane->start[TM__SECTION_KIND];
    uint8_t *flags = lane->start[TM__SECTION_FLAGS];
    uint8_t *time = lane->start[TM__SECTION_TIME];
    uint8_t *value = lane->start[TM__SECTION_VALUE];
    uint8_t *thread = lane->start[TM__SECTION_THREAD];
    uint8_t *peer = lane->start[TM__SECTION_PEER];
    uint8_t *object = lane->start[TM__SECTION_OBJECT];
    uint8_t *stack = lane->start[TM__SECTION_STACK];
    uint64_t before = (uint64_t)events[order ? order[0] : 0].time_ns;
    uint64_t *any = lane->any;

    for (uint32_t i = 0; i < count; i++) {
        const tm_event *event = &events[order ? order[i] : i];
        uint64_t number = (uint64_t)event->time_ns - before;

        before = (uint64_t)event->time_ns;
        any[TM__SECTION_TIME] |= number;
        time = tm__encode_varint(time, number);
        any[TM__SECTION_KIND] |= event->kind;
        kind = tm__encode_varint(kind, event->kind);
        any[TM__SECTION_FLAGS] |= event->flags;
        flags = tm__encode_varint(flags, event->flags);
        any[TM__SECTION_VALUE] |= (uint64_t)event->value;
        value = tm__encode_signed(value, event->value);
        any[TM__SECTION_THREAD] |= event->thread;
        thread = tm__encode_varint(thread,
                                   dictionary_number(&columns->threads, event->thread));
        any[TM__SECTION_PEER] |= event->peer;
        peer =
            tm__encode_varint(peer, dictionary_number(&columns->threads, event->peer));
        any[TM__SECTION_OBJECT] |= event->object;
        object = tm__encode_varint(object,
                                   dictionary_number(&columns->objects, event->object));
        any[TM__SECTION_STACK] |= event->stack;
        stack =
            tm__encode_varint(stack, dictionary_number(&columns->stacks, event->stack));
    }
    lane->end[TM__SECTION_KIND] = kind;
    lane->end[TM__SECTION_FLAGS] = flags;
    lane->end[TM__SECTION_TIME] = time;
    lane->end[TM__SECTION_VALUE] = value;
    lane->end[TM__SECTION_THREAD] = thread;
    lane->end[TM__SECTION_PEER] = peer;
    lane->end[TM__SECTION_OBJECT] = object;
    lane->end[TM__SECTION_STACK] = stack;
}

static int put_lane(tm__bytes *out, const lanes *lane, enum tm__section tag)
{
    if (lane->any[tag] == 0)
        return TM_OK;
    return tm__section_put(out, tag, lane->start[tag],
                           (size_t)(lane->end[tag] - lane->start[tag]));
}

/* Ids by distance from the one before; the scratch is free for them by then. */
static int put_ids(tm__columns *columns, tm__bytes *out, enum tm__section tag,
                   const tm__id_dictionary *dictionary)
{
    tm__bytes *scratch = &columns->scratch;
    uint64_t before = 0;
    uint8_t *at;

    if (dictionary->count == 1)
        return TM_OK;
    if (tm__bytes_reserve(scratch, (size_t)dictionary->count * TM__VARINT_BYTES) < 0)
        return tm__failure();
    at = scratch->data;
    for (uint32_t i = 1; i < dictionary->count; i++) {
        at = tm__encode_varint(at, tm__zigzag(dictionary->ids[i] - before));
        before = dictionary->ids[i];
    }
    return tm__section_put(out, tag, scratch->data, (size_t)(at - scratch->data));
}

int tm__columns_put(tm__columns *columns, tm__bytes *out, const tm_event *events,
                    const uint32_t *order, uint32_t count)
{
    size_t width = 0;
    lanes lane = {0};

    columns->scratch.memory = columns->memory;
    for (int tag = 0; tag < TM__SECTION_END; tag++)
        width += widths[tag];
    if (tm__bytes_reserve(&columns->scratch, width * count) < 0 ||
        dictionary_open(&columns->threads, columns->memory, 2 * (size_t)count) < 0 ||
        dictionary_open(&columns->objects, columns->memory, count) < 0 ||
        dictionary_open(&columns->stacks, columns->memory, count) < 0)
        return tm__failure();
    for (size_t tag = 0, offset = 0; tag < TM__SECTION_END; tag++) {
        lane.start[tag] = columns->scratch.data + offset;
        offset += (size_t)widths[tag] * count;
    }
    spread(columns, &lane, events, order, count);
    for (int tag = TM__SECTION_KIND; tag < TM__SECTION_END; tag++)
        if (widths[tag] > 0 && put_lane(out, &lane, (enum tm__section)tag) < 0)
            return tm__failure();
    if (put_ids(columns, out, TM__SECTION_THREAD_IDS, &columns->threads) < 0 ||
        put_ids(columns, out, TM__SECTION_OBJECT_IDS, &columns->objects) < 0 ||
        put_ids(columns, out, TM__SECTION_STACK_IDS, &columns->stacks) < 0)
        return tm__failure();
    return TM_OK;
}

/* A list of ids may not be longer than the events could have needed. */
static int get_ids(tm__columns *columns, tm__id_dictionary *dictionary,
                   tm__cursor section, size_t most, uint64_t largest)
{
    uint64_t id = 0;

    if (tm__reserve(columns->memory, &dictionary->ids, &dictionary->id_capacity,
                    most + 1, sizeof(*dictionary->ids)) < 0)
        return tm__failure();
    dictionary->ids[0] = 0;
    dictionary->count = 1;
    while (section.at < section.end && dictionary->count <= most) {
        id += tm__unzigzag(tm__get_varint(&section));
        if (id > largest)
            section.bad = 1;
        dictionary->ids[dictionary->count++] = id;
    }
    if (section.bad || section.at < section.end)
        return tm__fail(TM_EDAMAGED, "invalid list of ids");
    return TM_OK;
}

static int get_times(tm_event *events, uint32_t count, tm__cursor section,
                     int64_t first_ns, int64_t last_ns)
{
    uint64_t since = 0, length = (uint64_t)last_ns - (uint64_t)first_ns;
    int absent = section.at == section.end;

    for (uint32_t i = 0; i < count; i++) {
        uint64_t delta = absent ? 0 : tm__get_varint(&section);

        if (delta > length - since)
            return tm__fail(TM_EDAMAGED, "event %u is later than its block", i);
        since += delta;
        events[i].time_ns = (int64_t)((uint64_t)first_ns + since);
    }
    if (section.bad || section.at < section.end || (count > 0 && since != length))
        return tm__fail(TM_EDAMAGED, "times do not add up");
    return TM_OK;
}

/* One loop a column, so that each is a tight one. NUMBER is the i-th number. */
#define GET_COLUMN(name, tag, most, store)                                             \
    do {                                                                               \
        tm__cursor section = sections[tag];                                            \
        int absent = section.at == section.end;                                        \
        for (uint32_t i = 0; i < count; i++) {                                         \
            uint64_t number = absent ? 0 : tm__get_limited(&section, most);            \
            store;                                                                     \
        }                                                                              \
        if (section.bad || section.at < section.end)                                   \
            return tm__fail(TM_EDAMAGED, "invalid column of " name);                   \
    } while (0)

int tm__columns_get(tm__columns *columns, tm_event *events, uint32_t count,
                    const tm__cursor sections[TM__SECTION_END], int64_t first_ns,
                    int64_t last_ns)
{
    tm__id_dictionary *threads = &columns->threads;
    tm__id_dictionary *objects = &columns->objects;
    tm__id_dictionary *stacks = &columns->stacks;
    int rc;

    if ((rc = get_ids(columns, threads, sections[TM__SECTION_THREAD_IDS],
                      2 * (size_t)count, UINT64_MAX)) < 0 ||
        (rc = get_ids(columns, objects, sections[TM__SECTION_OBJECT_IDS], count,
                      UINT64_MAX)) < 0 ||
        (rc = get_ids(columns, stacks, sections[TM__SECTION_STACK_IDS], count,
                      UINT32_MAX)) < 0 ||
        (rc = get_times(events, count, sections[TM__SECTION_TIME], first_ns, last_ns)) <
            0)
        return rc;
    GET_COLUMN("kinds", TM__SECTION_KIND, UINT16_MAX,
               events[i].kind = (uint16_t)number);
    GET_COLUMN("flags", TM__SECTION_FLAGS, UINT16_MAX,
               events[i].flags = (uint16_t)number);
    GET_COLUMN("values", TM__SECTION_VALUE, UINT64_MAX,
               events[i].value = (int64_t)tm__unzigzag(number));
    GET_COLUMN("threads", TM__SECTION_THREAD, threads->count - 1,
               events[i].thread = threads->ids[number]);
    GET_COLUMN("peers", TM__SECTION_PEER, threads->count - 1,
               events[i].peer = threads->ids[number]);
    GET_COLUMN("objects", TM__SECTION_OBJECT, objects->count - 1,
               events[i].object = objects->ids[number]);
    GET_COLUMN("stacks", TM__SECTION_STACK, stacks->count - 1,
               events[i].stack = (uint32_t)stacks->ids[number]);
    return TM_OK;
}

void tm__columns_free(tm__columns *columns)
{
    tm__bytes_free(&columns->scratch);
    dictionary_close(&columns->threads, columns->memory);
    dictionary_close(&columns->objects, columns->memory);
    dictionary_close(&columns->stacks, columns->memory);
}
