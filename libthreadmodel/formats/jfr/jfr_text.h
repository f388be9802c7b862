/* SPDX-License-Identifier: Apache-2.0 */
/* Strings in a chunk: six encodings; one refers to the pool of strings. */
#ifndef TM_FORMATS_JFR_JFR_TEXT_H
#define TM_FORMATS_JFR_JFR_TEXT_H

#include "base/memory.h"
#include "formats/jfr/cursor.h"

/** Text of any length, as UTF-8 with a zero byte behind it. */
typedef struct tm__jfr_text {
    tm__memory *memory;
    char *bytes;
    size_t length;
    uint32_t capacity;
    uint64_t constant; ///< of what was read: the key in the pool of strings
} tm__jfr_text;

enum tm__jfr_text_kind {
    TM__JFR_TEXT_NULL,     ///< no string; `bytes` is ""
    TM__JFR_TEXT_PLAIN,    ///< in `bytes`
    TM__JFR_TEXT_CONSTANT, ///< `constant` names it; `bytes` is ""
};

void tm__jfr_skip_text(tm__jfr_cursor *cursor);

/**
 * Read a string. Zero characters become U+FFFD: they would end it for C.
 * @return enum tm__jfr_text_kind, or TM_ENOMEM
 */
int tm__jfr_get_text(tm__jfr_cursor *cursor, tm__jfr_text *text);

/** Make the text empty. @return TM_OK or TM_ENOMEM */
int tm__jfr_text_start(tm__jfr_text *text);

/** Add some text behind what is there. @return TM_OK or TM_ENOMEM */
int tm__jfr_text_add(tm__jfr_text *text, const char *bytes, size_t count);

void tm__jfr_text_free(tm__jfr_text *text);

#endif
