/* SPDX-License-Identifier: Apache-2.0 */
/* The caller among the frames of a stack. */
#ifndef TM_MODEL_CALLER_FRAME_H
#define TM_MODEL_CALLER_FRAME_H

#include <threadmodel/model.h>

#include "base/memory.h"
#include "roles/method_roles.h"

/** @return frames[] index of the caller of a stack, TM__NONE where unknown */
uint32_t tm__stack_caller(const tm_model *model, uint32_t stack);

/** Whether a thread that is blocked where this is the caller, frames[] or TM__NONE,
 * waits for work; and whether that is a method of a library. */
int tm__frame_is_idle(const tm_model *model, uint32_t frame);
int tm__frame_is_library(const tm_model *model, uint32_t frame);

/** Whether a frame, frames[] or TM__NONE, is of a method: package.Class.method. */
int tm__frame_is_of(const tm_model *model, uint32_t frame, const char *method);

/**
 * The callers of all stacks, for questions that touch many intervals.
 * @return frames[] index or TM__NONE a stack, model->entities.stacks_count + 1 of them,
 * for tm__free(memory, ...); NULL when there is no memory
 */
uint32_t *tm__stack_callers(const tm_model *model, tm__memory *memory,
                            const tm__libraries *libraries);

/**
 * Those of the usual libraries, kept by the model.
 * @return lent until the next event or definition; NULL: there is no memory
 */
const uint32_t *tm__usual_callers(const tm_model *model);

/** Whether callers are those of the usual libraries.
 * @return 1, 0, or TM_ENOMEM */
int tm__are_usual_callers(const tm_model *model, const uint32_t *callers);

#endif
