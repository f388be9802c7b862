/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A round takes all records out of the rings, then emits those before its horizon: what
 * a thread has in work may be as old as that, so nothing comes late.
 */
#ifndef TM_NATIVE_RECORDER_ROUNDS_H
#define TM_NATIVE_RECORDER_ROUNDS_H

#include "recorder/whole_recorder.h"
/** @param is_last  emit all, and close all traces */
void tm__recorder_round(tm__recorder *it, int is_last);

#endif
