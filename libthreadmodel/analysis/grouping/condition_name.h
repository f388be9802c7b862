/* SPDX-License-Identifier: Apache-2.0 */
/* What a condition of the JDK belongs to, for texts: a person looks for the queue. */
#ifndef TM_ANALYSIS_GROUPING_CONDITION_NAME_H
#define TM_ANALYSIS_GROUPING_CONDITION_NAME_H

#include "model/state/model.h"

/**
 * The class whose methods await a condition: java.util.concurrent.ArrayBlockingQueue
 * where app.Pool.borrow takes from one.
 * @param class_name  of the object waited for; may be NULL
 * @param method      that waits for it, with its class; may be NULL
 * @return lent by the model; class_name where that is not a condition, where no stack
 *         shows who awaits it, or where several classes do
 */
const char *tm__condition_class(const tm_model *model, const char *class_name,
                                const char *method);

#endif
