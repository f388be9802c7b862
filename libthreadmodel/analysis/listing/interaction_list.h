/* SPDX-License-Identifier: Apache-2.0 */
/* The effect of an interaction. */
#ifndef TM_MODEL_INTERACTION_LIST_H
#define TM_MODEL_INTERACTION_LIST_H

#include <threadmodel/model.h>

/** Whether a useless notify, by its number, is one after which somebody waits without
 * end: it was lost. */
int tm__notify_is_lost(const tm_model *model, uint32_t interaction);

#endif
