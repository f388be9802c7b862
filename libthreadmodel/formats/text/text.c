/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line that has nothing around it is lent as it stands in the window, and costs a
 * search for its end. A string of JSON may be a gigabyte long and hold a whole dump:
 * its lines come one by one.
 */
#include "formats/text/text.h"

#include <string.h>

#include "base/error.h"
#include "formats/text/escape.h"

enum { LINE_BYTES = 64 << 10 };

void tm__text_init(tm__text *text, tm__memory *memory, tm__input *input)
{
    *text = (tm__text){.memory = memory, .input = input};
}

/**
 * See what is at `offset`, up to the end of a line.
 * @param[out] next  where the next one begins; `offset` at the end of the file
 */
static int view_line(tm__text *text, tm__slice *line, uint64_t *next)
{
    const uint8_t *bytes = NULL;
    const char *newline;
    size_t available;
    int rc = tm__input_view(text->input, text->offset, LINE_BYTES, &bytes, &available);

    if (rc < 0)
        return rc;
    newline = available ? memchr(bytes, '\n', available) : NULL;
    *line = (tm__slice){(const char *)bytes,
                        newline ? (size_t)(newline - (const char *)bytes) : available};
    *next = text->offset + line->length + (newline != NULL);
    return TM_OK;
}

static int reserve(tm__text *text)
{
    return tm__reserve(text->memory, &text->buffer, &text->capacity, LINE_BYTES, 1);
}

static tm__slice trim_end(tm__slice line)
{
    while (line.length > 0 && (uint8_t)line.bytes[line.length - 1] <= ' ')
        line.length--;
    return line;
}

/* Behind a string the line has nothing that is wanted. */
static uint64_t skip_line(const char *bytes, size_t at, size_t available,
                          uint64_t offset)
{
    const char *newline =
        at < available ? memchr(bytes + at, '\n', available - at) : NULL;

    return offset + (newline ? (size_t)(newline - bytes) + 1 : available);
}

/* In an array each object may have a thread as its string: go to the one behind the
 * same key, on the same line. @return 1; 0: there is none */
static int go_to_next(tm__text *text, const char *bytes, size_t taken, size_t available)
{
    uint64_t end = skip_line(bytes, taken, available, text->offset) - text->offset;
    tm__slice rest = {bytes + taken, (size_t)end - taken};
    size_t at;

    if (!text->key[0])
        return 0;
    at = tm__slice_find(rest, text->key);
    if (at == rest.length)
        return 0;
    text->offset += taken + at + strlen(text->key);
    return 1;
}

/* The next line of a string. @return TM_MORE, TM_OK: it is over, or what went wrong */
static int next_of_string(tm__text *text)
{
    const uint8_t *bytes = NULL;
    size_t available, length, taken;
    char ended;
    int rc = tm__input_view(text->input, text->offset, LINE_BYTES, &bytes, &available);

    if (rc < 0)
        return rc;
    ended = tm__unescape(text->buffer, (tm__slice){(const char *)bytes, available},
                         text->quoting, &length, &taken);
    text->start = text->offset;
    text->line = trim_end((tm__slice){text->buffer, length});
    text->is_stripped = 1;
    if (ended == 'n') {
        text->offset += taken;
        text->has_lines = 1;
        return TM_MORE;
    }
    if (ended == '"' && go_to_next(text, (const char *)bytes, taken, available))
        return TM_MORE;
    if (ended == '"')
        text->offset = skip_line((const char *)bytes, taken, available, text->offset);
    else
        text->offset += taken;
    text->in_string = ended == 0 && available == LINE_BYTES;
    /* Behind the last line feed there is no line any more. */
    return length > 0 || !text->has_lines ? TM_MORE : TM_OK;
}

/* A string begins at this byte of the line. */
static int begin_string(tm__text *text, size_t first)
{
    if (reserve(text) < 0)
        return tm__failure();
    text->offset = text->start + first;
    text->in_string = 1;
    text->has_lines = 0;
    return next_of_string(text);
}

int tm__text_enter(tm__text *text, size_t first)
{
    text->quoting = TM__QUOTED;
    return begin_string(text, first) < 0 ? tm__failure() : TM_OK;
}

/* No output is longer than its input, so it may be written over itself. */
static int copy(tm__text *text, size_t (*decode)(char *to, tm__slice text))
{
    if (reserve(text) < 0)
        return tm__failure();
    text->line.length = decode(text->buffer, text->line);
    text->line.bytes = text->buffer;
    text->line = trim_end(text->line);
    text->stripped = 0;
    return TM_OK;
}

