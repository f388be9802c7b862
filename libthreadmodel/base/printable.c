/* SPDX-License-Identifier: Apache-2.0 */
#include "base/printable.h"

#include <stdint.h>

/* @return how many bytes a character of UTF-8 has, by its first one; 0: it is not one
 */
static size_t length_of(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first >= 0xC2 && first <= 0xDF)
        return 2;
    if (first >= 0xE0 && first <= 0xEF)
        return 3;
    return first >= 0xF0 && first <= 0xF4 ? 4 : 0;
}

/* @return the character, with its length; UINT32_MAX: the bytes are not valid */
static uint32_t decode(const unsigned char *c, size_t *length)
{
    static const uint32_t LEAST[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t code;

    *length = length_of(c[0]);
    if (*length < 2)
        return *length ? c[0] : UINT32_MAX;
    code = c[0] & (0xFFu >> (*length + 1));
    for (size_t i = 1; i < *length; i++) {
        /* The zero byte at the end of a text is not of a character either. */
        if ((c[i] & 0xC0) != 0x80)
            return UINT32_MAX;
        code = code << 6 | (c[i] & 0x3F);
    }
    return code < LEAST[*length] || code > 0x10FFFF ? UINT32_MAX : code;
}

static int is_harmful(uint32_t code)
{
    /* Controls: of these U+009B begins what a terminal obeys, as ESC [ does. */
    return code < 0x20 || (code >= 0x7F && code <= 0x9F) ||
           /* Directions of text, and separators of lines and paragraphs. */
           code == 0x61C || code == 0x200E || code == 0x200F ||
           (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) ||
           /* Surrogates. */
           (code >= 0xD800 && code <= 0xDFFF);
}

size_t tm__unprintable_bytes(const char *text)
{
    size_t length;
    uint32_t code = decode((const unsigned char *)text, &length);

    if (code == UINT32_MAX)
        return 1;
    return is_harmful(code) ? length : 0;
}

void tm__printable(char *text)
{
    const char *from = text;

    while (*from) {
        size_t bytes = tm__unprintable_bytes(from);

        if (bytes) {
            *text++ = '?';
            from += bytes;
            continue;
        }
        bytes = length_of((unsigned char)*from);
        while (bytes--)
            *text++ = *from++;
    }
    *text = 0;
}
