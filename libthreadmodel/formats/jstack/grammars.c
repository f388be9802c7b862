/* SPDX-License-Identifier: Apache-2.0 */
/* The writers whose dumps are read. Those that are known by a magic word come first. */
#include "formats/jstack/grammar.h"

static const tm__grammar *const grammars[] = {
    &tm__grammar_java,         &tm__grammar_javacore,     &tm__grammar_go,
    &tm__grammar_faulthandler, &tm__grammar_pyspy,        &tm__grammar_gdb,
    &tm__grammar_coroutines,   &tm__grammar_blocked_loop, &tm__grammar_watchdog,
    &tm__grammar_hot_threads,  &tm__grammar_hs_err,       &tm__grammar_hadoop,
    &tm__grammar_weblogic,
};

const tm__grammar *tm__grammar_find(tm__slice line, size_t *first)
{
    const tm__grammar *found = NULL;

    *first = line.length;
    for (size_t i = 0; i < sizeof(grammars) / sizeof(*grammars); i++) {
        size_t at = line.length ? grammars[i]->find(line) : 0;

        if (at < *first) {
            *first = at;
            found = grammars[i];
        }
    }
    return found;
}

void tm__jstack_begin(tm__jstack_parser *parser, const tm__grammar *grammar)
{
    tm__jstack_start(parser->dump, grammar);
    parser->section = 0;
    parser->thread = TM__NONE;
    parser->is_closed = parser->is_held = 0;
    parser->numbers = 0;
    if (!parser->is_carried)
        parser->pending_kind = 0;
    parser->is_carried = 0;
}

int tm__jstack_end(tm__jstack_parser *parser)
{
    const tm__grammar *grammar = parser->dump->grammar;

    return grammar->end ? grammar->end(parser) : TM_OK;
}
