/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any content of a trace's data block, behind checksums that are right: what the
 * target `source` seldom gets to. The first byte says how many events the header
 * claims, the second how long they last.
 */
#include "fuzz.h"

#include "formats/source.h"
#include "trace/pack.h"
#include "trace/trace_frame.h"

/* The trace that holds the block, without an end. */
static void make_trace(tm__bytes *out, const uint8_t *bytes, size_t count)
{
    size_t start = TM__FILE_HEADER_BYTES + TM__BLOCK_HEADER_BYTES;
    tm__packer packer = {out->memory, NULL};
    tm__bytes raw = {.memory = out->memory};
    tm__block_header header = {
        .type = TM__BLOCK_DATA, .events = bytes[0], .last_ns = bytes[0] ? bytes[1] : 0};

    FUZZ_CHECK(tm__bytes_append(&raw, bytes + 2, count - 2) == TM_OK);
    FUZZ_CHECK(tm__bytes_reserve(out, start) == TM_OK);
    out->length = start;
    FUZZ_CHECK(tm__pack(&packer, out, &raw, -5) == TM_OK);
    header.packed_bytes = (uint32_t)(out->length - start);
    header.raw_bytes = (uint32_t)raw.length;
    tm__file_header_put(out->data);
    tm__block_header_put(out->data + TM__FILE_HEADER_BYTES, &header);
    tm__packer_free(&packer);
    tm__bytes_free(&raw);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    tm__memory memory;
    tm__bytes trace = {.memory = &memory};
    tm_source *source;
    tm_model *model;
    int rc;

    if (count < 2)
        return 0;
    tm__memory_init(&memory, NULL);
    make_trace(&trace, bytes, count);
    FUZZ_CHECK(tm_model_new(&model, NULL) == TM_OK);
    FUZZ_CHECK(tm__source_open_memory(&source, "fuzz", trace.data, trace.length,
                                      NULL) == TM_OK);
    do
        rc = tm_source_read(source, tm_model_sink(model));
    while (rc == TM_MORE);
    FUZZ_CHECK(rc == TM_EDAMAGED);
    fuzz_ask_all(model);
    tm_source_close(source);
    tm_model_free(model);
    tm__bytes_free(&trace);
    FUZZ_CHECK(memory.used_bytes == 0);
    return 0;
}
