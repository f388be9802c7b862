/* SPDX-License-Identifier: Apache-2.0 */
/* Texts in UTF-16, with carriage returns for line ends, and of mail that is encoded. */
#include <string.h>

#include "formats/unpack/packed.h"

typedef struct coding {
    int is_big;      ///< the high byte comes first
    int has_begun;   ///< the mark was passed over
    uint32_t high;   ///< half of a pair; 0: none
    uint8_t held[4]; ///< of a character that had no room any more
    size_t held_count;
} coding;

/* With a mark, or every other byte of Latin letters zero. */
static int is_utf16(const uint8_t *bytes, size_t length)
{
    size_t zeros[2] = {0, 0}, looked = length < 64 ? length & ~(size_t)1 : 64;

    if (length >= 2 && ((bytes[0] == 0xff && bytes[1] == 0xfe) ||
                        (bytes[0] == 0xfe && bytes[1] == 0xff)))
        return 1;
    for (size_t i = 0; i < looked; i++) {
        zeros[i & 1] += bytes[i] == 0;
        if (bytes[i] && (bytes[i] < '\t' || bytes[i] > '~'))
            return 0;
    }
    return looked >= 16 && ((zeros[0] == looked / 2 && zeros[1] == 0) ||
                            (zeros[1] == looked / 2 && zeros[0] == 0));
}

static size_t put_utf8(uint8_t *to, uint32_t code)
{
    size_t count = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

    if (count == 1) {
        to[0] = (uint8_t)code;
        return 1;
    }
    for (size_t i = count; i-- > 1; code >>= 6)
        to[i] = (uint8_t)(0x80 | (code & 0x3f));
    to[0] = (uint8_t)((0xf00 >> count) | code);
    return count;
}

/* A unit's character, or 0: the first half of a pair. */
static uint32_t join(coding *it, uint32_t unit)
{
    uint32_t high = it->high;

    it->high = 0;
    if (unit >= 0xd800 && unit < 0xdc00) {
        it->high = unit;
        return 0;
    }
    if (unit >= 0xdc00 && unit < 0xe000)
        return high ? 0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00) : 0xfffd;
    return unit ? unit : 0xfffd;
}

static int read_utf16(tm__packed *packed, uint8_t *to, size_t room, size_t *count)
{
    coding *it = packed->state;
    size_t out = 0;

    while (out < room) {
        uint8_t unit[2];
        uint32_t code;
        int rc;

        while (it->held_count > 0 && out < room) {
            to[out++] = it->held[0];
            memmove(it->held, it->held + 1, --it->held_count);
        }
        rc = tm__packed_refill(packed);
        if (rc < 0)
            return out > 0 ? (*count = out, TM_OK) : rc;
        if (packed->end - packed->at < 2 && packed->at == packed->end) {
            packed->is_over = it->held_count == 0;
            break;
        }
        /* A last odd byte is dropped. */
        if (packed->end - packed->at == 1) {
            unit[0] = *packed->at++;
            rc = tm__packed_refill(packed);
            if (rc < 0 || packed->at == packed->end) {
                packed->is_over = 1;
                break;
            }
            unit[1] = *packed->at++;
        } else {
            unit[0] = *packed->at++;
            unit[1] = *packed->at++;
        }
        if (!it->has_begun) {
            it->has_begun = 1;
            it->is_big = unit[0] == 0xfe || unit[0] == 0;
            if (unit[0] >= 0xfe)
                continue;
        }
        code = it->is_big ? (uint32_t)unit[0] << 8 | unit[1]
                          : (uint32_t)unit[1] << 8 | unit[0];
        code = join(it, code);
        if (code)
            it->held_count = put_utf8(it->held, code);
    }
    *count = out;
    return TM_OK;
}

static int copy(tm__packed *packed, uint8_t *to, size_t room, size_t *count)
{
    int rc = tm__packed_refill(packed);
    size_t held = (size_t)(packed->end - packed->at);

    *count = held < room ? held : room;
    if (rc < 0)
        return rc;
    memcpy(to, packed->at, *count);
    packed->at += *count;
    packed->is_over = held == 0;
    return TM_OK;
}

