/* SPDX-License-Identifier: Apache-2.0 */
/* Any events, each out of eight bytes, and definitions of half of what they name. */
#ifndef TESTS_FUZZ_EVENTS_H
#define TESTS_FUZZ_EVENTS_H

#include "fuzz.h"

enum { FUZZ_EVENT_BYTES = 8 };

/** The event that these bytes are; `now` is the time of the one before, and then its.
 */
tm_event fuzz_event(const uint8_t *record, int64_t *now);

void fuzz_define_some(const tm_sink *sink);

#endif
