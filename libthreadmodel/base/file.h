/* SPDX-License-Identifier: Apache-2.0 */
/* A file that is written from front to end, a block at a time. */
#ifndef TM_BASE_FILE_H
#define TM_BASE_FILE_H

#include <threadmodel/table.h>

#include "base/memory.h"

typedef struct tm__file {
    int descriptor; ///< -1: not open
    char *path;
} tm__file;

/** Make the file, with mode 0600, or empty it. @return TM_OK, TM_ENOMEM, TM_EIO */
int tm__file_open(tm__file *file, tm__memory *memory, const char *path);

/**
 * Make a file that is the owner's alone, in place of one of that name, whose content
 * stays with whoever has it open. It has its name from the beginning, and is locked
 * until it is closed: one that another has locked is refused. No symbolic link is
 * followed but those of /dev and /proc; a file that is not regular is written to as it
 * is.
 * @return TM_OK, TM_ENOMEM, TM_EIO
 */
int tm__file_open_private(tm__file *file, tm__memory *memory, const char *path);

/**
 * Call a write function; where it is not tm__file_write, which sets the text itself,
 * its failure gets a text.
 * @return TM_OK or what it returned
 */
int tm__write(tm_write_fn write, void *payload, const char *bytes, size_t count);

/** A tm_write_fn for a tm__file: all bytes or TM_EIO. */
int tm__file_write(void *file, const char *bytes, size_t count);

/** @return TM_OK or TM_EIO; the file is closed in any case */
int tm__file_close(tm__file *file, tm__memory *memory);

#endif
