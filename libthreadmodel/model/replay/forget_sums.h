/* SPDX-License-Identifier: Apache-2.0 */
/* The sums that remain of threads and objects that are forgotten. */
#ifndef TM_MODEL_FORGET_SUMS_H
#define TM_MODEL_FORGET_SUMS_H

#include <threadmodel/model.h>

/** New indexes of entities, TM__NONE of those that are forgotten. */
typedef struct tm__renumbering {
    const uint32_t *threads;
    const uint32_t *objects;
    uint32_t others; ///< the new index of the row that stands for forgotten threads
} tm__renumbering;

/** Make the row of forgotten threads, threads[replay.others], if there is none, and
 * room for what is counted of each. @return TM_OK or TM_ENOMEM */
int tm__others_reserve(tm_model *model);
/** Counts of a thread are added to those of the forgotten ones. */
void tm__others_add(tm_model *model, uint32_t thread);
/** Sums of forgotten threads become those of their row, of forgotten objects those of
 * their class. Threads still lie where they lay, and have none until tm__sums_link().
 */
void tm__sums_renumber(tm_model *model, const tm__renumbering *to);
/** Threads lie where they will be: each gets the list of its sums. */
void tm__sums_link(tm_model *model);
/** Nestings are looked up by other keys. */
void tm__nestings_renumber(tm_model *model);

#endif
