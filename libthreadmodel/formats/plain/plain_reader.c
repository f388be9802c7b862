/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dumps that `jcmd Thread.dump_to_file` writes as text, one after the other, perhaps of
 * a million threads: a line at a time, and what became of some is emitted before the
 * next.
 *
 *     16881                                   the process, the time, the version
 *     2026-11-20T19:12:47.122073822Z
 *     25.0.3+9-LTS
 *
 *     #21 "mover" BLOCKED 2026-11-20T19:...   before JDK 25 without state and time
 *         at Bank.move(Bank.java:60)          before JDK 25 without "at"
 *         - waiting to lock <Account@604501ab>
 *                                             ends a thread
 *
 * Nothing ends a dump; one that does not end with a blank line was cut. A thread for
 * which there is no memory is begun again from its first line.
 */
#include "formats/dump/dump.h"
#include "formats/plain/plain_reader.h"

#include "base/error.h"
#include "formats/dump/dump_emit.h"
#include "formats/dump/dump_time.h"
#include "formats/lines.h"
#include "formats/plain/plain_thread.h"

enum {
    CALL_LINES = 1 << 16,
    NAME_LINES = 16, ///< that a name may have
    NAME_BYTES = 8192,
    PID_DIGITS = 10,
    DATE_LENGTH = 10 ///< "2026-11-20"
};

typedef struct reader {
    tm__memory *memory;
    tm__input *input;
    enum { READING, CONCLUDING, DONE } state;
    tm__lines lines;
    tm__notes notes;
    tm__dump dump;
    tm__snapshot thread;
    tm__snapshot_text version;
    uint64_t process_id;
    uint64_t dump_start;
    tm__lines thread_start; ///< before the first line of the thread at hand
    uint32_t damage_count;  ///< by then
    int in_dump;
    int in_thread;
    int is_cut;
    int has_states; ///< some thread has
} reader;

static tm__slice first_line(tm__slice *text)
{
    size_t end = tm__slice_find(*text, "\n");
    tm__slice line = {text->bytes, end};

    *text = tm__slice_from(*text, end + 1);
    if (line.length > 0 && line.bytes[line.length - 1] == '\r')
        line.length--;
    return line;
}

/* Two lines, a number and a time as Instant prints it. jstack's time, below one of
 * which only the year was left, has a blank in place of the T. */
static int read_head(tm__slice text, uint64_t *process_id, int64_t *time_ns)
{
    tm__slice line = first_line(&text), time = first_line(&text);

    return line.length <= PID_DIGITS && tm__slice_number(&line, 10, process_id) &&
           line.length == 0 && time.length > DATE_LENGTH &&
           time.bytes[DATE_LENGTH] == 'T' && tm__dump_time(time, time_ns);
}

static int begins(const uint8_t *bytes, size_t length, int64_t *time_ns)
{
    uint64_t process_id;

    return read_head((tm__slice){(const char *)bytes, length}, &process_id, time_ns);
}

static int probe(const uint8_t *bytes, size_t length)
{
    int64_t time_ns;

    return begins(bytes, length, &time_ns);
}

/* The text from where a line begins, as far as it may be looked at. */
static int view(const reader *self, uint64_t start, tm__slice *text)
{
    const uint8_t *bytes = NULL;
    size_t available;
    int rc = tm__input_view(self->input, start, NAME_BYTES, &bytes, &available);

    *text = (tm__slice){(const char *)bytes, available};
    return rc;
}

static int end_dump(reader *self, int is_whole)
{
    int rc = self->in_dump ? tm__dump_end(&self->dump, is_whole) : TM_OK;

    if (rc == TM_OK)
        self->in_dump = 0;
    return rc;
}

/* Read a header of three lines; the reader stands behind the first. @return
 * TM_EDAMAGED: not a header
 */
