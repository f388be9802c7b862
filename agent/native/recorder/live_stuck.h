/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that cannot go on, reported on stderr while the program runs. */
#ifndef TM_NATIVE_RECORDER_LIVE_STUCK_H
#define TM_NATIVE_RECORDER_LIVE_STUCK_H

#include "recorder/facts.h"

/**
 * Look once a second: report, once, that threads have not been able to go on for a
 * while, and the end of that. Circles of owners are left to live_deadlock.h.
 * @param now_ns    all that happened before is in the model
 * @param stuck_ns  the while; 0: nothing is reported
 */
void tm__stuck_watch(tm__image *image, const tm__readers *readers, int64_t now_ns,
                     int64_t stuck_ns);

#endif
