/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of a ring: checked as they are committed, on the program's threads, where
 * 64 bytes take 10 ns; and read back, by the writer or after the process was killed,
 * when nothing can be trusted that the check does not vouch for.
 */
#include "trace/ring.h"

#include <string.h>

#include <threadmodel/error.h>

#include "trace/coding.h"
#include "trace/text.h"

/* A name of 2,000 bytes grows threefold at most, where every byte is bad. */
enum { TEXT_BYTES = 6100 };
enum { LINES = TM__RECORD_BYTES_MAX / sizeof(tm__record_line) };

_Static_assert(sizeof(tm__record) == 64, "a record without frames is a cache line");
_Static_assert(offsetof(tm__ring, head) == 64 && offsetof(tm__ring, tail) == 128 &&
                   sizeof(tm__ring) <= TM__RING_PAGE_BYTES,
               "as docs/trace-format.md has it");
_Static_assert(offsetof(tm__rings_header, events) == 64,
               "as docs/trace-format.md has it");

static uint32_t header_crc(const tm__rings_header *header)
{
    return tm__crc32((const uint8_t *)header, offsetof(tm__rings_header, constant)) ^
           tm__crc32((const uint8_t *)&header->run_id, sizeof(header->run_id));
}

void tm__rings_header_init(tm__rings_header *header, uint64_t run_id)
{
    header->magic = TM__RINGS_MAGIC;
    header->version = TM__RINGS_VERSION;
    header->run_id = run_id;
    header->constant = header_crc(header);
    tm__ring_mark_set(&header->events, 0);
    tm__ring_mark_set(&header->horizon, 0);
    tm__ring_mark_set(&header->is_advancing, 0);
}

int tm__rings_header_is_whole(const tm__rings_header *header)
{
    return header->magic == TM__RINGS_MAGIC && header->constant == header_crc(header);
}

static uint32_t ring_crc(const tm__ring *ring)
{
    return tm__crc32((const uint8_t *)&ring->capacity, 2 * sizeof(ring->capacity));
}

void tm__ring_init(tm__ring *ring, uint64_t capacity, uint64_t offset)
{
    ring->magic = TM__RING_MAGIC;
    ring->capacity = capacity;
    ring->offset = offset;
    ring->constant = ring_crc(ring);
    atomic_store(&ring->skip_from, UINT64_MAX);
    tm__ring_mark_set(&ring->lost, 0);
    tm__ring_mark_set(&ring->tail, 0);
    tm__ring_mark_set(&ring->next, 0);
}

int tm__ring_is_whole(const tm__ring *ring, uint64_t offset)
{
    return ring->magic == TM__RING_MAGIC && ring->offset == offset &&
           ring->constant == ring_crc(ring) && ring->capacity >= TM__RING_BYTES_MIN &&
           ring->capacity <= TM__RING_BYTES_MAX &&
           (ring->capacity & (ring->capacity - 1)) == 0;
}

static inline uint64_t stir(uint64_t lane, uint64_t word)
{
    lane ^= word;
    return (lane << 29 | lane >> 35) * UINT64_C(0x9e3779b97f4a7c15);
}

uint32_t tm__record_check(const tm__record *record, size_t bytes, uint64_t position)
{
    const uint64_t *words = (const uint64_t *)record;
    size_t count = bytes / sizeof(*words);
    /* The first word holds the check itself. Four lanes, so that the processor need
     * not wait for one product before it begins the next. */
    uint64_t a = stir(position, words[0] & ~(uint64_t)UINT32_MAX);
    uint64_t b = count, c = 1, d = 2;
    size_t i = 1;

    for (; i + 3 < count; i += 4) {
        a = stir(a, words[i]);
        b = stir(b, words[i + 1]);
        c = stir(c, words[i + 2]);
        d = stir(d, words[i + 3]);
    }
    for (; i < count; i++)
        a = stir(a, words[i]);
    a = stir(stir(stir(a, b), c), d);
    return (uint32_t)(a >> 32) ^ (uint32_t)a;
}

