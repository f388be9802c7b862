/* SPDX-License-Identifier: Apache-2.0 */
/* The writers whose dumps are read. Those that are known by a magic word come first. */
#include "formats/jstack/grammar.h"
#include "formats/jstack/grammars.h"
#include "formats/jstack/parse.h"

#include <string.h>

static const tm__grammar *const grammars[] = {
    &tm__grammar_java,         &tm__grammar_javacore,     &tm__grammar_go,
    &tm__grammar_faulthandler, &tm__grammar_pyspy,        &tm__grammar_gdb,
    &tm__grammar_coroutines,   &tm__grammar_blocked_loop, &tm__grammar_watchdog,
    &tm__grammar_hot_threads,  &tm__grammar_hs_err,       &tm__grammar_hadoop,
    &tm__grammar_weblogic,     &tm__grammar_list,         &tm__grammar_hazelcast,
    &tm__grammar_dropwizard,   &tm__grammar_tracebacks,
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

int tm__jstack_parse(tm__jstack_dump *dump, const char *text, size_t length)
{
    tm__jstack_parser parser = {.dump = dump};
    int rc;

    tm__jstack_begin(&parser, &tm__grammar_java);
    while (length > 0) {
        const char *newline = memchr(text, '\n', length);
        tm__slice line = {text, newline ? (size_t)(newline - text) : length};

        length -= line.length + (newline != NULL);
        text += line.length + (newline != NULL);
        rc = tm__grammar_java.line(&parser, tm__slice_trim(line));
        if (rc < 0)
            return rc;
        /* There is one in the text. */
        if (rc == TM__LINE_NEXT)
            break;
    }
    return tm__jstack_end(&parser);
}
