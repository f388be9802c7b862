/* SPDX-License-Identifier: Apache-2.0 */
/* What the addresses and numbers of a program stand for, defined once each. */
#ifndef TM_NATIVE_RECORDER_DEFINITIONS_H
#define TM_NATIVE_RECORDER_DEFINITIONS_H

#include <uthash.h>

#include "endpoint/endpoint.h"
#include "recorder/image_state.h"

/** A thread that came to a barrier last lets the others go on. */
struct tm__native_object {
    struct {
        uint64_t address;
        uint32_t kind;
        uint32_t generation; ///< which of those that lay there one after the other
    } key;
    uint64_t id;
    uint64_t owner;  ///< thread that owns it alone, 0: none or several
    int is_left;     ///< that thread has ended without a release
    uint64_t last;   ///< thread that came last to the barrier
    uint64_t poster; ///< that came last in the cycle before
    uint64_t cycle;
    int is_life_seen; ///< of a lock: when it began, and so when it ends
    uint32_t latest;  ///< of the first at an address: generation of the last so far
    struct tm__lookup *lookup; ///< of its name; NULL: it is defined
    char *endpoint;            ///< name of an endpoint until that is defined; else NULL
    int is_defined;            ///< of an endpoint
    UT_hash_handle hh;
};

/** A stack by the addresses in it, as long as the same files are loaded. */
typedef struct tm__native_stack tm__native_stack;

/** A thread by its pthread_t, which another may have after it. */
typedef struct tm__handle {
    uint64_t handle;
    uint64_t thread;
    UT_hash_handle hh;
} tm__handle;

void tm__thread_set_handle(tm__image *image, uint64_t handle, uint64_t thread);

/** @return the thread that has a handle now; 0: none is known */
uint64_t tm__thread_by_handle(const tm__image *image, uint64_t handle);

/** The object at an address, whose name is looked up; NULL: there is no memory.
 * @param generation  of a lock: how many lay there before it, as the program counts */
tm__native_object *tm__object_at(tm__image *image, uint64_t address, uint32_t kind,
                                 uint32_t generation);

/** The last of those that lay there, as far as is known. */
tm__native_object *tm__object_last_at(tm__image *image, uint64_t address,
                                      uint32_t kind);

/** An endpoint is known, with the text that its name is made of. */
void tm__endpoint_learn(tm__image *image, const tm__endpoint *endpoint,
                        const char *text);

/** Define it if its name was found. @return whether it is defined */
int tm__object_define(tm__image *image, tm__native_object *object);

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

/** Define all that is not defined yet. @return whether all is */
int tm__definitions_complete(tm__image *image);

void tm__thread_define(tm__image *image, uint64_t thread, uint32_t os_id,
                       const char *name);
/** Define a thread of the process that forked this one. */
void tm__thread_define_not_forked(tm__image *image, uint64_t thread, uint32_t os_id,
                                  const char *name);

void tm__definitions_free(tm__image *image);

#endif
