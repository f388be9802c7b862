/* SPDX-License-Identifier: Apache-2.0 */
/* Frames, unpacked, whatever they are made of. */
#include "base/error.h"
#include "trace/trace_frame.h"
#include "trace/unpack.h"
#include "trace/zstd_memory.h"

#ifndef TM_WITHOUT_ZSTD
#include <zstd_errors.h>

int tm__unpack(tm__unpacker *unpacker, tm__bytes *raw, const uint8_t *packed,
               size_t packed_bytes, size_t raw_bytes)
{
    size_t unpacked;

    if (!unpacker->context) {
        unpacker->context = ZSTD_createDCtx_advanced(tm__zstd_memory(unpacker->memory));
        if (!unpacker->context)
            return tm__fail(TM_ENOMEM, "out of memory: a zstd context");
    }
    /* One frame, all of the bytes, of the size that both headers state: a frame
     * cannot make the reader take more memory than the block header said. */
    if (ZSTD_getFrameContentSize(packed, packed_bytes) != raw_bytes ||
        ZSTD_findFrameCompressedSize(packed, packed_bytes) != packed_bytes)
        return tm__fail(TM_EDAMAGED, "not a zstd frame of %zu bytes", raw_bytes);
    raw->length = 0;
    if (tm__bytes_reserve(raw, raw_bytes + 1) < 0)
        return tm__failure();
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

#else

int tm__unpack(tm__unpacker *unpacker, tm__bytes *raw, const uint8_t *packed,
               size_t packed_bytes, size_t raw_bytes)
{
    (void)unpacker, (void)raw, (void)packed, (void)packed_bytes, (void)raw_bytes;
    return tm__trace_check_build();
}

void tm__unpacker_free(tm__unpacker *unpacker)
{
    (void)unpacker;
}

#endif
