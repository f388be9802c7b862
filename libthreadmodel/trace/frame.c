/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Headers, a few a second, and zstd behind them. zstd's contexts take their memory
 * from the hook: one of megabytes for packing, made once and kept.
 */
#define ZSTD_STATIC_LINKING_ONLY
#include "trace/frame.h"

#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/error.h"

/* As PNG does it: a byte that is no text, the name, and the line ends that a
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
    return *major == TM__TRACE_MAJOR ? TM__FILE_HEADER_WHOLE : TM__FILE_HEADER_NEWER;
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

/* zstd frees without a size: a word in front of each block keeps it. */
enum { SIZE_BYTES = 16 };

static void *zstd_allocate(void *opaque, size_t bytes)
{
    size_t *block;

    if (bytes > SIZE_MAX - SIZE_BYTES)
        return NULL;
    block = tm__resize(opaque, NULL, 0, bytes + SIZE_BYTES);
    if (!block)
        return NULL;
    *block = bytes + SIZE_BYTES;
    return (char *)block + SIZE_BYTES;
}

static void zstd_release(void *opaque, void *address)
{
    size_t *block;

    if (!address)
        return;
    block = (size_t *)(void *)((char *)address - SIZE_BYTES);
    tm__free(opaque, block, *block);
}

static ZSTD_customMem hooked(tm__memory *memory)
{
    return (ZSTD_customMem){zstd_allocate, zstd_release, memory};
}

int tm__pack(tm__packer *packer, tm__bytes *out, const tm__bytes *raw, int level)
{
    size_t bound = ZSTD_compressBound(raw->length);
    size_t packed;

    if (!packer->context) {
        packer->context = ZSTD_createCCtx_advanced(hooked(packer->memory));
        if (!packer->context)
            return tm__fail(TM_ENOMEM, "no memory for a zstd context");
    }
    if (tm__bytes_reserve(out, bound) < 0)
        return TM_ENOMEM;
    ZSTD_CCtx_reset(packer->context, ZSTD_reset_session_and_parameters);
    ZSTD_CCtx_setParameter(packer->context, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(packer->context, ZSTD_c_checksumFlag, 1);
    packed = ZSTD_compress2(packer->context, out->data + out->length, bound, raw->data,
                            raw->length);
    /* With room for the worst case, memory is all that a call can run out of. */
    if (ZSTD_isError(packed))
        return tm__fail(TM_ENOMEM, "no memory to pack %zu bytes (zstd: %s)",
                        raw->length, ZSTD_getErrorName(packed));
    out->length += packed;
    return TM_OK;
}

void tm__packer_free(tm__packer *packer)
{
    ZSTD_freeCCtx(packer->context);
    packer->context = NULL;
}

int tm__unpack(tm__unpacker *unpacker, tm__bytes *raw, const uint8_t *packed,
               size_t packed_bytes, size_t raw_bytes)
{
    size_t unpacked;

    if (!unpacker->context) {
        unpacker->context = ZSTD_createDCtx_advanced(hooked(unpacker->memory));
        if (!unpacker->context)
            return tm__fail(TM_ENOMEM, "no memory for a zstd context");
    }
    /* One frame, all of the bytes, of the size that both headers state: a frame
     * cannot make the reader take more memory than the block header said. */
    if (ZSTD_getFrameContentSize(packed, packed_bytes) != raw_bytes ||
        ZSTD_findFrameCompressedSize(packed, packed_bytes) != packed_bytes)
        return tm__fail(TM_EDAMAGED, "no zstd frame of %zu bytes", raw_bytes);
    raw->length = 0;
    if (tm__bytes_reserve(raw, raw_bytes + 1) < 0)
        return TM_ENOMEM;
    unpacked = ZSTD_decompressDCtx(unpacker->context, raw->data, raw_bytes, packed,
                                   packed_bytes);
    if (ZSTD_isError(unpacked))
        return tm__fail(ZSTD_getErrorCode(unpacked) == ZSTD_error_memory_allocation
                            ? TM_ENOMEM
                            : TM_EDAMAGED,
                        "zstd: %s", ZSTD_getErrorName(unpacked));
    if (unpacked != raw_bytes)
        return tm__fail(TM_EDAMAGED, "%zu bytes unpacked, not %zu", unpacked,
                        raw_bytes);
    raw->length = raw_bytes;
    return TM_OK;
}

void tm__unpacker_free(tm__unpacker *unpacker)
{
    ZSTD_freeDCtx(unpacker->context);
    unpacker->context = NULL;
}
