/* SPDX-License-Identifier: Apache-2.0 */
/* Ticks and lengths of time in a chunk, as nanoseconds. */
#ifndef TM_FORMATS_JFR_JFR_CLOCK_H
#define TM_FORMATS_JFR_JFR_CLOCK_H

#include "formats/jfr/events.h"

/** Choose the clock of the present chunk: its writer's, if an earlier chunk had it. */
void tm__jfr_clock_set(tm__jfr_events *events);

/** The instant of a number of ticks. */
int64_t tm__jfr_instant_ns(const tm__jfr_clock *clock, uint64_t ticks);

/** The length of so many ticks. */
int64_t tm__jfr_ticks_to_ns(const tm__jfr_clock *clock, uint64_t ticks);

/** The length of a value in a unit, enum tm__jfr_unit. */
int64_t tm__jfr_timespan_ns(const tm__jfr_events *events, uint64_t value, int unit);

/** The end of the event that was read last of a kind; never before its start. */
int64_t tm__jfr_end_ns(const tm__jfr_events *events, const tm__jfr_event_kind *kind,
                       int64_t start_ns);

/** The start of a chunk that is not read yet, at the earliest. */
int64_t tm__jfr_clock_earliest_ns(const tm__jfr_events *events,
                                  const tm__jfr_chunk *chunk);

#endif
