/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text dumps, one after the other, in a file that may hold nothing else or be a log of
 * gigabytes. Lines come from formats/text without what was put around them; the grammar
 * of the dump's writer makes threads of them. Of a dump its threads and locks are held,
 * since whom a lock belongs to may stand anywhere in it, and of its text nothing.
 *
 *     FINDING ──a line that begins a dump──▶ READING ──▶ FILLING ──▶ ENDING ──▶
 * EMITTING ▲                                                                        │
 *       └────────────────────────────────────────────────────────────────────────┘
 *
 * A line at which memory runs out is taken again.
 */
#include "formats/dump/dump.h"
#include "formats/jstack/jstack_reader.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "formats/jstack/dump_start.h"
#include "formats/jstack/fill.h"
#include "formats/jstack/grammar.h"
#include "formats/jstack/grammars.h"
#include "formats/jstack/jvms.h"
#include "formats/jstack/parse.h"
#include "formats/jstack/recent_lines.h"
#include "formats/jstack/unread.h"
#include "formats/text/log_time.h"
#include "formats/text/text.h"

enum {
    QUIET_BYTES = 1 << 20, ///< a dump is over where there is none of it for so long
    TAIL_BYTES = 64 << 10, ///< the same behind its last thread
    DATE_BYTES = 40,
    CALL_BYTES = 4 << 20 ///< looked at in one call
};

typedef struct reader {
    tm__input *input;
    enum { FINDING, READING, FILLING, ENDING, EMITTING, CONCLUDING, DONE } state;
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
} reader;

static int is_text(const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((bytes[i] < ' ' && !(bytes[i] >= '\t' && bytes[i] <= '\r') &&
             bytes[i] != '\x1b') ||
            bytes[i] == 0x7f)
            return 0;
    return length > 0;
}

static int probe(const uint8_t *bytes, size_t length)
{
    tm__slice text = {(const char *)bytes, length};

    return tm__slice_find(text, "Full thread dump ") < length || is_text(bytes, length);
}

static int has_first_line(tm__slice line, size_t first)
{
    return tm__slice_begins(tm__slice_from(line, first), "Full thread dump");
}

/* Have a dump begin with the line at hand. */
static int begin(reader *self, const tm__grammar *grammar, size_t first, int is_html)
{
    uint64_t start = self->text.start;

    if (tm__text_learn(&self->text, first, is_html) < 0)
        return TM_ENOMEM;
    self->time_ns = tm__recent_lines_time(&self->recent, self->text.around);
    self->dump_start = self->last = start;
    self->at_first = 1;
    tm__jstack_begin(&self->parser, grammar);
    self->state = READING;
    return TM_OK;
}

/* The next line, unless one waits. @return TM_MORE, TM_OK: the text is over */
static int see_line(reader *self)
{
    int rc = self->has_line ? TM_MORE : tm__text_next(&self->text);

    self->has_line = rc == TM_MORE;
    return rc;
}

