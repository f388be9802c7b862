/* SPDX-License-Identifier: Apache-2.0 */
/* The definition callbacks of a model's sink; payload is the model. */
#ifndef TM_MODEL_DEFINE_ENTITIES_H
#define TM_MODEL_DEFINE_ENTITIES_H

#include <threadmodel/definition.h>

int tm__define_class(void *payload, const tm_class *definition);
int tm__define_method(void *payload, const tm_method *definition);
int tm__define_stack(void *payload, const tm_stack *definition);
int tm__define_thread(void *payload, const tm_thread *definition);
int tm__define_object(void *payload, const tm_object *definition);

#endif
