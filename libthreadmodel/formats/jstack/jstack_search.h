/* SPDX-License-Identifier: Apache-2.0 */
/* A text with thread dumps, while it is read: where each dump begins, and its lines. */
#ifndef TM_FORMATS_JSTACK_JSTACK_SEARCH_H
#define TM_FORMATS_JSTACK_JSTACK_SEARCH_H

#include "formats/dump/dump.h"
#include "formats/jstack/fill.h"
#include "formats/jstack/grammars.h"
#include "formats/jstack/jvms.h"
#include "formats/jstack/parse.h"
#include "formats/jstack/recent_lines.h"
#include "formats/jstack/unread.h"
#include "formats/notes.h"
#include "formats/text/text.h"

typedef struct tm__jstack_reader {
    tm__input *input;
    enum {
        TM__JSTACK_FINDING,
        TM__JSTACK_READING,
        TM__JSTACK_FILLING,
        TM__JSTACK_ENDING,
        TM__JSTACK_EMITTING,
        TM__JSTACK_CONCLUDING,
        TM__JSTACK_DONE
    } state;
    tm__text text;
    int has_line; ///< text.line was not taken yet
    int at_first; ///< the dump at hand began with it
    tm__recent_lines recent;
    uint64_t dump_start; ///< of the dump at hand
    uint64_t last;       ///< behind the last line that belongs to it
    int64_t time_ns;     ///< that the text says; INT64_MIN: none
    int is_begun;        ///< the dump was announced to `dump`
    uint32_t jvm;        ///< that it is of
    uint64_t headers;    ///< dumps that began and had no threads
    uint64_t header_at;  ///< the first of them
    tm__unread unread;
    tm__notes notes;
    tm__dump dump;
    tm__jstack_dump parsed;
    tm__jstack_parser parser;
    tm__jstack_fill fill;
    tm__jvms jvms;
    const tm__grammar *grammar; ///< of the last dump with threads
    int has_unended;            ///< a dump that nothing ends
    int is_headless;            ///< the last dump had neither a first line nor a last
    char vm[160];
} tm__jstack_reader;

/** Look for the next dump, for a while. @return TM_MORE: go on, TM_OK: state is set */
int tm__jstack_find(tm__jstack_reader *self);

/** Read lines of a dump, for a while. @return TM_MORE: go on, TM_OK: state is set */
int tm__jstack_read_lines(tm__jstack_reader *self);

#endif
