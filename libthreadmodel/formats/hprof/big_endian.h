/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of a binary HPROF file: big-endian, and identifiers of 4 or 8 bytes. */
#ifndef TM_FORMATS_HPROF_BIG_ENDIAN_H
#define TM_FORMATS_HPROF_BIG_ENDIAN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t tm__hprof_u2(const uint8_t *at)
{
    return (uint32_t)at[0] << 8 | at[1];
}

static inline uint32_t tm__hprof_u4(const uint8_t *at)
{
    uint32_t value;

    memcpy(&value, at, sizeof(value));
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    value = __builtin_bswap32(value);
#endif
    return value;
}

static inline uint64_t tm__hprof_u8(const uint8_t *at)
{
    return (uint64_t)tm__hprof_u4(at) << 32 | tm__hprof_u4(at + 4);
}

static inline uint64_t tm__hprof_id(const uint8_t *at, uint32_t id_bytes)
{
    return id_bytes == 8 ? tm__hprof_u8(at) : tm__hprof_u4(at);
}

/** Bytes of a value of a basic type; 0: there is no such type. */
static inline uint32_t tm__hprof_type_bytes(uint8_t type, uint32_t id_bytes)
{
    static const uint8_t bytes[] = {
        [4] = 1, [5] = 2, [6] = 4, [7] = 8, [8] = 1, [9] = 2, [10] = 4, [11] = 8};

    if (type == 2)
        return id_bytes;
    return type < sizeof(bytes) ? bytes[type] : 0;
}

#endif
