/* SPDX-License-Identifier: Apache-2.0 */
/* The names of functions, stacks, goroutines and the objects of waits, and which of
 * them the sink knows. */
#ifndef TM_FORMATS_GO_NAMES_H
#define TM_FORMATS_GO_NAMES_H

#include <threadmodel/sink.h>

#include "base/strings.h"
#include "formats/go/go_generation.h"

typedef struct tm__go_names {
    tm__strings classes;   ///< package and file, or what is waited for
    tm__strings functions; ///< name and file
    tm__strings places;    ///< class, waiting function and line: one object each
    uint32_t classes_defined;
    uint32_t functions_defined;
    uint32_t places_defined;
    uint32_t stack_count;
    int keeps_no_stacks;
} tm__go_names;

void tm__go_names_init(tm__go_names *names, tm__memory *memory);

/**
 * Have the sink know a stack.
 * @param stack    may be NULL
 * @param[out] id  of the stack, 0 where it is NULL or has no frames
 * @return TM_OK, TM_ENOMEM, or what the sink said
 */
int tm__go_define_stack(tm__go_names *names, const tm__go_generation *generation,
                        tm__go_stack *stack, const tm_sink *sink, uint32_t *id);

/** Why a goroutine waits at a stack, in the runtime's words: "chan receive". */
const char *tm__go_reason_of(const tm__go_generation *generation,
                             const tm__go_stack *stack);

/**
 * Have the sink know what a goroutine waits for. The trace names no lock and no
 * channel: what is waited for at one place for one reason is one object.
 * @param reason   the string's number in the generation; 0: see `what`
 * @param what     the reason where the trace has none
 * @param[out] object  its id
 */
int tm__go_define_object(tm__go_names *names, const tm__go_generation *generation,
                         tm__go_stack *stack, uint64_t reason, const char *what,
                         const tm_sink *sink, uint64_t *object);

/**
 * Have the sink know a kind of units of work, by the name of a task or region.
 * @param name         the string's number in the generation
 * @param[out] object  its id
 */
int tm__go_define_unit(tm__go_names *names, const tm__go_generation *generation,
                       uint64_t name, const tm_sink *sink, uint64_t *object);

/** The thread or goroutine that is named, and where in a stack its function stands. */
typedef struct tm__go_name_of {
    uint64_t thread;    ///< as the sink knows it
    uint64_t goroutine; ///< as Go knows it
    uint32_t life;      ///< from 1
    int innermost;      ///< in the stack's innermost frame, else its outermost
} tm__go_name_of;

/**
 * Have the sink know a goroutine, by the function that it runs.
 * @param stack      may be NULL
 * @param[out] is_named  a function is known
 */
int tm__go_define_thread(const tm__go_generation *generation, const tm__go_name_of *of,
                         const tm__go_stack *stack, const tm_sink *sink, int *is_named);

void tm__go_names_free(tm__go_names *names);

#endif
