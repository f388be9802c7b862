/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threadmodel/recorder.h: events of a program's own threads, in the order of time.
 *
 *     tm_recorder_options options = TM_RECORDER_OPTIONS_INIT;
 *     tm_recorder *recorder;
 *
 *     options.path = "run.tmt";
 *     tm_recorder_open(&recorder, &options);
 *     tm_recorder_start(recorder, 100);
 *
 *     // on each thread
 *     tm_thread self = {.size = sizeof(tm_thread), .id = 7};
 *     tm_event wants = {.kind = TM_EVENT_CONTENDED_ENTER, .object = lock};
 *     tm_recorder_thread *me;
 *
 *     tm_recorder_attach(recorder, &self, &me);
 *     tm_recorder_report(me, &wants, NULL, 0);
 *     tm_recorder_detach(me);
 *
 *     tm_recorder_close(recorder);
 *
 * A thread reports to a ring of its own. It takes no lock, allocates nothing and waits
 * for nobody. A drainer takes the events from the rings, sorts them by time, and writes
 * them to a trace, to a sink, or to both. The drainer is the caller of
 * tm_recorder_drain(), or a thread that tm_recorder_start() begins.
 *
 * KILLED: rings are copied to a file beside the trace, "run.tmt.rings". It outlives the
 * process: a reader of the trace takes the rest from it. tm_recorder_close() removes
 * it.
 *
 * FORK: a child has no recorder, however it was forked. Its reports are dropped, and
 * the files stay the parent's. A child that wants to record opens a recorder with a
 * path of its own; it may close the parent's, which frees memory and nothing else.
 * Forked without handlers, as by _Fork(), it has the parent's files open, and locked,
 * until it closes the recorder, ends or executes another program; before Linux 4.14 it
 * must not call any of these functions. A child of vfork() is the parent's thread.
 *
 * SIGNALS: tm_recorder_report() may be called in a handler. Where the handler has
 * interrupted that function on the same thread, the event is counted as lost. All other
 * functions may not be called in a handler. The thread of tm_recorder_start() has all
 * signals blocked. While there is a file of rings, SIGBUS is handled: a store to a file
 * that was cut does no harm then. Any other SIGBUS goes to the handler that was there.
 *
 * THREADS: tm_recorder_start() begins one. The first recorder of a process has another
 * for some milliseconds, which asks the kernel for membarrier; its signals are blocked,
 * too.
 *
 * Linux only; elsewhere the library has none of these functions.
 */
#ifndef THREADMODEL_RECORDER_H
#define THREADMODEL_RECORDER_H

#include <threadmodel/allocator.h>
#include <threadmodel/common.h>
#include <threadmodel/definition.h>
#include <threadmodel/event.h>
#include <threadmodel/run.h>
#include <threadmodel/sink.h>

TM_BEGIN_DECLS

typedef struct tm_recorder tm_recorder;

/** One thread's access to a recorder. */
typedef struct tm_recorder_thread tm_recorder_thread;

/** Frames of a stack that are recorded; further out ones are cut. */
#define TM_RECORDER_FRAMES 512

/** Bytes of a name that are recorded. */
#define TM_RECORDER_NAME_BYTES 5000

/** Choices for a recorder; zero is the default of each, but for path and sink. */
typedef struct tm_recorder_options {
    size_t size;                   ///< sizeof(tm_recorder_options)
    const tm_allocator *allocator; ///< NULL: malloc; copied. Rings are mapped memory
    const char *path;              ///< of a trace; one of that name is replaced
    const tm_sink *sink; ///< gets the same, on the drainer's thread; lent until closed
    /** Facts of the run; NULL: none. Where they are 0, the recorder adds pid, id, start
     *  and, when it is closed, end. */
    const tm_run *run;
    /** The file of rings. NULL: beside the trace. "none": there is none. Else a folder
     *  for it, in memory for instance; a link beside the trace leads there. */
    const char *rings;
    uint64_t memory_bytes; ///< of rings and their copies at most; 0: no limit
    uint32_t ring_bytes;   ///< a thread's; a power of two, 65,536 to 2^30; 0: 262,144
    uint32_t reserved;     ///< 0
} tm_recorder_options;

/** A tm_recorder_options with nothing in it but its size. */
#define TM_RECORDER_OPTIONS_INIT                                                       \
    {                                                                                  \
        sizeof(tm_recorder_options), NULL, NULL, NULL, NULL, NULL, 0, 0, 0             \
    }

