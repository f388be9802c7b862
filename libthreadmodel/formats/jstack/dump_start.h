/* SPDX-License-Identifier: Apache-2.0 */
/* Where in a line of a log, a quotation or a string of JSON a dump begins. */
#ifndef TM_FORMATS_JSTACK_DUMP_START_H
#define TM_FORMATS_JSTACK_DUMP_START_H

#include "formats/jstack/grammar.h"
#include "formats/text/text.h"

/** A string of JSON on a line as it stands in the file, in whose first line a dump
 * begins, or that has several lines. */
typedef struct tm__dump_string {
    size_t at;                ///< behind its quote; SIZE_MAX: there is none
    size_t first;             ///< of the dump, in its first line
    const tm__grammar *found; ///< NULL: its lines are to be looked at
} tm__dump_string;

/** @return 1: a line has an entity of HTML for a quote */
int tm__has_quote_entity(tm__slice line);

/** @return a line without the marks and backticks in which Markdown has it */
tm__slice tm__bare_line(tm__slice line);

/**
 * The grammar of what begins in a line, as it stands or with entities.
 * @param[out] first  bytes before it
 * @param[out] is_html  1: the line has entities
 * @return NULL: nothing begins
 */
const tm__grammar *tm__dump_start_find(tm__slice line, size_t *first, int *is_html);

/** The same within a string on the text's line. */
void tm__dump_start_in_string(const tm__text *text, tm__dump_string *found);

#endif
