/* SPDX-License-Identifier: Apache-2.0 */
/* The names of entities in answers. */
#ifndef TM_MODEL_ENTITY_NAMES_H
#define TM_MODEL_ENTITY_NAMES_H

#include <threadmodel/model.h>

#include "base/memory.h"
#include "base/strings.h"
#include "model/entities/methods.h"
#include "model/state/entity_state.h"

/* Names for answers: interned or constant, NULL where not known. */
const char *tm__class_name(const tm__entities *entities, uint32_t class_index);
const char *tm__thread_name(const tm__entities *entities, uint32_t thread);
const char *tm__method_name(const tm__entities *entities, uint32_t method);
/** A class or method without its packages, which lies within `name`. */
const char *tm__short_name(const char *name);
const char *tm__frame_source(const tm__entities *entities, const tm__frame *frame);
/** @return source line; 0: unknown */
int32_t tm__frame_line(const tm__entities *entities, const tm__frame *frame);
/** Its name, or "class@1b2c3d" or "class#17", written to a buffer. */
void tm__object_label(const tm_model *model, uint32_t object, char *buffer,
                      size_t bytes);

/** "mutex": what kind of object it is. */
const char *tm__object_kind(const tm__entities *entities, uint32_t object);

/** "files": many endpoints of a kind, enum tm_object_kind. */
const char *tm__endpoints_of_kind(uint32_t kind);

/** The label of each object that one answer names, made once. */
typedef struct tm__labels {
    tm__memory memory;
    tm__strings strings;
    uint32_t *by_object; ///< strings; TM__NONE: not made yet
    uint32_t count;
    int failed; ///< TM_OK, or TM_ENOMEM: a label could not be made
} tm__labels;

/** @return TM_OK or TM_ENOMEM, and then nothing is to be closed */
int tm__labels_open(tm__labels *labels, const tm_model *model);
/** @return lent until close; NULL for TM__NONE; empty when there is no memory, and
 * then `failed` says so, which whoever finishes the answer asks */
const char *tm__label(tm__labels *labels, const tm_model *model, uint32_t object);
void tm__labels_close(tm__labels *labels);

#endif
