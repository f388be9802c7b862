/* SPDX-License-Identifier: Apache-2.0 */
/* A program may name any path as a file of its code: a pipe, a device. */
#ifndef TM_NATIVE_NAMES_REGULAR_FILE_H
#define TM_NATIVE_NAMES_REGULAR_FILE_H

/** Open a regular file to read it. @return a descriptor; -1: it does not exist, or is
 * of another kind */
int tm__regular_file_open(const char *path);

#endif
