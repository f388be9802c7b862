/* SPDX-License-Identifier: Apache-2.0 */
/* The recorded requests as steps, with and without a change: see request_script.c. */
#ifndef TM_ANALYSIS_WHATIF_REQUEST_SCRIPT_H
#define TM_ANALYSIS_WHATIF_REQUEST_SCRIPT_H

#include "analysis/whatif/candidates.h"
#include "analysis/whatif/request_play.h"
#include "analysis/whatif/throughput_load.h"

/** @return TM_OK or TM_ENOMEM; to be closed in either case */
int tm__requests_open(tm__requests *to, const tm__load *load, const tm__candidates *all,
                      const tm__candidate *it, tm__memory *memory);
void tm__requests_close(tm__requests *to);

#endif
