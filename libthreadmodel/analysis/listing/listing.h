/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The needs of a list of intervals or interactions beyond the model: the answer in the
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

/** Columns of an object: its label and its class; null for TM__NONE. */
void tm__put_object(tm__listing *list, const tm_model *model, uint32_t object);

/** Columns of a thread: its id and its name; null for TM__NONE. */
void tm__put_thread(tm__builder *builder, const tm_model *model, uint32_t thread);

/** Columns of a frame: method, source and line; null where not known. */
void tm__put_frame(tm__builder *builder, const tm_model *model, uint32_t frame);

#endif
