/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threadmodel/export.h: a run as a file of another tool.
 *
 *     tm_export_options options = {.size = sizeof(options),
 *                                  .format = TM_EXPORT_PERFETTO};
 *     int rc = tm_export_write(model, "run.pftrace", &options);
 */
#ifndef THREADMODEL_EXPORT_H
#define THREADMODEL_EXPORT_H

#include <threadmodel/allocator.h>
#include <threadmodel/common.h>
#include <threadmodel/model.h>
#include <threadmodel/table.h>

TM_BEGIN_DECLS

/** The format of the file. */
enum tm_export_format {
    /** Perfetto's trace, protobuf: a track a thread with its states as slices,
     *  interactions as flows, the critical path and pauses on tracks of their own. */
    TM_EXPORT_PERFETTO = 1,
    /** The same as a Chrome trace, JSON. */
    TM_EXPORT_CHROME = 2,
    /** For flame graphs: a line a stack, outermost frame first, with the nanoseconds
     *  that threads were blocked there. The sum is that of tm_statistics_sum(). */
    TM_EXPORT_COLLAPSED = 3,
    /** Graphviz: the threads that wait for one another when the run ends, and the order
     *  in which locks were acquired. */
    TM_EXPORT_DOT = 4,
    /** HPROF's text, "JAVA PROFILE 1.0.1": threads, and the time blocked on monitors
     *  and on a processor by stack. */
    TM_EXPORT_HPROF = 5,
    /** A profile of pprof, for `go tool pprof`: how often and for how long threads were
     *  blocked, by stack, with the labels state and class. Sums as COLLAPSED. */
    TM_EXPORT_PPROF = 6,
    /** Profiles of OpenTelemetry (OTLP, profiles v1development), protobuf: the same of
     *  both sides, four profiles in one message. */
    TM_EXPORT_OTLP = 7
};

/** The threads whose stacks COLLAPSED and PPROF hold. */
enum tm_export_side {
    TM_EXPORT_WAITERS = 0, ///< where threads were blocked: tm_statistics_sum()
    /** Where the owners of the locks acquired them, with the time for which others were
     *  blocked by them: tm_blame_list(). States that no owner ends are left out. */
    TM_EXPORT_OWNERS = 1
};

/** Choices for an export; zero is the default of each but the format. */
typedef struct tm_export_options {
    size_t size;                   ///< sizeof(tm_export_options)
    const tm_allocator *allocator; ///< NULL: malloc
    int32_t format;                ///< enum tm_export_format
    /** COLLAPSED, PPROF, OTLP: enum tm_state, BLOCKED, WAITING, REENTERING, JOINING,
     *  PARKED or IO; 0: all six, each named in a frame or a label of its own. */
    int32_t state;
    double cutoff;         ///< HPROF: rows of a smaller share are left out, 0 to 1
    int32_t by_thread;     ///< HPROF: not 0: stacks of two threads are two
    int32_t without_lines; ///< HPROF: not 0: frames have no line
    int32_t utc_offset_s;  ///< HPROF: dates are this much east of UTC
    int32_t side;          ///< COLLAPSED, PPROF: enum tm_export_side
    tm_write_fn write;     ///< gets the bytes where there is no path
    void *payload;         ///< handed to write
    /** Since the run began: only what happened from here on. Not of DOT and HPROF,
     * which are of the whole run. */
    int64_t from_ns;
    int64_t to_ns; ///< the same: only up to here, not included; 0: to the end
} tm_export_options;

/** A tm_export_options with nothing in it but its size. */
#define TM_EXPORT_OPTIONS_INIT                                                         \
    {                                                                                  \
        sizeof(tm_export_options), NULL, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, 0, 0         \
    }

/**
 * Write the data of a model to a file, which is created or overwritten. Names are
 * escaped as the format requires; COLLAPSED, which has no escapes, gets blanks for
 * characters that would split a line or a frame.
 *
 * @param model    asked
 * @param path     of the file; NULL: options->write gets the bytes
 * @param options  at least the format
 * @return TM_OK, TM_ENOMEM, TM_EINVAL (also: neither path nor write, or both), TM_EIO
 *         (no such folder, a full disk, ...) or what `write` returned, and then what
 *         was written before is there
 * @since 0.1
 */
TM_API int tm_export_write(const tm_model *model, const char *path,
                           const tm_export_options *options);

TM_END_DECLS

#endif
