/* SPDX-License-Identifier: Apache-2.0 */
/* From the bytes of a definition to a sink. */
#ifndef TM_TRACE_DEFINITION_DECODING_H
#define TM_TRACE_DEFINITION_DECODING_H

#include "trace/definition_coding.h"

/**
 * Read the body of a record and hand it to a sink.
 *
 * @param sink  NULL: only see whether it can be read
 * @param run   gets a copy of a run's numbers; NULL: not wanted
 * @return TM_OK; TM_MORE: a kind that is not known, passed over; TM_ENOMEM,
 *         TM_EDAMAGED, or what the sink returned
 */
int tm__definition_emit(tm__definition_room *room, uint64_t kind, tm__cursor body,
                        const tm_sink *sink, tm_run *run);

#endif
