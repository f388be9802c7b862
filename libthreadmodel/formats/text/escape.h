/* SPDX-License-Identifier: Apache-2.0 */
/* The escapes that stand for other characters in a text that somebody wrapped. */
#ifndef TM_FORMATS_TEXT_ESCAPE_H
#define TM_FORMATS_TEXT_ESCAPE_H

#include "formats/dump/frame_text.h"

/** The context of a text with escaped characters. */
typedef enum tm__quoting {
    TM__QUOTED,       ///< a string of JSON
    TM__QUOTED_TWICE, ///< a string of JSON within one
    TM__UNQUOTED,     ///< a line, which alone ends it
} tm__quoting;

/**
 * Copy a piece of a string as JSON writes it, up to an escaped line feed, the quote
 * that ends it, or its end.
 * @param to           room for text.length bytes
 * @param[out] length  bytes written
 * @param[out] taken   bytes of the text
 * @return what ended it: 'n' a line feed, '"' the quote, '\r' the end of the line that
 *         it is in, 0 the text is over
 */
char tm__unescape(char *to, tm__slice text, tm__quoting quoting, size_t *length,
                  size_t *taken);

/** Copy a text with HTML's entities as their characters. @return bytes written, at most
 *  as many */
size_t tm__unescape_html(char *to, tm__slice text);

/** @return bytes of the tag of HTML that the text begins with; 0: with none, as
 * "<init>" */
size_t tm__html_tag(tm__slice text);

/** Copy a text with blanks for no-break spaces. @return the same */
size_t tm__unescape_typed(char *to, tm__slice text);
size_t tm__unescape_blanks(char *to, tm__slice text);

/** Copy a field of CSV that is in quotes, with one quote for each two. @return the same
 */
size_t tm__unescape_record(char *to, tm__slice text);

/** Copy a text without the sequences that colour it. @return the same */
size_t tm__unescape_terminal(char *to, tm__slice text);

#endif
