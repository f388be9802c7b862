/* SPDX-License-Identifier: Apache-2.0 */
/* A dense array of a model: where it is, how many, and for how many there is room. */
#ifndef TM_MODEL_ARRAY_H
#define TM_MODEL_ARRAY_H

#include <stdint.h>

/** array, count, capacity of one kind of thing */
#define TM__ARRAY(type, name)                                                          \
    type *name;                                                                        \
    uint32_t name##_count;                                                             \
    uint32_t name##_capacity

#endif
