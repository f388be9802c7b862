/* SPDX-License-Identifier: Apache-2.0 */
/* The wake-ups of a model: see model/wakeups. */
#ifndef TM_MODEL_WAKEUP_STATE_H
#define TM_MODEL_WAKEUP_STATE_H

#include "model/state/array.h"

typedef struct tm__wakeups {
    TM__ARRAY(struct tm__binding, bindings);
    TM__ARRAY(struct tm__post, posts);
    uint32_t free_binding;   ///< bindings[]: first of those to be used again
    uint32_t free_post;      ///< the same of posts[]
    int64_t nameless_end_ns; ///< a thread whose object is not known ended; INT64_MIN
} tm__wakeups;

#endif
