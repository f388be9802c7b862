/* SPDX-License-Identifier: Apache-2.0 */
/* Names are converted once a class, method or thread, on the writer thread. */
#include "trace/modified_utf8.h"

#include <stdint.h>
#include <string.h>

enum { REPLACEMENT = 0xFFFD };

/* One UTF-16 unit of modified UTF-8. @return bytes read, 0 where malformed */
static size_t unit(uint32_t *out, const unsigned char *text, size_t length)
{
    if (text[0] < 0x80) {
        *out = text[0];
        return 1;
    }
    if ((text[0] & 0xE0) == 0xC0 && length > 1 && (text[1] & 0xC0) == 0x80) {
        *out = (uint32_t)(text[0] & 0x1F) << 6 | (text[1] & 0x3F);
        return 2;
    }
    if ((text[0] & 0xF0) == 0xE0 && length > 2 && (text[1] & 0xC0) == 0x80 &&
        (text[2] & 0xC0) == 0x80) {
        *out = (uint32_t)(text[0] & 0x0F) << 12 | (uint32_t)(text[1] & 0x3F) << 6 |
               (text[2] & 0x3F);
        return 3;
    }
    return 0;
}

/* One character, surrogates joined. @return bytes read, at least 1 */
static size_t character(uint32_t *out, const unsigned char *text, size_t length)
{
    size_t read = unit(out, text, length);
    uint32_t low;

    if (read && (*out & 0xFC00) == 0xD800 && length > read) {
        size_t more = unit(&low, text + read, length - read);

        if (more && (low & 0xFC00) == 0xDC00) {
            *out = 0x10000 + ((*out & 0x3FF) << 10) + (low & 0x3FF);
            return read + more;
        }
    }
    /* A zero cannot stand in a C string; a lone surrogate is not a character. */
    if (!read || *out == 0 || (*out & 0xF800) == 0xD800)
        *out = REPLACEMENT;
    return read ? read : 1;
}

static size_t encode(char *out, uint32_t c)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xC0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xE0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3F));
        out[2] = (char)(0x80 | (c & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3F));
    out[2] = (char)(0x80 | (c >> 6 & 0x3F));
    out[3] = (char)(0x80 | (c & 0x3F));
    return 4;
}

void tm__text_utf8(char *out, size_t bytes, const char *text, size_t length)
{
    const unsigned char *from = (const unsigned char *)text;
    size_t used = 0;

    while (length > 0) {
        char encoded[4];
        uint32_t c;
        size_t read = character(&c, from, length);
        size_t size = encode(encoded, c);

        if (used + size >= bytes)
            break;
        memcpy(out + used, encoded, size);
        used += size;
        from += read;
        length -= read;
    }
    out[used] = 0;
}

static const char *primitive(char code)
{
    switch (code) {
    case 'B': return "byte";
    case 'C': return "char";
    case 'D': return "double";
    case 'F': return "float";
    case 'I': return "int";
    case 'J': return "long";
    case 'S': return "short";
    case 'Z': return "boolean";
    default: return NULL;
    }
}

void tm__text_class(char *out, size_t bytes, const char *signature, size_t length)
{
    size_t dimensions = 0;
    size_t used;

    while (length > 0 && *signature == '[') {
        dimensions++;
        signature++;
        length--;
    }
    if (length == 1 && primitive(*signature)) {
        tm__text_utf8(out, bytes, primitive(*signature), strlen(primitive(*signature)));
    } else {
        if (length > 1 && *signature == 'L') {
            signature++;
            length--;
            if (signature[length - 1] == ';')
                length--;
        }
        tm__text_utf8(out, bytes, signature, length);
        /* A hidden class has a dot of its own, where its name has a slash. */
        for (char *c = out; *c; c++)
            *c = *c == '/' ? '.' : *c == '.' ? '/' : *c;
    }
    used = strlen(out);
    for (; dimensions > 0 && used + 3 <= bytes; dimensions--, used += 2)
        memcpy(out + used, "[]", 3);
}
