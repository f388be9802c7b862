/* SPDX-License-Identifier: Apache-2.0 */
/* From a producer's ids to indexes, which are made on first sight. */
#ifndef TM_MODEL_ENTITIES_H
#define TM_MODEL_ENTITIES_H

#include <threadmodel/model.h>

/* @return TM_OK or TM_ENOMEM */
int tm__model_thread(tm_model *model, uint64_t id, uint32_t *index);
int tm__model_thread_new(tm_model *model, uint32_t *index); /* which no event names */
int tm__model_object(tm_model *model, uint64_t id, uint32_t *index);
int tm__model_class(tm_model *model, uint64_t id, uint32_t *index);
int tm__model_method(tm_model *model, uint64_t id, uint32_t *index);
int tm__model_stack(tm_model *model, uint32_t id, uint32_t *index);

#endif
