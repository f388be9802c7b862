/* SPDX-License-Identifier: Apache-2.0 */
/* A selection, looked up once a question. */
#ifndef TM_MODEL_SELECTION_H
#define TM_MODEL_SELECTION_H

#include <threadmodel/model.h>
#include <threadmodel/selection.h>

#include "table/builder.h"

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

/**
 * Open the window of a question that takes no threads and no classes.
 * @param what  is asked for, as the error states it
 * @return 1: it is a part of the run; 0: it is all of it; TM_EINVAL
 */
int tm__scope_open_window(tm__scope *scope, const tm_model *model,
                          const tm_selection *selection, const char *what);

/** Cut a stretch of time to the window. @return 0: nothing of it lies in there */
int tm__scope_cut(const tm__scope *scope, int64_t *from_ns, int64_t *to_ns);

/** Whether an instant lies in the window. */
static inline int tm__scope_has(const tm__scope *scope, int64_t time_ns)
{
    return time_ns >= scope->from_ns && time_ns < scope->to_ns;
}

/** All of a run, whatever it has. */
#define TM__WHOLE_SCOPE                                                                \
    {                                                                                  \
        .from_ns = INT64_MIN, .to_ns = INT64_MAX                                       \
    }

/** Whether it is all of a run. */
static inline int tm__scope_is_whole(const tm__scope *scope)
{
    return !scope->threads && !scope->classes && scope->from_ns == INT64_MIN &&
           scope->to_ns == INT64_MAX;
}

/** State in a caveat which part of the run was examined. */
void tm__scope_put_part(const tm__scope *scope, const tm_model *model,
                        tm__builder *builder);

#endif
