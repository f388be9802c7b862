/* SPDX-License-Identifier: Apache-2.0 */
/* A thread in a text dump to a file, by its lines. */
#ifndef TM_FORMATS_PLAIN_PLAIN_THREAD_H
#define TM_FORMATS_PLAIN_PLAIN_THREAD_H

#include "formats/dump/snapshot.h"

typedef struct tm__plain_header {
    uint64_t id;
    tm__slice name;  ///< as it is: quotes and line feeds are not escaped
    tm__slice state; ///< empty before JDK 25
    int is_virtual;
} tm__plain_header;

/** @return 1: `#21 "name" virtual BLOCKED 2026-11-20T19:12:47.1Z` or the beginning of
 * it that older JDKs write; 0: it is no such line */
int tm__plain_header_read(tm__slice line, tm__plain_header *header);

/** Begin the thread of a first line. @return TM_OK or TM_ENOMEM */
int tm__plain_thread_start(tm__snapshot *thread, const tm__plain_header *header);

/**
 * Take a frame or a lock.
 * @return TM_OK; TM_MORE: it is neither; TM_EDAMAGED: a lock that cannot be read;
 *         TM_ENOMEM
 */
int tm__plain_thread_line(tm__snapshot *thread, tm__slice line);

#endif
