/* SPDX-License-Identifier: Apache-2.0 */
/* Frames, unpacked. */
#ifndef TM_TRACE_UNPACK_H
#define TM_TRACE_UNPACK_H

#include "trace/trace_frame.h"

/**
 * Replace `raw` with what a frame holds: exactly raw_bytes, checksum verified.
 * @return TM_OK, TM_ENOMEM, TM_EDAMAGED
 */
int tm__unpack(tm__unpacker *unpacker, tm__bytes *raw, const uint8_t *packed,
               size_t packed_bytes, size_t raw_bytes);

void tm__unpacker_free(tm__unpacker *unpacker);

#endif
