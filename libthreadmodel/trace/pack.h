/* SPDX-License-Identifier: Apache-2.0 */
/* Frames, packed one after the other with one context. */
#ifndef TM_TRACE_PACK_H
#define TM_TRACE_PACK_H

#include "trace/trace_frame.h"

/**
 * Append a frame to `out`.
 * @param level  zstd's; 0: its default
 * @return TM_OK or TM_ENOMEM
 */
int tm__pack(tm__packer *packer, tm__bytes *out, const tm__bytes *raw, int level);

void tm__packer_free(tm__packer *packer);

#endif
