/* SPDX-License-Identifier: Apache-2.0 */
/* The records of a binary HPROF file, one after the other. */
#ifndef TM_FORMATS_HPROF_HPROF_RECORDS_H
#define TM_FORMATS_HPROF_HPROF_RECORDS_H

#include "formats/hprof/hprof_threads.h"

enum { TM__HPROF_HEADER_BYTES = 31 };

/** The header of a file. */
typedef struct tm__hprof_header {
    char version[6];
    uint32_t id_bytes;
    int64_t start_ns; ///< since 1970
} tm__hprof_header;

/** @return TM_OK, TM_EFORMAT, TM_EVERSION, TM_EUNSUPPORTED (a pipe), TM_EIO, TM_ENOMEM
 */
int tm__hprof_header_read(tm__hprof_header *header, tm__input *input);

/** A part of a heap dump. */
typedef struct tm__hprof_segment {
    uint64_t start, end; ///< behind its head; as much of it as the file has
    int64_t time_us;     ///< since the file's time
} tm__hprof_segment;

/** A thread began or ended. */
typedef struct tm__hprof_mark {
    int64_t time_us;
    uint32_t serial;
    uint32_t is_end;
} tm__hprof_mark;

/** How often a trace was seen on a processor. */
typedef struct tm__hprof_sample {
    uint32_t trace;
    uint32_t count;
    int64_t time_us;
} tm__hprof_sample;

typedef struct tm__hprof_records {
    tm__memory *memory;
    tm__input *input;
    tm__notes *notes;
    tm__hprof_names *names;
    tm__hprof_threads *threads;
    uint64_t offset; ///< of the next record
    tm__hprof_segment *segments;
    uint32_t segment_count, segment_capacity;
    tm__hprof_mark *marks;
    uint32_t mark_count, mark_capacity;
    tm__hprof_sample *samples;
    uint32_t sample_count, sample_capacity;
    uint64_t sites;                  ///< records of allocation sites
    uint64_t unknown;                ///< records of unknown kinds
    uint32_t control, control_depth; ///< the flags that were set last
    int has_control;
    int64_t last_us; ///< of the last event; what the file has are the low 32 bits
} tm__hprof_records;

/** Read some records. @return TM_MORE; TM_OK: the file is over; TM_ENOMEM, TM_EIO */
int tm__hprof_records_read(tm__hprof_records *records);

/** Note what was in it that has no place here. @return TM_OK or TM_ENOMEM */
int tm__hprof_records_caveat(const tm__hprof_records *records);

void tm__hprof_records_free(tm__hprof_records *records);

#endif
