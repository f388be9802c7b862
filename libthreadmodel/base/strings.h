/* SPDX-License-Identifier: Apache-2.0 */
/* Each distinct string once, by a number and at an address that stay as they are until
 * strings are swept. */
#ifndef TM_BASE_STRINGS_H
#define TM_BASE_STRINGS_H

#include "base/memory.h"

typedef struct tm__strings {
    tm__memory *memory;
    struct tm__string *table; ///< uthash's head
    struct tm__string **list; ///< by number
    uint32_t count;
    uint32_t capacity;
} tm__strings;

void tm__strings_init(tm__strings *strings, tm__memory *memory);

/**
 * Find or add a string.
 * @param[out] index  its number; TM__NONE for NULL
 * @return TM_OK, TM_ENOMEM; TM_ELIMIT: it has 4 GiB
 */
int tm__strings_intern(tm__strings *strings, uint32_t *index, const char *text);

/** The same for text that does not end in a zero byte. */
int tm__strings_intern_bytes(tm__strings *strings, uint32_t *index, const char *text,
                             size_t bytes);

/**
 * Free the strings that are not used. Those that are keep their addresses and order.
 * @param[in,out] numbers  by number: not 0 where the string is used; becomes its new
 *                         number, of one that was freed TM__NONE
 */
void tm__strings_sweep(tm__strings *strings, uint32_t *numbers);

/** @return the text of a number, lent until clear or sweep; NULL for TM__NONE */
const char *tm__strings_get(const tm__strings *strings, uint32_t index);

/** @return its length in bytes */
size_t tm__strings_length(const tm__strings *strings, uint32_t index);

void tm__strings_clear(tm__strings *strings);

#endif
