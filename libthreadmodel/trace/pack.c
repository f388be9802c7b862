/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames, packed one after the other with one context, which is made once and kept. In
 * a file of its own: who only writes traces, the JVM agent, has none of zstd's code for
 * reading them.
 */
#include "trace/pack.h"
#include "base/error.h"
#include "trace/trace_frame.h"
#include "trace/zstd_memory.h"

#ifndef TM_WITHOUT_ZSTD

int tm__pack(tm__packer *packer, tm__bytes *out, const tm__bytes *raw, int level)
{
    size_t bound = ZSTD_compressBound(raw->length);
    size_t packed;

    if (!packer->context) {
        packer->context = ZSTD_createCCtx_advanced(tm__zstd_memory(packer->memory));
        if (!packer->context)
            return tm__fail(TM_ENOMEM, "out of memory: a zstd context");
    }
    if (tm__bytes_reserve(out, bound) < 0)
        return tm__failure();
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

#else

int tm__pack(tm__packer *packer, tm__bytes *out, const tm__bytes *raw, int level)
{
    (void)packer, (void)out, (void)raw, (void)level;
    return tm__trace_check_build();
}

void tm__packer_free(tm__packer *packer)
{
    (void)packer;
}

#endif
