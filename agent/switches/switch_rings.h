/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's records of threads that got or left a processor. */
#ifndef TM_AGENT_SWITCHES_SWITCH_RINGS_H
#define TM_AGENT_SWITCHES_SWITCH_RINGS_H

#include <stddef.h>
#include <stdint.h>

/** A thread got a processor, or left one. */
typedef struct tm__switch {
    int64_t time_ns;
    uint32_t os_id;
    uint8_t is_out;
    uint8_t is_preempted; ///< it left, and could have run on
} tm__switch;

/**
 * Begin to record.
 * @param parent   0: the calling thread and those that it will start. Else the kernel's
 *                 number of another thread: it, and the threads and processes that it
 *                 will start
 * @param is_late  also the threads that this process has already
 * @return 0, or an error number: the kernel does not let us
 */
int tm__switch_rings_open(uint32_t parent, int is_late);

/** Absences from a processor that are shorter are not reported: a writer alone would
 * cause thousands. */
#define TM__SWITCH_SHORT_NS 20000

/**
 * Write why nothing is recorded, and what to do about it.
 * @param error    of tm__switch_rings_open()
 * @param instead  a sentence: what running includes then
 */
void tm__switch_rings_put_refusal(char *text, size_t room, int error,
                                  const char *instead);

/** Write how many records were lost. @return 0: none was */
int tm__switch_rings_put_losses(char *text, size_t room);

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

/** Whether the records since the last second took more than a share of all processors.
 */
int tm__switch_rings_cost_too_much(int64_t now_ns, double share);

/** Make no more of them; those that are there can be read. */
void tm__switch_rings_stop(void);

void tm__switch_rings_close(void);

#endif
