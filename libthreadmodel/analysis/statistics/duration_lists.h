/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Durations, piled up by group until all are there: then a group's are counted
 * together, in one histogram that stays in the nearest cache.
 */
#ifndef TM_ANALYSIS_STATISTICS_PILES_H
#define TM_ANALYSIS_STATISTICS_PILES_H

#include "base/arena.h"
#include "base/dense_histogram.h"
#include "model/model.h"

/** Zero is an empty pile. */
typedef struct tm__pile {
    struct tm__pile_block *first;
    struct tm__pile_block *last;
    int64_t total_ns; ///< saturates
    uint32_t blocks;  ///< how many there are
    uint32_t left;    ///< words of the last block that are not filled
} tm__pile;

/** What has no room in a pile's words. */
typedef struct tm__apart {
    int64_t duration_ns;
    const tm__histogram *folded; ///< many durations in place of that one, or NULL
} tm__apart;

/** What piles are made of. */
typedef struct tm__piles {
    tm__memory *memory;
    int with_objects; ///< piles tell what the durations were for
    tm__arena blocks;
    TM__ARRAY(tm__apart, aparts);
} tm__piles;

/** Counts distinct objects, of one group after another. */
typedef struct tm__distinct {
    uint32_t *marks; ///< an object each: the last group that had it
    uint32_t mark;   ///< this group's, not 0
    uint32_t count;
} tm__distinct;

/** @param object  objects[] or TM__NONE  @return TM_OK or TM_ENOMEM */
int tm__pile_add(tm__piles *piles, tm__pile *pile, uint32_t object,
                 int64_t duration_ns);

/** @param folded  lent until the piles are closed */
int tm__pile_add_fold(tm__piles *piles, tm__pile *pile, uint32_t object,
                      const tm__histogram *folded);

/**
 * Count a pile.
 * @param spread   added to
 * @param objects  counts the objects, of piles that tell them
 */
void tm__pile_count(const tm__piles *piles, const tm__pile *pile, tm__spread *spread,
                    tm__distinct *objects);

/** Ask for the memory that the next addition touches. */
void tm__pile_ask_for_last(const tm__pile *pile);
/** Ask for the memory that counting touches first. */
void tm__pile_ask_for_first(const tm__pile *pile);

void tm__piles_free(tm__piles *piles);

#endif