/* Text whose lines end with carriage returns alone. */
static int is_mac(const uint8_t *bytes, size_t length)
{
    size_t returns = 0;

    for (size_t i = 0; i < length; i++) {
        returns += bytes[i] == '\r';
        if (bytes[i] == '\n' || (bytes[i] < ' ' && bytes[i] != '\t' &&
                                 bytes[i] != '\r' && bytes[i] != 0x1b))
            return 0;
    }
    return returns > 1;
}

static int read_mac(tm__packed *packed, uint8_t *to, size_t room, size_t *count)
{
    int rc = copy(packed, to, room, count);

    for (size_t i = 0; rc == TM_OK && i < *count; i++)
        if (to[i] == '\r')
            to[i] = '\n';
    return rc;
}

/* Whether a mail, or a part of one, says that it is "quoted-printable". */
static int is_mail(const uint8_t *bytes, size_t length)
{
    static const char field[] = "content-transfer-encoding:",
                      value[] = "quoted-printable";
    size_t at = 0, wanted = sizeof(field) - 1;

    for (size_t begin = 0; begin + wanted < length; begin++) {
        if (begin > 0 && bytes[begin - 1] != '\n')
            continue;
        for (at = 0; at < wanted && (bytes[begin + at] | 0x20) == (field[at] | 0x20);)
            at++;
        if (at < wanted)
            continue;
        for (at += begin; at < length && (bytes[at] == ' ' || bytes[at] == '\t');)
            at++;
        for (wanted = 0; at < length && wanted < sizeof(value) - 1 &&
                         (bytes[at] | 0x20) == (value[wanted] | 0x20);
             at++)
            wanted++;
        return wanted == sizeof(value) - 1;
    }
    return 0;
}

static int hex_digit(uint8_t c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                  : -1;
}

/* The next byte. @return -1 at the end of the input or after an error, which is in `rc`
 */
static int next_byte(tm__packed *packed, int *rc)
{
    *rc = tm__packed_refill(packed);
    return *rc < 0 || packed->at == packed->end ? -1 : *packed->at++;
}

/* "=3D" is "=", and "=" at the end of a line joins it with the next. */
static int read_mail(tm__packed *packed, uint8_t *to, size_t room, size_t *count)
{
    coding *it = packed->state;
    size_t out = 0;
    int rc = TM_OK;

    while (out < room) {
        int byte = it->held_count ? it->held[0] : next_byte(packed, &rc), high, low;

        it->held_count = 0;
        if (rc < 0)
            return out > 0 ? (*count = out, TM_OK) : rc;
        if (byte < 0)
            break;
        if (byte != '=') {
            to[out++] = (uint8_t)byte;
            continue;
        }
        high = next_byte(packed, &rc);
        if (high == '\n')
            continue;
        low = high < 0 ? -1 : next_byte(packed, &rc);
        if (high == '\r' && low == '\n')
            continue;
        if (low >= 0 && hex_digit((uint8_t)high) >= 0 && hex_digit((uint8_t)low) >= 0) {
            to[out++] =
                (uint8_t)(hex_digit((uint8_t)high) << 4 | hex_digit((uint8_t)low));
            continue;
        }
        /* It stands for itself, and what followed as well. */
        to[out++] = '=';
        if (high >= 0 && out < room)
            to[out++] = (uint8_t)high;
        if (low >= 0) {
            it->held[0] = (uint8_t)low;
            it->held_count = 1;
        }
    }
    *count = out;
    packed->is_over = out == 0;
    return TM_OK;
}

const tm__packing tm__packing_mail = {
    "mail", sizeof(coding), is_mail, NULL, read_mail, NULL,
};

const tm__packing tm__packing_utf16 = {
    "UTF-16", sizeof(coding), is_utf16, NULL, read_utf16, NULL,
};

const tm__packing tm__packing_mac = {
    "text", sizeof(coding), is_mac, NULL, read_mac, NULL,
};
