/* SPDX-License-Identifier: Apache-2.0 */
#include "vm/printable.h"

#include <stddef.h>

/* @return bytes of a character that is not to be printed; 0: it may be */
static size_t harmful(const unsigned char *c)
{
    if (c[0] < ' ' || c[0] == 0x7F)
        return 1;
    /* U+0080 to U+009F: of these U+009B begins what a terminal obeys, as ESC [ does. */
    if (c[0] == 0xC2 && c[1] >= 0x80 && c[1] <= 0x9F)
        return 2;
    /* U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069: directions of text. */
    if (c[0] == 0xE2 && c[1] == 0x80 &&
        (c[2] == 0x8E || c[2] == 0x8F || (c[2] >= 0xAA && c[2] <= 0xAE)))
        return 3;
    return c[0] == 0xE2 && c[1] == 0x81 && c[2] >= 0xA6 && c[2] <= 0xA9 ? 3 : 0;
}

void tm__printable(char *text)
{
    const unsigned char *from = (const unsigned char *)text;

    while (*from) {
        size_t bytes = harmful(from);

        *text++ = bytes ? '?' : (char)*from;
        from += bytes ? bytes : 1;
    }
    *text = 0;
}
