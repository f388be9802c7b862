/* SPDX-License-Identifier: Apache-2.0 */
/* A run without an end in bounded memory. */
#ifndef TM_MODEL_EVICT_H
#define TM_MODEL_EVICT_H

#include <threadmodel/model.h>

/** Evict old intervals into sums until the memory limit is kept, if it can be. */
void tm__evict_old(tm_model *model);

#endif
