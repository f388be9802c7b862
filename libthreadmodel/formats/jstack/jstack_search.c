/* SPDX-License-Identifier: Apache-2.0 */
/* Dumps in a text: where each begins, and which lines belong to it. */
#include "formats/jstack/jstack_search.h"

#include "base/error.h"
#include "formats/jstack/dump_start.h"
#include "formats/jstack/grammar.h"
#include "formats/jstack/grammars.h"
#include "formats/jstack/recent_lines.h"
#include "formats/jstack/unread.h"
#include "formats/text/text.h"

enum {
    QUIET_BYTES = 1 << 20, ///< a dump is over where there is none of it for so long
    TAIL_BYTES = 64 << 10, ///< the same behind its last thread
    DATE_BYTES = 40,
    CALL_BYTES = 4 << 20 ///< looked at in one call
};

static int has_first_line(tm__slice line, size_t first)
{
    return tm__slice_begins(tm__slice_from(line, first), "Full thread dump");
}

/* Have a dump begin with the line at hand. */
static int begin(tm__jstack_reader *self, const tm__grammar *grammar, size_t first,
                 int is_html)
{
    uint64_t start = self->text.start;

    if (tm__text_learn(&self->text, first, is_html) < 0)
        return tm__failure();
    self->time_ns = tm__recent_lines_time(&self->recent, self->text.around);
    self->dump_start = self->last = start;
    self->at_first = 1;
    tm__jstack_begin(&self->parser, grammar);
    self->state = TM__JSTACK_READING;
    return TM_OK;
}

/* The next line, unless one waits. @return TM_MORE, TM_OK: the text is over */
static int see_line(tm__jstack_reader *self)
{
    int rc = self->has_line ? TM_MORE : tm__text_next(&self->text);

    self->has_line = rc == TM_MORE;
    return rc;
}

int tm__jstack_find(tm__jstack_reader *self)
{
    uint64_t limit = self->text.offset + CALL_BYTES;

    while (self->text.offset < limit) {
        const tm__grammar *grammar;
        size_t first;
        tm__dump_string inner;
        int is_html, rc = see_line(self);

        if (rc < 0)
            return rc;
        if (rc == TM_OK) {
            self->state = TM__JSTACK_CONCLUDING;
            return TM_OK;
        }
        grammar = tm__dump_start_find(self->text.line, &first, &is_html);
        /* It may begin within a string, whose quotes and line feeds are escaped. */
        inner = (tm__dump_string){.at = SIZE_MAX};
        if (!grammar || !has_first_line(self->text.line, first))
            tm__dump_start_in_string(&self->text, &inner);
        if (grammar && inner.at == SIZE_MAX)
            return begin(self, grammar, first, is_html);
        if (inner.found) {
            rc = begin(self, inner.found, inner.at, 0);
            self->text.line = tm__slice_trim(self->text.line);
            self->text.line = tm__slice_from(self->text.line, inner.first);
            return rc;
        }
        if (inner.at != SIZE_MAX) {
            rc = tm__text_enter(&self->text, inner.at);
            if (rc < 0)
                return rc;
            continue;
        }
        tm__unread_look(&self->unread, self->text.line, self->text.start);
        tm__recent_lines_add(&self->recent, self->text.line);
        self->has_line = 0;
    }
    return TM_MORE;
}

/* A dump without threads counts only where the file has no other. Behind one
 * that began with its last line, what looks like its head ends lines that a log's
 * viewer shows from the newest to the oldest. */
static int forget(tm__jstack_reader *self)
{
    if (!self->parsed.grammar->is_vague && self->headers++ == 0)
        self->header_at = self->dump_start;
    self->state = TM__JSTACK_FINDING;
    self->unread.has_end |= self->parsed.has_end;
    if (!self->is_headless || !self->parsed.has_header || !self->unread.has_end)
        return TM_OK;
    self->is_headless = 0;
    return tm__notes_damage(
        &self->notes,
        "the lines up to byte %llu seem to be in reverse order, the newest first: no "
        "stack of them is right. Sort them by time",
        (unsigned long long)self->text.offset);
}

/* Where the line of a thread has entities for its quotes, all lines have. */
static int read_entities(tm__jstack_reader *self)
{
    size_t first;
    int is_html;

    tm__dump_start_find(self->text.line, &first, &is_html);
    return is_html ? tm__text_decode(&self->text) : TM_OK;
}

/* Take a line. @return TM_MORE: go on, TM_OK: the dump is over, or what went wrong */
static int take_line(tm__jstack_reader *self)
{
    const tm__grammar *grammar = self->parsed.grammar;
    /* The first line of it need not have had entities. */
    int rc = self->text.is_html || !tm__has_quote_entity(self->text.line)
                 ? TM_OK
                 : read_entities(self);
    uint64_t patience = self->parsed.has_end ? TAIL_BYTES : QUIET_BYTES;
    int is_html;
    int at_first = self->at_first;
    int64_t time_ns;
    size_t first;

    if (rc == TM_OK)
        rc = grammar->line(&self->parser, tm__bare_line(self->text.line));
    if (rc < 0)
        return rc;
    /* A line begins one dump at most, or reading would not go on. */
    self->at_first = 0;
    if (rc == TM__LINE_NEXT && !at_first)
        return TM_OK;
    if (rc == TM__LINE_OTHER || rc == TM__LINE_NEXT) {
        if (self->text.line.length > 0 && !at_first) {
            grammar = tm__dump_start_find(self->text.line, &first, &is_html);
            if (grammar)
                return TM_OK;
        }
        tm__recent_lines_add(&self->recent, self->text.line);
        self->has_line = 0;
        return self->text.offset - self->last > patience ? TM_OK : TM_MORE;
    }
    /* A dump that was cut may end with the time of the next. */
    if (tm__ends_with_time(self->text.line, &time_ns))
        tm__recent_lines_add(&self->recent, self->text.line);
    self->has_line = 0;
    self->last = self->text.offset;
    return rc == TM__LINE_LAST ? TM_OK : TM_MORE;
}

int tm__jstack_read_lines(tm__jstack_reader *self)
{
    uint64_t limit = self->text.offset + CALL_BYTES;
    int rc = TM_MORE;

    while (rc == TM_MORE && self->text.offset < limit) {
        rc = see_line(self);
        if (rc == TM_MORE)
            rc = take_line(self);
    }
    if (rc == TM_OK && tm__jstack_end(&self->parser) < 0)
        return tm__failure();
    if (rc != TM_OK)
        return rc;
    if (self->parsed.thread_count == 0)
        return forget(self);
    self->is_headless = !self->parsed.has_header && !self->parsed.has_end;
    self->state = TM__JSTACK_FILLING;
    return TM_OK;
}
