/* SPDX-License-Identifier: Apache-2.0 */
/* Times as dumps write them. */
#ifndef TM_FORMATS_DUMP_DUMP_TIME_H
#define TM_FORMATS_DUMP_DUMP_TIME_H

#include "formats/dump/frame_text.h"

/**
 * Read "2026-11-20 15:47:18" or "2026-11-20T15:47:21.201818265Z", and nothing else.
 * @param[out] time_ns  since 1970, as if it were UTC; as it was where it is not a time
 * @return 1: it is one
 */
int tm__dump_time(tm__slice text, int64_t *time_ns);

#endif
