/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yajl does not look at what its allocator returns, so what it asks for must be there.
 * It is, from an arena of fixed size: yajl copies a value only where the value crosses
 * the end of a piece or has escapes in it, into two buffers that double; pieces and
 * values have limits, so the buffers have one, and each is at most twice as long as a
 * value and a piece. The rest is the handle and a byte for each level of nesting, which
 * the callbacks limit.
 */
#include "formats/json/parser.h"

#include <stdio.h>
#include <string.h>

#ifndef TM_WITHOUT_YAJL

enum {
    BUFFER_BYTES = 2 * (TM__JSON_VALUE_BYTES + TM__JSON_PIECE_BYTES),
    /* Each buffer leaves its shorter predecessors behind: together as long again. */
    ARENA_BYTES = 2 * 2 * BUFFER_BYTES + (64 << 10),
    HEAD_BYTES = 16 ///< before each block, its length; keeps blocks aligned
};

static void *allocate(void *payload, size_t bytes)
{
    tm__json_parser *parser = payload;
    size_t whole = HEAD_BYTES + (bytes + HEAD_BYTES - 1) / HEAD_BYTES * HEAD_BYTES;
    uint8_t *head = parser->arena + parser->used;

    if (bytes > ARENA_BYTES || whole > ARENA_BYTES - parser->used)
        return NULL;
    parser->used += whole;
    memcpy(head, &bytes, sizeof(bytes));
    return head + HEAD_BYTES;
}

static void *reallocate(void *payload, void *block, size_t bytes)
{
    void *copy = allocate(payload, bytes);
    size_t before;

    if (!block || !copy)
        return copy;
    memcpy(&before, (uint8_t *)block - HEAD_BYTES, sizeof(before));
    memcpy(copy, block, before < bytes ? before : bytes);
    return copy;
}

static void release(void *payload, void *block)
{
    (void)payload;
    (void)block;
}

int tm__json_init(tm__json_parser *parser, tm__memory *memory,
                  const yajl_callbacks *callbacks, void *payload)
{
    *parser =
        (tm__json_parser){.memory = memory, .callbacks = callbacks, .payload = payload};
    parser->arena = tm__resize(memory, NULL, 0, ARENA_BYTES);
    return parser->arena ? TM_OK : TM_ENOMEM;
}

void tm__json_start(tm__json_parser *parser)
{
    yajl_alloc_funcs functions = {allocate, reallocate, release, parser};

    parser->used = parser->pending = 0;
    parser->handle = yajl_alloc(parser->callbacks, &functions, parser->payload);
    /* Names may be of any encoding: invalid UTF-8 is repaired where it is shown. */
    yajl_config(parser->handle, yajl_dont_validate_strings, 1);
}

/* No value contains a line feed, so a piece that ends with one does not split a value.
 */
static size_t cut_at_line(const uint8_t *bytes, size_t length)
{
    size_t end = length;

    while (end > 0 && bytes[end - 1] != '\n')
        end--;
    return end > 0 ? end : length;
}

static void note_error(tm__json_parser *parser)
{
    unsigned char *text = yajl_get_error(parser->handle, 0, NULL, 0);
    size_t length;

    snprintf(parser->error, sizeof(parser->error), "%s",
             text ? (const char *)text : "no JSON");
    length = strcspn(parser->error, "\n");
    parser->error[length] = '\0';
}

int tm__json_read(tm__json_parser *parser, const uint8_t *bytes, size_t length,
                  size_t *taken)
{
    size_t count = cut_at_line(bytes, length);
    uint64_t calls = parser->calls;

    *taken = 0;
    if (length == 0) {
        snprintf(parser->error, sizeof(parser->error),
                 "it ends there, and is not whole");
        return TM__JSON_WRONG;
    }
    if (parser->pending > TM__JSON_VALUE_BYTES) {
        snprintf(parser->error, sizeof(parser->error), "a value of more than %d bytes",
                 TM__JSON_VALUE_BYTES);
        return TM__JSON_WRONG;
    }
    switch (yajl_parse(parser->handle, bytes, count)) {
    case yajl_status_ok: break;
    case yajl_status_client_canceled:
        *taken = yajl_get_bytes_consumed(parser->handle);
        return TM__JSON_STOPPED;
    default:
        *taken = yajl_get_bytes_consumed(parser->handle);
        note_error(parser);
        return TM__JSON_WRONG;
    }
    *taken = count;
    if (bytes[count - 1] == '\n')
        parser->pending = 0;
    else
        parser->pending = calls == parser->calls ? parser->pending + count : count;
    return TM__JSON_GOES_ON;
}

void tm__json_free(tm__json_parser *parser)
{
    tm__free(parser->memory, parser->arena, ARENA_BYTES);
    parser->arena = NULL;
}

#endif
