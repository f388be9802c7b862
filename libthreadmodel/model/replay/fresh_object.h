/* SPDX-License-Identifier: Apache-2.0 */
/* Objects after a loss of events. */
#ifndef TM_MODEL_FRESH_OBJECT_H
#define TM_MODEL_FRESH_OBJECT_H

#include "model/entities/object.h"
#include "model/state/model.h"

/** Forget what a loss marker made doubtful of an object. */
void tm__object_refresh(tm_model *model, uint32_t object);

/** An object after that. */
static inline tm__object *tm__object_fresh(tm_model *model, uint32_t object)
{
    if (model->entities.objects[object].losses != model->intervals.losses)
        tm__object_refresh(model, object);
    return &model->entities.objects[object];
}

#endif
