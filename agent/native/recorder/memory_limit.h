/* SPDX-License-Identifier: Apache-2.0 */
/* How much memory the group of processes may use that the recorder runs in. */
#ifndef TM_NATIVE_RECORDER_MEMORY_LIMIT_H
#define TM_NATIVE_RECORDER_MEMORY_LIMIT_H

#include <stdint.h>

/**
 * The least limit of the control groups that the process is in, of either version, and
 * of those above them.
 *
 * @param groups  "/proc/self/cgroup"
 * @param mount   "/sys/fs/cgroup"
 * @return bytes; UINT64_MAX: none is known
 */
uint64_t tm__memory_limit(const char *groups, const char *mount);

#endif
