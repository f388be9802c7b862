/* SPDX-License-Identifier: Apache-2.0 */
/* The recorders of a process, which are off in a child that is forked. */
#ifndef TM_RINGS_RECORDER_FORKS_H
#define TM_RINGS_RECORDER_FORKS_H

#include "rings/recorder_state.h"

/** From now on a child has none of it. */
void tm__recorder_enlist(tm_recorder *recorder);
void tm__recorder_delist(tm_recorder *recorder);

/** Turn it off in a child that was forked without handlers. */
void tm__recorder_notice_fork(tm_recorder *recorder);

#endif
