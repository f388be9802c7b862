/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threadmodel/source.h: a file of any format that we read, found by its content.
 *
 *     tm_source *source;
 *     int rc = tm_source_open(&source, "run.tmt", NULL);
 *     if (rc == TM_OK)
 *         while ((rc = tm_source_read(source, tm_model_sink(model))) == TM_MORE)
 *             ;
 *     tm_source_close(source);
 */
#ifndef THREADMODEL_SOURCE_H
#define THREADMODEL_SOURCE_H

#include <threadmodel/allocator.h>
#include <threadmodel/common.h>
#include <threadmodel/sink.h>

TM_BEGIN_DECLS

typedef struct tm_source tm_source;

/** Parts to leave out, so that reading is faster, and parts to show. */
enum tm_source_flag {
    TM_SOURCE_NO_STACKS = 1, ///< no stacks and methods; tm_event.stack is 0
    TM_SOURCE_BY_THREAD = 2, ///< only each thread's own events need be in order
    TM_SOURCE_PATHS = 4      ///< JFR: files by their paths, not by hashes of these
};

/** Choices for opening; zero is the default of each. */
typedef struct tm_source_options {
    size_t size;                   ///< sizeof(tm_source_options)
    const tm_allocator *allocator; ///< NULL: malloc; copied
    /** The file is a contention log, with these changes to the order of its lines'
     *  fields, "wait=Wait,time,thread,object,stack;..."; NULL: by content. Lent for
     *  the call that opens. See docs/formats.md. */
    const char *dialect;
    int64_t time_unit_ns; ///< TPTP XML, which does not state it; 0: seconds
    uint64_t kinds;       ///< bit k: events of kind k are wanted; 0: all
    uint32_t flags;       ///< bits of enum tm_source_flag
    uint32_t reserved;    ///< 0
    /** Files to be read as one with the first, thread dumps or recordings; in the order
     *  of the times that they begin with. Offsets count through all. NULL: none. */
    const char *const *more_paths;
    size_t more_count; ///< of more_paths
} tm_source_options;

/** A tm_source_options with nothing in it but its size. */
#define TM_SOURCE_OPTIONS_INIT                                                         \
    {                                                                                  \
        sizeof(tm_source_options), NULL, NULL, 0, 0, 0, 0, NULL, 0                     \
    }

/**
 * Open a file and determine its format.
 *
 * @param[out] out  yours: tm_source_close() it; NULL on failure
 * @param path      of a regular file, or anything that can be read ("/dev/stdin")
 * @param options   NULL: all defaults
 * @return TM_OK, TM_ENOMEM, TM_EIO, TM_EFORMAT (empty files too), TM_EVERSION,
 *         TM_EINVAL (an unknown dialect), TM_EUNSUPPORTED (several files that
 *         cannot be read as one)
 * @since 0.1
 */
TM_API int tm_source_open(tm_source **out, const char *path,
                          const tm_source_options *options);

/**
 * Read the next part, some ten thousand events at most, into a sink.
 *
 * When TM_EDAMAGED is returned, the readable part of a cut or damaged file has been
 * read, the sink's `caveat` has received what is missing, and the error text names it
 * with the byte offset.
 *
 * @param source  moves on
 * @param sink    gets definitions before the events that use them
 * @return TM_MORE: call again; TM_OK: all is read; TM_EDAMAGED, TM_EVERSION,
 *         TM_EIO, TM_ENOMEM; or what a callback returned
 * @since 0.1
 */
TM_API int tm_source_read(tm_source *source, const tm_sink *sink);

/**
 * Set whether the file may still grow. While it may, TM_OK from tm_source_read() means
 * that the file was read up to its present end: call it again when there is more.
 * Nothing counts as missing until `growing` is 0 again.
 *
 * @param source   of a trace, ".tmt", which alone can be read so
 * @param growing  1 or 0; 0 at first
 * @return TM_OK, TM_EUNSUPPORTED
 * @since 0.1
 */
TM_API int tm_source_follow(tm_source *source, int growing);

/** @return the format's short name, "tmt". @since 0.1 */
TM_API const char *tm_source_format(const tm_source *source);

/** @return bytes of the file that were read so far. @since 0.1 */
TM_API uint64_t tm_source_position_bytes(const tm_source *source);

/** @return bytes of the file; 0: not known (a pipe). @since 0.1 */
TM_API uint64_t tm_source_length_bytes(const tm_source *source);

/** Close a source. NULL is fine. @since 0.1 */
TM_API void tm_source_close(tm_source *source);

TM_END_DECLS

#endif
