/* SPDX-License-Identifier: Apache-2.0 */
/* A chunk's classes, methods and stacks as ids that hold across chunks. */
#ifndef TM_FORMATS_JFR_CODE_H
#define TM_FORMATS_JFR_CODE_H

#include "formats/jfr/jfr_entities.h"

int tm__jfr_class_id(tm__jfr_entities *entities, uint64_t key, uint32_t *id);
int tm__jfr_stack_id(tm__jfr_entities *entities, uint64_t key, uint32_t *id);

/** Why a monitor was inflated, by the key of the cause. @return enum tm_inflation, or
 * TM_ENOMEM */
int tm__jfr_inflation(tm__jfr_entities *entities, uint64_t key);

/** Whether a sampled thread ran, by the key of its state; one that is not known did.
 * @return 1, 0 or TM_ENOMEM */
int tm__jfr_state_runs(tm__jfr_entities *entities, uint64_t key);

/** The id of a method. @return TM_OK or TM_ENOMEM */
int tm__jfr_method_intern(tm__jfr_entities *entities, tm__jfr_method method,
                          uint32_t *id);

/** Put a frame of a stack that is to be interned. @return TM_OK or TM_ENOMEM */
int tm__jfr_frame_put(tm__jfr_entities *entities, uint32_t number, tm_frame frame);

/** The id of the stack of the frames that were put. @return TM_OK or TM_ENOMEM */
int tm__jfr_stack_intern(tm__jfr_entities *entities, uint32_t count, uint64_t truncated,
                         uint32_t *id);

/** The id of the class of a name. @return TM_OK or TM_ENOMEM */
int tm__jfr_class_intern(tm__jfr_entities *entities, uint32_t name, uint32_t *id);

/**
 * Read a string into entities->text, through the pool.
 * @return enum tm__jfr_text_kind, or TM_ENOMEM
 */
int tm__jfr_entity_read(tm__jfr_entities *entities, uint64_t offset);

/** Read a string where a cursor stands, through the pool. @return TM_OK, TM_ENOMEM */
int tm__jfr_entity_text(tm__jfr_entities *entities, uint64_t offset, uint32_t *text);

/** @return enum tm__jfr_stack_sight of a stack */
uint32_t tm__jfr_stack_sight(const tm__jfr_entities *entities, uint32_t id);

/** Read a text of an event that may have none, at offset 0.
 * @param[out] text  texts, or TM__NONE
 * @return TM_OK or TM_ENOMEM */
int tm__jfr_optional_text(tm__jfr_entities *entities, uint64_t offset, uint32_t *text);

#endif
