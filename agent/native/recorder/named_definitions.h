/* SPDX-License-Identifier: Apache-2.0 */
/* The definitions of an image so far, and its classes and methods, once each by name.
 */
#ifndef TM_NATIVE_RECORDER_NAMED_DEFINITIONS_H
#define TM_NATIVE_RECORDER_NAMED_DEFINITIONS_H

#include <uthash.h>

#include "recorder/image_state.h"

/** A class, a method of one, or an object, by its text. */
typedef struct tm__named {
    uint64_t id;
    UT_hash_handle hh;
    char text[];
} tm__named;

typedef struct tm__definitions {
    tm__named *classes, *methods, *objects;
    struct tm__known_code *code, *gone_code; ///< gone: another file lies there by now
    struct tm__native_stack *stacks, *gone_stacks;
    tm__module *modules;
    uint64_t next_class, next_method, next_object;
    uint32_t next_stack;
} tm__definitions;

/** Those of an image, made where it has none; NULL: there is no memory. */
tm__definitions *tm__definitions_of(tm__image *image);

/** @return the entry of a text, NULL: there is no memory; *is_new: it was added,
 * without an id */
tm__named *tm__named_find(tm__named **all, const char *text, int *is_new);

/** @param source, build_id  "": unknown
 * @return its number in the trace, 0: there is no memory */
uint64_t tm__class_define(tm__image *image, const char *name, const char *source,
                          const char *build_id);

/** @return its number in the trace, 0: there is no memory */
uint64_t tm__method_define(tm__image *image, uint64_t class_id, const char *name);

#endif