int tm__text_decode(tm__text *text)
{
    if (text->line.bytes == text->buffer || reserve(text) < 0)
        return text->line.bytes == text->buffer ? TM_OK : TM_ENOMEM;
    text->is_html = 1;
    return copy(text, tm__unescape_html);
}

/* Whether the line ends with a tag of HTML. */
static int has_tag(tm__slice line)
{
    size_t at = line.length;

    if (at == 0 || line.bytes[at - 1] != '>')
        return 0;
    while (at > 0 && line.bytes[at - 1] != '<')
        at--;
    return at > 0 && tm__html_tag(tm__slice_from(line, at - 1)) > 0;
}

/* Whether the line has angle brackets as entities where only they can be meant. */
static int has_brackets(tm__slice line)
{
    static const char *const beginnings[] = {
        "at ",      "- ",      "#",       "File &quot;", "File &#",
        "3XMTHREA", "2LKDEAD", "=&gt;0x", "0x",          "Current thread"};

    if (!line.length || !memchr(line.bytes, '&', line.length))
        return 0;
    line = tm__slice_trim(line);
    for (size_t i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++)
        if (tm__slice_begins(line, beginnings[i]))
            return tm__slice_find(line, "&lt;") < line.length ||
                   tm__slice_find(line, "&gt;") < line.length ||
                   tm__slice_find(line, "&quot;") < line.length ||
                   tm__slice_find(line, "&#") < line.length;
    return 0;
}

/* "at a.B.c(B.java:1)\\par" of a text processor, "\\tat ..." of a string that was
 * printed as it is in its source. */
static void trim_escapes(tm__slice *line)
{
    static const char *const ends[] = {"\\par", "\\n"};

    for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
        size_t length = strlen(ends[i]);

        if (line->length >= length &&
            memcmp(line->bytes + line->length - length, ends[i], length) == 0)
            *line = trim_end((tm__slice){line->bytes, line->length - length});
    }
    while (tm__slice_begins(*line, "\\t"))
        *line = tm__slice_from(*line, 2);
}

/* Keep what was around the line: it may hold a time. */
static void note_around(tm__text *text, size_t first)
{
    size_t skipped = first > TM__AROUND_BYTES ? first - TM__AROUND_BYTES : 0;

    text->around.bytes = text->around_bytes;
    text->around.length = first - skipped;
    text->stripped = first;
    memcpy(text->around_bytes, text->line.bytes + skipped, text->around.length);
}

/* A row of a wiki's table, whose only cell is the line, ends with a bar as it began. */
static tm__slice trim_cell(tm__slice line, const tm__prefix *prefix)
{
    if (prefix->bytes[prefix->length - 1] == '|' && line.length > 0 &&
        line.bytes[line.length - 1] == '|')
        line.length--;
    return trim_end(line);
}

/* Take off the line what is not the dump's. */
static int undress(tm__text *text, uint64_t next)
{
    size_t first;
    int rc = TM_OK;

    text->is_stripped = 0;
    text->stripped = 0;
    text->around.length = 0;
    if (text->prefix.length > 0) {
        first = tm__prefix_match(&text->prefix, text->line);
        if (first <= text->line.length) {
            text->is_stripped = 1;
            note_around(text, first);
            if (text->is_escaped && text->line.bytes != text->buffer)
                return begin_string(text, first);
            text->line = trim_cell(tm__slice_from(text->line, first), &text->prefix);
        }
    }
    text->offset = next;
    trim_escapes(&text->line);
    if (text->line.length && memchr(text->line.bytes, '\xc2', text->line.length))
        rc = copy(text, tm__unescape_blanks);
    if (rc == TM_OK && text->line.length &&
        memchr(text->line.bytes, '\xe2', text->line.length))
        rc = copy(text, tm__unescape_typed);
    /* A thread of a dump that is exported as CSV: each of its quotes is two. */
    if (rc == TM_OK && text->line.length > 1 &&
        tm__slice_begins(text->line, text->is_record ? "\"" : "\"\"\"") &&
        text->line.bytes[text->line.length - 1] == '"') {
        /* Fields behind it may have no quote but those around them. */
        text->is_record = 1;
        rc = copy(text, tm__unescape_record);
    }
    if (rc == TM_OK && (text->is_html || has_brackets(text->line)))
        rc = copy(text, tm__unescape_html);
    return rc < 0 ? rc : TM_MORE;
}

