/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of a ring: checked as they are committed, on the program's threads, where
 * 64 bytes take 10 ns; and read back, by the writer or after the process was killed,
 * when nothing can be trusted that the check does not vouch for.
 */
#include "trace/ring_record.h"

#include <stdio.h>
#include <string.h>

#include <threadmodel/error.h>

#include "trace/coding.h"
#include "trace/modified_utf8.h"

/* A name of 2,000 bytes grows threefold at most, where every byte is bad. */
enum { TEXT_BYTES = 6100, BUILD_ID_BYTES = 200 };
enum { LINES = TM__RECORD_BYTES_MAX / sizeof(tm__record_line) };

_Static_assert(sizeof(tm__record) == 64, "a record without frames is a cache line");

/* Where the fields are is a part of the format. */
#define AT(field, offset)                                                              \
    _Static_assert(offsetof(tm__record, field) == (offset), #field)
AT(event.frame_count, 8);
AT(event.fact, 16);
AT(class.source_bytes, 12);
AT(class.id, 32);
AT(class.build_id_bytes, 56);
AT(class.flags, 60);
AT(class.has_source, 62);
AT(object.object_kind, 10);
AT(object.thread, 24);
AT(object.id, 32);
AT(object.class_id, 40);
AT(object.hash, 48);
AT(object.flags, 62);
AT(thread.group_bytes, 12);
AT(thread.pid, 16);
AT(thread.id, 24);
AT(thread.object, 32);
AT(thread.os_id, 40);
AT(thread.priority, 48);
AT(thread.flags, 56);
AT(thread.has_group, 62);
AT(method.monitors, 10);
AT(method.signature_bytes, 12);
AT(method.id, 32);
AT(method.class_id, 40);
AT(method.line_count, 48);
AT(method.flags, 56);

/* The first word, which begins with the check. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define CHECK_BITS ((uint64_t)UINT32_MAX << 32)
#define FIRST_WORD(bytes, kind) ((uint64_t)(bytes) << 16 | (uint64_t)(kind))
#else
#define CHECK_BITS ((uint64_t)UINT32_MAX)
#define FIRST_WORD(bytes, kind) ((uint64_t)(bytes) << 32 | (uint64_t)(kind) << 48)
#endif

static inline uint64_t stir(uint64_t lane, uint64_t word)
{
    lane ^= word;
    return (lane << 29 | lane >> 35) * UINT64_C(0x9e3779b97f4a7c15);
}

uint32_t tm__record_check(const tm__record *record, size_t bytes, uint64_t position)
{
    const uint64_t *words = (const uint64_t *)record;
    size_t count = bytes / sizeof(*words);
    /* Four lanes, so that the processor need not wait for one product before it begins
     * the next. */
    uint64_t a = stir(position, words[0] & ~CHECK_BITS);
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
    uint64_t word = FIRST_WORD(bytes, record->kind);

    /* The check reads whole words, and a word that was written in parts a moment ago
     * has to get to the cache before it can be read: so these go in as one. */
    memcpy(record, &word, sizeof(word));
    record->check = tm__record_check(record, bytes, position);
}

/* Against a hostile file: where a size_t has 32 bits, sums of greater lengths would
 * wrap. */
static int are_short(uint32_t bytes, uint32_t more_bytes)
{
    return bytes <= UINT16_MAX && more_bytes <= UINT16_MAX;
}

