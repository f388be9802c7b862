/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text dumps, one after the other, in a file that may hold nothing else or be a log of
 * gigabytes. A dump of ten thousand threads is some 20 MB and is held whole, since
 * whom a lock belongs to may stand anywhere in it; all else is passed by in a window.
 *
 *     FINDING ──line "Full thread dump"──▶ MEASURING ──▶ TAKING ──▶ ENDING ──▶ EMITTING
 *       ▲                                                                   │
 *       └───────────────────────────────────────────────────────────────────┘
 */
#include "formats/jstack/jstack_reader.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "formats/dump/dump_time.h"
#include "formats/jstack/fill.h"

enum {
    LINE_BYTES = 64 << 10,
    WINDOW_BYTES = 256 << 10, ///< of a dump, to begin with
    QUIET_BYTES = 1 << 20,    ///< a dump is over where there is none of it for so long
    DUMP_BYTES = 1 << 30,     ///< no dump is longer
    TIME_BYTES = 40,
    DATE_BYTES = 19,     ///< of "2026-11-20 15:47:18"
    CALL_BYTES = 4 << 20 ///< looked at for dumps in one call
};

typedef struct reader {
    tm__input *input;
    enum { FINDING, MEASURING, TAKING, ENDING, EMITTING, CONCLUDING, DONE } state;
    uint64_t position;   ///< of the next line to be looked at
    uint64_t dump_start; ///< of the dump at hand
    uint64_t dump_end;
    int64_t time_ns; ///< that the line before says; INT64_MIN: it is no time
    int is_begun;    ///< the dump was announced to `dump`
    tm__notes notes;
    tm__dump dump;
    tm__jstack_dump parsed;
    tm__jstack_fill fill;
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

/**
 * See the line at `offset`.
 * @param[out] next  where the next one begins; `offset` at the end of the file
 */
static int view_line(reader *self, uint64_t offset, tm__slice *line, uint64_t *next)
{
    const uint8_t *bytes = NULL;
    const char *newline;
    size_t available;
    int rc = tm__input_view(self->input, offset, LINE_BYTES, &bytes, &available);

    if (rc < 0)
        return rc;
    newline = available ? memchr(bytes, '\n', available) : NULL;
    *line = (tm__slice){(const char *)bytes,
                        newline ? (size_t)(newline - (const char *)bytes) : available};
    *next = offset + line->length + (newline != NULL);
    if (line->length > 0 && line->bytes[line->length - 1] == '\r')
        line->length--;
    return TM_OK;
}

/* Look for the next dump, for a while. @return TM_MORE: go on, TM_OK: state is set */
static int find(reader *self)
{
    uint64_t limit = self->position + CALL_BYTES;

    while (self->position < limit) {
        tm__slice line;
        uint64_t next;
        int rc = view_line(self, self->position, &line, &next);

        if (rc < 0)
            return rc;
        if (next == self->position) {
            self->state = CONCLUDING;
            return TM_OK;
        }
        /* Somebody may have kept nothing but the account of a deadlock. */
        if (tm__jstack_is_start(line) || tm__jstack_is_account(line)) {
            self->dump_start = self->position;
            self->position = tm__jstack_is_start(line) ? next : self->position;
            self->state = MEASURING;
            return TM_OK;
        }
        self->time_ns = INT64_MIN;
        if (line.length < TIME_BYTES)
            tm__dump_time(line, &self->time_ns);
        self->position = next;
    }
    return TM_MORE;
}

/* Where a dump ends, found line by line. */
typedef struct extent {
    size_t scanned;  ///< bytes from its start
    size_t last;     ///< behind the last line that belongs to it
    size_t patience; ///< it is over when nothing of it comes for so many bytes
    int has_end;     ///< the line behind the threads was there
    int is_account;  ///< the JVM's own account of deadlocks
    int is_over;
} extent;

/* Stacks in a log look like those of a dump: while there are threads, only their first
 * lines keep it going; after them, only the account does, which says where it ends. */
static void extend(extent *it, tm__slice line)
{
    if (tm__slice_begins(line, "JNI global ref")) {
        it->has_end = 1;
        it->patience = QUIET_BYTES / 64;
    } else if (tm__slice_begins(line, "Found one Java-level deadlock")) {
        it->is_account = 1;
        it->patience = QUIET_BYTES / 16;
    } else if (it->is_account && tm__slice_begins(line, "Found ")) {
        it->is_over = 1;
    } else if (it->is_account ? line.length == 0
                              : it->has_end || !tm__slice_begins(line, "\"")) {
        return;
    }
    it->last = it->scanned;
}

/* Go on over lines of a dump. @return 1: its end was found */
static int scan(extent *it, const char *text, size_t available, int is_all)
{
    while (it->scanned < available) {
        tm__slice line = {text + it->scanned, available - it->scanned};
        const char *newline = memchr(line.bytes, '\n', line.length);

        if (!newline && !is_all)
            return 0;
        if (newline)
            line.length = (size_t)(newline - line.bytes);
        if (tm__jstack_is_start(line))
            return 1;
        it->scanned += line.length + (newline != NULL);
        extend(it, line);
        if (it->is_over || it->scanned - it->last > it->patience)
            return 1;
    }
    return is_all;
}

/* Where does the dump end? All of it is kept in view, since a pipe cannot go back. */
static int measure(reader *self)
{
    size_t first = (size_t)(self->position - self->dump_start);
    extent it = {.scanned = first, .last = first, .patience = QUIET_BYTES};
    int is_found = 0;

    for (size_t wanted = WINDOW_BYTES; !is_found; wanted *= 2) {
        const uint8_t *bytes = NULL;
        size_t available;
        int rc =
            tm__input_view(self->input, self->dump_start, wanted, &bytes, &available);

        if (rc < 0)
            return rc;
        is_found = scan(&it, (const char *)bytes, available,
                        available < wanted || wanted >= DUMP_BYTES);
    }
    self->dump_end = self->dump_start + (it.has_end ? it.last : it.scanned);
    self->position = self->dump_end;
    self->state = TAKING;
    return TM_OK;
}

static void note_vm(reader *self)
{
    size_t length = self->parsed.vm.length;

    if (!self->vm[0])
        snprintf(self->vm, sizeof(self->vm), "%.*s",
                 (int)(length < sizeof(self->vm) ? length : sizeof(self->vm) - 1),
                 self->parsed.vm.bytes);
}

static int read_next(reader *self)
{
    const uint8_t *bytes = NULL;
    size_t available;
    int rc =
        tm__input_view(self->input, self->dump_start,
                       (size_t)(self->dump_end - self->dump_start), &bytes, &available);

    if (rc < 0)
        return rc;
    if (tm__jstack_parse(&self->parsed, (const char *)bytes, available) < 0)
        return TM_ENOMEM;
    if (!self->is_begun) {
        self->dump.grown_ns = tm__jstack_fill_grown_ns(&self->fill, &self->parsed);
        tm__dump_begin(&self->dump, self->time_ns);
        self->is_begun = 1;
        note_vm(self);
    }
    rc = tm__jstack_fill_read(&self->fill, &self->parsed, self->dump_start);
    if (rc == TM_OK)
        self->state = ENDING;
    return rc;
}

static int end(reader *self)
{
    int is_account = self->parsed.account_threads == self->parsed.thread_count;
    int rc = tm__dump_end(&self->dump, self->parsed.has_end);

    if (rc == TM_OK && is_account && self->parsed.thread_count)
        rc = tm__notes_caveat(&self->notes,
                              "At byte %llu there is only the JVM's own account of a "
                              "deadlock: no other thread is known, and no stack.",
                              (unsigned long long)self->dump_start);
    else if (rc == TM_OK && !self->parsed.has_end)
        rc = tm__notes_damage(&self->notes,
                              "the dump at byte %llu has no end: threads behind byte "
                              "%llu may be missing",
                              (unsigned long long)self->dump_start,
                              (unsigned long long)self->dump_end);
    if (rc < 0)
        return rc;
    self->is_begun = 0;
    self->time_ns = INT64_MIN;
    self->state = EMITTING;
    return TM_OK;
}

/* What the run is, told again after each dump, since it may be the last. */
static int emit_run(reader *self, const tm_sink *sink)
{
    tm_run run = {.size = sizeof(run),
                  .vm = self->vm[0] ? self->vm : NULL,
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

static int conclude(reader *self, const tm_sink *sink)
{
    int rc = tm__dump_conclude(&self->dump);

    if (rc == TM_OK && !self->dump.nature.reports_synchronizers)
        rc = tm__notes_caveat(&self->notes,
                              "The dump does not list ownable synchronizers (jstack -l "
                              "does): owners of java.util.concurrent locks are known "
                              "only where the JVM found a deadlock.");
    if (rc == TM_OK)
        rc = tm__notes_caveat(&self->notes,
                              "Text dumps show virtual threads only while they are "
                              "mounted, and no thread groups; their times are local "
                              "times, taken as UTC.");
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
    tm__dump_free(&self->dump);
    tm__notes_free(&self->notes);
}

static int reader_open(void *payload, tm__memory *memory, tm__input *input,
                       const tm_source_options *options)
{
    static const tm__dump_nature nature = {.is_one_instant = 1, .reports_monitors = 1};
    reader *self = payload;
    int rc;

    (void)options;
    self->input = input;
    self->time_ns = INT64_MIN;
    tm__notes_init(&self->notes, memory);
    tm__jstack_init(&self->parsed, memory);
    tm__jstack_fill_init(&self->fill, memory, &self->dump);
    rc = tm__dump_init(&self->dump, memory, &self->notes, nature);
    while (rc == TM_OK && self->state == FINDING) {
        rc = find(self);
        rc = rc == TM_MORE ? TM_OK : rc;
    }
    if (rc == TM_OK && self->state == CONCLUDING)
        rc = tm__fail(TM_EFORMAT,
                      "%s: not a recording of any known format (text in which no "
                      "thread dump begins)",
                      input->path);
    return rc;
}

static int reader_read(void *payload, const tm_sink *sink)
{
    reader *self = payload;
    int rc = TM_OK;

    switch (self->state) {
    case FINDING: rc = find(self); break;
    case MEASURING: rc = measure(self); break;
    case TAKING: rc = read_next(self); break;
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

    return self->position;
}

/* The first time of the text, of a dump or of the log that it is in. */
static int begins(const uint8_t *bytes, size_t length, int64_t *time_ns)
{
    tm__slice text = {(const char *)bytes, length};

    while (text.length > 0) {
        size_t end = tm__slice_find(text, "\n");
        tm__slice line = {text.bytes, end < DATE_BYTES ? end : DATE_BYTES};

        if (line.length > 0 && line.bytes[line.length - 1] == '\r')
            line.length--;
        if (tm__dump_time(line, time_ns))
            return 1;
        text = tm__slice_from(text, end + 1);
    }
    return 0;
}

const tm__format tm__format_jstack = {
    "jstack",    sizeof(reader),  probe,        reader_open,
    reader_read, reader_position, reader_close, begins,
};
