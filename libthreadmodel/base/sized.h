/* SPDX-License-Identifier: Apache-2.0 */
/* Structs that callers fill and that may grow: their first field is their size. */
#ifndef TM_BASE_SIZED_H
#define TM_BASE_SIZED_H

#include <stddef.h>

/**
 * Copy a caller's struct, which an older or a newer release may have laid out: fields
 * that it does not have are 0, fields that this release does not know must be 0.
 *
 * @param[out] out  the struct as this release knows it, its size set
 * @param known     sizeof *out
 * @param least     the size that has the first field behind the size
 * @param name      of the type, for the error text
 * @param given     begins with its size; NULL: all fields are 0
 * @return TM_OK, or TM_EINVAL: the size is too small or too large for any release, or
 *         an unknown field is not 0
 */
int tm__sized_read(void *out, size_t known, size_t least, const char *name,
                   const void *given);

/** The same, for a type and the name of the first field behind its size. */
#define TM__READ(out, given, type, first)                                              \
    tm__sized_read(out, sizeof(type), offsetof(type, first) + sizeof((out)->first),    \
                   #type, given)

#endif