/* Look for the next dump, for a while. @return TM_MORE: go on, TM_OK: state is set */
static int find(reader *self)
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
            self->state = CONCLUDING;
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
static int forget(reader *self)
{
    if (!self->parsed.grammar->is_vague && self->headers++ == 0)
        self->header_at = self->dump_start;
    self->state = FINDING;
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
static int read_entities(reader *self)
{
    size_t first;
    int is_html;

    tm__dump_start_find(self->text.line, &first, &is_html);
    return is_html ? tm__text_decode(&self->text) : TM_OK;
}

/* Take a line. @return TM_MORE: go on, TM_OK: the dump is over, or what went wrong */
static int take_line(reader *self)
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
    if (rc == TM_ENOMEM)
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

/* Read lines of a dump, for a while. @return TM_MORE: go on, TM_OK: state is set */
static int read_lines(reader *self)
{
    uint64_t limit = self->text.offset + CALL_BYTES;
    int rc = TM_MORE;

    while (rc == TM_MORE && self->text.offset < limit) {
        rc = see_line(self);
        if (rc == TM_MORE)
            rc = take_line(self);
    }
    if (rc == TM_OK && tm__jstack_end(&self->parser) < 0)
        return TM_ENOMEM;
    if (rc != TM_OK)
        return rc;
    if (self->parsed.thread_count == 0)
        return forget(self);
    self->is_headless = !self->parsed.has_header && !self->parsed.has_end;
    self->state = FILLING;
    return TM_OK;
}

static void note_vm(reader *self)
{
    size_t length = self->parsed.vm.length;

    self->grammar = self->parsed.grammar;
    if (!self->vm[0])
        snprintf(self->vm, sizeof(self->vm), "%.*s",
                 (int)(length < sizeof(self->vm) ? length : sizeof(self->vm) - 1),
                 self->parsed.vm.bytes);
}

/* When the dump was taken. Where the dump before was of the same JVM, the ages of its
 * threads tell the time since. */
static int64_t time_of(reader *self)
{
    int64_t before = self->jvms.list[self->jvm].time_ns, passed;
    int64_t now =
        self->parsed.time_ns != INT64_MIN ? self->parsed.time_ns : self->time_ns;

    if (before == INT64_MIN)
        return now;
    passed = tm__jvms_elapsed(&self->jvms, self->jvm, &self->parsed);
    if (before == self->dump.time_ns)
        self->dump.grown_ns = passed;
    else if (passed > 0 && before < INT64_MAX - passed && now <= self->dump.time_ns)
        return before + passed;
    return now;
}

static int fill(reader *self)
{
    int rc;

    if (!self->is_begun) {
        uint32_t jvm = tm__jvms_find(&self->jvms, &self->parsed);

        if (jvm != self->jvm && self->dump.dump_count > 0 &&
            tm__jstack_fill_leave(&self->fill) < 0)
            return TM_ENOMEM;
        self->jvm = jvm;
        self->fill.jvm = jvm;
        tm__dump_begin(&self->dump, time_of(self));
        self->is_begun = 1;
        note_vm(self);
    }
    if (tm__jvms_note(&self->jvms, self->jvm, &self->parsed, self->dump.time_ns) < 0)
        return TM_ENOMEM;
    rc = tm__jstack_fill_read(&self->fill, &self->parsed, self->dump_start);
    if (rc == TM_OK)
        self->state = ENDING;
    return rc;
}

static int end(reader *self)
{
    int ends_visibly = self->parsed.vm.length > 0 && self->parsed.has_header &&
                       self->parsed.grammar->ends_visibly &&
                       tm__jstack_has_tids(&self->parsed);
    int is_whole = self->parsed.has_end || !ends_visibly;
    int is_account = self->parsed.account_threads == self->parsed.thread_count;
    int rc = tm__dump_end(&self->dump, is_whole && self->parsed.has_header);

    if (rc == TM_OK && is_account)
        rc = tm__notes_caveat(&self->notes,
                              "At byte %llu there is only the JVM's own account of a "
                              "deadlock: no other thread is known.",
                              (unsigned long long)self->dump_start);
    else if (rc == TM_OK && !is_whole)
        rc = tm__notes_damage(&self->notes,
                              "the dump at byte %llu has no end: threads behind byte "
                              "%llu may be missing",
                              (unsigned long long)self->dump_start,
                              (unsigned long long)self->last);
    if (rc < 0)
        return rc;
    self->has_unended |= !self->parsed.has_end && is_whole && !is_account;
    self->is_begun = 0;
    self->state = EMITTING;
    return TM_OK;
}

/* What the run is, told again after each dump, since it may be the last. */
static int emit_run(reader *self, const tm_sink *sink)
{
    tm_run run = {.size = sizeof(run),
                  .vm = self->vm[0] ? self->vm : NULL,
                  .format = self->grammar->name,
                  .pid = self->jvms.count == 1 ? self->jvms.list[0].process : 0,
                  .start_wall_ns = self->dump.first_ns,
                  .identity = TM_IDENTITY_ADDRESS};

    tm__dump_describe(&self->dump, &run);
    return sink->run(sink->payload, &run);
}

static int emit(reader *self, const tm_sink *sink)
{
    int rc = emit_run(self, sink);

    if (rc >= 0)
        rc = tm__dump_emit(&self->dump, sink);
    if (rc < 0)
        return rc;
    self->state = FINDING;
    return TM_MORE;
}

static int note_limits(reader *self)
{
    const tm__dump_nature *nature = &self->dump.nature;
    int rc = TM_OK;

    if (self->grammar == &tm__grammar_java && !nature->reports_synchronizers)
        rc = tm__notes_caveat(&self->notes,
                              "The dump does not list ownable synchronizers (jstack -l "
                              "does): owners of java.util.concurrent locks are known "
                              "only where the JVM found a deadlock.");
    if (rc == TM_OK && self->grammar == &tm__grammar_java)
        rc = tm__notes_caveat(&self->notes,
                              "Text dumps show virtual threads only while they are "
                              "mounted, and no thread groups; their times are local "
                              "times, taken as UTC.");
    if (rc == TM_OK && !nature->reports_monitors)
        rc = tm__notes_caveat(&self->notes,
                              "The dump does not list the locks that each thread has: "
                              "owners are known only where a line names them.");
    if (rc == TM_OK && self->jvms.count > 1)
        rc = tm__notes_caveat(&self->notes,
                              "The dumps are of %u JVMs, which are kept apart: threads "
                              "of all but the first have the group \"JVM 2\" and so "
                              "on.",
                              self->jvms.count);
    if (rc == TM_OK && self->has_unended)
        rc = tm__notes_caveat(&self->notes,
                              "Nothing in the text shows where a dump of this kind "
                              "ends: threads may be missing.");
    return rc;
}

static int conclude(reader *self, const tm_sink *sink)
{
    int rc = tm__dump_conclude(&self->dump);

    if (rc == TM_OK)
        rc = note_limits(self);
    if (rc < 0)
        return rc;
    self->state = DONE;
    return tm__notes_emit(&self->notes, sink);
}

static void reader_close(void *payload)
{
    reader *self = payload;

    tm__jstack_fill_free(&self->fill);
    tm__jstack_free(&self->parsed);
    tm__jvms_free(&self->jvms);
    tm__text_free(&self->text);
    tm__dump_free(&self->dump);
    tm__notes_free(&self->notes);
}

/* What the text has instead of threads. */
static int nothing_read(reader *self)
{
    char hint[200];

    if (self->headers)
        return tm__fail(TM_EFORMAT,
                        "%s: a thread dump begins at byte %llu, but no thread of it "
                        "can be read%s",
                        self->input->path, (unsigned long long)self->header_at,
                        tm__unread_hint(&self->unread, hint, sizeof(hint)));
    return tm__fail(TM_EFORMAT,
                    "%s: not a recording of any known format (text in which no thread "
                    "dump begins)%s",
                    self->input->path,
                    tm__unread_hint(&self->unread, hint, sizeof(hint)));
}

static int reader_open(void *payload, tm__memory *memory, tm__input *input,
                       const tm_source_options *options)
{
    static const tm__dump_nature nature = {.is_one_instant = 1, .reports_monitors = 1};
    reader *self = payload;
    int rc;

    (void)options;
    self->input = input;
    self->jvms.memory = memory;
    tm__text_init(&self->text, memory, input);
    tm__notes_init(&self->notes, memory);
    tm__jstack_init(&self->parsed, memory);
    self->parser.dump = &self->parsed;
    tm__jstack_fill_init(&self->fill, memory, &self->dump);
    rc = tm__dump_init(&self->dump, memory, &self->notes, nature);
    /* Until there is a thread. */
    while (rc >= 0 && self->state <= READING && self->parsed.thread_count == 0)
        rc = self->state == FINDING ? find(self) : read_lines(self);
    if (rc >= 0 && self->state == CONCLUDING)
        rc = nothing_read(self);
    return rc < 0 ? rc : TM_OK;
}

static int reader_read(void *payload, const tm_sink *sink)
{
    reader *self = payload;
    int rc = TM_OK;

    switch (self->state) {
    case FINDING: rc = find(self); break;
    case READING: rc = read_lines(self); break;
    case FILLING: rc = fill(self); break;
    case ENDING: rc = end(self); break;
    case EMITTING: return emit(self, sink);
    case CONCLUDING: rc = conclude(self, sink); break;
    case DONE: return tm__notes_conclude(&self->notes, sink, self->input->path);
    }
    return rc < 0 ? rc : TM_MORE;
}

static uint64_t reader_position(const void *payload)
{
    const reader *self = payload;

    return self->text.offset;
}

/* The first time of the text, of a dump or of the log that it is in. */
static int begins(const uint8_t *bytes, size_t length, int64_t *time_ns)
{
    tm__slice text = {(const char *)bytes, length};

    while (text.length > 0) {
        size_t end = tm__slice_find(text, "\n");
        tm__slice line = {text.bytes, end};

        if (tm__log_time(line, time_ns))
            return 1;
        text = tm__slice_from(text, end + 1);
    }
    return 0;
}

const tm__format tm__format_jstack = {
    .name = "jstack",
    .reader_bytes = sizeof(reader),
    .probe = probe,
    .open = reader_open,
    .read = reader_read,
    .position = reader_position,
    .close = reader_close,
    .begins = begins,
};
