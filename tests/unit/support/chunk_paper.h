/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recordings of the JDK Flight Recorder made by hand: as small as they can be, with
 * types of their own, so that each byte can be made wrong and its place is known.
 */
#ifndef TM_TESTS_CHUNK_PAPER_H
#define TM_TESTS_CHUNK_PAPER_H

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "support/chunk_types.h"

enum { CHUNK_HEADER = 68, CHUNK_ROOM = 1 << 16 };

typedef struct chunk_paper {
    uint8_t bytes[CHUNK_ROOM];
    size_t length;
    size_t event;    ///< where the event in work begins
    size_t metadata; ///< where the chunk's types stand; 0: nowhere yet
} chunk_paper;

static inline void put_byte(chunk_paper *paper, uint8_t byte)
{
    assert(paper->length < CHUNK_ROOM);
    paper->bytes[paper->length++] = byte;
}

static inline void put_number(chunk_paper *paper, uint64_t number)
{
    for (int i = 0; i < 8 && number >= 0x80; i++, number >>= 7)
        put_byte(paper, (uint8_t)(number | 0x80));
    put_byte(paper, (uint8_t)number);
}

static inline void put_numbers(chunk_paper *paper, const uint64_t *numbers,
                               size_t count)
{
    for (size_t i = 0; i < count; i++)
        put_number(paper, numbers[i]);
}

