/* SPDX-License-Identifier: Apache-2.0 */
/* threadmodel/selection.h: which part of a run a question is about. */
#ifndef THREADMODEL_SELECTION_H
#define THREADMODEL_SELECTION_H

#include <threadmodel/common.h>

TM_BEGIN_DECLS

/**
 * A set of threads, a set of classes and a window of time; zero is all of each.
 * A thread or class that the run does not have is an error, TM_ENOTFOUND; a window
 * that is empty or begins after the run ended is TM_EINVAL. A run without events has
 * nothing that could be missing: there, answers are empty.
 */
typedef struct tm_selection {
    size_t size;             ///< sizeof(tm_selection)
    const uint64_t *threads; ///< tm_thread.id; NULL: all
    size_t thread_count;
    const char *const *classes; ///< names, of the objects waited for; NULL: all
    size_t class_count;
    int64_t from_ns; ///< since the run began
    int64_t to_ns;   ///< since the run began, not included; 0: to the end
    /** For a list (timeline, interactions, context, tiles, resources, their uses,
     * holds): names of the columns that are wanted; NULL: all. Others are null in
     *  every row, and take next to no time or memory. A name that the list does not
     *  have is TM_ENOTFOUND. Other questions answer in full. */
    const char *const *columns;
    size_t column_count;
} tm_selection;

/** A tm_selection with nothing in it but its size. */
#define TM_SELECTION_INIT                                                              \
    {                                                                                  \
        sizeof(tm_selection), NULL, 0, NULL, 0, 0, 0, NULL, 0                          \
    }

TM_END_DECLS

#endif
