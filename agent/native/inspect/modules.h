/* SPDX-License-Identifier: Apache-2.0 */
/* The files whose code a process has in memory. */
#ifndef TM_NATIVE_INSPECT_MODULES_H
#define TM_NATIVE_INSPECT_MODULES_H

#include <stdint.h>

struct tm__target;

enum tm__libc { TM__LIBC_UNKNOWN, TM__LIBC_GLIBC, TM__LIBC_MUSL };

typedef struct tm__mapped {
    uint64_t begin, end; ///< of all its parts
    uint64_t bias;       ///< of its addresses
    char path[4096];     ///< as the process has it
} tm__mapped;

/** Read which files there are, and have their symbols ready. */
void tm__modules_read(struct tm__target *target);

#endif
