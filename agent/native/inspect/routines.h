/* SPDX-License-Identifier: Apache-2.0 */
/* The routines that threads run, as their stacks show them. */
#ifndef TM_NATIVE_INSPECT_ROUTINES_H
#define TM_NATIVE_INSPECT_ROUTINES_H

#include "inspect/target_state.h"

/** Call each thread that has the name of the first one after its routine, where the
 * whole of its stack is known. */
void tm__routines_find(tm__target *target);

#endif
