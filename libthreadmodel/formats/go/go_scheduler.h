/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Goroutines, Ms and Ps as events move them, and what becomes of these. Clocks of
 * processors differ, so an event is read only when it is its turn: goroutines and Ps
 * have counters, and the event names the next number.
 */
#ifndef TM_FORMATS_GO_SCHEDULER_H
#define TM_FORMATS_GO_SCHEDULER_H

#include "formats/go/go_state.h"

int tm__go_scheduler_init(tm__go_scheduler *scheduler, tm__memory *memory);

/**
 * Read the event at hand of a stream.
 * @return TM_OK: it is read; TM_MORE: it is not its turn yet; TM_EDAMAGED: it
 *         contradicts those before it; TM_ENOMEM and what the sink said: it is as if it
 *         had not been called
 */
int tm__go_scheduler_read(tm__go_scheduler *scheduler,
                          const tm__go_generation *generation,
                          const tm__go_stream *stream, const tm_sink *sink);

/** Read a sample. @return TM_OK, TM_ENOMEM, or what the sink said */
int tm__go_scheduler_sample(tm__go_scheduler *scheduler,
                            const tm__go_generation *generation,
                            const tm__go_sample *sample, const tm_sink *sink);

void tm__go_scheduler_free(tm__go_scheduler *scheduler);

#endif
