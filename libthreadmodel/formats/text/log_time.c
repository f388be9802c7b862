/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Candidates are digits of a year with a separator behind them; most lines have none,
 * or have it at their beginning.
 */
#include "formats/text/log_time.h"

#include <string.h>

#include "formats/dump/dump_time.h"

enum { STAMP_BYTES = 19 };

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "+02:00", "+0200", " +0200", "Z" @return seconds to be subtracted */
static int64_t zone(tm__slice rest)
{
    uint64_t hours, minutes;
    int sign;

    if (tm__slice_begins(rest, " +") || tm__slice_begins(rest, " -"))
        rest = tm__slice_from(rest, 1);
    if (rest.length < 5 || (rest.bytes[0] != '+' && rest.bytes[0] != '-'))
        return 0;
    sign = rest.bytes[0] == '-' ? -1 : 1;
    for (size_t i = 1; i < 3; i++)
        if (!is_digit(rest.bytes[i]))
            return 0;
    hours = (uint64_t)(rest.bytes[1] - '0') * 10 + (uint64_t)(rest.bytes[2] - '0');
    rest = tm__slice_from(rest, rest.bytes[3] == ':' ? 4 : 3);
    if (rest.length < 2 || !is_digit(rest.bytes[0]) || !is_digit(rest.bytes[1]))
        return 0;
    minutes = (uint64_t)(rest.bytes[0] - '0') * 10 + (uint64_t)(rest.bytes[1] - '0');
    return sign * (int64_t)(hours * 3600 + minutes * 60);
}

/* A time that begins here. @return its bytes; 0: none does */
static size_t read_at(tm__slice text, int64_t *time_ns)
{
    char stamp[STAMP_BYTES + 1 + 9];
    size_t length = STAMP_BYTES, digits = 0;

    if (text.length < STAMP_BYTES || !is_digit(text.bytes[0]) ||
        (text.bytes[4] != '-' && text.bytes[4] != '/' && text.bytes[4] != '.') ||
        text.bytes[7] != text.bytes[4] ||
        (text.bytes[10] != ' ' && text.bytes[10] != 'T' && text.bytes[10] != '_') ||
        text.bytes[13] != ':')
        return 0;
    memcpy(stamp, text.bytes, STAMP_BYTES);
    stamp[4] = stamp[7] = '-';
    stamp[10] = ' ';
    text = tm__slice_from(text, STAMP_BYTES);
    if (text.length > 1 && (text.bytes[0] == '.' || text.bytes[0] == ',') &&
        is_digit(text.bytes[1])) {
        stamp[length++] = '.';
        for (text = tm__slice_from(text, 1); text.length && is_digit(text.bytes[0]);
             text = tm__slice_from(text, 1), digits++)
            if (digits < 9)
                stamp[length++] = text.bytes[0];
    }
    if (!tm__dump_time((tm__slice){stamp, length}, time_ns))
        return 0;
    *time_ns -= zone(text) * 1000000000;
    return STAMP_BYTES + (digits ? digits + 1 : 0);
}

int tm__log_time(tm__slice line, int64_t *time_ns)
{
    for (size_t i = 0; i + STAMP_BYTES <= line.length; i++)
        if ((line.bytes[i + 4] == '-' || line.bytes[i + 4] == '/' ||
             line.bytes[i + 4] == '.') &&
            read_at(tm__slice_from(line, i), time_ns))
            return 1;
    return 0;
}

int tm__log_time_last(tm__slice line, int64_t *time_ns)
{
    for (size_t i = line.length; i >= STAMP_BYTES; i--) {
        tm__slice text = tm__slice_from(line, i - STAMP_BYTES);
        size_t length;
        int64_t found;

        if (text.bytes[4] != '-' || text.bytes[10] != ' ')
            continue;
        length = read_at(text, &found);
        if (length != STAMP_BYTES ||
            (text.length > length && text.bytes[length] == 'Z'))
            continue;
        *time_ns = found;
        return 1;
    }
    return 0;
}
