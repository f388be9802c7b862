/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a trace that is being written. */
#ifndef TM_TRACE_TRACE_WRITER_STATE_H
#define TM_TRACE_TRACE_WRITER_STATE_H

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

#endif
