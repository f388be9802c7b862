/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text dumps, one after the other, in a file that may hold nothing else or be a log of
 * gigabytes. Lines come from formats/text without what was put around them; the grammar
 * of the dump's writer makes threads of them. The threads and locks of a dump are held,
 * since the owner of a lock may stand anywhere in it, and nothing of its text.
 *
 *     FINDING ──a dump begins──▶ READING ──▶ FILLING ──▶ ENDING ──▶ EMITTING
 *       ▲                                                              │
 *       └──────────────────────────────────────────────────────────────┘
 *
 * A line at which memory runs out is taken again.
 */
#include "formats/dump/dump.h"
#include "formats/jstack/jstack_reader.h"

#include <stdio.h>

#include "base/error.h"
#include "formats/dump/dump_emit.h"
#include "formats/jstack/fill.h"
#include "formats/jstack/grammar.h"
#include "formats/jstack/jstack_search.h"
#include "formats/jstack/jvms.h"
#include "formats/jstack/parse.h"
#include "formats/jstack/unread.h"
#include "formats/text/log_time.h"
#include "formats/text/text.h"

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

static void note_vm(tm__jstack_reader *self)
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
static int64_t time_of(tm__jstack_reader *self)
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

static int fill(tm__jstack_reader *self)
{
    int rc;

    if (!self->is_begun) {
        uint32_t jvm = tm__jvms_find(&self->jvms, &self->parsed);

        if (jvm != self->jvm && self->dump.dump_count > 0 &&
            tm__jstack_fill_leave(&self->fill) < 0)
            return tm__failure();
        self->jvm = jvm;
        self->fill.jvm = jvm;
        tm__dump_begin(&self->dump, time_of(self));
        self->is_begun = 1;
        note_vm(self);
    }
    if (tm__jvms_note(&self->jvms, self->jvm, &self->parsed, self->dump.time_ns) < 0)
        return tm__failure();
    rc = tm__jstack_fill_read(&self->fill, &self->parsed, self->dump_start);
    if (rc == TM_OK)
        self->state = TM__JSTACK_ENDING;
    return rc;
}

static int end(tm__jstack_reader *self)
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
    self->state = TM__JSTACK_EMITTING;
    return TM_OK;
}

/* The run's description, emitted again after each dump, since it may be the last. */
static int emit_run(tm__jstack_reader *self, const tm_sink *sink)
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

static int emit(tm__jstack_reader *self, const tm_sink *sink)
{
    int rc = emit_run(self, sink);

    if (rc >= 0)
        rc = tm__dump_emit(&self->dump, sink);
    if (rc < 0)
        return rc;
    self->state = TM__JSTACK_FINDING;
    return TM_MORE;
}

static int note_limits(tm__jstack_reader *self)
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

static int conclude(tm__jstack_reader *self, const tm_sink *sink)
{
    int rc = tm__dump_conclude(&self->dump);

    if (rc == TM_OK)
        rc = note_limits(self);
    if (rc < 0)
        return rc;
    self->state = TM__JSTACK_DONE;
    return tm__notes_emit(&self->notes, sink);
}

static void reader_close(void *payload)
{
    tm__jstack_reader *self = payload;

    tm__jstack_fill_free(&self->fill);
    tm__jstack_free(&self->parsed);
    tm__jvms_free(&self->jvms);
    tm__text_free(&self->text);
    tm__dump_free(&self->dump);
    tm__notes_free(&self->notes);
}

/* Fail: the text has no threads. The error says what it has instead. */
static int nothing_read(tm__jstack_reader *self)
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
    tm__jstack_reader *self = payload;
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
    while (rc >= 0 && self->state <= TM__JSTACK_READING &&
           self->parsed.thread_count == 0)
        rc = self->state == TM__JSTACK_FINDING ? tm__jstack_find(self)
                                               : tm__jstack_read_lines(self);
    if (rc >= 0 && self->state == TM__JSTACK_CONCLUDING)
        rc = nothing_read(self);
    return rc < 0 ? rc : TM_OK;
}

static int reader_read(void *payload, const tm_sink *sink)
{
    tm__jstack_reader *self = payload;
    int rc = TM_OK;

    switch (self->state) {
    case TM__JSTACK_FINDING: rc = tm__jstack_find(self); break;
    case TM__JSTACK_READING: rc = tm__jstack_read_lines(self); break;
    case TM__JSTACK_FILLING: rc = fill(self); break;
    case TM__JSTACK_ENDING: rc = end(self); break;
    case TM__JSTACK_EMITTING: return emit(self, sink);
    case TM__JSTACK_CONCLUDING: rc = conclude(self, sink); break;
    case TM__JSTACK_DONE:
        return tm__notes_conclude(&self->notes, sink, self->input->path);
    }
    return rc < 0 ? rc : TM_MORE;
}

static uint64_t reader_position(const void *payload)
{
    const tm__jstack_reader *self = payload;

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
    .reader_bytes = sizeof(tm__jstack_reader),
    .probe = probe,
    .open = reader_open,
    .read = reader_read,
    .position = reader_position,
    .close = reader_close,
    .begins = begins,
};
