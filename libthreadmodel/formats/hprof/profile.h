/* SPDX-License-Identifier: Apache-2.0 */
/* The content of the lines of an HPROF text: threads, traces, waits, and tables of
 * monitors. */
#ifndef TM_FORMATS_HPROF_PROFILE_H
#define TM_FORMATS_HPROF_PROFILE_H

#include "formats/dump/dump_state.h"

typedef struct tm__profile_trace {
    uint32_t first, count; ///< frames[]
    uint64_t thread;       ///< 0: not stated
    int is_truncated;
} tm__profile_trace;

/** A thread that waits, by the lines so far. */
typedef struct tm__profile_thread {
    int64_t since_ns; ///< of its wait or sleep; INT64_MIN: it does neither
    int is_asleep;
} tm__profile_thread;

/** A thread of a monitor dump. */
typedef struct tm__profile_seen {
    uint64_t thread;
    uint64_t wanted;
    uint32_t trace;
    int state;
    uint32_t hold; ///< holds[], the first; TM__NONE
} tm__profile_seen;

typedef struct tm__profile_hold {
    uint64_t object;
    uint32_t next; ///< of the same thread
} tm__profile_hold;

typedef struct tm__profile {
    tm__memory *memory;
    tm__dump *dump;
    int64_t now_ns; ///< the earliest time that all events so far allow
    tm__map trace_map;
    tm__profile_trace *traces;
    uint32_t trace_count, trace_capacity;
    uint32_t trace;   ///< traces[], whose frames come
    uint32_t *frames; ///< numbers of the dump
    uint32_t frame_count, frame_capacity;
    tm__map thread_map;
    tm__profile_thread *threads;
    uint32_t thread_count, thread_capacity;

    tm__map seen_map;
    tm__profile_seen *seen;
    uint32_t seen_count, seen_capacity, seen_read;
    tm__profile_hold *holds;
    uint32_t hold_count, hold_capacity;
    tm__dump_hold *held; ///< room for those of one thread
    uint32_t held_capacity;
    uint64_t monitor;  ///< object of the dump's monitor at hand
    uint64_t monitors; ///< of all dumps so far
    int in_dump;

    int is_ours;          ///< totals are printed as they are
    int64_t contended_ns; ///< total of the table at hand
    uint64_t within;      ///< events of the present line that were emitted
    uint64_t pairs;       ///< contentions that were emitted in all
    uint32_t rows;
    int64_t tables_ns; ///< totals of all tables
    uint64_t samples;
    uint64_t exits;
    uint64_t strangers; ///< lines of threads that HPROF did not know
    uint64_t left_out;  ///< samples and contentions beyond the limits
} tm__profile;

void tm__profile_init(tm__profile *profile, tm__memory *memory, tm__dump *dump);

/* Each is about one line, and is called again with the same when there was no memory.
 * @return TM_OK, TM_ENOMEM; TM_MORE: the same line again, after emitting; TM_EDAMAGED:
 * it is not as HPROF writes it */
int tm__profile_thread_start(tm__profile *profile, tm__slice rest);
int tm__profile_thread_end(tm__profile *profile, tm__slice rest);
int tm__profile_trace_start(tm__profile *profile, tm__slice rest);
int tm__profile_trace_frame(tm__profile *profile, tm__slice text);
int tm__profile_wait(tm__profile *profile, tm__slice rest, int is_over);
int tm__profile_sleep(tm__profile *profile, tm__slice rest);
int tm__profile_sample(tm__profile *profile, tm__slice row);

void tm__profile_free(tm__profile *profile);

/* Between the files of this. */

/** Skip to behind `key` and read a number there. @return 1 */
int tm__profile_number(tm__slice text, const char *key, unsigned base,
                       uint64_t *number);

/** The number of the class of a signature or name. */
int tm__profile_class(tm__profile *profile, tm__slice name, uint32_t *id);

/** The trace of a serial number, or NULL. */
const tm__profile_trace *tm__profile_find_trace(const tm__profile *profile,
                                                uint64_t serial);

#endif