/**
 * Begin to record.
 *
 * @param[out] out  yours: tm_recorder_close() it; NULL on failure
 * @return TM_OK, TM_ENOMEM, TM_EIO (a file cannot be made, or another producer is
 *         writing it), TM_EINVAL (neither path nor sink, or an unknown size),
 *         TM_EUNSUPPORTED (a path, in a build that cannot write traces), or what the
 *         sink returned
 * @since 0.1
 */
TM_API int tm_recorder_open(tm_recorder **out, const tm_recorder_options *options);

/**
 * Have a helper thread drain, every so many milliseconds and whenever a ring is half
 * full. A sink that other threads use as well then needs a lock of yours.
 *
 * @return TM_OK, TM_EINVAL (it has one, or every_ms is 0), TM_EIO (no thread)
 * @since 0.1
 */
TM_API int tm_recorder_start(tm_recorder *recorder, uint32_t every_ms);

/**
 * Take what the rings hold and hand it on, but for what a thread may still come before.
 * Any thread may call this, and waits while another does.
 *
 * @return TM_OK, or what ended the recording, now or earlier: TM_ENOMEM, TM_EIO, what
 *         the sink returned
 * @since 0.1
 */
TM_API int tm_recorder_drain(tm_recorder *recorder);

/**
 * For an event loop: a file descriptor that can be read when a ring is half full, and
 * tm_recorder_drain() is due. Drain reads it.
 *
 * @return lent until the recorder is closed
 * @since 0.1
 */
TM_API int tm_recorder_wake_fd(const tm_recorder *recorder);

/** @return events that found no room, of those that were drained so far. @since 0.1 */
TM_API uint64_t tm_recorder_lost_count(const tm_recorder *recorder);

/**
 * Drain the rest, end the trace and free the recorder, even if that fails. No thread
 * reports any more; all tm_recorder_thread are gone with it. NULL is fine.
 *
 * @return as tm_recorder_drain()
 * @since 0.1
 */
TM_API int tm_recorder_close(tm_recorder *recorder);

/**
 * Give a thread a ring. Beyond options->memory_bytes it is one without room: events
 * that are reported to it are counted as lost.
 *
 * @param definition  what is said of the thread; its id is that of events without one
 * @param[out] out    the thread's until tm_recorder_detach(); NULL on failure
 * @return TM_OK, TM_ENOMEM, TM_EINVAL (the id is 0), TM_ESTOPPED (a forked child)
 * @since 0.1
 */
TM_API int tm_recorder_attach(tm_recorder *recorder, const tm_thread *definition,
                              tm_recorder_thread **out);

/** The thread reports no more; its ring goes to another when it is drained. NULL is
 * fine. @since 0.1 */
TM_API void tm_recorder_detach(tm_recorder_thread *thread);

/**
 * Report an event, on the thread that was attached. Report a blocking call before it
 * may block, and a release before the release.
 *
 * @param event        time_ns 0: now, which is CLOCK_MONOTONIC; one that lies in the
 *                     future is now, too. thread 0: the attached one. Its stack is
 *                     not used
 * @param frames       the stack, innermost first; NULL: none. Methods need not be
 *                     defined yet
 * @param frame_count  of them
 * @return 1; 0: it found no room, which is counted, or the recording has ended;
 *         TM_EINVAL: no kind of event
 * @since 0.1
 */
TM_API int tm_recorder_report(tm_recorder_thread *thread, const tm_event *event,
                              const tm_frame *frames, size_t frame_count);

/**
 * Define what events name, on the thread that was attached; before or after the event,
 * but not behind the next drain. Names are kept up to TM_RECORDER_NAME_BYTES; a line
 * table keeps entries whose location and line are below 65,536, as many as fit in 6
 * KiB. Frames can carry their lines instead.
 *
 * @return TM_OK, TM_ELIMIT (no room now: again after a drain), TM_ESTOPPED (the
 *         recording has ended)
 * @since 0.1
 */
TM_API int tm_recorder_define_class(tm_recorder_thread *thread,
                                    const tm_class *definition);
TM_API int tm_recorder_define_method(tm_recorder_thread *thread,
                                     const tm_method *definition);
TM_API int tm_recorder_define_thread(tm_recorder_thread *thread,
                                     const tm_thread *definition);
TM_API int tm_recorder_define_object(tm_recorder_thread *thread,
                                     const tm_object *definition);

TM_END_DECLS

#endif
