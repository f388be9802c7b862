/* SPDX-License-Identifier: Apache-2.0 */
/* Binary HPROF files in memory, written as reference/hprof-agent says. */
#ifndef TM_TESTS_HEAP_PAPER_H
#define TM_TESTS_HEAP_PAPER_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { TYPE_OBJECT = 2, TYPE_BOOLEAN = 4, TYPE_CHAR = 5, TYPE_BYTE = 8 };
enum { TYPE_INT = 10, TYPE_LONG = 11 };

typedef struct heap_paper {
    uint8_t bytes[1 << 16];
    size_t length;
    size_t record; ///< where the record at hand begins
    int id_bytes;
} heap_paper;

static inline void put(heap_paper *paper, uint64_t value, int bytes)
{
    while (bytes-- > 0)
        paper->bytes[paper->length++] = (uint8_t)(value >> 8 * bytes);
}

static inline void put_id(heap_paper *paper, uint64_t id)
{
    put(paper, id, paper->id_bytes);
}

static inline void begin_file(heap_paper *paper, const char *version, int id_bytes)
{
    memset(paper, 0, sizeof(*paper));
    paper->id_bytes = id_bytes;
    memcpy(paper->bytes, "JAVA PROFILE ", 13);
    memcpy(paper->bytes + 13, version, 5);
    paper->length = 19;
    put(paper, (uint64_t)id_bytes, 4);
    put(paper, 5000, 8);
}

static inline void begin_record(heap_paper *paper, int tag, uint32_t time_us)
{
    put(paper, (uint64_t)tag, 1);
    put(paper, time_us, 4);
    put(paper, 0, 4);
    paper->record = paper->length;
}

static inline void end_record(heap_paper *paper)
{
    size_t end = paper->length;

    paper->length = paper->record - 4;
    put(paper, end - paper->record, 4);
    paper->length = end;
}

static inline void put_string(heap_paper *paper, uint64_t id, const char *text)
{
    begin_record(paper, 0x01, 0);
    put_id(paper, id);
    memcpy(paper->bytes + paper->length, text, strlen(text));
    paper->length += strlen(text);
    end_record(paper);
}

/* Class, string of its name and serial number are one number each apart. */
static inline void put_class(heap_paper *paper, uint32_t number, const char *name)
{
    put_string(paper, 1000 + number, name);
    begin_record(paper, 0x02, 0);
    put(paper, number, 4);
    put_id(paper, 2000 + number);
    put(paper, 0, 4);
    put_id(paper, 1000 + number);
    end_record(paper);
}

static inline void put_frame(heap_paper *paper, uint64_t id, uint64_t method,
                             uint64_t source, uint32_t class_number, int32_t line)
{
    begin_record(paper, 0x04, 0);
    put_id(paper, id);
    put_id(paper, method);
    put_id(paper, 0);
    put_id(paper, source);
    put(paper, class_number, 4);
    put(paper, (uint32_t)line, 4);
    end_record(paper);
}

static inline void put_trace(heap_paper *paper, uint32_t serial, uint32_t thread,
                             uint64_t first, uint64_t second)
{
    begin_record(paper, 0x05, 0);
    put(paper, serial, 4);
    put(paper, thread, 4);
    put(paper, 1 + (second != 0), 4);
    put_id(paper, first);
    if (second)
        put_id(paper, second);
    end_record(paper);
}

/* The dump of a class: its superclass and its own fields, as pairs of name and type. */
static inline void put_class_dump(heap_paper *paper, uint32_t number, uint32_t super,
                                  const uint64_t (*fields)[2], uint32_t count)
{
    put(paper, 0x20, 1);
    put_id(paper, 2000 + number);
    put(paper, 0, 4);
    put_id(paper, super ? 2000 + super : 0);
    for (int i = 0; i < 5; i++)
        put_id(paper, 0);
    put(paper, 0, 4);
    put(paper, 1, 2); /* a constant, */
    put(paper, 7, 2);
    put(paper, TYPE_INT, 1);
    put(paper, 42, 4);
    put(paper, 1, 2); /* a static field, */
    put_id(paper, 0);
    put(paper, TYPE_LONG, 1);
    put(paper, 43, 8);
    put(paper, count, 2);
    for (uint32_t i = 0; i < count; i++) {
        put_id(paper, fields[i][0]);
        put(paper, fields[i][1], 1);
    }
}

static inline void begin_object(heap_paper *paper, uint64_t id, uint32_t class_number,
                                uint32_t bytes)
{
    put(paper, 0x21, 1);
    put_id(paper, id);
    put(paper, 0, 4);
    put_id(paper, 2000 + class_number);
    put(paper, bytes, 4);
}

static inline void put_values(heap_paper *paper, uint64_t id, int type, int value_bytes,
                              const uint16_t *values, uint32_t count)
{
    put(paper, 0x23, 1);
    put_id(paper, id);
    put(paper, 0, 4);
    put(paper, count, 4);
    put(paper, (uint64_t)type, 1);
    for (uint32_t i = 0; i < count; i++)
        put(paper, values[i], value_bytes);
}

static inline void put_thread_root(heap_paper *paper, uint64_t object, uint32_t serial,
                                   uint32_t trace)
{
    put(paper, 0x08, 1);
    put_id(paper, object);
    put(paper, serial, 4);
    put(paper, trace, 4);
}

/* Names of fields. */
enum {
    FIELD_NAME = 101,
    FIELD_TID,
    FIELD_HOLDER,
    FIELD_BLOCKER,
    FIELD_STATUS,
    FIELD_DAEMON,
    FIELD_GROUP,
    FIELD_VALUE,
    FIELD_CODER,
    FIELD_OWNER,
    METHOD_LOCK,
    METHOD_PARK,
    SOURCE
};

