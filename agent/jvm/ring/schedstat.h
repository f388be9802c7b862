/* SPDX-License-Identifier: Apache-2.0 */
/* The counts of the kernel's scheduler for a thread. Independent of a VM. */
#ifndef TM_AGENT_RING_SCHEDSTAT_H
#define TM_AGENT_RING_SCHEDSTAT_H

#include <stdint.h>

/** Counts of a thread, ever. */
typedef struct tm__schedstat {
    int64_t ran_ns;    ///< on processors
    int64_t waited_ns; ///< it could run, and had no processor
} tm__schedstat;

/**
 * Read them: three calls of the kernel, some 4 us.
 * @param os_id  a thread of this process; 0: the calling one
 * @return 0; -1: it has gone, or this kernel does not count
 */
int tm__schedstat_read(tm__schedstat *out, uint64_t os_id);

/** The counts of a thread that reads its own time and again. */
typedef struct tm__schedstat_file {
    int fd; ///< < 0: it is closed, or this kernel does not count
} tm__schedstat_file;

#define TM__SCHEDSTAT_CLOSED                                                           \
    {                                                                                  \
        -1                                                                             \
    }

/** Open those of the calling thread. */
void tm__schedstat_open(tm__schedstat_file *file);

/** The same as tm__schedstat_read(), by one call of the kernel. */
int tm__schedstat_reread(const tm__schedstat_file *file, tm__schedstat *out);

void tm__schedstat_close(tm__schedstat_file *file);

#endif
