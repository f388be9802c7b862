/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threadmodel/trace.h: write .tmt traces. They are read as any other file, by
 * tm_source_open(). The format is specified in docs/trace-format.md.
 */
#ifndef THREADMODEL_TRACE_H
#define THREADMODEL_TRACE_H

#include <threadmodel/allocator.h>
#include <threadmodel/common.h>
#include <threadmodel/sink.h>
#include <threadmodel/table.h>

TM_BEGIN_DECLS

typedef struct tm_trace_writer tm_trace_writer;

/** Choices for a trace; zero is the default of each. */
typedef struct tm_trace_writer_options {
    size_t size;                   ///< sizeof(tm_trace_writer_options)
    const tm_allocator *allocator; ///< NULL: malloc; copied
    int32_t level;                 ///< zstd's compression level; 0: its default, 3
    uint32_t block_events;         ///< events a block at most; 0: 16,384
} tm_trace_writer_options;

/** A tm_trace_writer_options with nothing in it but its size. */
#define TM_TRACE_WRITER_OPTIONS_INIT                                                   \
    {                                                                                  \
        sizeof(tm_trace_writer_options), NULL, 0, 0                                    \
    }

/**
 * Make a trace file; one of that name is replaced.
 *
 * @param[out] out  yours: tm_trace_writer_close() it; NULL on failure
 * @param path      of the file
 * @param options   NULL: all defaults
 * @return TM_OK, TM_ENOMEM, TM_EIO
 * @since 0.1
 */
TM_API int tm_trace_writer_open(tm_trace_writer **out, const char *path,
                                const tm_trace_writer_options *options);

/**
 * The same to anywhere else; `write` is called with whole blocks.
 *
 * @param[out] out  yours: tm_trace_writer_close() it; NULL on failure
 * @param write     takes all bytes or returns a negative code
 * @param payload   handed to write
 * @param options   NULL: all defaults
 * @return TM_OK, TM_ENOMEM, or what `write` returned
 * @since 0.1
 */
TM_API int tm_trace_writer_new(tm_trace_writer **out, tm_write_fn write, void *payload,
                               const tm_trace_writer_options *options);

/**
 * The sink that fills the trace. Events may come in any order within a block's
 * worth of them; they are sorted by time. One that comes later than that is still
 * written, and read back, out of order.
 *
 * @return lent until the writer is closed
 * @since 0.1
 */
TM_API const tm_sink *tm_trace_writer_sink(tm_trace_writer *writer);

/**
 * Complete the block in work and hand it to the operating system, so that a
 * reader can have it.
 *
 * @return TM_OK, TM_ENOMEM, TM_EIO, or what `write` returned
 * @since 0.1
 */
TM_API int tm_trace_writer_flush(tm_trace_writer *writer);

/** @return bytes written so far, without the block in work. @since 0.1 */
TM_API uint64_t tm_trace_writer_bytes(const tm_trace_writer *writer);

/**
 * Write what is left, the index and the end, and free the writer, also when
 * that fails. NULL is fine.
 *
 * @return TM_OK, TM_ENOMEM, TM_EIO, or what `write` returned, now or earlier
 * @since 0.1
 */
TM_API int tm_trace_writer_close(tm_trace_writer *writer);

TM_END_DECLS

#endif
