/* SPDX-License-Identifier: Apache-2.0 */
/* Locks and all else that threads wait for, by address, and their names. */
#ifndef TM_NATIVE_RECORDER_OBJECT_DEFINITIONS_H
#define TM_NATIVE_RECORDER_OBJECT_DEFINITIONS_H

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

/** Define it if its name was found.
 * @param function  that calls for it, as far as that is known
 * @return whether it is defined */
int tm__object_define(tm__image *image, tm__native_object *object,
                      const char *function);

/** Define those that are not defined yet. @return whether all are */
int tm__objects_define(tm__image *image);

void tm__objects_free(tm__image *image);

#endif
