/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of a trace: sorted, split into columns, packed. */
#ifndef TM_TRACE_COMPOSE_H
#define TM_TRACE_COMPOSE_H

#include "trace/trace_writer_state.h"

/** Write the file header. @return TM_OK, TM_ENOMEM, or what `write` returned */
int tm__trace_writer_begin(tm__trace_writer *writer);

/** Write the block in work, if there is one. The same codes; TM_ENOMEM: it stays. */
int tm__trace_writer_finish_block(tm__trace_writer *writer);

/** Write that, the index and the end. The same codes. */
int tm__trace_writer_finish(tm__trace_writer *writer);

/** @return events in the blocks that are written */
uint64_t tm__trace_writer_events(const tm__trace_writer *writer);

#endif
