/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line that has nothing around it is lent as it stands in the window, and costs a
 * search for its end. A string of JSON may be a gigabyte long and hold a whole dump:
 * its lines come one by one.
 */
#include "formats/text/text.h"

#include <string.h>

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
                         &length, &taken);
    text->start = text->offset;
    text->line = trim_end((tm__slice){text->buffer, length});
    text->is_stripped = 1;
    if (ended == 'n') {
        text->offset += taken;
        text->has_lines = 1;
        return TM_MORE;
    }
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
        return TM_ENOMEM;
    text->offset = text->start + first;
    text->in_string = 1;
    text->has_lines = 0;
    return next_of_string(text);
}

static int copy_without_colours(tm__text *text)
{
    if (text->line.bytes == text->buffer)
        return TM_OK;
    if (reserve(text) < 0)
        return TM_ENOMEM;
    text->line.length = tm__unescape_terminal(text->buffer, text->line);
    text->line.bytes = text->buffer;
    text->line = trim_end(text->line);
    return TM_OK;
}

static int copy_without_html(tm__text *text)
{
    if (reserve(text) < 0)
        return TM_ENOMEM;
    /* The output is never longer, so it may be written over itself. */
    text->line.length = tm__unescape_html(text->buffer, text->line);
    text->line.bytes = text->buffer;
    text->line = trim_end(text->line);
    return TM_OK;
}

/* Whether the line has angle brackets as entities where only they can be meant. */
static int has_brackets(tm__slice line)
{
    size_t at;

    if (!line.length || !memchr(line.bytes, '&', line.length))
        return 0;
    line = tm__slice_trim(line);
    at = tm__slice_find(line, "&lt;");
    return at < line.length &&
           (tm__slice_begins(line, "at ") || tm__slice_begins(line, "- "));
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

/* Take off the line what is not the dump's. */
static int undress(tm__text *text, uint64_t next)
{
    size_t first;

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
            text->line = tm__slice_from(text->line, first);
        }
    }
    text->offset = next;
    if (text->is_html || has_brackets(text->line))
        return copy_without_html(text) < 0 ? TM_ENOMEM : TM_MORE;
    return TM_MORE;
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
            rc = copy_without_colours(text);
        text->line = trim_end(text->line);
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

int tm__text_learn(tm__text *text, size_t first, int is_html)
{
    int is_quoted = first > 0 && text->line.bytes[first - 1] == '\\' && !is_html;
    tm__slice before;

    text->is_html = is_html;
    if (is_html && copy_without_html(text) < 0)
        return TM_ENOMEM;
    /* Of a string's own line: what is in the string is none of the prefix. */
    if (text->is_stripped && (first == 0 || text->is_escaped)) {
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
                       memchr(before.bytes, '"', first) && is_escaped(text->line);
    if (!text->is_escaped) {
        text->line = tm__slice_from(text->line, (size_t)is_quoted);
        return TM_OK;
    }
    return begin_string(text, first) < 0 ? TM_ENOMEM : TM_OK;
}

void tm__text_free(tm__text *text)
{
    tm__free(text->memory, text->buffer, text->capacity);
}
