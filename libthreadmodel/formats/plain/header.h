/* SPDX-License-Identifier: Apache-2.0 */
/* The first line of a thread in a text dump to a file. */
#ifndef TM_FORMATS_PLAIN_HEADER_H
#define TM_FORMATS_PLAIN_HEADER_H

#include "formats/dump/frame.h"

typedef struct tm__plain_header {
    uint64_t id;
    tm__slice name;  ///< as it is: quotes and line feeds are not escaped
    tm__slice state; ///< empty before JDK 25
    int is_virtual;
} tm__plain_header;

/** @return 1: `#21 "name" virtual BLOCKED 2026-11-20T19:12:47.1Z` or the beginning of
 * it that older JDKs write; 0: it is no such line */
int tm__plain_header_read(tm__slice line, tm__plain_header *header);

#endif
