/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors are read to find where they end, since class names may hold commas. */
#include "formats/descriptor.h"

#include <string.h>

static const char letters[] = "ZBCSIJFDV";
static const char *const names[] = {"boolean", "byte",  "char",   "short", "int",
                                    "long",    "float", "double", "void"};

const char *tm__descriptor_end(const char *at, const char *end)
{
    while (at < end && *at == '[')
        at++;
    if (at == end)
        return NULL;
    if (*at != 'L')
        return memchr(letters, *at, sizeof(letters) - 1) ? at + 1 : NULL;
    at = memchr(at, ';', (size_t)(end - at));
    return at ? at + 1 : NULL;
}

const char *tm__descriptor_method_end(const char *at, const char *end)
{
    if (at == end || *at++ != '(')
        return NULL;
    while (at && at < end && *at != ')')
        at = tm__descriptor_end(at, end);
    return at && at < end ? tm__descriptor_end(at + 1, end) : NULL;
}

size_t tm__descriptor_write_class(char *to, const char *text, size_t length)
{
    size_t dimensions = 0, written;
    const char *letter;

    while (dimensions < length && text[dimensions] == '[')
        dimensions++;
    text += dimensions;
    length -= dimensions;
    letter = length == 1 ? memchr(letters, *text, sizeof(letters) - 1) : NULL;
    if (letter) {
        text = names[letter - letters];
        length = strlen(text);
    } else if (length > 1 && *text == 'L' && text[length - 1] == ';') {
        text++;
        length -= 2;
    }
    memcpy(to, text, length);
    for (written = 0; written < length; written++)
        if (to[written] == '/')
            to[written] = '.';
    for (; dimensions > 0; dimensions--, written += 2)
        memcpy(to + written, "[]", 2);
    return written;
}

size_t tm__descriptor_from_class(char *to, const char *name, size_t length)
{
    size_t written = 0, whole = length;

    while (length > 2 && memcmp(name + length - 2, "[]", 2) == 0)
        length -= 2;
    for (size_t i = length; i < whole; i += 2)
        to[written++] = '[';
    for (size_t i = 0; i < sizeof(letters) - 1; i++)
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0) {
            to[written++] = letters[i];
            return written;
        }
    to[written++] = 'L';
    for (size_t i = 0; i < length; i++)
        to[written++] = name[i] == '.' ? '/' : name[i];
    to[written++] = ';';
    return written;
}
