/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a list of intervals or interactions needs beyond the model: the answer in the
 * making, the part of the run that is asked for, labels of objects, callers of stacks.
 */
#ifndef TM_MODEL_LISTING_H
#define TM_MODEL_LISTING_H

#include "analysis/listing/selection.h"
#include "base/memory.h"
#include "model/entities/entity_names.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"
#include "table/builder.h"
#include "table/tables.h"

typedef struct tm__listing {
    tm__builder builder;
    tm__scope scope;
    tm__labels labels;
    tm__memory memory;
    uint32_t *callers; ///< frames[] of each stack
    int64_t origin_ns; ///< from which the answer's times count
} tm__listing;

/**
 * Begin an answer.
 * @return TM_OK, or TM_ENOMEM, TM_EINVAL, TM_ENOTFOUND, and then nothing is to be
 *         closed
 */
int tm__listing_open(tm__listing *list, const tm_model *model,
                     const tm__table_spec *spec, const tm_selection *selection);

/**
 * End it.
 * @param[out] out  the answer, the caller's; NULL on failure
 * @param rc        what came of the rows: a failure gives the answer up
 * @return rc, or TM_ENOMEM
 */
int tm__listing_close(tm__listing *list, const tm_model *model, tm_table **out, int rc);

/**
 * Cut an interval to the part of a run that is asked about.
 * @param[in,out] start_ns  of the interval, on the model's clock
 * @param[in,out] end_ns    the same
 * @return 1, or 0: none of it is asked about
 */
int tm__interval_cut(const tm_model *model, const tm__scope *scope,
                     const tm__interval *it, int64_t *start_ns, int64_t *end_ns);

/** Columns of an interval from `object` on, as tm_timeline_list() has them. */
void tm__put_interval_detail(tm__listing *list, const tm_model *model,
                             const tm__thread *thread, uint32_t index);

/** Columns of an object: its label and its class; null for TM__NONE. */
void tm__put_object(tm__listing *list, const tm_model *model, uint32_t object);

/** Columns of a thread: its id and its name; null for TM__NONE. */
void tm__put_thread(tm__builder *builder, const tm_model *model, uint32_t thread);

/** Columns of a frame: method, source and line; null where not known. */
void tm__put_frame(tm__builder *builder, const tm_model *model, uint32_t frame);

#endif
