/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One JSON text after the other, a piece at a time, by yajl. Bounded: nesting, the
 * length of a value, and with that the memory; nothing in it can fail for lack of
 * memory once it is made.
 */
#ifndef TM_FORMATS_JSON_PARSER_H
#define TM_FORMATS_JSON_PARSER_H

#include "base/memory.h"

#ifndef TM_WITHOUT_YAJL
#include <yajl/yajl_parse.h>

enum {
    TM__JSON_PIECE_BYTES = 64 << 10, ///< that are to be given at once
    TM__JSON_VALUE_BYTES = 64 << 10  ///< no string or number is longer
};

typedef struct tm__json_parser {
    tm__memory *memory;
    uint8_t *arena; ///< all that yajl allocates for one text
    size_t used;
    yajl_handle handle;
    size_t pending; ///< bytes that may belong to a value that has not ended
    uint64_t calls; ///< callbacks so far
    const yajl_callbacks *callbacks;
    void *payload;
    char error[160];
} tm__json_parser;

/** The outcome of a piece. */
enum tm__json_outcome {
    TM__JSON_GOES_ON, ///< all of it was taken
    TM__JSON_STOPPED, ///< a callback returned 0
    TM__JSON_WRONG    ///< it is not JSON: `error` says why
};

/**
 * @param callbacks  count themselves in `calls`; a null one is not called
 * @return TM_OK or TM_ENOMEM
 */
int tm__json_init(tm__json_parser *parser, tm__memory *memory,
                  const yajl_callbacks *callbacks, void *payload);

/** Begin a new text. */
void tm__json_start(tm__json_parser *parser);

/**
 * Take the next piece, or the beginning of it.
 * @param length       at most TM__JSON_PIECE_BYTES
 * @param[out] taken   bytes of it that were read
 * @return enum tm__json_outcome
 */
int tm__json_read(tm__json_parser *parser, const uint8_t *bytes, size_t length,
                  size_t *taken);

void tm__json_free(tm__json_parser *parser);

#endif

#endif
