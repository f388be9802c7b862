/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines of a text as its writer wrote them, without what was put around them on the
 * way: a prefix on each line, colours, JSON, HTML.
 *
 *     while ((rc = tm__text_next(&text)) == TM_MORE)
 *         ... text.line ...              a prefix is learned with tm__text_learn()
 */
#ifndef TM_FORMATS_TEXT_TEXT_H
#define TM_FORMATS_TEXT_TEXT_H

#include "base/input.h"
#include "formats/text/escape.h"
#include "formats/text/prefix.h"

enum { TM__AROUND_BYTES = 256 };

typedef struct tm__text {
    tm__memory *memory;
    tm__input *input;
    uint64_t offset; ///< of what comes next

    tm__slice line;   ///< lent until the next; without white space at its end
    uint64_t start;   ///< where it stands in the file
    int is_stripped;  ///< a prefix was taken off it
    size_t stripped;  ///< how much, where that stands right before the line
    tm__slice around; ///< the end of that

    tm__prefix prefix;
    int is_escaped; ///< behind the prefix is a string of JSON
    int is_record;  ///< its lines are fields of CSV, some of them in quotes
    tm__quoting quoting;
    char key[64];  ///< what stands before a string, from its key on; "": not known
    int is_html;   ///< it has entities
    int in_string; ///< the string goes on
    int has_lines; ///< of this string there was one
    char *buffer;  ///< of the line, where it is not as it stands in the file
    uint32_t capacity;
    char around_bytes[TM__AROUND_BYTES];
} tm__text;

void tm__text_init(tm__text *text, tm__memory *memory, tm__input *input);

/** @return TM_MORE: there is a line; TM_OK: the text is over; TM_ENOMEM, TM_EIO, and
 *          then it may be called again */
int tm__text_next(tm__text *text);

/**
 * The line has a dump behind its first bytes: take them off it, and off the lines that
 * follow.
 * @param is_html  1: the dump has entities for its quotes
 * @return TM_OK or TM_ENOMEM
 */
int tm__text_learn(tm__text *text, size_t first, int is_html);

/**
 * Take the lines of a string of JSON one by one, the first of them now.
 * @param first  byte of the line, which stands as in the file, where the string begins
 * @return TM_OK or TM_ENOMEM
 */
int tm__text_enter(tm__text *text, size_t first);

/** The line and those that follow have HTML's entities. @return TM_OK or TM_ENOMEM */
int tm__text_decode(tm__text *text);

void tm__text_free(tm__text *text);

#endif
