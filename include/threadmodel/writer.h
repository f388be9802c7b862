/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threadmodel/writer.h: events and definitions into a file: a trace, or a log in the
 * text format of another tool.
 *
 *     tm_writer *writer;
 *     int rc = tm_writer_open(&writer, "run.tmt", NULL);
 *     if (rc == TM_OK)
 *         rc = feed(tm_writer_sink(writer));
 *     int closed = tm_writer_close(writer);
 *
 * They are read as any other file, by tm_source_open().
 */
#ifndef THREADMODEL_WRITER_H
#define THREADMODEL_WRITER_H

#include <threadmodel/allocator.h>
#include <threadmodel/common.h>
#include <threadmodel/sink.h>
#include <threadmodel/table.h>

TM_BEGIN_DECLS

typedef struct tm_writer tm_writer;

/** The format of the file. */
enum tm_writer_format {
    /** Our trace, .tmt, which holds everything; see docs/trace-format.md. Events may
     *  come in any order within a block's worth of them; they are sorted by time. One
     *  that comes later than that is still written, and read back, out of order. */
    TM_WRITER_TRACE = 1,
    /** A contention log, with metadata in two files beside it, whose names end in
     *  .classtable and .method instead of its own extension; see docs/formats.md. It
     *  cannot hold everything: events that are left out are counted. */
    TM_WRITER_CONTENTION = 2,
    /** TPTP XML, which cannot hold everything either. */
    TM_WRITER_TPTP = 3
};

/** Choices for a writer; zero is the default of each. */
typedef struct tm_writer_options {
    size_t size;                   ///< sizeof(tm_writer_options)
    const tm_allocator *allocator; ///< NULL: malloc; copied
    tm_write_fn write;             ///< gets the bytes where there is no path
    void *payload;                 ///< handed to write
    int32_t format;                ///< enum tm_writer_format; 0: a trace
    int32_t level;                 ///< for a trace: zstd's; 0: its default, 3
    uint32_t block_events;         ///< for a trace: in a block at most; 0: 16,384
    uint32_t reserved;             ///< 0
    const char *dialect;           ///< as in tm_source_options; for a contention log
    int64_t time_unit_ns;          ///< as in tm_source_options; for TPTP XML
} tm_writer_options;

/** A tm_writer_options with nothing in it but its size. */
#define TM_WRITER_OPTIONS_INIT                                                         \
    {                                                                                  \
        sizeof(tm_writer_options), NULL, NULL, NULL, 0, 0, 0, 0, NULL, 0               \
    }

/**
 * Begin a file.
 *
 * A trace has mode 600 and its final name from the beginning; programs that have a file
 * of that name open keep its content. It is locked until it is closed: a file that
 * another writer, a recorder or the JVM agent is writing is refused. A symbolic link is
 * refused, so that other users cannot choose which file is overwritten. Anything but a
 * regular file, a pipe for instance, is written to as it is.
 *
 * @param[out] out  yours: tm_writer_close() it; NULL on failure
 * @param path      of the file; one of that name is replaced. NULL: options->write
 *                  gets the bytes, a trace's in whole blocks
 * @param options   NULL: all defaults
 * @return TM_OK, TM_ENOMEM, TM_EIO, TM_EINVAL (no such format, an unknown dialect,
 *         neither path nor write, or both), TM_EUNSUPPORTED (a contention log without a
 *         path: it is three files), or what `write` returned
 * @since 0.1
 */
TM_API int tm_writer_open(tm_writer **out, const char *path,
                          const tm_writer_options *options);

/** @return the sink that fills the file, lent until it is closed. @since 0.1 */
TM_API const tm_sink *tm_writer_sink(tm_writer *writer);

/**
 * Hand all data so far to the operating system, so that a reader can read it; the
 * present block of a trace is completed.
 *
 * @return TM_OK, TM_ENOMEM, TM_EIO, or what `write` returned
 * @since 0.1
 */
TM_API int tm_writer_flush(tm_writer *writer);

/** @return bytes written so far, without buffered ones. @since 0.1 */
TM_API uint64_t tm_writer_written_bytes(const tm_writer *writer);

/**
 * Events that the format cannot hold, and that were left out; none for a trace.
 *
 * @param kind  enum tm_event_kind; 0: of all kinds
 * @return how many so far
 * @since 0.1
 */
TM_API uint64_t tm_writer_dropped_count(const tm_writer *writer, int kind);

/**
 * Write the rest and the end, and free the writer, even if that fails. NULL is fine.
 *
 * @return TM_OK, TM_ENOMEM, TM_EIO, or what `write` returned, now or earlier
 * @since 0.1
 */
TM_API int tm_writer_close(tm_writer *writer);

TM_END_DECLS

#endif
