/* SPDX-License-Identifier: Apache-2.0 */
/* Calls in a class file that are made calls of something else. Knows nothing of a VM.
 */
#ifndef TM_AGENT_VIRTUAL_CLASS_PATCH_H
#define TM_AGENT_VIRTUAL_CLASS_PATCH_H

#include <stddef.h>

/** A method, as a class file names it. */
typedef struct tm__method_name {
    const char *class; ///< "java/lang/Thread"
    const char *name;
    const char *descriptor;
} tm__method_name;

/** Calls of an instance method that are to be calls of a static one, which takes the
 * instance as its first parameter and returns the same. */
typedef struct tm__patch {
    const char *in; ///< name of the methods that call it; NULL: any
    tm__method_name callee;
    tm__method_name ours;
} tm__patch;

/**
 * Write a class with these calls replaced. No instruction moves: an invokestatic is as
 * long as what it stands in for, or is filled up.
 *
 * @param[out] out    room for bytes and tm__patch_bytes()
 * @param[out] found  a number a patch: calls that were replaced
 * @return bytes written; 0 where the class file cannot be read, or nothing is to be
 * replaced
 */
size_t tm__patch_class(unsigned char *out, const unsigned char *class, size_t bytes,
                       const tm__patch *patches, size_t count, unsigned *found);

/** The number of bytes by which a class may grow. */
size_t tm__patch_bytes(const tm__patch *patches, size_t count);

#endif
