/* SPDX-License-Identifier: Apache-2.0 */
/* When a thread that sleeps, or calls the kernel, left its processor and got it again.
 */
#ifndef TM_NATIVE_RECORDER_CALL_BOUNDS_H
#define TM_NATIVE_RECORDER_CALL_BOUNDS_H

#include <stddef.h>

#include "recorder/ring_reader.h"

/** Move begins and ends of calls to the switches within, among the ordered items of an
 * image from this one on. Those that are not to be emitted are marked. */
void tm__call_bounds_find(tm__image *image, size_t first);

#endif
