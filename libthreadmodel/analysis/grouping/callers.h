/* SPDX-License-Identifier: Apache-2.0 */
/* The caller that asked for it: its method and line, the same for all its stacks. */
#ifndef TM_ANALYSIS_GROUPING_CALLERS_H
#define TM_ANALYSIS_GROUPING_CALLERS_H

#include "base/triple_map.h"
#include "model/entities/caller_frame.h"
#include "model/state/model.h"
#include "table/builder.h"

/** The same method and line on two stacks is one place. */
typedef struct tm__caller {
    uint32_t method;    ///< strings: package.Class.method
    uint32_t source;    ///< strings
    uint32_t line;      ///< 0: unknown
    uint8_t is_idle;    ///< a thread is there when it waits for work
    uint8_t is_library; ///< it is a method of the JDK
} tm__caller;

typedef struct tm__callers {
    const tm_model *model;
    tm__memory *memory;
    tm__triple_map by_place; ///< (method, source, line): place + 1
    uint32_t *by_stack;      ///< items[] of each stack, or TM__NONE
    uint32_t parts;          ///< TM__CALLER_METHOD, TM__CALLER_LINE
    uint32_t stack_count;
    TM__ARRAY(tm__caller, items);
} tm__callers;

/** The keys that distinguish places. */
enum { TM__CALLER_METHOD = 1, TM__CALLER_LINE = 2 };

/**
 * Find the place of every stack of a model.
 * @param places     to be closed, whatever is returned
 * @param memory     lent until close
 * @param libraries  NULL: the default ones
 * @return TM_OK or TM_ENOMEM
 */
int tm__callers_open(tm__callers *places, const tm_model *model, tm__memory *memory,
                     const tm__libraries *libraries);

/** The same where places differ in parts of what is known of them only. */
int tm__callers_open_by(tm__callers *places, const tm_model *model, tm__memory *memory,
                        const tm__libraries *libraries, uint32_t parts);

/** @return items[] of a stack, which may be TM__NONE, or TM__NONE */
static inline uint32_t tm__caller_of(const tm__callers *places, uint32_t stack)
{
    return stack == TM__NONE || !places->by_stack ? TM__NONE : places->by_stack[stack];
}

/** Whether a place, which may be TM__NONE, is where threads wait for work. */
static inline int tm__caller_is_idle(const tm__callers *places, uint32_t place)
{
    return place != TM__NONE && places->items[place].is_idle;
}

/** Whether a place, which may be TM__NONE, lies in the JDK, or is where a worker is
 * idle: nobody can act on that. */
static inline int tm__caller_is_library(const tm__callers *places, uint32_t place)
{
    return place != TM__NONE &&
           (places->items[place].is_library || places->items[place].is_idle);
}

/** By method, then line; TM__NONE goes last. @return as strcmp */
int tm__caller_compare(const tm__callers *places, uint32_t left, uint32_t right);

/** Put the column method. */
void tm__put_caller_method(tm__builder *builder, const tm__callers *places,
                           uint32_t place);
/** Put the columns source and line. */
void tm__put_caller_line(tm__builder *builder, const tm__callers *places,
                         uint32_t place);
/** Put the columns method, source and line. */
void tm__put_caller(tm__builder *builder, const tm__callers *places, uint32_t place);

void tm__callers_close(tm__callers *places);

#endif
