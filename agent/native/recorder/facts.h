/* SPDX-License-Identifier: Apache-2.0 */
/* From items in the order of time to events: who owns which lock, and who came last. */
#ifndef TM_NATIVE_RECORDER_FACTS_H
#define TM_NATIVE_RECORDER_FACTS_H

#include "recorder/reader_table.h"
#include "recorder/tick_clock.h"

/** Emit all of an image before `horizon`. */
void tm__facts_emit(tm__image *image, const tm__readers *readers,
                    const tm__tick_clock *clock, uint64_t horizon);

/** @return the time before which all was emitted in the last round */
uint64_t tm__facts_emitted(const tm__image *image);

#endif
