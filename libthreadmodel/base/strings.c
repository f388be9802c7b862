/* SPDX-License-Identifier: Apache-2.0 */
/* Interned strings. Definitions bring them, seldom; answers read them, often. */
#include "base/strings.h"

#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/map.h"

struct tm__string {
    UT_hash_handle hh;
    uint32_t index;
    uint32_t length;
    char text[];
};

void tm__strings_init(tm__strings *strings, tm__memory *memory)
{
    *strings = (tm__strings){.memory = memory};
}

static size_t string_bytes(size_t length)
{
    return sizeof(struct tm__string) + length + 1;
}

int tm__strings_intern_bytes(tm__strings *strings, uint32_t *index, const char *text,
                             size_t bytes)
{
    tm__memory *memory = strings->memory;
    struct tm__string *found;
    int failed = 0;

    *index = TM__NONE;
    if (bytes >= UINT32_MAX)
        return tm__fail(TM_ELIMIT, "string of %zu bytes, more than %u", bytes,
                        UINT32_MAX - 1);
    HASH_FIND(hh, strings->table, text, bytes, found);
    if (found) {
        *index = found->index;
        return TM_OK;
    }
    if (tm__reserve(memory, &strings->list, &strings->capacity,
                    (size_t)strings->count + 1, sizeof(*strings->list)) < 0)
        return tm__failure();
    found = tm__resize(memory, NULL, 0, string_bytes(bytes));
    if (!found)
        return TM_ENOMEM;
    memset(found, 0, sizeof(*found));
    memcpy(found->text, text, bytes);
    found->text[bytes] = '\0';
    found->length = (uint32_t)bytes;
    found->index = strings->count;
    HASH_ADD_KEYPTR(hh, strings->table, found->text, bytes, found);
    if (failed) {
        tm__free(memory, found, string_bytes(bytes));
        return TM_ENOMEM;
    }
    strings->list[strings->count++] = found;
    *index = found->index;
    return TM_OK;
}

int tm__strings_intern(tm__strings *strings, uint32_t *index, const char *text)
{
    *index = TM__NONE;
    return text ? tm__strings_intern_bytes(strings, index, text, strlen(text)) : TM_OK;
}

void tm__strings_sweep(tm__strings *strings, uint32_t *numbers)
{
    tm__memory *memory = strings->memory;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < strings->count; i++) {
        struct tm__string *it = strings->list[i];

        if (!numbers[i]) {
            HASH_DEL(strings->table, it);
            tm__free(memory, it, string_bytes(it->length));
            numbers[i] = TM__NONE;
            continue;
        }
        it->index = numbers[i] = kept;
        strings->list[kept++] = it;
    }
    strings->count = kept;
    tm__shrink(memory, &strings->list, &strings->capacity, (size_t)kept + kept / 4 + 1,
               sizeof(*strings->list));
}

const char *tm__strings_get(const tm__strings *strings, uint32_t index)
{
    return index < strings->count ? strings->list[index]->text : NULL;
}

size_t tm__strings_length(const tm__strings *strings, uint32_t index)
{
    return index < strings->count ? strings->list[index]->length : 0;
}

void tm__strings_clear(tm__strings *strings)
{
    tm__memory *memory = strings->memory;

    HASH_CLEAR(hh, strings->table);
    for (uint32_t i = 0; i < strings->count; i++)
        tm__free(memory, strings->list[i], string_bytes(strings->list[i]->length));
    tm__free(memory, strings->list, strings->capacity * sizeof(*strings->list));
    tm__strings_init(strings, memory);
}
