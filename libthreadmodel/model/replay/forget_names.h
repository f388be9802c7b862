/* SPDX-License-Identifier: Apache-2.0 */
/* Names of what was forgotten. */
#ifndef TM_MODEL_FORGET_NAMES_H
#define TM_MODEL_FORGET_NAMES_H

#include <threadmodel/model.h>

/** Free the names that nothing has any more; without memory for it they stay. */
void tm__names_sweep(tm_model *model);

#endif
