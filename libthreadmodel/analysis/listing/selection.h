/* SPDX-License-Identifier: Apache-2.0 */
/* A selection, looked up once a question. */
#ifndef TM_MODEL_SELECTION_H
#define TM_MODEL_SELECTION_H

#include <threadmodel/model.h>
#include <threadmodel/selection.h>

/**
 * A selection against a model: sets as bitmaps, the window on the model's clock.
 * threads and classes are NULL for all, else a byte an index.
 */
typedef struct tm__scope {
    uint8_t *threads;
    uint8_t *classes;
    int64_t from_ns;
    int64_t to_ns;
    uint32_t thread_count; ///< sizes of the arrays above
    uint32_t class_count;
} tm__scope;

/** @return TM_OK, TM_ENOMEM, TM_EINVAL, TM_ENOTFOUND */
int tm__scope_open(tm__scope *scope, const tm_model *model,
                   const tm_selection *selection);
void tm__scope_close(tm__scope *scope, const tm_model *model);

#endif
