/* SPDX-License-Identifier: Apache-2.0 */
/* Packed content of a format that is not read from front to end. */
#ifndef TM_FORMATS_UNPACK_SPOOL_H
#define TM_FORMATS_UNPACK_SPOOL_H

#include <stddef.h>

#include "base/input.h"

/**
 * Turn a stream into a regular file with its content, which is gone when it is closed:
 * one without a name, in the system's folder for temporary files.
 *
 * @param[out] damage  why the stream ended before its end, as far as `bytes` allow;
 *                     empty: it did not
 * @return TM_OK, TM_ENOMEM, TM_EIO (no room on the disk, too), TM_ELIMIT; `input` is as
 *         it was then
 */
int tm__spool(tm__input *input, tm__memory *memory, char *damage, size_t bytes);

#endif
