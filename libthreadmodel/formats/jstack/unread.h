/* SPDX-License-Identifier: Apache-2.0 */
/* Texts about threads that are not read, for an error that says what to take instead.
 */
#ifndef TM_FORMATS_JSTACK_UNREAD_H
#define TM_FORMATS_JSTACK_UNREAD_H

#include "formats/dump/frame_text.h"

typedef struct tm__unread {
    uint64_t mentions; ///< lines that mention a dump
    const char *known; ///< what the text is; NULL: unknown
    uint64_t known_at; ///< the byte that shows it
    int has_end;       ///< a line that ends a dump stood where none had begun
} tm__unread;

/** Look at a line in which no dump begins. */
void tm__unread_look(tm__unread *unread, tm__slice line, uint64_t offset);

/** @return what there was, as the end of a sentence; "": nothing */
const char *tm__unread_hint(const tm__unread *unread, char *to, size_t bytes);

#endif
