/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threadmodel/hprof.h: a run in HPROF's binary format, "JAVA PROFILE 1.0.2": threads,
 * the stacks at which something was seen, CPU samples. Its text, which is of sums, is
 * TM_EXPORT_HPROF of export.h.
 */
#ifndef THREADMODEL_HPROF_H
#define THREADMODEL_HPROF_H

#include <threadmodel/allocator.h>
#include <threadmodel/common.h>
#include <threadmodel/sink.h>
#include <threadmodel/table.h>

TM_BEGIN_DECLS

typedef struct tm_hprof_writer tm_hprof_writer;

/** Choices for such a file; zero is the default of each. */
typedef struct tm_hprof_writer_options {
    size_t size;                   ///< sizeof(tm_hprof_writer_options)
    const tm_allocator *allocator; ///< NULL: malloc; copied
    double cutoff;                 ///< sums of a smaller share are left out, 0 to 1
    int64_t start_wall_ns;         ///< as in tm_run; 0: as the run states it
    int64_t start_ns;              ///< as in tm_run, at start_wall_ns
    int32_t by_thread;             ///< not 0: stacks of two threads are two
    int32_t without_lines;         ///< not 0: frames have no line
    int32_t depth;                 ///< frames that the producer recorded; 0: unknown
    int32_t reserved;              ///< 0
} tm_hprof_writer_options;

/** A tm_hprof_writer_options with nothing in it but its size. */
#define TM_HPROF_WRITER_OPTIONS_INIT                                                   \
    {                                                                                  \
        sizeof(tm_hprof_writer_options), NULL, 0, 0, 0, 0, 0, 0, 0                     \
    }

/**
 * Open such a file; an existing one is replaced.
 *
 * @param[out] out  yours: tm_hprof_writer_close() it; NULL on failure
 * @param path      of the file
 * @param options   NULL: all defaults
 * @return TM_OK, TM_ENOMEM, TM_EIO
 * @since 0.1
 */
TM_API int tm_hprof_writer_open(tm_hprof_writer **out, const char *path,
                                const tm_hprof_writer_options *options);

/**
 * The same, written by a callback.
 *
 * @param[out] out  yours: tm_hprof_writer_close() it; NULL on failure
 * @param write     takes all bytes or returns a negative code
 * @param payload   handed to write
 * @param options   NULL: all defaults
 * @return TM_OK, TM_ENOMEM
 * @since 0.1
 */
TM_API int tm_hprof_writer_new(tm_hprof_writer **out, tm_write_fn write, void *payload,
                               const tm_hprof_writer_options *options);

/**
 * The sink that fills it. A definition is written when it first comes, so that the file
 * is complete even if the process is killed, except for the sums at its end.
 *
 * @return lent until the writer is closed
 * @since 0.1
 */
TM_API const tm_sink *tm_hprof_writer_sink(tm_hprof_writer *writer);

/** Write all data so far. @return TM_OK or what `write` returned. @since 0.1 */
TM_API int tm_hprof_writer_flush(tm_hprof_writer *writer);

/**
 * Write the sums of the samples and free the writer, even if that fails. NULL is
 * fine.
 *
 * @return TM_OK, TM_ENOMEM, TM_EIO, or what `write` returned, now or earlier
 * @since 0.1
 */
TM_API int tm_hprof_writer_close(tm_hprof_writer *writer);

TM_END_DECLS

#endif
