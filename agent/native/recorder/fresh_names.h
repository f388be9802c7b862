/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks and modules that a round finds in the rings. The code at an address depends on
 * the time, in whose order those of all rings are looked at.
 */
#ifndef TM_NATIVE_RECORDER_FRESH_NAMES_H
#define TM_NATIVE_RECORDER_FRESH_NAMES_H

#include "recorder/ring_reader.h"

/** A record of a stack or a module. @param place  in the ring */
void tm__fresh_add(tm__ring_reader *reader, const void *place,
                   const tm__record *record);

/** Have the names looked up that all of them need. */
void tm__fresh_read(void);

/** @return the stack that a record of it stands for; NULL: there was no memory */
struct tm__native_stack *tm__fresh_stack(const void *place);

/** The round is over: what was noted may be gone. */
void tm__fresh_end(void);

#endif
