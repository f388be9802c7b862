/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where rings lie: in memory, each with a copy in a file that is mapped, so that what
 * is in them outlives the process.
 */
#ifndef TM_RINGS_RING_FILE_H
#define TM_RINGS_RING_FILE_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "rings/mirror.h"
#include "trace/ring_layout.h"

enum { TM__RINGS_SPARE_MOST = 64, TM__RINGS_PATH_BYTES = 4200 };

/** Zeroed, with `file` -1, before it is opened for the first time. */
typedef struct tm__rings {
    char file_path[TM__RINGS_PATH_BYTES];
    char link_path[TM__RINGS_PATH_BYTES]; ///< "": there is no link
    int file;                             ///< -1: there is none
    int is_changed;                       ///< by others, which was said
    int is_guarded;                       ///< see tm__mirrors_open()
    uint64_t file_bytes;
    size_t wanted_bytes; ///< of a ring
    uint64_t most_bytes; ///< of rings and copies; 0: no limit
    tm__rings_header header;
    tm__mirror header_mirror;
    atomic_int was_cut;
    pthread_mutex_t lock; ///< over what follows
    uint64_t used_bytes;
    int spare_count;
    tm__mirror spare[TM__RINGS_SPARE_MOST]; ///< slots that no ring has
} tm__rings;

/** The initial value of a tm__rings. */
#define TM__RINGS_INIT                                                                 \
    {                                                                                  \
        .file = -1, .lock = PTHREAD_MUTEX_INITIALIZER                                  \
    }

/**
 * Make the file, with some rings in it; what an earlier run left there is removed.
 *
 * @param ring_bytes  of each ring; a power of two
 * @param trace       path of the trace; NULL: there is to be no file
 * @param where       "": beside the trace; "none": no file; or a folder for the
 *                    file, to which a link beside the trace then leads
 * @param run_id      that the trace has
 * @param most_bytes  of all rings and their copies; 0: no limit
 * @param[out] error  one line, when there is no file and was meant to be
 * @return 0 or -1
 */
int tm__rings_open(tm__rings *rings, size_t ring_bytes, const char *trace,
                   const char *where, uint64_t run_id, uint64_t most_bytes, char *error,
                   size_t error_bytes);

/**
 * A ring that nobody has; NULL: there is no memory. Any thread may call this. Beyond
 * the limit it is one without room, which counts what it loses.
 * @param[out] mirror  of the ring; it may have none
 */
tm__ring *tm__rings_acquire(tm__rings *rings, tm__mirror *mirror);

/** Nobody uses them any more, now or later. */
void tm__rings_release(tm__rings *rings, tm__ring *ring, const tm__mirror *mirror);

/** Have some rings ready for threads to come. For the drainer alone, as what follows.
 */
void tm__rings_prepare(tm__rings *rings);

/**
 * Whether others have done something to the file.
 * @return what, said once: "removed", "cut"; NULL: nothing
 */
const char *tm__rings_changed(tm__rings *rings);

/** A round begins, which takes events before `horizon_ns`. */
void tm__rings_begin_round(tm__rings *rings, int64_t horizon_ns);

/** The trace has all that precedes the rings' `next`; that holds while tails follow. */
void tm__rings_begin_advance(tm__rings *rings);

/** They have. @param events  in the trace by now */
void tm__rings_end_advance(tm__rings *rings, uint64_t events);

/**
 * The run is over. Rings stay mapped, for threads that are still in one.
 * @param keep  something is in them that is not in the trace
 */
void tm__rings_close(tm__rings *rings, int keep);

/** No thread is in a ring any more. */
void tm__rings_leave(tm__rings *rings);

#endif
