/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers match numbers, with their fractions; blanks match blanks; all else itself.
 * JSON may have other members before the line, so there its own key is enough.
 */
#include "formats/text/prefix.h"

#include <string.h>

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

void tm__prefix_learn(tm__prefix *prefix, tm__slice text)
{
    prefix->length = 0;
    if (text.length > TM__PREFIX_BYTES || tm__slice_trim(text).length == 0)
        return;
    memcpy(prefix->bytes, text.bytes, text.length);
    prefix->length = text.length;
}

/* Behind "46.123456" or "46,123": zeros at the end of a fraction may be left out. */
static size_t skip_number(const char *bytes, size_t at, size_t length)
{
    while (at < length && is_digit(bytes[at]))
        at++;
    if (at + 1 < length && (bytes[at] == '.' || bytes[at] == ',') &&
        is_digit(bytes[at + 1]))
        for (at++; at < length && is_digit(bytes[at]); at++)
            ;
    return at;
}

static size_t skip_blanks(const char *bytes, size_t at, size_t length)
{
    while (at < length && (bytes[at] == ' ' || bytes[at] == '\t'))
        at++;
    return at;
}

/* Behind the same key of another object: `"log": "`. */
static size_t match_key(const tm__prefix *prefix, tm__slice line)
{
    size_t end = prefix->length, begin, quotes = 0;
    char key[128];

    if (end < 4 || prefix->bytes[end - 1] != '"' || line.length == 0 ||
        line.bytes[0] != '{')
        return line.length + 1;
    for (begin = end; begin > 0 && quotes < 3; begin--)
        quotes += prefix->bytes[begin - 1] == '"';
    if (quotes < 3 || end - begin >= sizeof(key))
        return line.length + 1;
    memcpy(key, prefix->bytes + begin, end - begin);
    key[end - begin] = '\0';
    begin = tm__slice_find(line, key);
    return begin < line.length ? begin + strlen(key) : line.length + 1;
}

size_t tm__prefix_match(const tm__prefix *prefix, tm__slice line)
{
    const char *wanted = prefix->bytes;
    size_t at = 0, i = 0, length = prefix->length;

    while (i < length && at < line.length) {
        if (is_digit(wanted[i]) && is_digit(line.bytes[at])) {
            i = skip_number(wanted, i, length);
            at = skip_number(line.bytes, at, line.length);
        } else if (wanted[i] == ' ' && line.bytes[at] == ' ' && i + 1 < length) {
            i = skip_blanks(wanted, i, length);
            at = i < length ? skip_blanks(line.bytes, at, line.length) : at + 1;
        } else if (wanted[i] == line.bytes[at]) {
            i++;
            at++;
        } else {
            return match_key(prefix, line);
        }
    }
    /* An empty line has lost the blanks at its end. */
    return skip_blanks(wanted, i, length) == length ? at : match_key(prefix, line);
}
