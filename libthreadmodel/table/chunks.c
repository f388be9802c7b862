/* SPDX-License-Identifier: Apache-2.0 */
/* Writers of text put a few bytes at a time, ten times a row and more. */
#include "table/chunks.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <threadmodel/error.h>

void tm__chunks_start(tm__chunks *chunks, tm_write_fn write, void *payload)
{
    chunks->write = write;
    chunks->payload = payload;
    chunks->failed = TM_OK;
    chunks->used = 0;
}

static void pass_on(tm__chunks *chunks, const char *bytes, size_t count)
{
    if (!chunks->failed && count > 0) {
        int status = chunks->write(chunks->payload, bytes, count);

        chunks->failed = status < 0 ? status : TM_OK;
    }
}

void tm__chunks_flush(tm__chunks *chunks)
{
    pass_on(chunks, chunks->buffer, chunks->used);
    chunks->used = 0;
}

void tm__chunks_bytes(tm__chunks *chunks, const char *bytes, size_t count)
{
    if (count > sizeof(chunks->buffer) - chunks->used)
        tm__chunks_flush(chunks);
    if (count > sizeof(chunks->buffer)) {
        pass_on(chunks, bytes, count);
        return;
    }
    memcpy(chunks->buffer + chunks->used, bytes, count);
    chunks->used += count;
}

void tm__chunks_text(tm__chunks *chunks, const char *text)
{
    tm__chunks_bytes(chunks, text, strlen(text));
}

void tm__chunks_uint64(tm__chunks *chunks, uint64_t value)
{
    /* Two digits at a time: a division takes longer than all else. */
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    char digits[20];
    size_t first = sizeof(digits);

    for (; value >= 10; value /= 100) {
        first -= 2;
        memcpy(digits + first, pairs + value % 100 * 2, 2);
    }
    if (value > 0 || first == sizeof(digits))
        digits[--first] = (char)('0' + value);
    tm__chunks_bytes(chunks, digits + first, sizeof(digits) - first);
}

void tm__chunks_int64(tm__chunks *chunks, int64_t value)
{
    if (value < 0)
        tm__chunks_char(chunks, '-');
    tm__chunks_uint64(chunks, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

/* printf takes the decimal point from the host's locale, and it may be of several
 * bytes: whatever is neither digit, sign nor exponent is the point. */
static void write_with_point(tm__chunks *chunks, const char *text)
{
    while (*text) {
        size_t plain = strspn(text, "+-0123456789e");

        tm__chunks_bytes(chunks, text, plain);
        text += plain;
        if (*text) {
            tm__chunks_char(chunks, '.');
            text += strcspn(text, "+-0123456789e");
        }
    }
}

void tm__chunks_double(tm__chunks *chunks, double value)
{
    char text[40];
    /* 17 digits always suffice, 15 often do, and zeros at the end are not printed;
     * numbers below the normal ones hold fewer. */
    int fewest = value > -DBL_MIN && value < DBL_MIN ? 1 : 15;

    for (int digits = fewest; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    write_with_point(chunks, text);
}

static void write_double(tm__chunks *chunks, double value, const tm__spelling *spelling)
{
    if (isnan(value))
        tm__chunks_text(chunks, spelling->nan);
    else if (isinf(value))
        tm__chunks_text(chunks,
                        value < 0 ? spelling->minus_infinity : spelling->infinity);
    else
        tm__chunks_double(chunks, value);
}

void tm__chunks_value(tm__chunks *chunks, const tm__column *column, size_t row,
                      const tm__spelling *spelling)
{
    const void *values = column->values;

    if (tm__column_is_null(column, row)) {
        tm__chunks_text(chunks, spelling->null);
        return;
    }
    switch (column->type) {
    case TM_TYPE_INT32: tm__chunks_int64(chunks, ((const int32_t *)values)[row]); break;
    case TM_TYPE_INT64: tm__chunks_int64(chunks, ((const int64_t *)values)[row]); break;
    case TM_TYPE_UINT64:
        tm__chunks_uint64(chunks, ((const uint64_t *)values)[row]);
        break;
    case TM_TYPE_DOUBLE:
        write_double(chunks, ((const double *)values)[row], spelling);
        break;
    case TM_TYPE_BOOL:
        tm__chunks_text(chunks, ((const uint8_t *)values)[row / 8] >> row % 8 & 1
                                    ? "true"
                                    : "false");
        break;
    default:
        spelling->put_text(chunks, tm__dictionary_text(&column->dictionary,
                                                       ((const int32_t *)values)[row]));
    }
}

int tm__chunks_finish(tm__chunks *chunks)
{
    tm__chunks_flush(chunks);
    return chunks->failed;
}
