/* SPDX-License-Identifier: Apache-2.0 */
/* The formats that libraries unpack: zstd, which traces need as well, and xz. */
#include <string.h>

#include "base/error.h"
#include "formats/unpack/packed.h"

static int is_zstd(const uint8_t *bytes, size_t length)
{
    return length > 4 && memcmp(bytes, "\x28\xb5\x2f\xfd", 4) == 0;
}

static int is_xz(const uint8_t *bytes, size_t length)
{
    return length > 6 && memcmp(bytes, "\xfd\x37zXZ\0", 6) == 0;
}

#if defined(TM_WITHOUT_ZSTD) || !defined(TM_WITH_LZMA)
static int lacking(tm__packed *packed)
{
    return tm__fail(TM_EUNSUPPORTED,
                    "%s: packed by %s, which this libthreadmodel was built without: "
                    "unpack it first",
                    packed->inner.path, packed->packing->name);
}
#endif

#ifndef TM_WITHOUT_ZSTD
#include <zstd.h>

typedef struct frames {
    ZSTD_DStream *stream;
    size_t left; ///< 0: between two frames
} frames;

/** No window is larger: 128 MiB is what zstd's own tool takes by itself. */
enum { WINDOW_LOG = 27 };

static int begin_zstd(tm__packed *packed)
{
    frames *it = packed->state;

    it->stream = ZSTD_createDStream();
    if (!it->stream)
        return tm__fail(TM_ENOMEM, "out of memory: a zstd context");
    ZSTD_DCtx_setParameter(it->stream, ZSTD_d_windowLogMax, WINDOW_LOG);
    return TM_OK;
}

static int read_zstd(tm__packed *packed, uint8_t *to, size_t room, size_t *count)
{
    frames *it = packed->state;
    ZSTD_outBuffer out = {to, room, 0};

    while (out.pos == 0) {
        ZSTD_inBuffer in;
        int rc = tm__packed_refill(packed);

        if (rc < 0)
            return rc;
        if (packed->at == packed->end) {
            packed->is_over = 1;
            return it->left ? tm__packed_damage(packed, "it ends too early") : TM_OK;
        }
        in = (ZSTD_inBuffer){packed->at, (size_t)(packed->end - packed->at), 0};
        it->left = ZSTD_decompressStream(it->stream, &out, &in);
        packed->at += in.pos;
        if (ZSTD_isError(it->left))
            return tm__packed_damage(packed, ZSTD_getErrorName(it->left));
    }
    *count = out.pos;
    return TM_OK;
}

static void end_zstd(tm__packed *packed)
{
    frames *it = packed->state;

    ZSTD_freeDStream(it->stream);
}

const tm__packing tm__packing_zstd = {
    "zstd", sizeof(frames), is_zstd, begin_zstd, read_zstd, end_zstd,
};
#else
const tm__packing tm__packing_zstd = {"zstd", 1, is_zstd, lacking, NULL, NULL};
#endif

#ifdef TM_WITH_LZMA
#include <lzma.h>

/** As much as xz -9 needs, and some. */
#define XZ_BYTES (UINT64_C(80) << 20)

static int begin_xz(tm__packed *packed)
{
    lzma_stream *it = packed->state;

    *it = (lzma_stream)LZMA_STREAM_INIT;
    return lzma_stream_decoder(it, XZ_BYTES, LZMA_CONCATENATED) == LZMA_OK ? TM_OK
                                                                           : TM_ENOMEM;
}

static int read_xz(tm__packed *packed, uint8_t *to, size_t room, size_t *count)
{
    lzma_stream *it = packed->state;

    it->next_out = to;
    it->avail_out = room;
    while (it->avail_out == room) {
        lzma_ret done;
        int rc = tm__packed_refill(packed);

        if (rc < 0)
            return rc;
        it->next_in = packed->at;
        it->avail_in = (size_t)(packed->end - packed->at);
        done = lzma_code(it, it->avail_in ? LZMA_RUN : LZMA_FINISH);
        packed->at = packed->end - it->avail_in;
        if (done == LZMA_STREAM_END) {
            packed->is_over = 1;
            break;
        }
        if (done != LZMA_OK)
            return done == LZMA_MEM_ERROR ? TM_ENOMEM
                                          : tm__packed_damage(packed, "damaged");
    }
    *count = room - it->avail_out;
    return TM_OK;
}

static void end_xz(tm__packed *packed)
{
    lzma_end(packed->state);
}

const tm__packing tm__packing_xz = {
    "xz", sizeof(lzma_stream), is_xz, begin_xz, read_xz, end_xz,
};
#else
const tm__packing tm__packing_xz = {"xz", 1, is_xz, lacking, NULL, NULL};
#endif
