/* SPDX-License-Identifier: Apache-2.0 */
/* Facts that the data cannot show, as answers state them. */
#ifndef TM_MODEL_CAVEATS_H
#define TM_MODEL_CAVEATS_H

#include <threadmodel/model.h>

#include "table/builder.h"

/** Add every sentence on what the data cannot show that answers must carry. */
void tm__model_put_caveats(const tm_model *model, tm__builder *builder);

#endif
