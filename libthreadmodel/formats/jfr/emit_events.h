/* SPDX-License-Identifier: Apache-2.0 */
/* The facts of a chunk as events, in the order of time. */
#ifndef TM_FORMATS_JFR_EMIT_EVENTS_H
#define TM_FORMATS_JFR_EMIT_EVENTS_H

#include "formats/jfr/events.h"

/**
 * Hand some of them to a sink.
 * @return TM_MORE: there are more; TM_OK: that was all; or what the sink said
 */
int tm__jfr_events_emit(tm__jfr_events *events, const tm_sink *sink, uint32_t at_most);

#endif
