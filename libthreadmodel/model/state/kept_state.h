/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What questions gathered of the whole run, kept for the next one that needs the same.
 * It is the rooms' that put it here, and any event or definition drops it. A model is
 * used by one thread at a time; where a question shares its work out, what its parts
 * need is kept before.
 */
#ifndef TM_MODEL_KEPT_STATE_H
#define TM_MODEL_KEPT_STATE_H

#include <stddef.h>

#include "base/memory.h"

enum tm__kept_kind {
    TM__KEPT_CALLERS,
    TM__KEPT_LOOPS,
    TM__KEPT_PATH,
    TM__KEPT_RESOURCES,
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
