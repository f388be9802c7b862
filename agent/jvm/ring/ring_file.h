/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where rings lie: in memory, each with a copy in a file that is mapped, so that what
 * is in them outlives the process. Knows nothing of the VM.
 */
#ifndef TM_AGENT_RING_RING_FILE_H
#define TM_AGENT_RING_RING_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "ring/mirror.h"
#include "trace/ring_layout.h"

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
int tm__rings_open(size_t ring_bytes, const char *trace, const char *where,
                   uint64_t run_id, uint64_t most_bytes, char *error,
                   size_t error_bytes);

/**
 * A ring that nobody has; NULL: there is no memory. Any thread may call this. Beyond
 * the limit it is one without room, which counts what it loses.
 * @param[out] mirror  of the ring; it may have none
 */
tm__ring *tm__rings_acquire(tm__mirror *mirror);

/** Nobody uses them any more, now or later. */
void tm__rings_release(tm__ring *ring, const tm__mirror *mirror);

/** Have some rings ready for threads to come. On the writer's thread only. */
void tm__rings_prepare(void);

/**
 * Whether others have done something to the file, on the writer's thread.
 * @return what, said once: ".../run.tmt.rings was cut by another program"; NULL
 */
const char *tm__rings_changed(void);

/** A round begins, which takes events before `horizon_ns`. */
void tm__rings_begin_round(int64_t horizon_ns);

/** What the rings' `next` says is in the trace: while tails follow, that holds. */
void tm__rings_begin_advance(void);

/** They have. @param events  in the trace by now */
void tm__rings_end_advance(uint64_t events);

/**
 * The run is over. Rings stay mapped, for threads that are still in one.
 * @param keep  something is in them that is not in the trace
 */
void tm__rings_close(int keep);

#endif
