/* SPDX-License-Identifier: Apache-2.0 */
/* One place that bytes of a trace go to, for the files outlet*.c. */
#ifndef TM_AGENT_WRITER_DESTINATION_TARGET_H
#define TM_AGENT_WRITER_DESTINATION_TARGET_H

#include <stdint.h>

#include "vm/options.h"

typedef struct tm__target {
    int file; ///< a descriptor that does not block; -1: none
    int is_regular;
    int is_socket;
    int is_removed;       ///< by another program
    uint64_t whole_bytes; ///< of blocks that it took
    int reported_full;
    char name[TM__PATH_BYTES + 32]; ///< for people
    char failure[TM__PATH_BYTES + 256];
} tm__target;

/** Note what went wrong. @return -1 */
int tm__target_fail(tm__target *target, const char *what);

/** @return 0 or -1 */
int tm__target_close(tm__target *target);

#endif
