/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes that grow at their end. */
#ifndef TM_BASE_BYTES_H
#define TM_BASE_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

/** A growing buffer. */
typedef struct tm__bytes {
    tm__memory *memory;
    uint8_t *data;
    size_t length;
    size_t capacity;
} tm__bytes;

/** Make room for `more` bytes after `length`. @return TM_OK or TM_ENOMEM */
int tm__bytes_reserve(tm__bytes *bytes, size_t more);

/** @return TM_OK or TM_ENOMEM */
int tm__bytes_append(tm__bytes *bytes, const void *data, size_t length);

void tm__bytes_free(tm__bytes *bytes);

#endif
