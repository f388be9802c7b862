/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's records of threads that got or left a processor. */
#ifndef TM_AGENT_RING_SWITCH_RINGS_H
#define TM_AGENT_RING_SWITCH_RINGS_H

#include <stdint.h>

/** A thread of this process got a processor, or left one. */
typedef struct tm__switch {
    int64_t time_ns;
    uint32_t os_id;
    uint8_t is_out;
    uint8_t is_preempted; ///< it left, and could have run on
} tm__switch;

/**
 * Begin to record.
 * @param is_late  not only the calling thread and those that it will start, but all
 * @return 0, or an error number: the kernel does not let us
 */
int tm__switch_rings_open(int is_late);

/** Whether records are made. */
int tm__switch_rings_are_open(void);

/** Threads that were there before and are not recorded. */
uint64_t tm__switch_rings_missed(void);

/** From here on tm__switch_rings_next() has what is recorded by now. */
void tm__switch_rings_begin_round(void);

/** When the next record is of; INT64_MAX: there is none. */
int64_t tm__switch_rings_peek_ns(void);

/** The next record by time, at the latest of `until_ns`. @return 0: there is none */
int tm__switch_rings_next(tm__switch *out, int64_t until_ns);

/** Records that were made, ever, as far as they were read. */
uint64_t tm__switch_rings_read(void);

/** How many processors have a ring. */
int tm__switch_rings_count(void);

/** Make no more of them; those that are there can be read. */
void tm__switch_rings_stop(void);

/** Records that found no room, ever. */
uint64_t tm__switch_rings_lost(void);

void tm__switch_rings_close(void);

#endif
