/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results that questions gathered about the whole run, kept for the next one that needs
 * the same. They belong to the rooms that put them here, and any event or definition
 * drops them. A model is used by one thread at a time; a question that shares out its
 * work gathers the results that its parts need before.
 */
#ifndef TM_MODEL_KEPT_STATE_H
#define TM_MODEL_KEPT_STATE_H

#include <stddef.h>

#include "base/memory.h"

enum tm__kept_kind {
    TM__KEPT_CALLERS,
    TM__KEPT_LOOPS,
    TM__KEPT_PATH,
    TM__KEPT_REPLAY,
    TM__KEPT_RESOURCES,
    TM__KEPT_SHARES,
    TM__KEPT_UNITS,
    TM__KEPT_KINDS
};

typedef struct tm__kept {
    tm__memory memory; ///< what is kept takes
    int is_any;
    void *items[TM__KEPT_KINDS];           ///< NULL: not kept
    void (*drops[TM__KEPT_KINDS])(void *); ///< each frees its item
} tm__kept;

/** Keep an item, which was not kept. */
static inline void tm__keep(tm__kept *kept, int kind, void *item, void (*drop)(void *))
{
    kept->items[kind] = item;
    kept->drops[kind] = drop;
    kept->is_any = 1;
}

/** The run has changed, or ends. */
static inline void tm__kept_drop(tm__kept *kept)
{
    if (!kept->is_any)
        return;
    for (int i = 0; i < TM__KEPT_KINDS; i++) {
        if (kept->items[i])
            kept->drops[i](kept->items[i]);
        kept->items[i] = NULL;
    }
    kept->is_any = 0;
}

#endif
