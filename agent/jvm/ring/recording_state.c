/* SPDX-License-Identifier: Apache-2.0 */
/* One object, since a process is recorded once at a time. */
#include "ring/recording_state.h"

tm__recording_state tm__the_recording;