static int begin_dump(reader *self)
{
    uint64_t start = self->lines.start, process_id;
    int64_t time_ns;
    tm__slice text, rest;
    int rc = view(self, start, &text);

    if (rc < 0)
        return rc;
    if (!read_head(text, &process_id, &time_ns))
        return TM_EDAMAGED;
    rest = text;
    first_line(&rest);
    first_line(&rest);
    rc = tm__snapshot_set(&self->thread, &self->version, first_line(&rest));
    if (rc == TM_OK)
        rc = end_dump(self, 1);
    if (rc < 0)
        return rc;
    self->lines.offset = start + (uint64_t)(rest.bytes - text.bytes);
    self->lines.is_too_long = 0;
    self->process_id = process_id;
    tm__dump_process(&self->dump, process_id);
    self->dump_start = start;
    self->in_dump = 1;
    tm__dump_begin(&self->dump, time_ns);
    return TM_OK;
}

/* The line of a thread, or the first of some, where its name has line feeds. */
static int read_header(reader *self, const tm__lines *before)
{
    uint64_t start = self->lines.start;
    tm__plain_header header;
    tm__slice text, rest;
    int rc = view(self, start, &text);

    rest = text;
    for (int i = 0; rc == TM_OK && i < NAME_LINES && rest.length > 0; i++) {
        tm__slice last = first_line(&rest);
        tm__slice line = {text.bytes, (size_t)(last.bytes - text.bytes) + last.length};

        if (rest.length == 0 && text.length == NAME_BYTES)
            return TM_EDAMAGED;
        /* The next thread is more likely than a name with all of its line. */
        if (i > 0 && tm__plain_header_read(last, &header))
            return TM_EDAMAGED;
        if (!tm__plain_header_read(line, &header))
            continue;
        self->lines.offset = start + (uint64_t)(rest.bytes - text.bytes);
        self->lines.is_too_long = 0;
        self->thread_start = *before;
        self->damage_count = self->notes.damage_count;
        rc = tm__plain_thread_start(&self->thread, &header);
        if (rc < 0)
            return rc;
        self->has_states |= header.state.length > 0;
        self->in_thread = 1;
        return TM_OK;
    }
    return rc < 0 ? rc : TM_EDAMAGED;
}

static int end_thread(reader *self)
{
    int rc = tm__snapshot_end(&self->thread);

    if (rc == TM_OK)
        self->in_thread = 0;
    return rc;
}

/* @return TM_OK, TM_EDAMAGED: no dump has such a line, or what went wrong */
static int read_line(reader *self, const tm__lines *before)
{
    tm__slice line = {self->lines.text, self->lines.length};
    int rc = TM_MORE;

    if (self->in_thread && line.length > 0 && !self->lines.is_too_long)
        rc = tm__plain_thread_line(&self->thread, line);
    if (rc != TM_MORE)
        return rc;
    rc = self->in_thread ? end_thread(self) : TM_OK;
    if (rc < 0 || line.length == 0)
        return rc;
    if (self->in_dump && line.bytes[0] == '#')
        return read_header(self, before);
    return begin_dump(self);
}

/* The present part of the last thread is taken, but for a line that is truncated
 * itself. */
static int end_of_file(reader *self)
{
    int rc = TM_OK;

    if (self->in_thread) {
        self->is_cut = 1;
        rc = end_thread(self);
    }
    if (rc == TM_OK)
        rc = end_dump(self, !self->is_cut);
    if (rc == TM_OK && self->is_cut)
        rc = tm__notes_damage(&self->notes,
                              "the dump at byte %llu ends within a thread, at byte "
                              "%llu: threads behind it are missing",
                              (unsigned long long)self->dump_start,
                              (unsigned long long)self->lines.offset);
    if (rc == TM_OK)
        self->state = CONCLUDING;
    return rc;
}

