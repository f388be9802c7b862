/* SPDX-License-Identifier: Apache-2.0 */
/* One object, since a process is recorded once at a time. */
#include "ring/recording_state.h"

#include "ring/kernel_call.h"

tm__recording_state tm__the_recording;
_Atomic uint32_t tm__the_closes;
