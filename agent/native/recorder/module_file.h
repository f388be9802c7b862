/* SPDX-License-Identifier: Apache-2.0 */
/* Where the file of a module is, and how much of the program's memory it has. */
#ifndef TM_NATIVE_RECORDER_MODULE_FILE_H
#define TM_NATIVE_RECORDER_MODULE_FILE_H

#include <stddef.h>
#include <stdint.h>

/**
 * The absolute path of what the loader loaded by a relative one, as dlopen("./it.so")
 * and LD_LIBRARY_PATH=. do.
 * @param bias  where it lies in the process
 * @return 0: nobody knows
 */
int tm__module_path(uint32_t pid, const char *relative, uint64_t bias, char *path,
                    size_t room);

/** The addresses that a file wants, without the bias. @return 0: not a program */
int tm__module_extent(const char *path, uint64_t *begin, uint64_t *end);

#endif
