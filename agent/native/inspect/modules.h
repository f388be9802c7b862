/* SPDX-License-Identifier: Apache-2.0 */
/* The files whose code a process has in memory. */
#ifndef TM_NATIVE_INSPECT_MODULES_H
#define TM_NATIVE_INSPECT_MODULES_H

#include "inspect/target_state.h"

/** Read which files there are, and have their symbols ready. */
void tm__modules_read(tm__target *target);

#endif
