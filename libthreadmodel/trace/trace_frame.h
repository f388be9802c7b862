/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The outer shape of a trace: file header, block headers, the packed frame behind
 * each. columns.h and definition_coding.h describe the contents of a frame. The numbers
 * here are docs/trace-format.md's.
 */
#ifndef TM_TRACE_TRACE_FRAME_H
#define TM_TRACE_TRACE_FRAME_H

#include "trace/coding.h"

enum {
    TM__TRACE_OLDEST = 1, ///< major version that is read
    TM__TRACE_MAJOR = 2,
    TM__TRACE_MINOR = 0,
    TM__FILE_HEADER_BYTES = 16,
    TM__BLOCK_HEADER_BYTES = 40,
    TM__TRAILER_BYTES = 16,
    TM__BLOCK_RAW_LIMIT = 16 << 20,      ///< bytes of a block, unpacked
    TM__BLOCK_PACKED_LIMIT = 17 << 20,   ///< bytes of a block in the file
    TM__BLOCK_EVENT_LIMIT = 65536,       ///< events of a block
    TM__DEFINITION_LIMIT = 8 << 20,      ///< bytes of one definition
    TM__DEFINITION_ITEM_LIMIT = 1 << 20, ///< lines of a method, frames of a stack
};

enum tm__block_type {
    TM__BLOCK_DATA = 1,
    TM__BLOCK_INDEX = 2,
    TM__BLOCK_END = 3,
};

typedef struct tm__block_header {
    uint32_t type; ///< enum tm__block_type, or a newer one
    uint32_t packed_bytes;
    uint32_t raw_bytes;
    uint32_t events;
    uint32_t events_before; ///< of the whole file, modulo 2^32
    int64_t first_ns;
    int64_t last_ns;
} tm__block_header;

/** The first byte of every block header, to look for after damage. */
#define TM__BLOCK_MAGIC 0xb1

void tm__file_header_put(uint8_t out[TM__FILE_HEADER_BYTES]);

typedef enum tm__file_header_state {
    TM__FILE_HEADER_FOREIGN, ///< no magic number
    TM__FILE_HEADER_DAMAGED, ///< the magic number, and the rest does not add up
    TM__FILE_HEADER_NEWER,   ///< of a major version that is not ours
    TM__FILE_HEADER_WHOLE,
} tm__file_header_state;

tm__file_header_state tm__file_header_get(const uint8_t *bytes, size_t length,
                                          uint32_t *major, uint32_t *minor);

void tm__block_header_put(uint8_t out[TM__BLOCK_HEADER_BYTES],
                          const tm__block_header *header);

/** @return 1, or 0 where there is no header, or one with impossible numbers */
int tm__block_header_get(tm__block_header *header,
                         const uint8_t bytes[TM__BLOCK_HEADER_BYTES]);

void tm__trailer_put(uint8_t out[TM__TRAILER_BYTES], uint64_t end_offset);

/** @return 1, or 0 where this is not a trailer */
int tm__trailer_get(uint64_t *end_offset, const uint8_t bytes[TM__TRAILER_BYTES]);

/** @return TM_OK; TM_EUNSUPPORTED: this build has no zstd, so no traces */
int tm__trace_check_build(void);

/** Packs frames one after the other. Zero but for `memory` is a new one. */
typedef struct tm__packer {
    tm__memory *memory;
    struct ZSTD_CCtx_s *context;
} tm__packer;

/** Unpacks them; the same life. */
typedef struct tm__unpacker {
    tm__memory *memory;
    struct ZSTD_DCtx_s *context;
} tm__unpacker;

#endif
