/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threadmodel/class_sums.h: how often and how long, by class, without a model.
 *
 * A sink that pairs the begin and the end of each thread's blocking intervals and keeps
 * sums only: its memory grows with threads, objects and classes and not with events. It
 * answers one question about a file of any size; open the file with
 * TM_SOURCE_NO_STACKS, TM_SOURCE_BY_THREAD and the kinds that you ask about.
 */
#ifndef THREADMODEL_CLASS_SUMS_H
#define THREADMODEL_CLASS_SUMS_H

#include <threadmodel/allocator.h>
#include <threadmodel/common.h>
#include <threadmodel/sink.h>
#include <threadmodel/table.h>

TM_BEGIN_DECLS

typedef struct tm_class_sums tm_class_sums;

/**
 * Make an empty summary.
 *
 * @param[out] out   yours: tm_class_sums_free() it; NULL on failure
 * @param allocator  NULL: malloc; copied
 * @return TM_OK or TM_ENOMEM
 * @since 0.1
 */
TM_API int tm_class_sums_new(tm_class_sums **out, const tm_allocator *allocator);

/**
 * The sink that fills it. The order of each thread's events matters, that between
 * threads does not. A begin without an end is in no sum, nor an end without a begin:
 * tm_class_sums_left_out() counts them.
 *
 * @return lent until the summary is freed
 * @since 0.1
 */
TM_API const tm_sink *tm_class_sums_sink(tm_class_sums *summary);

/**
 * The sums so far, one row a class and state, the longest total first. Its caveats are
 * those that the sink received.
 *
 * Columns (table `class_sums`): class string (null: unknown), state string (blocked,
 * waiting, joining, sleeping, parked, io; a wait is counted until the thread has its
 * monitor again), count int64 (how often), total_ns int64 (all of them), min_ns int64,
 * max_ns int64, mean_ns int64, p50_ns int64, p90_ns int64 and p99_ns int64 (null: the
 * count is 0).
 *
 * @param[out] out  the answer, yours; NULL on failure
 * @param summary   may receive more events afterwards; the table does not change
 * @return TM_OK or TM_ENOMEM
 * @since 0.1
 */
TM_API int tm_class_sums_list(tm_table **out, const tm_class_sums *summary);

/**
 * How many events about blocks in a state are in no sum so far: their begin or their
 * end did not come, or a snapshot, TM_EVENT_RUNNABLE or TM_EVENT_LOST tells more of
 * them. Where it is 0, a model of the same events sums up the same blocks.
 *
 * @param state  a value of enum tm_state
 * @return 0 for a state that does not exist
 * @since 0.1
 */
TM_API uint64_t tm_class_sums_left_out(const tm_class_sums *summary, int state);

/** Free a summary; tables that it answered with stay. NULL is fine. @since 0.1 */
TM_API void tm_class_sums_free(tm_class_sums *summary);

TM_END_DECLS

#endif
