/* SPDX-License-Identifier: Apache-2.0 */
/* The writers whose dumps are read. */
#ifndef TM_FORMATS_JSTACK_GRAMMARS_H
#define TM_FORMATS_JSTACK_GRAMMARS_H

#include "formats/jstack/grammar.h"

/**
 * The grammar of the dump that begins in a line.
 * @param[out] first  bytes before it
 * @return NULL: none does
 */
const tm__grammar *tm__grammar_find(tm__slice line, size_t *first);

/** A dump begins. */
void tm__jstack_begin(tm__jstack_parser *parser, const tm__grammar *grammar);

/** The dump is over. @return TM_OK or TM_ENOMEM */
int tm__jstack_end(tm__jstack_parser *parser);

/**
 * Parse one dump of HotSpot; lines that do not belong to it are passed over. A dump
 * that was parsed before is replaced.
 * @param text  lent for the call
 * @return TM_OK or TM_ENOMEM
 */
int tm__jstack_parse(tm__jstack_dump *dump, const char *text, size_t length);

#endif
