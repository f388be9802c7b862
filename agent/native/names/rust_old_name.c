/* SPDX-License-Identifier: Apache-2.0 */
#include "names/rust_old_name.h"

#include <stdlib.h>
#include <string.h>

enum { HASH = 16 };

/* Between dollar signs. */
static const struct {
    const char *code;
    char plain;
} ESCAPES[] = {{"SP", '@'}, {"BP", '*'}, {"RF", '&'}, {"LT", '<'},
               {"GT", '>'}, {"LP", '('}, {"RP", ')'}, {"C", ','}};

/* @return what an escape stands for; 0: it is not an escape */
static char plain_of(const char *code, size_t length)
{
    char *end;
    unsigned long value;

    for (size_t i = 0; i < sizeof(ESCAPES) / sizeof(*ESCAPES); i++)
        if (strlen(ESCAPES[i].code) == length &&
            memcmp(ESCAPES[i].code, code, length) == 0)
            return ESCAPES[i].plain;
    if (length < 2 || *code != 'u')
        return 0;
    value = strtoul(code + 1, &end, 16);
    return end == code + length && value >= ' ' && value <= '~' ? (char)value : 0;
}

/* In place: what is written is never longer than what was read. */
static void decode(char *name)
{
    const char *from = name, *end;
    char *to = name, plain;

    while (*from) {
        int is_first = to == name || to[-1] == ':';

        if (is_first && strncmp(from, "_$", 2) == 0)
            from++;
        if (*from == '$' && (end = strchr(from + 1, '$')) != NULL &&
            (plain = plain_of(from + 1, (size_t)(end - from - 1))) != 0) {
            *to++ = plain;
            from = end + 1;
        } else if (strncmp(from, "..", 2) == 0) {
            *to++ = ':';
            *to++ = ':';
            from += 2;
        } else {
            *to++ = *from++;
        }
    }
    *to = '\0';
}

int tm__rust_old_name(char *name)
{
    size_t length = strlen(name), before = length - HASH - 3;

    if (length <= HASH + 3 || strncmp(name + before, "::h", 3) != 0 ||
        strspn(name + before + 3, "0123456789abcdef") != HASH)
        return 0;
    name[before] = '\0';
    decode(name);
    return 1;
}
