/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threadmodel/context.h: facts that explain the states of threads: pauses of the
 * collector, pinned virtual threads, inflated monitors, CPU samples.
 *
 * None of it changes a timeline, a statistic, an interaction or a path.
 */
#ifndef THREADMODEL_CONTEXT_H
#define THREADMODEL_CONTEXT_H

#include <threadmodel/common.h>
#include <threadmodel/model.h>
#include <threadmodel/selection.h>
#include <threadmodel/table.h>

TM_BEGIN_DECLS

/**
 * List the facts of context in the order of their ends.
 *
 * Columns (table `context`): kind string (gc_pause, pinned, submit_failed, inflated,
 * cpu_sample), start_ns int64, end_ns int64 (the same where it has no length),
 * thread_id uint64 and thread string (null: all threads), object string, class string,
 * method string, source string, line int32, stack int32, cause string (enum
 * tm_inflation; of an inflation; null: others).
 *
 * @param[out] out    the answer, yours; NULL on failure
 * @param model       asked
 * @param selection   NULL: all; a fact about all threads belongs to each selected one
 * @return TM_OK, TM_ENOMEM, TM_EINVAL, TM_ENOTFOUND
 * @since 0.1
 */
TM_API int tm_context_list(tm_table **out, const tm_model *model,
                           const tm_selection *selection);

/**
 * Sum the facts of context up by kind; kinds that did not occur are left out. A memory
 * limit drops none of them here.
 *
 * Columns (table `context_totals`): kind string (gc_pause, pinned, submit_failed,
 * inflated, cpu_sample), count uint64, total_ns int64 (all of them), max_ns int64 (the
 * longest), share double (of the run's length; null: that is 0).
 *
 * @param[out] out  the answer, yours; NULL on failure
 * @param model     asked
 * @return TM_OK or TM_ENOMEM
 * @since 0.1
 */
TM_API int tm_context_sum(tm_table **out, const tm_model *model);

TM_END_DECLS

#endif