int tm__text_next(tm__text *text)
{
    uint64_t next, before = text->offset;
    int rc = TM_OK;

    while (rc == TM_OK) {
        if (text->in_string) {
            rc = next_of_string(text);
            continue;
        }
        rc = view_line(text, &text->line, &next);
        if (rc < 0 || next == text->offset)
            return rc;
        text->start = text->offset;
        if (text->line.length > 0 &&
            memchr(text->line.bytes, '\x1b', text->line.length))
            rc = copy(text, tm__unescape_terminal);
        text->line = trim_end(text->line);
        /* A prefix may have tags in it. */
        if (rc == TM_OK && has_tag(text->line))
            rc = copy(text, tm__unescape_html);
        if (rc == TM_OK)
            rc = undress(text, next);
        if (rc < 0)
            text->offset = before;
    }
    return rc;
}

/* Whether a line feed is written as two characters. */
static int is_escaped(tm__slice line)
{
    return tm__slice_find(line, "\\n") < line.length ||
           tm__slice_find(line, "\\t") < line.length;
}

/* Whether a string of JSON begins behind the text: a key stands before it. */
static int ends_with_key(tm__slice text)
{
    if (text.length < 4 || text.bytes[text.length - 1] != '"')
        return 0;
    text = tm__slice_trim((tm__slice){text.bytes, text.length - 1});
    if (text.length < 3 || text.bytes[text.length - 1] != ':')
        return 0;
    text = tm__slice_trim((tm__slice){text.bytes, text.length - 1});
    return text.length > 1 && text.bytes[text.length - 1] == '"';
}

/* Keep the key before a string, with all that stands between them. */
static void note_key(tm__text *text, tm__slice before)
{
    size_t at = before.length, quotes = 0;

    text->key[0] = '\0';
    while (at > 0 && quotes < 3)
        quotes += before.bytes[--at] == '"';
    if (quotes < 3 || before.length - at >= sizeof(text->key) ||
        text->quoting != TM__QUOTED || !ends_with_key(before))
        return;
    memcpy(text->key, before.bytes + at, before.length - at);
    text->key[before.length - at] = '\0';
}

static tm__quoting quoting_of(tm__slice before)
{
    size_t at = before.length;

    while (at > 0 && before.bytes[at - 1] != '"')
        at--;
    if (at == 0)
        return TM__UNQUOTED;
    return at > 1 && before.bytes[at - 2] == '\\' ? TM__QUOTED_TWICE : TM__QUOTED;
}

int tm__text_learn(tm__text *text, size_t first, int is_html)
{
    int is_quoted = first > 0 && text->line.bytes[first - 1] == '\\' && !is_html;
    tm__slice before;

    text->is_html = is_html;
    if (is_html && copy(text, tm__unescape_html) < 0)
        return tm__failure();
    /* The content of a string, and text that was decoded, are not part of the prefix.
     */
    if (text->is_stripped && (first == 0 || text->is_escaped || !text->stripped)) {
        text->line = tm__slice_from(text->line, first);
        return TM_OK;
    }
    first -= (size_t)is_quoted;
    text->line.bytes -= text->stripped;
    text->line.length += text->stripped;
    first += text->stripped;
    note_around(text, first);
    before = (tm__slice){text->line.bytes, first};
    tm__prefix_learn(&text->prefix, before);
    text->line = tm__slice_from(text->line, first);
    text->is_stripped = 1;
    text->is_escaped = first > 0 && text->line.bytes - first != text->buffer &&
                       (is_escaped(text->line) || ends_with_key(before));
    text->quoting = quoting_of(before);
    note_key(text, before);
    text->is_record = !text->is_escaped && first > 1 &&
                      before.bytes[first - 1] == '"' &&
                      strchr(",;\t", before.bytes[first - 2]) != NULL;
    text->prefix.length -= text->is_record && text->prefix.length > 0;
    if (!text->is_escaped && tm__slice_begins(text->line, "\"\"\"") &&
        tm__slice_ends(text->line, "\""))
        return copy(text, tm__unescape_record);
    if (!text->is_escaped) {
        text->line = tm__slice_from(text->line, (size_t)is_quoted);
        return TM_OK;
    }
    return begin_string(text, first) < 0 ? tm__failure() : TM_OK;
}

void tm__text_free(tm__text *text)
{
    tm__free(text->memory, text->buffer, text->capacity);
}
