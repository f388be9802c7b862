/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of threads and classes come from files and foreign programs: nearly all
 * are ASCII, which is passed over eight bytes at a time; few are damaged.
 */
#include "base/utf8.h"

#include <stdint.h>
#include <string.h>

/* Bytes that may follow a leading byte: how many bytes the character has, and the
 * range of its second byte, which is what rules out long forms, surrogates and
 * numbers beyond Unicode (table 3-7 of the Unicode standard). */
typedef struct lead {
    unsigned char bytes;
    unsigned char second_low;
    unsigned char second_high;
} lead;

static lead lead_of(unsigned char byte)
{
    if (byte < 0x80)
        return (lead){1, 0, 0};
    if (byte < 0xc2 || byte > 0xf4)
        return (lead){0, 0, 0};
    if (byte < 0xe0)
        return (lead){2, 0x80, 0xbf};
    if (byte < 0xf0)
        return (lead){3, byte == 0xe0 ? 0xa0 : 0x80, byte == 0xed ? 0x9f : 0xbf};
    return (lead){4, byte == 0xf0 ? 0x90 : 0x80, byte == 0xf4 ? 0x8f : 0xbf};
}

/* Length of the character at `text`; where there is none, 0 and in *broken the
 * bytes that one U+FFFD stands for. */
static size_t character_bytes(const unsigned char *text, size_t bytes, size_t *broken)
{
    lead l = lead_of(text[0]);
    size_t i = 1;

    *broken = 1;
    if (l.bytes == 0)
        return 0;
    for (; i < l.bytes && i < bytes; i++) {
        unsigned char low = i == 1 ? l.second_low : 0x80;
        unsigned char high = i == 1 ? l.second_high : 0xbf;

        if (text[i] < low || text[i] > high)
            break;
    }
    *broken = i;
    return i == l.bytes ? i : 0;
}

size_t tm__utf8_valid_bytes(const char *text, size_t bytes)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t done = 0, broken;

    while (done < bytes) {
        uint64_t eight;
        size_t step;

        if (bytes - done >= sizeof(eight)) {
            memcpy(&eight, at + done, sizeof(eight));
            if ((eight & UINT64_C(0x8080808080808080)) == 0) {
                done += sizeof(eight);
                continue;
            }
        }
        step = character_bytes(at + done, bytes - done, &broken);
        if (step == 0)
            return done;
        done += step;
    }
    return done;
}

size_t tm__utf8_repair(char *out, const char *text, size_t bytes)
{
    static const char replacement[3] = {'\xef', '\xbf', '\xbd'};
    size_t done = 0, written = 0;

    while (done < bytes) {
        size_t valid = tm__utf8_valid_bytes(text + done, bytes - done);
        size_t broken;

        if (out)
            memcpy(out + written, text + done, valid);
        written += valid;
        done += valid;
        if (done == bytes)
            break;
        character_bytes((const unsigned char *)text + done, bytes - done, &broken);
        if (out)
            memcpy(out + written, replacement, sizeof(replacement));
        written += sizeof(replacement);
        done += broken;
    }
    return written;
}

size_t tm__utf8_cut(const char *text, size_t bytes)
{
    size_t length = strnlen(text, bytes + 1);

    if (length <= bytes)
        return length;
    while (bytes > 0 && (text[bytes] & 0xc0) == 0x80)
        bytes--;
    return bytes;
}
