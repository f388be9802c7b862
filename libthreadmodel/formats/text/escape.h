/* SPDX-License-Identifier: Apache-2.0 */
/* What stands for another character in a text that somebody wrapped. */
#ifndef TM_FORMATS_TEXT_ESCAPE_H
#define TM_FORMATS_TEXT_ESCAPE_H

#include "formats/dump/frame_text.h"

/**
 * Copy a piece of a string as JSON writes it, up to an escaped line feed, the quote
 * that ends it, or its end.
 * @param to           room for text.length bytes
 * @param[out] length  bytes written
 * @param[out] taken   bytes of the text
 * @return what ended it: 'n' a line feed, '"' the quote, '\r' the end of the line that
 *         it is in, 0 the text is over
 */
char tm__unescape(char *to, tm__slice text, size_t *length, size_t *taken);

/** Copy a text with HTML's entities as their characters. @return bytes written, at most
 *  as many */
size_t tm__unescape_html(char *to, tm__slice text);

/** Copy a text without the sequences that colour it. @return the same */
size_t tm__unescape_terminal(char *to, tm__slice text);

#endif