void tm__record_seal(tm__record *record, size_t bytes, uint64_t position)
{
    uint64_t word = (uint64_t)bytes << 32 | (uint64_t)record->kind << 48;

    /* The check reads whole words, and a word that was written in parts a moment ago
     * has to get to the cache before it can be read: so these go in as one. */
    memcpy(record, &word, sizeof(word));
    record->check = tm__record_check(record, bytes, position);
}

/* @return bytes behind the record that it says it has; SIZE_MAX: no kind of ours */
static size_t stated_bytes(const tm__record *record)
{
    if (tm__record_is_event(record))
        return record->extra * sizeof(tm__record_frame);
    switch (record->kind) {
    case TM__RECORD_CLASS:
    case TM__RECORD_THREAD: return (size_t)record->extra + record->more;
    case TM__RECORD_OBJECT: return 0;
    case TM__RECORD_METHOD:
        if (record->event.value < 0 || record->event.value > UINT16_MAX)
            return SIZE_MAX;
        return tm__record_lines_at(record) +
               (size_t)record->event.value * sizeof(tm__record_line);
    default: return SIZE_MAX;
    }
}

int tm__record_is_whole(const tm__record *record, size_t room, uint64_t position)
{
    size_t bytes;

    if (room < sizeof(uint64_t))
        return 0;
    if (record->kind == TM__RECORD_PAD && record->bytes == 0)
        return record->check == tm__record_check(record, sizeof(uint64_t), position);
    bytes = record->bytes;
    return bytes >= sizeof(*record) && bytes <= room && bytes % 8 == 0 &&
           stated_bytes(record) <= bytes - sizeof(*record) &&
           record->check == tm__record_check(record, bytes, position);
}

static int define_thread(const tm__record *record, const tm_sink *sink)
{
    const char *text = (const char *)(record + 1);
    char name[TEXT_BYTES], group[TEXT_BYTES];
    tm_thread definition = {
        .size = sizeof(definition),
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
    return sink->define_thread(sink->payload, &definition);
}

static int define_class(const tm__record *record, const tm_sink *sink)
{
    const char *text = (const char *)(record + 1);
    char name[TEXT_BYTES], source[TEXT_BYTES];
    tm_class definition = {
        .size = sizeof(definition),
        .id = record->event.object,
        .name = name,
        .source = record->event.flags ? source : NULL,
    };

    tm__text_class(name, sizeof(name), text, record->extra);
    tm__text_utf8(source, sizeof(source), text + record->extra, record->more);
    return sink->define_class(sink->payload, &definition);
}

static int define_object(const tm__record *record, const tm_sink *sink)
{
    tm_object definition = {
        .size = sizeof(definition),
        .id = record->event.object,
        .class_id = record->event.peer,
        .thread = record->event.thread,
        .hash = (uint32_t)record->event.value,
        .flags = TM_OBJECT_HAS_HASH | record->event.flags,
    };

    return sink->define_object(sink->payload, &definition);
}

static int define_method(const tm__record *record, const tm_sink *sink)
{
    const char *text = (const char *)(record + 1);
    const tm__record_line *entries =
        (const tm__record_line *)(text + tm__record_lines_at(record));
    char name[TEXT_BYTES], signature[TEXT_BYTES];
    tm_line lines[LINES];
    tm_method definition = {
        .size = sizeof(definition),
        .id = record->event.object,
        .class_id = record->event.peer,
        .name = name,
        .signature = signature,
        .lines = lines,
        .line_count =
            (size_t)record->event.value < LINES ? (size_t)record->event.value : LINES,
    };

    tm__text_utf8(name, sizeof(name), text, record->extra);
    tm__text_utf8(signature, sizeof(signature), text + record->extra, record->more);
    for (size_t i = 0; i < definition.line_count; i++)
        lines[i] = (tm_line){.location = entries[i].location, .line = entries[i].line};
    return sink->define_method(sink->payload, &definition);
}

int tm__record_define(const tm__record *record, const tm_sink *sink)
{
    switch (record->kind) {
    case TM__RECORD_THREAD: return define_thread(record, sink);
    case TM__RECORD_CLASS: return define_class(record, sink);
    case TM__RECORD_OBJECT: return define_object(record, sink);
    case TM__RECORD_METHOD: return define_method(record, sink);
    default: return TM_OK;
    }
}