/* @return bytes behind the record that it says it has; SIZE_MAX: no kind of ours */
static size_t stated_bytes(const tm__record *record)
{
    const tm__method_record *method = &record->method;

    if (tm__record_is_event(record))
        return record->event.frame_count * tm__record_frame_bytes(&record->event);
    switch (record->kind & ~TM__RECORD_PLAIN) {
    case TM__RECORD_CLASS:
        if (!are_short(record->class.source_bytes, record->class.build_id_bytes))
            return SIZE_MAX;
        return (size_t)record->class.name_bytes + record->class.source_bytes +
               record->class.build_id_bytes;
    case TM__RECORD_THREAD:
        if (!are_short(record->thread.group_bytes, 0))
            return SIZE_MAX;
        return (size_t)record->thread.name_bytes + record->thread.group_bytes;
    case TM__RECORD_OBJECT: return record->object.name_bytes;
    case TM__RECORD_METHOD:
        if (method->line_count < 0 || method->line_count > UINT16_MAX ||
            !are_short(method->signature_bytes, 0))
            return SIZE_MAX;
        return tm__record_lines_at(method) +
               ((size_t)method->line_count + tm__record_monitors(method)) *
                   sizeof(tm__record_line);
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

static void read_text(char *out, const char *text, size_t bytes, int is_plain)
{
    if (!is_plain) {
        tm__text_utf8(out, TEXT_BYTES, text, bytes);
        return;
    }
    if (bytes >= TEXT_BYTES)
        bytes = TEXT_BYTES - 1;
    memcpy(out, text, bytes);
    out[bytes] = 0;
}

static int define_thread(const tm__thread_record *thread, const char *text,
                         int is_plain, const tm_sink *sink)
{
    char name[TEXT_BYTES], group[TEXT_BYTES];
    tm_thread definition = {
        .size = sizeof(definition),
        .id = thread->id,
        .object = thread->object,
        .os_id = thread->os_id,
        .name = thread->has_no_name ? NULL : name,
        .group = thread->has_group ? group : NULL,
        .priority = (int32_t)thread->priority,
        .flags = thread->flags,
        .pid = thread->pid,
    };

    read_text(name, text, thread->name_bytes, is_plain);
    read_text(group, text + thread->name_bytes, thread->group_bytes, is_plain);
    return sink->define_thread(sink->payload, &definition);
}

static int define_class(const tm__class_record *class, const char *text, int is_plain,
                        const tm_sink *sink)
{
    char name[TEXT_BYTES], source[TEXT_BYTES], build_id[BUILD_ID_BYTES];
    tm_class definition = {
        .size = sizeof(definition),
        .id = class->id,
        .name = is_plain && class->name_bytes == 0 ? NULL : name,
        .source = class->has_source ? source : NULL,
        .flags = class->flags,
        .build_id = class->build_id_bytes ? build_id : NULL,
    };

    if (is_plain)
        read_text(name, text, class->name_bytes, 1);
    else
        tm__text_class(name, sizeof(name), text, class->name_bytes);
    text += class->name_bytes;
    read_text(source, text, class->source_bytes, is_plain);
    snprintf(build_id, sizeof(build_id), "%.*s", (int)(class->build_id_bytes & 0xffff),
             text + class->source_bytes);
    return sink->define_class(sink->payload, &definition);
}

static int define_object(const tm__object_record *object, const char *text,
                         int is_plain, const tm_sink *sink)
{
    char name[TEXT_BYTES];
    tm_object definition = {
        .size = sizeof(definition),
        .id = object->id,
        .class_id = object->class_id,
        .thread = object->thread,
        .hash = (uint32_t)object->hash,
        .flags = (is_plain ? 0 : TM_OBJECT_HAS_HASH) | (uint32_t)object->flags,
        .name = object->name_bytes ? name : NULL,
        .kind = object->object_kind,
    };

    read_text(name, text, object->name_bytes, is_plain);
    return sink->define_object(sink->payload, &definition);
}

static int define_method(const tm__method_record *method, const char *text,
                         int is_plain, const tm_sink *sink)
{
    const tm__record_line *entries =
        (const tm__record_line *)(text + tm__record_lines_at(method));
    size_t line_count = (size_t)method->line_count;
    char name[TEXT_BYTES], signature[TEXT_BYTES];
    tm_line lines[LINES];
    tm_monitor_range monitors[TM__METHOD_MONITORS];
    size_t monitor_count = tm__record_monitors(method);
    tm_method definition = {
        .size = sizeof(definition),
        .id = method->id,
        .class_id = method->class_id,
        .name = is_plain && method->name_bytes == 0 ? NULL : name,
        .signature = is_plain && method->signature_bytes == 0 ? NULL : signature,
        .lines = lines,
        .line_count = line_count < LINES ? line_count : LINES,
        .flags = method->flags,
    };

    read_text(name, text, method->name_bytes, is_plain);
    read_text(signature, text + method->name_bytes, method->signature_bytes, is_plain);
    for (size_t i = 0; i < definition.line_count; i++)
        lines[i] = (tm_line){.location = entries[i].location, .line = entries[i].line};
    for (size_t i = 0; i < monitor_count && i < TM__METHOD_MONITORS; i++)
        monitors[i] = (tm_monitor_range){entries[line_count + i].location,
                                         entries[line_count + i].line};
    if (method->monitors && monitor_count <= TM__METHOD_MONITORS) {
        definition.monitors = monitors;
        definition.monitor_count = monitor_count;
    }
    return sink->define_method(sink->payload, &definition);
}

int tm__record_define(const tm__record *record, const tm_sink *sink)
{
    const char *text = (const char *)(record + 1);
    int is_plain = (record->kind & TM__RECORD_PLAIN) != 0;

    switch (record->kind & ~TM__RECORD_PLAIN) {
    case TM__RECORD_THREAD: return define_thread(&record->thread, text, is_plain, sink);
    case TM__RECORD_CLASS: return define_class(&record->class, text, is_plain, sink);
    case TM__RECORD_OBJECT: return define_object(&record->object, text, is_plain, sink);
    case TM__RECORD_METHOD: return define_method(&record->method, text, is_plain, sink);
    default: return TM_OK;
    }
}
