/* SPDX-License-Identifier: Apache-2.0 */
/* From the rings to items of their images, not yet in order. */
#ifndef TM_NATIVE_RECORDER_GATHER_RECORDS_H
#define TM_NATIVE_RECORDER_GATHER_RECORDS_H

#include "recorder/ring_reader.h"
#include "recorder/tick_clock.h"

/** Note the modules of a ring's records, which stay. */
void tm__gather_modules(tm__ring_reader *reader);

/** Take all records of a ring. */
void tm__gather_records(tm__ring_reader *reader, const tm__tick_clock *clock);

/** Take what its thread owns and has not reported. Holds after `horizon` can wait. */
void tm__gather_holds(tm__ring_reader *reader, uint64_t horizon);

/** Sort the items of an image by time. */
void tm__gather_sort(tm__image *image);

#endif
