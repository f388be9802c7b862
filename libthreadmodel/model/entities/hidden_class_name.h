/* SPDX-License-Identifier: Apache-2.0 */
/* Names of hidden classes that are the same in every run. */
#ifndef TM_MODEL_HIDDEN_CLASS_NAME_H
#define TM_MODEL_HIDDEN_CLASS_NAME_H

#include <stddef.h>

/**
 * The part of a class's name that is the same in every run.
 * @param[out] suffix  to be put behind that; "" of a class that is not hidden
 * @return its bytes
 */
size_t tm__hidden_name(const char *name, const char **suffix);

#endif
