/* SPDX-License-Identifier: Apache-2.0 */
/* The way of the threads' records to the trace and the user's sink. */
#ifndef TM_RINGS_RECORDER_DRAIN_H
#define TM_RINGS_RECORDER_DRAIN_H

#include "rings/recorder_state.h"

/** Events that go to both at once. */
enum { TM__RECORDER_BATCH = 256 };

/** Make the sink to both. */
void tm__recorder_sink_init(tm_recorder *recorder);

/** Take what is in the rings, under the lock.
 * @param final  the last time: all of it, and what threads lost
 * @return TM_OK, or what has ended the recording */
int tm__recorder_drain(tm_recorder *recorder, int final);

/** Keep what ends the recording, if it is the first. @return TM_OK or `rc` */
int tm__recorder_judge(tm_recorder *recorder, int rc);

#endif
