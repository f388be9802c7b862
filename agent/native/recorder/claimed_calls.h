/* SPDX-License-Identifier: Apache-2.0 */
/* Calls into the kernel that last, reported while they do. */
#ifndef TM_NATIVE_RECORDER_CLAIMED_CALLS_H
#define TM_NATIVE_RECORDER_CLAIMED_CALLS_H

#include "recorder/ring_reader.h"
#include "recorder/tick_clock.h"

/**
 * Claim the call of a thread if it has lasted.
 * @return when the call began that is not claimed, up to which events may be emitted;
 * UINT64_MAX where all calls are claimed
 */
uint64_t tm__kernel_wait_bound(tm__ring_reader *reader, const tm__tick_clock *clock,
                               uint64_t now);

#endif