enum { OBJECT = 1, THREAD, HOLDER, STRING, GROUP, SYNCHRONIZER, LOCK, BANK, UNSAFE };

static inline void put_names(heap_paper *paper)
{
    static const char *const names[] = {
        "name",   "tid",   "holder",   "parkBlocker", "threadStatus",
        "daemon", "group", "value",    "coder",       "exclusiveOwnerThread",
        "lock",   "park",  "Bank.java"};
    static const char *const classes[] = {
        "java/lang/Object",
        "java/lang/Thread",
        "java/lang/Thread$FieldHolder",
        "java/lang/String",
        "java/lang/ThreadGroup",
        "java/util/concurrent/locks/AbstractOwnableSynchronizer",
        "shop/Lock",
        "shop/Bank",
        "jdk/internal/misc/Unsafe"};

    for (uint32_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        put_string(paper, FIELD_NAME + i, names[i]);
    for (uint32_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
        put_class(paper, i + 1, classes[i]);
    put_frame(paper, 501, METHOD_PARK, 0, UNSAFE, -3);
    put_frame(paper, 502, METHOD_LOCK, SOURCE, BANK, 7);
    put_trace(paper, 1, 1, 501, 502);
    put_trace(paper, 2, 2, 502, 0);
}

static inline void put_thread(heap_paper *paper, uint64_t id, uint64_t tid,
                              uint64_t name, uint64_t blocker, uint32_t status)
{
    uint32_t id_bytes = (uint32_t)paper->id_bytes;

    begin_object(paper, id, THREAD, 3 * id_bytes + 8);
    put_id(paper, name);
    put(paper, tid, 8);
    put_id(paper, id + 1);
    put_id(paper, blocker);
    begin_object(paper, id + 1, HOLDER, id_bytes + 5);
    put(paper, status, 4);
    put(paper, tid == 12, 1);
    put_id(paper, 3500);
}

static inline void put_text(heap_paper *paper, uint64_t id, uint64_t array, int coder)
{
    begin_object(paper, id, STRING, (uint32_t)paper->id_bytes + 1);
    put_id(paper, array);
    put(paper, (uint64_t)coder, 1);
}

static inline void put_heap_classes(heap_paper *paper)
{
    static const uint64_t thread[][2] = {{FIELD_NAME, TYPE_OBJECT},
                                         {FIELD_TID, TYPE_LONG},
                                         {FIELD_HOLDER, TYPE_OBJECT},
                                         {FIELD_BLOCKER, TYPE_OBJECT}};
    static const uint64_t holder[][2] = {{FIELD_STATUS, TYPE_INT},
                                         {FIELD_DAEMON, TYPE_BOOLEAN},
                                         {FIELD_GROUP, TYPE_OBJECT}};
    static const uint64_t string[][2] = {{FIELD_VALUE, TYPE_OBJECT},
                                         {FIELD_CODER, TYPE_BYTE}};
    static const uint64_t group[][2] = {{FIELD_NAME, TYPE_OBJECT}};
    static const uint64_t owner[][2] = {{FIELD_OWNER, TYPE_OBJECT}};

    put_class_dump(paper, OBJECT, 0, NULL, 0);
    put_class_dump(paper, THREAD, OBJECT, thread, 4);
    put_class_dump(paper, HOLDER, OBJECT, holder, 3);
    put_class_dump(paper, STRING, OBJECT, string, 2);
    put_class_dump(paper, GROUP, OBJECT, group, 1);
    put_class_dump(paper, LOCK, SYNCHRONIZER, NULL, 0);
    put_class_dump(paper, SYNCHRONIZER, OBJECT, owner, 1);
}

static inline void put_heap_objects(heap_paper *paper)
{
    static const uint16_t one[] = {'o', 'n', 'e'}, group[] = {'a', 0xfc},
                          two[] = {'t', 0, 0x3d, 0xd8, 0x00, 0xde, 0, 0xd8};

    put_thread_root(paper, 3000, 1, 1);
    put_thread_root(paper, 3100, 2, 2);
    put_values(paper, 3301, TYPE_BYTE, 1, one, 3);
    put_thread(paper, 3000, 11, 3300, 3700, 0x1 | 0x80 | 0x200); /* parked */
    put_thread(paper, 3100, 12, 3400, 0, 0x1 | 0x400);           /* blocked */
    begin_object(paper, 3700, LOCK, (uint32_t)paper->id_bytes);
    put_id(paper, 3100);
    put_text(paper, 3300, 3301, 0);
    put_text(paper, 3400, 3401, 1);
    put_text(paper, 3600, 3601, 0);
    put_values(paper, 3401, TYPE_BYTE, 1, two, 8);
    begin_object(paper, 3500, GROUP, (uint32_t)paper->id_bytes);
    put_id(paper, 3600);
    put_values(paper, 3601, TYPE_CHAR, 2, group, 2);
}

/* A heap dump of two threads: "one", parked for a lock that "two" owns, and "two". */
static inline void make_heap(heap_paper *paper, const char *version, int id_bytes)
{
    int is_new = strcmp(version, "1.0.2") == 0;

    begin_file(paper, version, id_bytes);
    put_names(paper);
    begin_record(paper, is_new ? 0x1c : 0x0c, 7);
    put_heap_classes(paper);
    put_heap_objects(paper);
    end_record(paper);
    if (!is_new)
        return;
    begin_record(paper, 0x2c, 7);
    end_record(paper);
}

#endif