#define PUT(paper, ...)                                                                \
    put_numbers(paper, (const uint64_t[]){__VA_ARGS__},                                \
                sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static inline void put_text(chunk_paper *paper, const char *text)
{
    put_byte(paper, 3);
    put_number(paper, strlen(text));
    for (; *text; text++)
        put_byte(paper, (uint8_t)*text);
}

static inline void begin_event(chunk_paper *paper, uint64_t type)
{
    paper->event = paper->length;
    for (int i = 0; i < 4; i++)
        put_byte(paper, 0);
    put_number(paper, type);
}

/* The size takes four bytes, whatever it is, as the JVM writes it. */
static inline void end_event(chunk_paper *paper)
{
    size_t size = paper->length - paper->event;

    for (int i = 0; i < 4; i++)
        paper->bytes[paper->event + (size_t)i] =
            (uint8_t)((size >> 7 * i & 0x7f) | (i < 3 ? 0x80 : 0));
}

static inline void put_big_endian(chunk_paper *paper, size_t at, uint64_t value,
                                  int bytes)
{
    for (int i = 0; i < bytes; i++)
        paper->bytes[at + (size_t)i] = (uint8_t)(value >> 8 * (bytes - 1 - i));
}

static inline void begin_chunk(chunk_paper *paper, uint64_t start_ns,
                               uint64_t ticks_per_second)
{
    paper->length = CHUNK_HEADER;
    paper->metadata = 0;
    memset(paper->bytes, 0, CHUNK_HEADER);
    memcpy(paper->bytes, "FLR\0", 4);
    put_big_endian(paper, 4, 2, 2);
    put_big_endian(paper, 6, 1, 2);
    put_big_endian(paper, 32, start_ns, 8);
    put_big_endian(paper, 40, 1000000, 8);
    put_big_endian(paper, 48, 1000, 8); /* start, ticks */
    put_big_endian(paper, 56, ticks_per_second, 8);
    paper->bytes[67] = 1;
}

static inline void end_chunk(chunk_paper *paper)
{
    put_big_endian(paper, 8, paper->length, 8);
    put_big_endian(paper, 24, paper->metadata, 8);
}

/* Strings of the metadata event: collected, then numbered. */
typedef struct chunk_words {
    char texts[400][40];
    size_t count;
} chunk_words;

static inline uint64_t word(chunk_words *words, const char *text)
{
    for (size_t i = 0; i < words->count; i++)
        if (strcmp(words->texts[i], text) == 0)
            return i;
    strcpy(words->texts[words->count], text);
    return words->count++;
}

static inline uint64_t word_number(chunk_words *words, uint64_t number)
{
    char text[24] = "";
    int at = 22;

    do
        text[at--] = (char)('0' + number % 10);
    while (number /= 10);
    return word(words, text + at + 1);
}

static inline void put_field(chunk_paper *paper, chunk_words *words,
                             const chunk_field *field)
{
    PUT(paper, word(words, "field"),
        2 + (field->is_constant ? 1 : 0) + (field->is_array ? 1 : 0),
        word(words, "name"), word(words, field->name), word(words, "class"),
        word_number(words, (uint64_t)field->type));
    if (field->is_constant)
        PUT(paper, word(words, "constantPool"), word(words, "true"));
    if (field->is_array)
        PUT(paper, word(words, "dimension"), word(words, "1"));
    put_number(paper, field->unit ? 1 : 0);
    if (field->unit)
        PUT(paper, word(words, "annotation"), 2, word(words, "class"),
            word_number(words, TYPE_UNIT), word(words, "value"),
            word(words, field->unit), 0);
}

static inline void put_tree(chunk_paper *paper, chunk_words *words,
                            const chunk_class *classes, size_t count)
{
    PUT(paper, word(words, "root"), 0, 1, word(words, "metadata"), 0, count);
    for (size_t i = 0; i < count; i++) {
        size_t fields = 0;

        while (fields < 10 && classes[i].fields[fields].name)
            fields++;
        PUT(paper, word(words, "class"), 2, word(words, "name"),
            word(words, classes[i].name), word(words, "id"),
            word_number(words, (uint64_t)classes[i].id), fields);
        for (size_t j = 0; j < fields; j++)
            put_field(paper, words, &classes[i].fields[j]);
    }
}

static inline void put_metadata(chunk_paper *paper, const chunk_class *classes,
                                size_t count)
{
    static chunk_words words;
    static chunk_paper scratch;

    words.count = 0;
    scratch.length = 0;
    put_tree(&scratch, &words, classes, count);
    begin_event(paper, 0);
    paper->metadata = paper->event;
    PUT(paper, 1000, 0, 1, words.count);
    for (size_t i = 0; i < words.count; i++)
        put_text(paper, words.texts[i]);
    put_tree(paper, &words, classes, count);
    end_event(paper);
}

/* Threads 1 "main" and 2 "other", class 1 Lock, method 1 Lock.use, stack 1 of it. */
static inline void put_constants(chunk_paper *paper)
{
    begin_event(paper, 1);
    PUT(paper, 1000, 0, 0);
    put_byte(paper, 0);
    PUT(paper, 6, TYPE_THREAD, 2, 1);
    put_text(paper, "main");
    PUT(paper, 1, 1, 2);
    put_text(paper, "other");
    PUT(paper, 7, 1, TYPE_GROUP, 1, 1, 1);
    put_text(paper, "workers");
    PUT(paper, TYPE_CLASS, 1, 1, 1, TYPE_SYMBOL, 2, 1);
    put_text(paper, "app/Lock");
    PUT(paper, 2);
    put_text(paper, "use");
    PUT(paper, TYPE_METHOD, 1, 1, 1, 2, TYPE_STACK, 1, 1);
    put_byte(paper, 0);
    PUT(paper, 1, 1, 42);
    end_event(paper);
}

static inline void put_setting(chunk_paper *paper, uint64_t type, const char *name,
                               const char *value)
{
    begin_event(paper, TYPE_SETTING);
    PUT(paper, 1000, type);
    put_text(paper, name);
    put_text(paper, value);
    end_event(paper);
}

/* A deadlock of two threads, as a JVM writes it into a recording. */
static const char chunk_dump[] =
    "2026-11-20 15:00:00\n"
    "Full thread dump OpenJDK 64-Bit Server VM (25.0.3+9-LTS mixed mode, sharing):\n"
    "\n"
    "\"one\" #21 [345] prio=5 os_prio=0 cpu=1.00ms elapsed=2.00s "
    "tid=0x00007f0000000010 "
    "nid=345 waiting for monitor entry  [0x00007f0000001000]\n"
    "   java.lang.Thread.State: BLOCKED (on object monitor)\n"
    "\tat app.Main.one(Main.java:10)\n"
    "\t- waiting to lock <0x00000000f0000020> (a app.Right)\n"
    "\t- locked <0x00000000f0000010> (a app.Left)\n"
    "\n"
    "\"two\" #22 [346] prio=5 os_prio=0 cpu=1.00ms elapsed=2.00s "
    "tid=0x00007f0000000020 "
    "nid=346 waiting for monitor entry  [0x00007f0000002000]\n"
    "   java.lang.Thread.State: BLOCKED (on object monitor)\n"
    "\tat app.Main.two(Main.java:20)\n"
    "\t- waiting to lock <0x00000000f0000010> (a app.Left)\n"
    "\t- locked <0x00000000f0000020> (a app.Right)\n"
    "\n"
    "JNI global refs: 5, weak refs: 0\n";

/* One event of each type, for thread 1 and 2 on monitor 0x100. */
static inline void put_events(chunk_paper *paper)
{
    put_setting(paper, TYPE_ENTER, "enabled", "true");
    put_setting(paper, TYPE_ENTER, "threshold", "20 ms");
    begin_event(paper, TYPE_START);
    PUT(paper, 1010, 2, 1);
    end_event(paper);
    begin_event(paper, TYPE_ENTER);
    PUT(paper, 1100, 50, 1, 1, 1, 0x100, 2);
    end_event(paper);
    begin_event(paper, TYPE_WAIT);
    PUT(paper, 1120, 100, 2, 1, 1, 0x100, 1, 5);
    put_byte(paper, 0);
    end_event(paper);
    begin_event(paper, TYPE_NOTIFY);
    PUT(paper, 1210, 1, 1, 1, 1, 0x100, 1);
    end_event(paper);
    begin_event(paper, TYPE_PARK);
    PUT(paper, 1300, 30, 2, 1, 1, 0x200, 77);
    end_event(paper);
    begin_event(paper, TYPE_SLEEP);
    PUT(paper, 1340, 10, 2, 1, 9);
    end_event(paper);
    begin_event(paper, TYPE_END);
    PUT(paper, 1400, 2);
    end_event(paper);
    begin_event(paper, TYPE_DUMP);
    PUT(paper, 1500);
    put_text(paper, chunk_dump);
    end_event(paper);
}

/* All of the above: a whole recording of one chunk. */
static inline void make_recording(chunk_paper *paper)
{
    begin_chunk(paper, 5000000, 1000000000);
    put_events(paper);
    put_constants(paper);
    put_metadata(paper, chunk_classes, CHUNK_CLASSES);
    end_chunk(paper);
}

#endif
