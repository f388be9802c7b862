/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are loaded, and stacks of addresses in them. */
#ifndef TM_NATIVE_RECORDER_STACK_DEFINITIONS_H
#define TM_NATIVE_RECORDER_STACK_DEFINITIONS_H

#include "recorder/named_definitions.h"

/** A stack by the addresses in it, as long as the same files are loaded. */
typedef struct tm__native_stack tm__native_stack;

/** @return whether a module is news, and whether it lies where another one did */
int tm__module_is_new(const tm__image *image, const tm__module *module);
int tm__module_overlaps(const tm__image *image, const tm__module *module);

/** A file is loaded. @param module  it is the image's from now on */
void tm__module_add(tm__image *image, tm__module *module);

/** A stack of these addresses, whose names are looked up; NULL: there is no memory. */
tm__native_stack *tm__stack_of_frames(tm__image *image, const uint64_t *frames,
                                      size_t count);

/** Define it if its names were found. @return whether it is defined */
int tm__stack_define(tm__image *image, tm__native_stack *stack);

/** @return its number in the trace */
uint32_t tm__stack_id(const tm__native_stack *stack);

/** The function of the innermost frame of a stack that is defined, without its
 * parameters, or its file and offset; "": it is not known, or the routine of a
 * language's runtime, as that of std::thread. */
const char *tm__stack_function(const tm__native_stack *stack);

/** The outermost function of a stack that is defined, but for those of the C library
 * and of a language's runtime, named as above; "": it is not known. */
const char *tm__stack_routine(const tm__native_stack *stack);

/** Define those that are not defined yet. @return whether all are */
int tm__stacks_define(tm__image *image);

/** All stacks, their addresses and the files. */
void tm__stacks_free(tm__definitions *all);

#endif
