/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text on its way to a tm_write_fn, in few and large calls. A write that fails
 * sticks: what follows is dropped, and the finish says what it returned.
 */
#ifndef TM_TABLE_CHUNKS_H
#define TM_TABLE_CHUNKS_H

#include <threadmodel/table.h>

#include "table/table.h"

typedef struct tm__chunks {
    tm_write_fn write;
    void *payload;
    int failed;
    size_t used;
    char buffer[8192]; ///< on the caller's stack, so no larger
} tm__chunks;

void tm__chunks_start(tm__chunks *chunks, tm_write_fn write, void *payload);
void tm__chunks_bytes(tm__chunks *chunks, const char *bytes, size_t count);
void tm__chunks_text(tm__chunks *chunks, const char *text);
/** Pass on what is in the buffer. */
void tm__chunks_flush(tm__chunks *chunks);

static inline void tm__chunks_char(tm__chunks *chunks, char character)
{
    if (chunks->used == sizeof(chunks->buffer))
        tm__chunks_flush(chunks);
    chunks->buffer[chunks->used++] = character;
}

/* Numbers in decimal, the same under every locale. */
void tm__chunks_int64(tm__chunks *chunks, int64_t value);
void tm__chunks_uint64(tm__chunks *chunks, uint64_t value);
/** The fewest digits that read back as the same number. It must be finite. */
void tm__chunks_double(tm__chunks *chunks, double value);

/** How a format spells what others spell otherwise. */
typedef struct tm__spelling {
    void (*put_text)(tm__chunks *chunks, const char *text);
    const char *null;
    const char *nan;
    const char *infinity;
    const char *minus_infinity;
} tm__spelling;

/** The value in a row of a column. */
void tm__chunks_value(tm__chunks *chunks, const tm__column *column, size_t row,
                      const tm__spelling *spelling);

/** @return TM_OK, or the negative value that a write returned */
int tm__chunks_finish(tm__chunks *chunks);

#endif
