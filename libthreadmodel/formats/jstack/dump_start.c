/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/jstack/dump_start.h"

#include <string.h>

#include "formats/jstack/grammars.h"
#include "formats/text/escape.h"

enum { MOST_STRINGS = 16 };

int tm__has_quote_entity(tm__slice line)
{
    static const char *const quotes[] = {"&quot;", "&#34;", "&#x22;", "&#39;",
                                         "&#x27;"};

    if (line.length == 0 || !memchr(line.bytes, '&', line.length))
        return 0;
    for (size_t i = 0; i < sizeof(quotes) / sizeof(*quotes); i++)
        if (tm__slice_find(line, quotes[i]) < line.length)
            return 1;
    return 0;
}

/* A line without Markdown's marks of bold text and of headings before it. */
static tm__slice unmarked(tm__slice line)
{
    size_t marks = 0;

    while (marks < line.length && line.bytes[marks] == '*')
        marks++;
    if (marks != 2 && marks != 3)
        marks = 0;
    while (marks < line.length && line.bytes[marks] == '#')
        marks++;
    if (marks < 2)
        return line;
    return tm__slice_trim(tm__slice_from(line, marks));
}

tm__slice tm__bare_line(tm__slice line)
{
    line = unmarked(tm__slice_trim(line));
    if (!tm__slice_ends(line, "`"))
        return line;
    if (line.bytes[0] == '`')
        line = tm__slice_from(line, 1);
    /* lldb has one in its frames. */
    if (tm__slice_find(line, "`") + 1 == line.length)
        line.length--;
    return tm__slice_trim(line);
}

const tm__grammar *tm__dump_start_find(tm__slice line, size_t *first, int *is_html)
{
    char plain[1024];
    const tm__grammar *found;
    size_t length;

    *is_html = 0;
    if (line.length <= sizeof(plain) && tm__has_quote_entity(line)) {
        length = tm__unescape_html(plain, line);
        found = tm__grammar_find((tm__slice){plain, length}, first);
        *is_html = found != NULL;
        if (found)
            return found;
    }
    found = tm__grammar_find(line, first);
    /* The first line of a quotation may have its mark before them. */
    if (!found && tm__slice_ends(line, "`"))
        found = tm__grammar_find((tm__slice){line.bytes, line.length - 1}, first);
    return found;
}

/* Where the next string that is a value of JSON begins, from `at` on. */
static size_t next_string(tm__slice line, size_t at)
{
    for (at += tm__slice_find(tm__slice_from(line, at), "\":"); at < line.length;
         at += tm__slice_find(tm__slice_from(line, at), "\":")) {
        for (at += 2; at < line.length && line.bytes[at] == ' '; at++)
            ;
        if (at < line.length && line.bytes[at] == '"')
            return at + 1;
    }
    return line.length;
}

void tm__dump_start_in_string(const tm__text *text, tm__dump_string *found)
{
    tm__slice line = text->line;
    char plain[1024];
    size_t length, taken, several = SIZE_MAX;

    *found = (tm__dump_string){.at = SIZE_MAX};
    if (text->in_string || line.bytes == text->buffer || line.length == 0 ||
        !memchr(line.bytes, '\\', line.length))
        return;
    for (size_t at = next_string(line, 0), tries = 0;
         at < line.length && tries < MOST_STRINGS;
         at = next_string(line, at), tries++) {
        tm__slice piece = tm__slice_from(line, at);
        char end;

        piece.length = piece.length < sizeof(plain) ? piece.length : sizeof(plain);
        end = tm__unescape(plain, piece, TM__QUOTED, &length, &taken);
        found->found =
            tm__grammar_find(tm__slice_trim((tm__slice){plain, length}), &found->first);
        if (found->found) {
            found->at = at;
            return;
        }
        if (end == 'n' && taken + 2 < piece.length && several == SIZE_MAX)
            several = at;
    }
    found->at = several;
}
