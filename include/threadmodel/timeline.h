/* SPDX-License-Identifier: Apache-2.0 */
/* threadmodel/timeline.h: the states of each thread over time. */
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
 * Columns (table `timeline`): thread_id uint64, thread string, start_ns int64, end_ns
 * int64, state string (enum tm_state), object string, class string, method string,
 * source string, line int32, peer_id uint64, peer string (the owner of the object when
 * it began, which may have become known while it lasted, or the joined thread),
 * provenance string (enum tm_provenance; of peer and state), open bool (it has not
 * ended), stack int32, unsplit bool (a wait whose notify was not seen: it may include
 * time in which the thread queued for the monitor again), sampled bool (the stack is
 * that of another blocking interval like it, drawn at random), idle bool (the thread
 * waited for work while there was none).
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
 * List the timeline with less detail, for drawing: an interval of at least `tile_ns`
 * is a row as it is; shorter ones that follow one another are merged into tiles, each
 * closed as soon as it is `tile_ns` long or a longer interval follows. So any two rows
 * of a thread that follow one another take `tile_ns` or more, and no time is lost. An
 * interval that a selection of classes leaves out ends a tile.
 *
 * Columns (table `tiles`): thread_id uint64, thread string, start_ns int64, end_ns
 * int64, intervals int64 (how many the row stands for), state string (enum tm_state;
 * that took most of it; of equals the one with the lowest number); for each of enum
 * tm_state: <state>_ns int64 (its time within the row); object string, class string,
 * method string, source string, line int32, peer_id uint64 and peer string (null:
 * intervals is not 1), provenance string (enum tm_provenance; null: intervals is not
 * 1), open bool, stack int32, unsplit bool, sampled bool and idle bool (null: intervals
 * is not 1).
 *
 * @param[out] out    the answer, yours; NULL on failure
 * @param model       asked
 * @param selection   NULL: all; intervals are cut at the window's edges
 * @param tile_ns     0: every interval is a row
 * @return TM_OK, TM_ENOMEM, TM_EINVAL (also for tile_ns < 0), TM_ENOTFOUND
 * @since 0.1
 */
TM_API int tm_tile_list(tm_table **out, const tm_model *model,
                        const tm_selection *selection, int64_t tile_ns);

/**
 * Find how coarse tm_tile_list() has to be for so many rows at most.
 *
 * @param[out] tile_ns  0, or the smallest power of two that will do; the largest one
 *                      that there is where there are more threads, or stretches of a
 *                      selection of classes, than rows
 * @param model         asked
 * @param selection     as it will be given to tm_tile_list()
 * @param max_rows      wanted
 * @return TM_OK, TM_ENOMEM, TM_EINVAL, TM_ENOTFOUND
 * @since 0.1
 */
TM_API int tm_tile_fit(int64_t *tile_ns, const tm_model *model,
                       const tm_selection *selection, size_t max_rows);

/**
 * List the frames of all stacks that were defined, innermost first.
 *
 * Columns (table `stacks`): stack int32 (its number in other tables), depth int32 (0
 * innermost), method string (package.Class.method), class string (of the method),
 * source string, line int32, truncated bool (the producer cut the stack: more frames
 * lie below its last).
 *
 * @param[out] out  the answer, yours; NULL on failure
 * @param model     asked
 * @return TM_OK or TM_ENOMEM
 * @since 0.1
 */
TM_API int tm_stack_list(tm_table **out, const tm_model *model);

TM_END_DECLS

#endif
