/* SPDX-License-Identifier: Apache-2.0 */
/* The entities of a model: see model/entities. */
#ifndef TM_MODEL_ENTITY_STATE_H
#define TM_MODEL_ENTITY_STATE_H

#include <threadmodel/definition.h>

#include "base/map.h"
#include "base/strings.h"
#include "model/state/array.h"

typedef struct tm__entities {
    TM__ARRAY(struct tm__thread, threads);
    TM__ARRAY(struct tm__object, objects);
    struct tm__object_links *links; ///< as many as objects, as are details
    struct tm__object_detail *details;
    uint32_t links_capacity;
    uint32_t details_capacity;
    TM__ARRAY(struct tm__stack, stacks);
    TM__ARRAY(struct tm__frame, frames);
    TM__ARRAY(struct tm__class, classes);
    TM__ARRAY(struct tm__method, methods);
    TM__ARRAY(tm_line, lines);
    TM__ARRAY(tm_monitor_range, monitors);
    tm__strings strings; ///< every name and text of a model, each once
    tm__map thread_map, object_map, class_map, method_map, stack_map;
    uint8_t evictions;             ///< so many so far, modulo 256
    size_t definition_bytes;       ///< that definitions take
    uint64_t definitions_left_out; ///< they took their share of the limit
} tm__entities;

#endif
