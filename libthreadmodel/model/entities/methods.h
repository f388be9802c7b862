/* SPDX-License-Identifier: Apache-2.0 */
/* Classes, methods, the frames that name them, and stacks of frames. */
#ifndef TM_MODEL_METHODS_H
#define TM_MODEL_METHODS_H

#include "base/map.h"

typedef struct tm__class {
    uint64_t id;
    uint32_t name;       ///< strings
    uint32_t source;     ///< strings
    uint32_t name_waits; ///< methods[] to be named when it is, or TM__NONE
    uint32_t flags;      ///< enum tm_class_flag
    uint32_t build_id;   ///< strings; TM__NONE: none
} tm__class;

typedef struct tm__method {
    uint64_t id;
    uint32_t class_index; ///< classes[]
    uint32_t name;        ///< strings
    uint32_t full_name;   ///< strings: package.Class.method
    uint32_t line_first;  ///< lines[]
    uint32_t line_count;
    uint32_t monitor_first; ///< monitors[]
    uint32_t monitor_count; ///< and 1; 0: not known
    uint32_t next;          ///< in its class's name_waits; itself: in none
    uint32_t previous;
    uint16_t role;  ///< what it does: see method_roles.h
    uint16_t flags; ///< enum tm_method_flag
} tm__method;

typedef struct tm__frame {
    uint32_t method; ///< methods[]
    int32_t line;    ///< 0: unknown or not yet looked up
    int64_t location;
} tm__frame;

typedef struct tm__stack {
    uint32_t id;
    uint32_t frame_first; ///< frames[]
    uint32_t frame_count;
    uint32_t flags;
    uint32_t defined;
    uint64_t samples; ///< CPU samples seen at it
} tm__stack;

/** A class in place of an object where either may be the key. */
static inline uint32_t tm__class_key(uint32_t class_index)
{
    return class_index == TM__NONE ? TM__NONE : TM__NONE - 1 - class_index;
}

#endif
