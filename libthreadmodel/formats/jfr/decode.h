/* SPDX-License-Identifier: Apache-2.0 */
/* A chunk's events as facts. */
#ifndef TM_FORMATS_JFR_DECODE_H
#define TM_FORMATS_JFR_DECODE_H

#include "formats/jfr/events.h"

/** Only these kinds of events are wanted, bit by bit; 0: all. */
void tm__jfr_events_want(tm__jfr_events *events, uint64_t kinds);

/**
 * Decode the next events of the index; all of them, and sorted, where they are to be
 * in the order of time.
 * @return TM_OK or TM_ENOMEM, and then it can be tried again
 */
int tm__jfr_events_decode(tm__jfr_events *events, const uint8_t *base);

/** Emit what is earlier than an instant, and the rest with the next chunk. */
void tm__jfr_events_until(tm__jfr_events *events, int64_t until_ns);

#endif
