/* SPDX-License-Identifier: Apache-2.0 */
/* Records of HPROF's binary format: numbers big-endian, lengths filled in. */
#ifndef TM_EXPORT_HPROF_RECORD_H
#define TM_EXPORT_HPROF_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

enum tm__hprof_tag {
    TM__HPROF_TEXT = 0x01,
    TM__HPROF_LOAD_CLASS = 0x02,
    TM__HPROF_FRAME = 0x04,
    TM__HPROF_TRACE = 0x05,
    TM__HPROF_START_THREAD = 0x0A,
    TM__HPROF_END_THREAD = 0x0B,
    TM__HPROF_CPU_SAMPLES = 0x0D,
    TM__HPROF_CONTROL_SETTINGS = 0x0E
};
enum { TM__HPROF_ID_BYTES = 8 };

/** Records that were not written yet. Zero but for the memory of `out`: no records. */
typedef struct tm__hprof_output {
    tm__bytes out;
    size_t length_at; ///< where the record in work has its length
    int64_t begin_ns; ///< of the file, on the events' clock
    int64_t time_ns;  ///< that records state
    uint64_t last_id; ///< of a string, class or frame
} tm__hprof_output;

/* All return TM_OK or TM_ENOMEM. */

/** The file's head. @param wall_ns  since 1970, at begin_ns */
int tm__hprof_head(tm__hprof_output *records, int64_t wall_ns);

/** Begin a record; what is put from here on is its body. */
int tm__hprof_begin(tm__hprof_output *records, enum tm__hprof_tag tag);

int tm__hprof_put(tm__hprof_output *records, uint64_t value, unsigned width);

/**
 * End the record, or take it back.
 * @param rc  what putting its body came to
 * @return rc
 */
int tm__hprof_end(tm__hprof_output *records, int rc);

/** A record of numbers; `widths` says how many bytes each has, a digit a number. */
int tm__hprof_record(tm__hprof_output *records, enum tm__hprof_tag tag,
                     const char *widths, const uint64_t *values);

/** A string. @param[out] id  0 where the text is NULL */
int tm__hprof_string(tm__hprof_output *records, uint64_t *id, const char *text);

#endif
