/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The activities of each thread of a run, as steps that can be replayed: how long it
 * worked, what it waited for, which locks it took and gave up.
 *
 *     timeline   ═══╗ blocked ╔══════╗ asleep ╔══ notifies ══
 *     steps      WORK   TAKE   WORK    REST    WORK  SIGNAL  WORK
 */
#ifndef TM_ANALYSIS_WHATIF_SCRIPT_H
#define TM_ANALYSIS_WHATIF_SCRIPT_H

#include "analysis/whatif/script_state.h"

/**
 * Write the steps of a run.
 * @param script  with model to end_ns set, the rest 0 or as written at another bound,
 *                whose memory it takes: the kernel's giving of pages is a third of a
 *                writing's time
 * @return TM_OK, TM_ENOMEM; 1: there are too many. To be freed whatever is returned
 */
int tm__script_write(tm__script *script);

void tm__script_free(tm__script *script);

#endif
