/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Durations, added by group until all are there: then a group's are counted
 * together, in one histogram that stays in the nearest cache.
 */
#ifndef TM_ANALYSIS_STATISTICS_DURATION_LISTS_H
#define TM_ANALYSIS_STATISTICS_DURATION_LISTS_H

#include "base/arena.h"
#include "base/dense_histogram.h"
#include "model/state/model.h"

/** Zero is an empty list. */
typedef struct tm__duration_list {
    struct tm__duration_block *first;
    struct tm__duration_block *last;
    int64_t total_ns; ///< saturates
    uint32_t blocks;  ///< how many there are
    uint32_t left;    ///< words of the last block that are not filled
} tm__duration_list;

/** A duration that has no room in a list's words. */
typedef struct tm__apart {
    int64_t duration_ns;
    const tm__histogram *histogram; ///< many durations in place of that one, or NULL
} tm__apart;

/** The parts of lists. Those that several threads fill are an array of these: each
 * has its own, and what lies apart is found from any list. */
typedef struct tm__duration_lists {
    tm__memory *memory;
    int with_objects; ///< lists tell what the durations were for
    uint32_t part;    ///< place in the array
    uint32_t parts;   ///< how long that is
    tm__arena blocks;
    TM__ARRAY(tm__apart, aparts); ///< numbered part, part + parts, ...
} tm__duration_lists;

/** Counts distinct objects, of one group after another. */
typedef struct tm__distinct {
    uint32_t *marks; ///< an object each: the last group that had it
    uint32_t mark;   ///< this group's, not 0
    uint32_t count;
} tm__distinct;

/** @param object  objects[] or TM__NONE  @return TM_OK or TM_ENOMEM */
int tm__duration_list_add(tm__duration_lists *lists, tm__duration_list *durations,
                          uint32_t object, int64_t duration_ns);

/** @param histogram  lent until the lists are closed */
int tm__duration_list_add_histogram(tm__duration_lists *lists,
                                    tm__duration_list *durations, uint32_t object,
                                    const tm__histogram *histogram);

/**
 * Count a list.
 * @param lists    the whole array
 * @param dense    added to
 * @param objects  counts the objects, of lists that have them
 */
void tm__duration_list_count(const tm__duration_lists *lists,
                             const tm__duration_list *durations,
                             tm__dense_histogram *dense, tm__distinct *objects);

/** Ask for the memory that the next addition touches. */
void tm__duration_list_ask_for_last(const tm__duration_list *durations);
/** Ask for the memory that counting touches first. */
void tm__duration_list_ask_for_first(const tm__duration_list *durations);

void tm__duration_lists_free(tm__duration_lists *lists);

#endif