/* @return TM_MORE; TM_OK: the file is over */
static int next_line(reader *self)
{
    tm__lines before = self->lines;
    int rc = tm__lines_next(&self->lines);
    int is_last =
        rc == TM_OK || (self->in_thread && !self->lines.is_too_long &&
                        self->lines.offset == self->lines.start + self->lines.length);

    if (rc >= 0)
        rc = is_last ? end_of_file(self) : read_line(self, &before);
    if (rc == TM_EDAMAGED)
        rc =
            tm__notes_damage(&self->notes, "the line at byte %llu is of no thread dump",
                             (unsigned long long)self->lines.start);
    if (rc == TM_OK && self->lines.is_too_long)
        rc = tm__lines_skip(&self->lines);
    if (rc < 0) {
        self->lines = self->in_thread ? self->thread_start : before;
        if (self->in_thread)
            self->notes.damage_count = self->damage_count;
        self->in_thread = 0;
        return rc;
    }
    return is_last ? TM_OK : TM_MORE;
}

static int advance(reader *self)
{
    int rc = TM_MORE;

    for (int i = 0; i < CALL_LINES && rc == TM_MORE && !tm__dump_is_full(&self->dump);
         i++)
        rc = next_line(self);
    return rc;
}

static int emit(reader *self, const tm_sink *sink)
{
    tm_run run = {.size = sizeof(run),
                  .vm = self->version.is_set ? self->version.bytes : NULL,
                  .pid = self->process_id,
                  .start_wall_ns = self->dump.first_ns,
                  .identity = TM_IDENTITY_HASH};
    int rc = TM_OK;

    if (self->dump.dump_count) {
        tm__dump_describe(&self->dump, &run);
        rc = sink->run(sink->payload, &run);
    }
    return rc < 0 ? rc : tm__dump_emit(&self->dump, sink);
}

static int conclude(reader *self)
{
    int rc = tm__dump_conclude(&self->dump);

    if (rc == TM_OK && self->dump.thread_total && !self->has_states)
        rc = tm__notes_caveat(
            &self->notes,
            "Before JDK 25 text dumps to a file have no states and no locks: a "
            "thread's state is inferred from its innermost frames, of one that is "
            "blocked or runs it is not known, and no deadlock can be seen.");
    else if (rc == TM_OK)
        rc = tm__notes_caveat(
            &self->notes,
            "Text dumps to a file do not contain owners of java.util.concurrent locks: "
            "deadlocks of these cannot be seen.");
    if (rc == TM_OK)
        rc = tm__notes_caveat(
            &self->notes, "Text dumps to a file contain no containers of threads, no "
                          "carriers and no number of threads: one that was cut between "
                          "two threads looks whole. With -format=json they do.");
    if (rc == TM_OK)
        self->state = DONE;
    return rc;
}

static void reader_close(void *payload)
{
    reader *self = payload;
    tm__memory *memory = self->memory;

    tm__snapshot_free(&self->thread);
    tm__free(memory, self->version.bytes, self->version.capacity);
    tm__dump_free(&self->dump);
    tm__notes_free(&self->notes);
}

static int reader_open(void *payload, tm__memory *memory, tm__input *input,
                       const tm_source_options *options)
{
    static const tm__dump_nature nature = {.reports_monitors = 1};
    reader *self = payload;

    (void)options;
    self->memory = memory;
    self->input = input;
    self->lines = (tm__lines){.input = input};
    tm__notes_init(&self->notes, memory);
    tm__snapshot_init(&self->thread, memory, &self->dump);
    return tm__dump_init(&self->dump, memory, &self->notes, nature);
}

static int reader_read(void *payload, const tm_sink *sink)
{
    reader *self = payload;
    int rc = TM_MORE;

    if (self->state == DONE)
        return tm__notes_conclude(&self->notes, sink, self->input->path);
    if (self->state == READING)
        rc = advance(self);
    else
        rc = conclude(self);
    if (rc >= 0)
        rc = emit(self, sink);
    return rc < 0 ? rc : TM_MORE;
}

static uint64_t reader_position(const void *payload)
{
    const reader *self = payload;

    return self->lines.offset;
}

const tm__format tm__format_plain = {
    .name = "plain",
    .reader_bytes = sizeof(reader),
    .probe = probe,
    .open = reader_open,
    .read = reader_read,
    .position = reader_position,
    .close = reader_close,
    .begins = begins,
};
