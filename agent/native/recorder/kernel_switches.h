/* SPDX-License-Identifier: Apache-2.0 */
/* When threads had a processor, as the kernel records it. */
#ifndef TM_NATIVE_RECORDER_KERNEL_SWITCHES_H
#define TM_NATIVE_RECORDER_KERNEL_SWITCHES_H

#include "recorder/facts.h"
#include "recorder/tick_clock.h"

/** @param launcher  the thread that will start the program; 0: it is not wanted */
void tm__kernel_switches_open(uint32_t launcher);

/** The kinds of events that an image has of it; 0: none. */
uint64_t tm__kernel_switches_kinds(void);

/** State in the trace why there is nothing of it, where that was wanted.
 * @param has_switches  its threads are known by the kernel's numbers */
void tm__kernel_switches_describe(tm__image *image, int has_switches);

/** Before a round looks for threads: those of all records up to here are found by it.
 */
void tm__kernel_switches_begin_round(void);

/** Make items of the records. */
void tm__kernel_switches_gather(const tm__readers *readers,
                                const tm__tick_clock *clock);

/** State in the trace what is missing. */
void tm__kernel_switches_report(tm__image *image);

#endif
