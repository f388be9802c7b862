/* SPDX-License-Identifier: Apache-2.0 */
/* The tables that definitions of methods bring, appended to those of all methods. */
#ifndef TM_MODEL_METHOD_TABLES_H
#define TM_MODEL_METHOD_TABLES_H

#include "model/entities/methods.h"
#include "model/state/model.h"

/** @return TM_OK; TM_ENOMEM: the method is as it was */
int tm__keep_lines(tm_model *model, tm__method *method, const tm_method *definition);
int tm__keep_monitors(tm_model *model, tm__method *method, const tm_method *definition);

#endif
