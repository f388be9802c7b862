/* SPDX-License-Identifier: Apache-2.0 */
#include "base/bytes.h"

#include <string.h>

#include "base/error.h"

int tm__bytes_reserve(tm__bytes *bytes, size_t more)
{
    size_t needed = bytes->length + more;
    size_t grown = bytes->capacity + bytes->capacity / 2 + 64;
    uint8_t *data;

    if (needed < more)
        return tm__fail(TM_ENOMEM, "out of memory: %zu bytes", more);
    if (needed <= bytes->capacity)
        return TM_OK;
    if (grown < needed)
        grown = needed;
    data = tm__resize(bytes->memory, bytes->data, bytes->capacity, grown);
    if (!data)
        return TM_ENOMEM;
    bytes->data = data;
    bytes->capacity = grown;
    return TM_OK;
}

int tm__bytes_append(tm__bytes *bytes, const void *data, size_t length)
{
    if (tm__bytes_reserve(bytes, length) < 0)
        return tm__failure();
    if (length > 0)
        memcpy(bytes->data + bytes->length, data, length);
    bytes->length += length;
    return TM_OK;
}

void tm__bytes_free(tm__bytes *bytes)
{
    tm__free(bytes->memory, bytes->data, bytes->capacity);
    *bytes = (tm__bytes){.memory = bytes->memory};
}
