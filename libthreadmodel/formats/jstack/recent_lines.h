/* SPDX-License-Identifier: Apache-2.0 */
/* The lines before a dump, which may hold the time at which it was taken. */
#ifndef TM_FORMATS_JSTACK_RECENT_LINES_H
#define TM_FORMATS_JSTACK_RECENT_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "formats/dump/frame_text.h"

enum { TM__RECENT_LINES = 2, TM__RECENT_BYTES = 240 };

typedef struct tm__recent_lines {
    char lines[TM__RECENT_LINES][TM__RECENT_BYTES]; ///< the last first
    size_t lengths[TM__RECENT_LINES];
} tm__recent_lines;

/** Keep a line that is none of a dump; an empty one is passed over. */
void tm__recent_lines_add(tm__recent_lines *self, tm__slice line);

/** @return 1: a line ends with a time, as a JVM writes it above a dump */
int tm__ends_with_time(tm__slice line, int64_t *time_ns);

/**
 * When a dump was taken, by its own line, its prefix, or the log.
 * @param around  what stands around its first line
 * @return INT64_MIN: they do not show it
 */
int64_t tm__recent_lines_time(const tm__recent_lines *self, tm__slice around);

#endif
