/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Execution traces of Go made by hand: a batch or an event at a time, so that each can
 * be wrong by itself. A tick is a nanosecond.
 */
#ifndef TM_TESTS_GO_PAPER_H
#define TM_TESTS_GO_PAPER_H

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "formats/go/go_wire.h"

enum { GO_ROOM = 1 << 16, GO_START = 1000 };

typedef struct go_paper {
    uint8_t bytes[GO_ROOM];
    size_t length;
    size_t batch; ///< where the data of the one in work begins
    uint64_t generation;
} go_paper;

/** Numbers of events, each its type, the ticks since the one before, and arguments. */
typedef struct go_numbers {
    const uint64_t *numbers;
    size_t count;
} go_numbers;

#define GO_NUMBERS(...)                                                                \
    {                                                                                  \
        (const uint64_t[]){__VA_ARGS__},                                               \
            sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)                 \
    }

static inline void go_byte(go_paper *paper, uint8_t byte)
{
    assert(paper->length < GO_ROOM);
    paper->bytes[paper->length++] = byte;
}

static inline void go_number(go_paper *paper, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        go_byte(paper, (uint8_t)(number | 0x80));
    go_byte(paper, (uint8_t)number);
}

static inline void go_put(go_paper *paper, const uint64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        go_number(paper, numbers[i]);
}

#define GO_PUT(paper, ...)                                                             \
    go_put(paper, (const uint64_t[]){__VA_ARGS__},                                     \
           sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static inline void go_text(go_paper *paper, const char *text)
{
    go_number(paper, strlen(text));
    for (; *text; text++)
        go_byte(paper, (uint8_t)*text);
}

static inline void go_begin(go_paper *paper, int release)
{
    paper->length = 0;
    paper->generation = 1;
    for (const char *at = "go 1."; *at; at++)
        go_byte(paper, (uint8_t)*at);
    go_byte(paper, (uint8_t)('0' + release / 10));
    go_byte(paper, (uint8_t)('0' + release % 10));
    for (int i = 0; i < 9; i++)
        go_byte(paper, (uint8_t) " trace\0\0\0"[i]);
}

/* Its length takes three bytes, whatever it is: Go leaves room for it, too. */
static inline void go_begin_batch(go_paper *paper, uint64_t thread, uint64_t ticks)
{
    GO_PUT(paper, TM__GO_EVENT_BATCH, paper->generation, thread, ticks);
    for (int i = 0; i < 3; i++)
        go_byte(paper, 0);
    paper->batch = paper->length;
}

static inline void go_end_batch(go_paper *paper)
{
    size_t length = paper->length - paper->batch;

    for (size_t i = 0; i < 3; i++)
        paper->bytes[paper->batch - 3 + i] =
            (uint8_t)((length >> 7 * i & 0x7f) | (i < 2 ? 0x80 : 0));
}

static inline void go_rate(go_paper *paper, uint64_t ticks_per_second)
{
    go_begin_batch(paper, TM__GO_NO_THREAD, GO_START);
    GO_PUT(paper, TM__GO_FREQUENCY, ticks_per_second);
    go_end_batch(paper);
}

static inline void go_events(go_paper *paper, uint64_t thread, uint64_t ticks,
                             go_numbers events)
{
    go_begin_batch(paper, thread, ticks);
    go_put(paper, events.numbers, events.count);
    go_end_batch(paper);
}

/* The first string is number 1. */
static inline void go_strings(go_paper *paper, const char *const *texts, size_t count)
{
    go_begin_batch(paper, TM__GO_NO_THREAD, GO_START);
    go_byte(paper, TM__GO_STRINGS);
    for (size_t i = 0; i < count; i++) {
        GO_PUT(paper, TM__GO_STRING, i + 1);
        go_text(paper, texts[i]);
    }
    go_end_batch(paper);
}

static inline void go_begin_stacks(go_paper *paper)
{
    go_begin_batch(paper, TM__GO_NO_THREAD, GO_START);
    go_byte(paper, TM__GO_STACKS);
}

#endif
