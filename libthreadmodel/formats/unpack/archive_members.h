/* SPDX-License-Identifier: Apache-2.0 */
/* Files of an archive, handed on one after the other as one file. */
#ifndef TM_FORMATS_UNPACK_ARCHIVE_MEMBERS_H
#define TM_FORMATS_UNPACK_ARCHIVE_MEMBERS_H

#include <stddef.h>
#include <stdint.h>

typedef struct tm__members {
    int has_before;  ///< bytes of a file before were handed on
    int is_binary;   ///< of the present file, as far as it was seen
    int is_left_out; ///< the present file holds metadata of the archiver
    uint8_t last;    ///< byte that was handed on
} tm__members;

/** A file begins. `name` need not end with a zero. */
void tm__members_begin(tm__members *members, const char *name, size_t length);

/**
 * Some bytes of the present file stand at `to`.
 * @param count  becomes 0 where the file is left out
 */
void tm__members_pass(tm__members *members, const uint8_t *to, size_t *count);

/** @return 1: a line feed ends the last line of the file before, `*to` is that. */
int tm__members_end_line(tm__members *members, uint8_t *to);

#endif
