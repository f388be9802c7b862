/* SPDX-License-Identifier: Apache-2.0 */
/* The events that a killed producer had reported and not yet written: its rings. */
#ifndef TM_TRACE_LEFTOVER_H
#define TM_TRACE_LEFTOVER_H

#include <threadmodel/sink.h>

#include "trace/leftover_state.h"

/**
 * Look for rings beside a trace that has no end, and take what they hold.
 *
 * @param path    of the trace
 * @param run_id  of the run that the trace is of; 0: not known
 * @param events  in the trace, modulo 2^32
 * @param last_ns  time of the last of them
 * @return TM_OK, whatever the state is; TM_ENOMEM, TM_EIO
 */
int tm__leftover_open(tm__leftover *leftover, tm__memory *memory, const char *path,
                      uint64_t run_id, uint32_t events, int64_t last_ns);

/** @return how many events will be emitted */
uint64_t tm__leftover_events(const tm__leftover *leftover);

/**
 * Emit what follows, with `most` events at most.
 * @return TM_OK: that was all; TM_MORE; TM_ENOMEM, or what the sink returned
 */
int tm__leftover_emit(tm__leftover *leftover, const tm_sink *sink, uint32_t most);

void tm__leftover_free(tm__leftover *leftover);

#endif
