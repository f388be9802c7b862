/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threadmodel/log.h: write a run in the text formats of other tools, for what reads
 * those. They hold less than a trace does: what they cannot hold is counted.
 */
#ifndef THREADMODEL_LOG_H
#define THREADMODEL_LOG_H

#include <threadmodel/allocator.h>
#include <threadmodel/common.h>
#include <threadmodel/sink.h>

TM_BEGIN_DECLS

typedef struct tm_log_writer tm_log_writer;

/** Formats of logs; docs/formats.md describes them. */
enum tm_log_format {
    TM_LOG_CONTENTION = 1, ///< contention log, with metadata in two files beside it
    TM_LOG_TPTP = 2        ///< TPTP XML
};

/** Choices for a log; zero is the default of each. */
typedef struct tm_log_writer_options {
    size_t size;                   ///< sizeof(tm_log_writer_options)
    const tm_allocator *allocator; ///< NULL: malloc; copied
    const char *dialect;           ///< as in tm_source_options; of a contention log
    int64_t time_unit_ns;          ///< as in tm_source_options; of TPTP XML
} tm_log_writer_options;

/** A tm_log_writer_options with nothing in it but its size. */
#define TM_LOG_WRITER_OPTIONS_INIT                                                     \
    {                                                                                  \
        sizeof(tm_log_writer_options), NULL, NULL, 0                                   \
    }

/**
 * Make a log; files of its names are replaced.
 *
 * @param[out] out  yours: tm_log_writer_close() it; NULL on failure
 * @param path      of the log; a contention log's metadata go beside it, into files
 *                  that end in .classtable and .method instead of its own extension
 * @param format    enum tm_log_format
 * @param options   NULL: all defaults
 * @return TM_OK, TM_ENOMEM, TM_EIO, TM_EINVAL (no such format, a dialect that is none)
 * @since 0.1
 */
TM_API int tm_log_writer_open(tm_log_writer **out, const char *path, int format,
                              const tm_log_writer_options *options);

/** @return the sink that fills the log, lent until it is closed. @since 0.1 */
TM_API const tm_sink *tm_log_writer_sink(tm_log_writer *writer);

/**
 * Events that the format cannot hold, and that were left out.
 *
 * @param kind  enum tm_event_kind; 0: of all kinds
 * @return how many so far
 * @since 0.1
 */
TM_API uint64_t tm_log_writer_dropped(const tm_log_writer *writer, int kind);

/**
 * Write what is left and free the writer, also when that fails. NULL is fine.
 *
 * @return TM_OK, TM_EIO: now or earlier
 * @since 0.1
 */
TM_API int tm_log_writer_close(tm_log_writer *writer);

TM_END_DECLS

#endif
