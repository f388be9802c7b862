/* SPDX-License-Identifier: Apache-2.0 */
/* The memory that is shared with the recorder, and the rings in it. */
#ifndef TM_NATIVE_RECORD_SHARED_RINGS_H
#define TM_NATIVE_RECORD_SHARED_RINGS_H

#include <stdint.h>

#include "layout/region.h"

/** Maps the memory of that file as tm__the_control.
 * @return how many rings it has; 0: it is not the recorder's, errno states why */
uint32_t tm__rings_map(const char *path);

/** A ring for a thread that is about to be created; NULL: there is none. */
tm__ring *tm__ring_claim(void);

/** It was not created, or it has ended. */
void tm__ring_unclaim(const tm__ring *ring);

/** @return its place among all rings, below TM__RINGS_MOST */
uint32_t tm__ring_number(const tm__ring *ring);

#endif
