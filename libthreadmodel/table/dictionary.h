/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The distinct strings of one column, numbered in the order of first sight.
 *
 * Arrow wants the bytes of all strings one after another, without anything in
 * between; C wants a zero byte after each. One pool cannot be both, and copying
 * when asked would need a lock, or a buffer for each call. So the finished
 * dictionary has two pools, the second made once, at its exact size; as they
 * differ by one byte a string, one array of offsets serves both. Distinct strings
 * are few next to rows, so the second pool is the cheapest of the choices.
 */
#ifndef TM_TABLE_DICTIONARY_H
#define TM_TABLE_DICTIONARY_H

#include "base/memory.h"

typedef struct tm__dictionary {
    char *texts;      ///< text i begins at texts + offsets[i] + i, ends in a zero byte
    char *bytes;      ///< without the zero bytes: "u" of Arrow; NULL until finished
    int32_t *offsets; ///< count + 1 places in bytes; NULL while empty and unfinished
    uint32_t count;
    uint32_t text_capacity;
    uint32_t offset_capacity;
    struct tm__dictionary_index *index; ///< NULL once finished
} tm__dictionary;

/**
 * The code of a text, which is added if new. Bytes that are not UTF-8 are replaced.
 * @return a code from 0 on, TM_ENOMEM, TM_ELIMIT
 */
int32_t tm__dictionary_put(tm__dictionary *dictionary, tm__memory *memory,
                           const char *text);

/** The same for a text whose address always holds this text. */
int32_t tm__dictionary_put_address(tm__dictionary *dictionary, tm__memory *memory,
                                   const char *text);

/** Add valid UTF-8 that is not in yet, unseen by later puts. */
int32_t tm__dictionary_append(tm__dictionary *dictionary, tm__memory *memory,
                              const char *text, size_t bytes);

/** Drop what only putting needs, and make `bytes`. @return TM_OK or TM_ENOMEM */
int tm__dictionary_finish(tm__dictionary *dictionary, tm__memory *memory);

/** @return a text, ended by a zero byte; NULL for an unknown code */
const char *tm__dictionary_text(const tm__dictionary *dictionary, int32_t code);

/** @return its length in bytes */
size_t tm__dictionary_length(const tm__dictionary *dictionary, int32_t code);

void tm__dictionary_free(tm__dictionary *dictionary, tm__memory *memory);

#endif
