/* SPDX-License-Identifier: Apache-2.0 */
/* Headers, a few a second; pack.c and unpack.c have what is behind them. */
#include "trace/trace_frame.h"

#include <string.h>

#include "base/error.h"

/* As in PNG: a byte that does not occur in text, the name, and the line ends that a
 * transfer in text mode would change. */
static const uint8_t file_magic[8] = {0xb1, 'T', 'M', 'T', '\r', '\n', 0x1a, '\n'};
static const uint8_t block_magic[3] = {TM__BLOCK_MAGIC, 'T', 'B'};
static const uint8_t trailer_magic[8] = {'T', 'M', 'T', ' ', 'e', 'n', 'd', '\n'};

void tm__file_header_put(uint8_t out[TM__FILE_HEADER_BYTES])
{
    memcpy(out, file_magic, sizeof(file_magic));
    tm__encode_fixed(out + 8, TM__TRACE_MAJOR, 2);
    tm__encode_fixed(out + 10, TM__TRACE_MINOR, 2);
    tm__encode_fixed(out + 12, tm__crc32(out, 12), 4);
}

tm__file_header_state tm__file_header_get(const uint8_t *bytes, size_t length,
                                          uint32_t *major, uint32_t *minor)
{
    size_t magic = length < sizeof(file_magic) ? length : sizeof(file_magic);

    *major = *minor = 0;
    if (magic < 4 || memcmp(bytes, file_magic, magic) != 0)
        return TM__FILE_HEADER_FOREIGN;
    if (length < TM__FILE_HEADER_BYTES ||
        tm__fixed(bytes + 12, 4) != tm__crc32(bytes, 12))
        return TM__FILE_HEADER_DAMAGED;
    *major = (uint32_t)tm__fixed(bytes + 8, 2);
    *minor = (uint32_t)tm__fixed(bytes + 10, 2);
    return *major >= TM__TRACE_OLDEST && *major <= TM__TRACE_MAJOR
               ? TM__FILE_HEADER_WHOLE
               : TM__FILE_HEADER_NEWER;
}

void tm__block_header_put(uint8_t out[TM__BLOCK_HEADER_BYTES],
                          const tm__block_header *header)
{
    uint8_t *at = out;

    memcpy(at, block_magic, sizeof(block_magic));
    at = tm__encode_fixed(at + sizeof(block_magic), header->type, 1);
    at = tm__encode_fixed(at, header->packed_bytes, 4);
    at = tm__encode_fixed(at, header->raw_bytes, 4);
    at = tm__encode_fixed(at, header->events, 4);
    at = tm__encode_fixed(at, header->events_before, 4);
    at = tm__encode_fixed(at, (uint64_t)header->first_ns, 8);
    at = tm__encode_fixed(at, (uint64_t)header->last_ns, 8);
    tm__encode_fixed(at, tm__crc32(out, TM__BLOCK_HEADER_BYTES - 4), 4);
}

int tm__block_header_get(tm__block_header *header,
                         const uint8_t bytes[TM__BLOCK_HEADER_BYTES])
{
    if (memcmp(bytes, block_magic, sizeof(block_magic)) != 0 ||
        tm__fixed(bytes + 36, 4) != tm__crc32(bytes, 36))
        return 0;
    header->type = bytes[3];
    header->packed_bytes = (uint32_t)tm__fixed(bytes + 4, 4);
    header->raw_bytes = (uint32_t)tm__fixed(bytes + 8, 4);
    header->events = (uint32_t)tm__fixed(bytes + 12, 4);
    header->events_before = (uint32_t)tm__fixed(bytes + 16, 4);
    header->first_ns = (int64_t)tm__fixed(bytes + 20, 8);
    header->last_ns = (int64_t)tm__fixed(bytes + 28, 8);
    return header->packed_bytes <= TM__BLOCK_PACKED_LIMIT &&
           header->raw_bytes <= TM__BLOCK_RAW_LIMIT &&
           header->events <= TM__BLOCK_EVENT_LIMIT &&
           header->first_ns <= header->last_ns;
}

void tm__trailer_put(uint8_t out[TM__TRAILER_BYTES], uint64_t end_offset)
{
    tm__encode_fixed(out, end_offset, 8);
    memcpy(out + 8, trailer_magic, sizeof(trailer_magic));
}

int tm__trailer_get(uint64_t *end_offset, const uint8_t bytes[TM__TRAILER_BYTES])
{
    *end_offset = tm__fixed(bytes, 8);
    return memcmp(bytes + 8, trailer_magic, sizeof(trailer_magic)) == 0;
}

int tm__trace_check_build(void)
{
#ifdef TM_WITHOUT_ZSTD
    return tm__fail(TM_EUNSUPPORTED,
                    "this libthreadmodel was built without zstd, which "
                    "writes and reads traces");
#else
    return TM_OK;
#endif
}
