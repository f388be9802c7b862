/* SPDX-License-Identifier: Apache-2.0 */
/* Times of the logs that a dump may stand in. */
#ifndef TM_FORMATS_TEXT_LOG_TIME_H
#define TM_FORMATS_TEXT_LOG_TIME_H

#include "formats/dump/frame_text.h"

/**
 * Find the first date with a time in a line: "2026-11-28T01:20:46.123Z",
 * "2026/11/28 01:20:46,123", "2026-11-28 01:20:46 +0200".
 * @param[out] time_ns  since 1970, in UTC where a zone is given; else as if it were
 * @return 1; 0: there is none, and `time_ns` is as it was
 */
int tm__log_time(tm__slice line, int64_t *time_ns);

/** The same for the last one, which no zone follows: the JVM's own way. */
int tm__log_time_last(tm__slice line, int64_t *time_ns);

#endif
