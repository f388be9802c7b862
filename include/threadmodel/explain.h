/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threadmodel/explain.h: why a thread did not run at an instant, down to the root
 * cause.
 *
 *     worker-3   ····· blocked by Account#7, owned by worker-1
 *     worker-1   ····· blocked by Journal#2, owned by main
 *     main       zzzzz asleep in Journal.flush: the root cause
 */
#ifndef THREADMODEL_EXPLAIN_H
#define THREADMODEL_EXPLAIN_H

#include <threadmodel/common.h>
#include <threadmodel/model.h>
#include <threadmodel/table.h>

TM_BEGIN_DECLS

/** Bits of tm_explain_options.flags. */
enum tm_explain_flag {
    TM_EXPLAIN_AT = 1 ///< at_ns is given, also where it is 0
};

/** Choices of tm_explanation_list(); zero is the default of each. */
typedef struct tm_explain_options {
    size_t size;     ///< sizeof(tm_explain_options)
    uint64_t thread; ///< tm_thread.id; 0: the one that was blocked longest, see at_ns
    int64_t at_ns;   ///< since the run began; 0 without TM_EXPLAIN_AT: the middle of
                     ///< the longest blocking interval in which no worker waits for
                     ///< work
    uint32_t count;  ///< of so many blocking intervals, the longest, a chain each; 0: 1
    uint32_t flags;  ///< bits of enum tm_explain_flag
} tm_explain_options;

/** A tm_explain_options with nothing in it but its size. */
#define TM_EXPLAIN_OPTIONS_INIT                                                        \
    {                                                                                  \
        sizeof(tm_explain_options), 0, 0, 0, 0                                         \
    }

/**
 * List why a thread did not run at an instant: first the thread itself, then what it
 * was blocked by at that same instant, and so on, ten rows at most. The last row is the
 * root cause, as far as the recording shows it. There is no row where no thread was
 * chosen and none was blocked. With a `count` the chains of several blocking intervals
 * follow one another, that of the longest one first.
 *
 * Columns (table `explanation`): step int32 (1: the thread that the question is about),
 * thread_id uint64, thread string, state string (enum tm_state; at the instant),
 * start_ns int64 (of that state, since the run began; null: unknown), end_ns int64 (of
 * the blocking interval; null: it goes on, or is unknown), object string, class string,
 * method string, source string, line int32, reason string (owner, joined, waker,
 * starter, running, no_processor, asleep, io, native, timeout, idle, wake_up, deadlock,
 * no_owner, no_waker, not_started, ended, not_recorded; why it did not run; after the
 * first four the next row is that owner, the joined thread, or the thread that woke or
 * started it later), provenance string (enum tm_provenance; of the owner, waker or
 * starter; null: without one), text string (the same in a sentence), chain int32 (1: of
 * the longest blocking interval that was asked about), at_ns int64 (the instant, since
 * the run began).
 *
 * @param[out] out  the answer, yours; NULL on failure
 * @param model     asked
 * @param options   NULL: the longest blocking interval of the run
 * @return TM_OK, TM_ENOMEM, TM_EINVAL (a time outside of the run), TM_ENOTFOUND
 * @since 0.1
 */
TM_API int tm_explanation_list(tm_table **out, const tm_model *model,
                               const tm_explain_options *options);

TM_END_DECLS

#endif
