/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threadmodel/model.h: events in, the state of every thread and monitor out.
 *
 * A model receives definitions and events through its sink. It may be queried between
 * any two events; answers are then true as of the last one. One model is used by one
 * thread at a time; two models are independent.
 *
 * Times in answers are nanoseconds since the run began: since tm_run.start_ns
 * where that is known, else since the first event.
 */
#ifndef THREADMODEL_MODEL_H
#define THREADMODEL_MODEL_H

#include <threadmodel/allocator.h>
#include <threadmodel/common.h>
#include <threadmodel/executor.h>
#include <threadmodel/run.h>
#include <threadmodel/sink.h>
#include <threadmodel/table.h>

TM_BEGIN_DECLS

typedef struct tm_model tm_model;

/** States of a thread. */
enum tm_state {
    TM_STATE_UNKNOWN = 0,    ///< not known
    TM_STATE_NEW = 1,        ///< start was called, it does not run yet
    TM_STATE_RUNNING = 2,    ///< runs: no event shows that it does anything else
    TM_STATE_BLOCKED = 3,    ///< queues for a monitor or mutex
    TM_STATE_WAITING = 4,    ///< in Object.wait, before a notify; or for what no
                             ///< thread owns
    TM_STATE_REENTERING = 5, ///< notified, queues for the monitor or mutex again
    TM_STATE_JOINING = 6,    ///< waits for a thread to end
    TM_STATE_SLEEPING = 7,   ///< in Thread.sleep
    TM_STATE_PARKED = 8,     ///< in LockSupport.park
    TM_STATE_DEADLOCKED = 9, ///< blocked, joining or parked in a cycle
    TM_STATE_DEAD = 10,      ///< has ended
    TM_STATE_RUNNABLE = 11,  ///< woken or preempted, and not on a processor
    TM_STATE_IO = 12,        ///< waits in the kernel for a socket, file, poll, accept,
                             ///< name or process
    TM_STATE_NATIVE = 13,    ///< left its processor to wait, for what is not known
    TM_STATE_END = 14        ///< one more than the last state
};

/** How sure a statement about another thread is. */
enum tm_provenance {
    TM_PROVENANCE_UNKNOWN = 0,  ///< nothing is known
    TM_PROVENANCE_INFERRED = 1, ///< follows from other events, if none was missed
    TM_PROVENANCE_EXACT = 2,    ///< follows from the VM's rules and complete events
    TM_PROVENANCE_REPORTED = 3, ///< stated by the VM
    TM_PROVENANCE_END = 4
};

/**
 * Choices for a new model; zero is the default of each.
 *
 * Under a memory limit names and stacks take half of it at most; others are left out. A
 * thread takes some 600 bytes and an object some 170, beside their events. Where they
 * and their sums take a quarter of the limit, and 256 KiB, threads that ended are
 * forgotten, and objects that no event has named of late, unless something that is kept
 * refers to them. Counts and totals stay exact: those of forgotten threads are one row
 * with id 0, "ended threads", and those of objects are of their class. A group's
 * `threads` counts that row as one. A thread that was forgotten is TM_ENOTFOUND where
 * it is asked for; an id that comes again is of a new thread or object, without a name
 * or class until it is defined again. Threads that live and locks that are known to be
 * owned or wanted are not forgotten, and may take more than the limit.
 */
typedef struct tm_model_options {
    size_t size;                   ///< sizeof(tm_model_options)
    const tm_allocator *allocator; ///< NULL: malloc; copied
    size_t memory_limit_bytes;     ///< evict old intervals into sums beyond, and forget
                                   ///< what ended; 0: none. See above
    int32_t policy;                ///< enum tm_policy, in place of the producer's
    int32_t reserved;              ///< 0
    /** Threads that questions may use; NULL: the calling one. Copied. The allocator is
     *  then called by several threads at once. */
    const tm_executor *executor;
} tm_model_options;

/** A tm_model_options with nothing in it but its size. */
#define TM_MODEL_OPTIONS_INIT                                                          \
    {                                                                                  \
        sizeof(tm_model_options), NULL, 0, 0, 0, NULL                                  \
    }

/**
 * Make an empty model.
 *
 * @param[out] out  yours: tm_model_free() it; NULL on failure
 * @param options   NULL: all defaults
 * @return TM_OK, TM_ENOMEM, TM_EINVAL
 * @since 0.1
 */
TM_API int tm_model_new(tm_model **out, const tm_model_options *options);

/**
 * The sink that fills this model.
 *
 * @return lent until the model is freed
 * @since 0.1
 */
TM_API const tm_sink *tm_model_sink(tm_model *model);

/**
 * Ingest events; the same as the sink's `events`, without the indirection.
 *
 * Every sequence is legal: contradictions are counted by cause, see
 * tm_diagnostic_list(). After TM_ENOMEM the events before the one that failed
 * are in the model, that one is counted as lost, and the model remains usable.
 *
 * @param model   changed
 * @param events  lent for the call
 * @param count   how many
 * @return TM_OK, TM_ENOMEM, or what a deadlock callback returned
 * @since 0.1
 */
TM_API int tm_model_ingest(tm_model *model, const tm_event *events, size_t count);

/** @return how many events were ingested. @since 0.1 */
TM_API uint64_t tm_model_event_count(const tm_model *model);

/**
 * The bytes that the model holds, and those of what its last questions gathered, which
 * the next event drops.
 *
 * @return without the allocator's own overhead
 * @since 0.1
 */
TM_API size_t tm_model_memory_bytes(const tm_model *model);

/**
 * The run as far as it is known; end_ns is the time of the last event if not known
 * better.
 *
 * @return lent until the model next receives a run or an event
 * @since 0.1
 */
TM_API const tm_run *tm_model_run(const tm_model *model);

/** @return from the run's beginning to its last event, in ns. @since 0.1 */
TM_API int64_t tm_model_length_ns(const tm_model *model);

/**
 * Facts that the data cannot show, one sentence for each row.
 *
 * Columns (table `caveats`): caveat string (a sentence).
 *
 * @param[out] out  the answer, yours; NULL on failure
 * @return TM_OK or TM_ENOMEM
 * @since 0.1
 */
TM_API int tm_caveat_list(tm_table **out, const tm_model *model);

/** The name of a state, "blocked" for instance; NULL for any other number. */
TM_API const char *tm_state_name(int state);

/** The name of a provenance, "inferred" for instance; NULL for none. */
TM_API const char *tm_provenance_name(int provenance);

/** Free a model; tables that it answered with stay. NULL is fine. @since 0.1 */
TM_API void tm_model_free(tm_model *model);

TM_END_DECLS

#endif
