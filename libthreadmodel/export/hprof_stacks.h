/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stacks of an HPROF file and how often each was sampled. A stack is written when
 * something is first seen at it, with the frames that no stack before it had.
 */
#ifndef TM_EXPORT_HPROF_STACKS_H
#define TM_EXPORT_HPROF_STACKS_H

#include <threadmodel/definition.h>

#include "base/map.h"
#include "base/memory.h"
#include "export/hprof_record.h"

/** Serial number of the stack of everything whose stack is not known. */
enum { TM__HPROF_EMPTY_STACK = 1 };

typedef struct tm__hprof_method {
    uint32_t class_serial;
    uint64_t name, signature, source; ///< ids of strings
    uint32_t first_line, line_count;  ///< in line_list[]
} tm__hprof_method;

typedef struct tm__hprof_stack {
    uint32_t first, count; ///< in frame_list[]
} tm__hprof_stack;

/** A stack, of one thread where threads are distinguished, and its samples. */
typedef struct tm__hprof_site {
    uint32_t serial;
    uint64_t samples;
} tm__hprof_site;

typedef struct tm__hprof_stacks {
    tm__hprof_output *records;
    tm__memory *memory;
    int without_lines, by_thread;
    uint32_t last_serial;
    tm__map methods; ///< to method_list[]
    tm__map stacks;  ///< to stack_list[]
    tm__map frames;  ///< method and line to the low half of the frame's id
    tm__map sites;   ///< stack and thread to site_list[]
    tm__hprof_method *method_list;
    tm_line *line_list;
    tm__hprof_stack *stack_list;
    tm_frame *frame_list;
    tm__hprof_site *site_list;
    uint32_t method_count, method_capacity, line_count, line_capacity;
    uint32_t stack_count, stack_capacity, frame_count, frame_capacity;
    uint32_t site_count, site_capacity;
    uint64_t sample_total;
} tm__hprof_stacks;

void tm__hprof_stacks_init(tm__hprof_stacks *stacks, tm__hprof_output *records,
                           tm__memory *memory, int without_lines, int by_thread);

/** A method that is not known yet. @param names  ids of what it is called */
int tm__hprof_stacks_add_method(tm__hprof_stacks *stacks, const tm_method *definition,
                                const tm__hprof_method *names);

/** A stack; one that is known already is passed over. */
int tm__hprof_stacks_add(tm__hprof_stacks *stacks, const tm_stack *definition);

/** Write the stack of everything whose stack is not known. */
int tm__hprof_put_empty_stack(tm__hprof_stacks *stacks);

/** A thread was seen at a stack: write the stack if it is the first time.
 * @param thread     its serial number
 * @param is_sample  count it */
int tm__hprof_stacks_see(tm__hprof_stacks *stacks, uint32_t stack, uint32_t thread,
                         int is_sample);

/** Write the samples of each stack that has at least this share of them. */
int tm__hprof_put_samples(tm__hprof_stacks *stacks, double cutoff);

void tm__hprof_stacks_free(tm__hprof_stacks *stacks);

#endif
