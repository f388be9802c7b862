/* SPDX-License-Identifier: Apache-2.0 */
/* threadmodel/timeline.h: what each thread was doing when. */
#ifndef THREADMODEL_TIMELINE_H
#define THREADMODEL_TIMELINE_H

#include <threadmodel/common.h>
#include <threadmodel/model.h>
#include <threadmodel/selection.h>
#include <threadmodel/table.h>

TM_BEGIN_DECLS

/**
 * List the intervals of the selected threads, thread by thread, by rising time.
 * An interval that has not ended ends at the last event and has `open` true.
 *
 * Columns: thread_id uint64, thread string, start_ns int64, end_ns int64,
 * state string, object string, class string, method string (package.Class.method
 * of the caller, see tm_statistics_options), source string, line int32,
 * peer_id uint64 and peer string (who owned the object or is joined; null when
 * unknown), provenance string (of peer and state), open bool, stack int32 (for
 * tm_stack_list(); null when unknown), unsplit bool (a wait whose notify was not seen:
 * it may hide time in which the thread queued for the monitor again), sampled bool (the
 * stack is that of another hold-up like it, drawn at random).
 *
 * @param[out] out    the answer, yours; NULL on failure
 * @param model       asked
 * @param selection   NULL: all; intervals are cut at the window's edges
 * @return TM_OK, TM_ENOMEM, TM_EINVAL, TM_ENOTFOUND
 * @since 0.1
 */
TM_API int tm_timeline_list(tm_table **out, const tm_model *model,
                            const tm_selection *selection);

/**
 * List the frames of all stacks that were defined, innermost first.
 *
 * Columns: stack int32, depth int32 (0 innermost), method string, class string,
 * source string, line int32.
 *
 * @param[out] out  the answer, yours; NULL on failure
 * @param model     asked
 * @return TM_OK or TM_ENOMEM
 * @since 0.1
 */
TM_API int tm_stack_list(tm_table **out, const tm_model *model);

TM_END_DECLS

#endif
