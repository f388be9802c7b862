/* SPDX-License-Identifier: Apache-2.0 */
/* The records within a heap dump, passed over as fast as the file can be read. */
#ifndef TM_FORMATS_HPROF_HEAP_H
#define TM_FORMATS_HPROF_HEAP_H

#include "base/input.h"
#include "formats/notes.h"

/** The callbacks of a walk. Each returns TM_OK or the code that ends the walk. */
typedef struct tm__hprof_visitor {
    void *payload;
    /** A thread that lived, and its stack. */
    int (*thread)(void *payload, uint64_t object, uint32_t serial, uint32_t trace);
    /** A class with its own fields; each entry is a name and a type. */
    int (*describe)(void *payload, uint64_t id, uint64_t super, const uint8_t *entries,
                    uint32_t count);
    /** @return 1: visit() shall see its fields, 0: not, or TM_ENOMEM */
    int (*wants)(void *payload, uint64_t id, uint64_t class_id);
    int (*visit)(void *payload, uint64_t id, uint64_t class_id, const uint8_t *fields,
                 uint32_t bytes);
    /** An array of a basic type. @return as wants() */
    int (*wants_values)(void *payload, uint64_t id);
    int (*values)(void *payload, uint64_t id, uint8_t type, const uint8_t *values,
                  uint32_t count);
} tm__hprof_visitor;

typedef struct tm__hprof_counts {
    uint64_t objects;
    uint64_t arrays;
    uint64_t classes;
    uint64_t roots;
} tm__hprof_counts;

enum { TM__HPROF_VALUES = 64 << 10 }; ///< bytes of an array or object that are seen

/**
 * Walk over the records between two offsets.
 * @param[in,out] at  where to begin; where it ended
 * @param until       do not begin a record there or later
 * @param limit       where the heap dump ends
 * @return TM_OK; TM_EDAMAGED: the record at `at` is invalid or truncated; TM_EIO,
 * TM_ENOMEM;
 *         or what the visitor returned, and then the record is still at `at`
 */
int tm__hprof_walk(tm__input *input, uint32_t id_bytes, uint64_t *at, uint64_t until,
                   uint64_t limit, const tm__hprof_visitor *visitor,
                   tm__hprof_counts *counts);

/** Note what a heap dump does not contain, and what of it was searched.
 * @return TM_OK or TM_ENOMEM */
int tm__hprof_heap_caveats(const tm__hprof_counts *counts, tm__notes *notes);

#endif
