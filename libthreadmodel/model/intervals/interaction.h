/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that ended the blocks of others. */
#ifndef TM_MODEL_INTERACTION_H
#define TM_MODEL_INTERACTION_H

#include <threadmodel/interaction.h>

#include "model/entities/fact.h"
#include "model/state/model.h"

/** An action of a from-thread, and its effect on one to-thread; 64 bytes. */
typedef struct tm__interaction {
    int64_t from_ns; ///< INT64_MIN: not seen
    int64_t to_ns;   ///< INT64_MIN: not (yet) taken up
    uint32_t from_thread;
    uint32_t to_thread;
    uint32_t object;
    uint32_t from_stack;
    uint32_t to_stack;
    uint32_t
        to_interval; ///< of to_thread, by number: the blocking interval that it ended
    uint32_t group;  ///< number shared by the rows of one act, or TM__NONE
    uint32_t candidates;
    uint8_t kind;       ///< enum tm_interaction_kind
    uint8_t provenance; ///< enum tm_provenance of "from woke to"
    uint8_t effect;     ///< enum tm__effect
    uint8_t settles;    ///< becomes exact when the waiter comes back notified
    uint8_t doubted;    ///< others may have been in the wait set, see tm__object.doubt
    uint8_t may_wait;   ///< its to-thread may still be in the wait set
    uint8_t is_sampled; ///< from_stack is that of another act of its kind
    uint8_t reserved[1];
} tm__interaction;

_Static_assert(sizeof(tm__interaction) <= 64, "an interaction is 64 bytes at most");

enum tm__effect {
    TM__EFFECT_PENDING = 0, ///< nothing came of it yet
    TM__EFFECT_WOKE = 1,
    TM__EFFECT_USELESS = 2, ///< there was nobody to wake
    TM__EFFECT_PERMIT = 3,  ///< an unpark or interrupt that a later park or wait took
    TM__EFFECT_VOID = 4     ///< was not so after all: not listed
};

/** A row of the interactions by its number, which no eviction has dropped. */
static inline tm__interaction *tm__row(const tm_model *model, uint32_t number)
{
    return &model->intervals.interactions[number - model->intervals.interactions_first];
}

/** Room for `more` interactions. @return TM_OK or TM_ENOMEM */
static inline int tm__interaction_reserve(tm_model *model, size_t more)
{
    return tm__reserve(&model->memory, &model->intervals.interactions,
                       &model->intervals.interactions_capacity,
                       model->intervals.interactions_count + more,
                       sizeof(tm__interaction));
}
/** A new row from a fact's thread, its to-side empty. @return its index */
uint32_t tm__interaction_new(tm_model *model, int kind, const tm__fact *from);
/** A row of the same act for one more thread: itself where it has none yet, or else a
 * copy in its group, for which there is room. */
uint32_t tm__interaction_again(tm_model *model, uint32_t interaction);
/** Fill the to-side: the thread goes on now, its present blocking interval is over. */
void tm__interaction_woke(tm_model *model, uint32_t interaction, uint32_t thread,
                          const tm__fact *to);
/** A row whose from-side was not seen. @param from  threads[] or TM__NONE */
uint32_t tm__interaction_unseen(tm_model *model, int kind, uint32_t from,
                                int provenance, const tm__fact *to);

#endif
