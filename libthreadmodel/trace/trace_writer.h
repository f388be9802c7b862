/* SPDX-License-Identifier: Apache-2.0 */
/* A trace that is being written: what is taken (trace_writer.c), and put out
 * (compose.c). */
#ifndef TM_TRACE_TRACE_WRITER_H
#define TM_TRACE_TRACE_WRITER_H

#include <threadmodel/writer.h>

#include "trace/columns.h"
#include "trace/definition_coding.h"
#include "base/file.h"
#include "trace/trace_frame.h"
#include "trace/trace_index.h"
#include "trace/event_sort.h"

/* One definition of the block in work. */
typedef struct tm__trace_mark {
    uint32_t kind;    ///< enum tm__definition_kind
    uint32_t arrival; ///< events that came before it
    uint32_t end;     ///< of its body in `definitions`
} tm__trace_mark;

typedef struct tm__trace_writer {
    tm__memory memory;
    tm_sink sink;
    tm_write_fn write;
    void *payload;
    tm__file file; ///< when we opened it ourselves
    int level;
    uint32_t block_events;

    tm_event *events;
    uint32_t event_count;
    uint32_t event_capacity;
    int unsorted;
    tm__bytes definitions;
    tm__trace_mark *marks;
    uint32_t mark_count;
    uint32_t mark_capacity;

    tm__order order;
    tm__columns columns;
    tm__packer packer;
    tm__bytes section, raw, out;
    tm__index index;
    uint64_t bytes;
    int failure; ///< of `write`; 0: none so far
    char failure_text[512];
} tm__trace_writer;

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

/** Write the file header. @return TM_OK, TM_ENOMEM, or what `write` returned */
int tm__trace_writer_begin(tm__trace_writer *writer);

/** Write the block in work, if there is one. The same codes; TM_ENOMEM: it stays. */
int tm__trace_writer_finish_block(tm__trace_writer *writer);

/** Write that, the index and the end. The same codes. */
int tm__trace_writer_finish(tm__trace_writer *writer);

/** @return events in the blocks that are written */
uint64_t tm__trace_writer_events(const tm__trace_writer *writer);

#endif
