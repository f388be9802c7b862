/* SPDX-License-Identifier: Apache-2.0 */
/* From the rings to items of their images, not yet in order. */
#ifndef TM_NATIVE_RECORDER_GATHER_RECORDS_H
#define TM_NATIVE_RECORDER_GATHER_RECORDS_H

#include "recorder/ring_reader.h"
#include "recorder/tick_clock.h"

/** An event of a ring's thread; NULL: there is no memory, which is counted. */
tm__item *tm__gather_item(tm__ring_reader *reader, int kind, uint64_t time);

/** Note what a ring has by now, and which stacks and modules are in it. */
void tm__gather_begin(tm__ring_reader *reader);

/** Take what a ring had at tm__gather_begin(). */
void tm__gather_records(tm__ring_reader *reader, const tm__tick_clock *clock);

/** Take what its thread owns and has not reported. Holds after `horizon` can wait. */
void tm__gather_holds(tm__ring_reader *reader, uint64_t horizon);

/** Sort the items of an image by time. */
void tm__gather_sort(tm__image *image);

#endif
