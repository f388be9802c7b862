/* SPDX-License-Identifier: Apache-2.0 */
/* A trace that is being written. */
#ifndef TM_TRACE_TRACE_WRITER_H
#define TM_TRACE_TRACE_WRITER_H

#include "trace/trace_writer_state.h"

/**
 * As tm_writer_open(): a path, or options->write; other options of a trace. An agent,
 * which writes nothing else, calls this.
 *
 * @return TM_OK, TM_ENOMEM, TM_EIO, or what `write` returned; *out NULL on failure
 */
int tm__trace_writer_open(tm__trace_writer **out, const char *path,
                          const tm_writer_options *options);
const tm_sink *tm__trace_writer_sink(tm__trace_writer *writer);
int tm__trace_writer_flush(tm__trace_writer *writer);
uint64_t tm__trace_writer_bytes(const tm__trace_writer *writer);
/** NULL is fine. */
int tm__trace_writer_close(tm__trace_writer *writer);

#endif
