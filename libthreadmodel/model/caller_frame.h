/* SPDX-License-Identifier: Apache-2.0 */
/* Which frame of a stack is the caller. */
#ifndef TM_MODEL_CALLER_FRAME_H
#define TM_MODEL_CALLER_FRAME_H

#include <threadmodel/model.h>

#include "base/memory.h"

/** Which class names count as library; see tm_statistics_options. */
typedef struct tm__libraries {
    const char *const *prefixes; ///< NULL: the default ones
    size_t count;
} tm__libraries;

/** What a method is, in bits. */
enum tm__role {
    TM__ROLE_LIBRARY = 1,
    TM__ROLE_PRIMITIVE = 2, ///< a thread goes there to be blocked
    TM__ROLE_IDLES = 4,     ///< waits for work
    TM__ROLE_LOOPS = 8,     ///< waits for work and does it
    TM__ROLE_LOCKS = 16,
    TM__ROLE_NAMELESS = 32, ///< its class or its name is not known
};

/**
 * @param name       package.Class.method
 * @param libraries  NULL: the default ones
 * @return enum tm__role
 */
uint8_t tm__role(const char *class_name, const char *name,
                 const tm__libraries *libraries);

/** Whether a class or method, package.Class.method, is one of the default libraries. */
int tm__is_library(const char *name);

/** Whether a caller's method (as above) is where a thread waits for work. */
int tm__is_idle(const char *method);

/** @return frames[] index of the caller of a stack, TM__NONE where unknown */
uint32_t tm__stack_caller(const tm_model *model, uint32_t stack);

/**
 * The callers of all stacks, for questions that touch many intervals.
 * @return frames[] index or TM__NONE a stack, model->stacks_count + 1 of them, for
 *         tm__free(memory, ...); NULL when there is no memory
 */
uint32_t *tm__stack_callers(const tm_model *model, tm__memory *memory,
                            const tm__libraries *libraries);

#endif
