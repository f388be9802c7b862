/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON dumps, one after the other, in files of gigabytes: a piece of the text at a
 * time, and what became of it is emitted before the next.
 *
 * When memory runs out within a piece, the parser is of no use any more. The dump is
 * begun again from its first byte then, and the threads that were taken already are
 * passed over: rare enough that nothing simpler has to pay for it.
 */
#include "formats/dump/dump.h"
#include "formats/json/json_dump_reader.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "formats/dump/dump_emit.h"
#include "formats/dump/dump_time.h"
#include "formats/json/members.h"

static const char opening[] = "\"threadDump\"";
static const char byte_order[] = "\xef\xbb\xbf";

static int is_blank(uint8_t byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* A member of that name that is a string has a text dump in it. */
static int is_opening(tm__slice text)
{
    size_t at = tm__slice_find(text, opening);

    if (at == text.length)
        return 0;
    text = tm__slice_trim(tm__slice_from(text, at + strlen(opening)));
    if (!tm__slice_begins(text, ":"))
        return 1;
    return !tm__slice_begins(tm__slice_trim(tm__slice_from(text, 1)), "\"");
}

static int probe(const uint8_t *bytes, size_t length)
{
    tm__slice text = {(const char *)bytes, length};
    size_t at = 0;

    if (length >= 3 && memcmp(bytes, byte_order, 3) == 0)
        at = 3;
    while (at < length && is_blank(bytes[at]))
        at++;
    return at < length && bytes[at] == '{' && is_opening(text);
}

#ifndef TM_WITHOUT_YAJL

enum { CALL_PIECES = 64, HEAD_BYTES = 64 };

typedef struct reader {
    tm__memory *memory;
    tm__input *input;
    enum { EXPECTING, SEEKING, PARSING, ENDING, CONCLUDING, DONE } state;
    uint64_t position;
    uint64_t start; ///< of the dump at hand
    int must_begin_again;
    int is_reported;  ///< the run was
    uint64_t too_new; ///< a formatVersion that is not known; 0: none
    tm__notes notes;
    tm__dump dump;
    tm__json_parser parser;
    tm__json_dump members;
} reader;

static void begin_dump(reader *self)
{
    self->start = self->position;
    tm__json_start(&self->parser);
    tm__json_dump_start(&self->members, 0);
    self->state = PARSING;
}

/* Behind a whole dump: another one, or the end. @return TM_MORE, TM_OK: the end */
static int next_dump(reader *self)
{
    const uint8_t *bytes = NULL;
    size_t available, blanks = 0;
    int rc = tm__input_view(self->input, self->position, TM__JSON_PIECE_BYTES, &bytes,
                            &available);

    if (rc < 0)
        return rc;
    if (self->position == 0 && available >= 3 && memcmp(bytes, byte_order, 3) == 0)
        blanks = 3;
    while (blanks < available && is_blank(bytes[blanks]))
        blanks++;
    self->position += blanks;
    if (blanks < available)
        begin_dump(self);
    return available ? TM_MORE : TM_OK;
}

/* Behind what was wrong: a brace and "threadDump". @return TM_MORE, TM_OK: none */
static int seek_dump(reader *self)
{
    const uint8_t *bytes = NULL;
    size_t available, member, brace;
    int rc = tm__input_view(self->input, self->position, TM__JSON_PIECE_BYTES, &bytes,
                            &available);

    if (rc < 0)
        return rc;
    member = tm__slice_find((tm__slice){(const char *)bytes, available}, opening);
    if (member == available) {
        int is_all = available < TM__JSON_PIECE_BYTES;

        self->position += is_all ? available : available - HEAD_BYTES;
        return is_all ? TM_OK : TM_MORE;
    }
    brace = member;
    while (brace > 0 && is_blank(bytes[brace - 1]))
        brace--;
    if (brace > 0 && bytes[brace - 1] == '{') {
        self->position += brace - 1;
        begin_dump(self);
    } else {
        self->position += member + sizeof(opening) - 1;
    }
    return TM_MORE;
}

static int begin_again(reader *self)
{
    self->position = self->start;
    tm__json_start(&self->parser);
    tm__json_dump_start(&self->members, 1);
    self->must_begin_again = 0;
    return TM_OK;
}

static const char *reason(int stop, const char *error)
{
    switch (stop) {
    case TM__JSON_TOO_DEEP: return "nested too deep for a thread dump";
    case TM__JSON_NO_DUMP: return "no thread dump in it";
    case TM__JSON_TOO_NEW: return "of a formatVersion that is not known";
    case TM__JSON_NO_THREAD: return "a thread without a number (tid)";
    default: return error;
    }
}

/* An error ends a dump; the next one's brace may have been read as part of it. */
static int note_wrong(reader *self)
{
    int rc = tm__notes_damage(
        &self->notes, "the dump at byte %llu is wrong at byte %llu: %s",
        (unsigned long long)self->start, (unsigned long long)self->position,
        reason(self->members.stop, self->parser.error));

    if (rc < 0)
        return rc;
    self->position = self->position - self->start > HEAD_BYTES
                         ? self->position - HEAD_BYTES
                         : self->start + 1;
    self->state = SEEKING;
    return TM_MORE;
}

/* The dump is over, whole or not; called again when there was no memory for it. */
static int end_dump(reader *self)
{
    int is_whole = self->members.stop == TM__JSON_DUMP_ENDS;
    int rc = TM_OK;

    self->dump.nature.shows_all_virtual = self->members.left_out == 0;
    if (self->members.left_out)
        rc = tm__notes_caveat(&self->notes,
                              "The dump at byte %llu does not list %llu threads of its "
                              "containers.",
                              (unsigned long long)self->start,
                              (unsigned long long)self->members.left_out);
    if (rc == TM_OK)
        rc = tm__dump_end(&self->dump, is_whole);
    if (rc < 0)
        return rc;
    if (!is_whole)
        return note_wrong(self);
    self->state = EXPECTING;
    return TM_MORE;
}

static int stopped(reader *self)
{
    switch (self->members.stop) {
    case TM__JSON_NO_MEMORY: self->must_begin_again = 1; return TM_ENOMEM;
    case TM__JSON_TOO_NEW:
        self->too_new = self->members.version;
        self->state = ENDING;
        return TM_MORE;
    default: self->state = ENDING; return TM_MORE;
    }
}

/* Take a piece. @return TM_MORE, or what went wrong */
static int parse(reader *self)
{
    const uint8_t *bytes = NULL;
    size_t available, taken;
    int rc = self->must_begin_again ? begin_again(self) : TM_OK, outcome;

    if (rc == TM_OK)
        rc = tm__input_view(self->input, self->position, TM__JSON_PIECE_BYTES, &bytes,
                            &available);
    if (rc < 0)
        return rc;
    outcome = tm__json_read(&self->parser, bytes, available, &taken);
    self->position += taken;
    if (outcome == TM__JSON_STOPPED)
        return stopped(self);
    if (outcome == TM__JSON_WRONG)
        self->state = ENDING;
    return TM_MORE;
}

static int emit_run(reader *self, const tm_sink *sink)
{
    const tm__snapshot_text *runtime = &self->members.runtime;
    tm_run run = {.size = sizeof(run),
                  .vm = runtime->is_set ? runtime->bytes : NULL,
                  .pid = self->members.process_id,
                  .start_wall_ns = self->dump.first_ns,
                  .identity = TM_IDENTITY_HASH};

    tm__dump_describe(&self->dump, &run);
    return sink->run(sink->payload, &run);
}

static int conclude(reader *self)
{
    int rc = tm__dump_conclude(&self->dump);

    if (rc == TM_OK && self->dump.thread_total && !self->members.has_states)
        rc = tm__notes_caveat(
            &self->notes,
            "Before JDK 25 JSON dumps have no states and no locks: a thread's state is "
            "inferred from its innermost frames, of one that is blocked or runs it is "
            "not known, and no deadlock can be seen.");
    else if (rc == TM_OK && self->members.version < 2)
        rc = tm__notes_caveat(
            &self->notes,
            "Before JDK 26 JSON dumps do not contain owners of java.util.concurrent "
            "locks: deadlocks of these cannot be seen.");
    if (rc == TM_OK)
        self->state = DONE;
    return rc;
}

static void reader_close(void *payload)
{
    reader *self = payload;
    tm__memory *memory = self->memory;

    tm__snapshot_free(&self->members.thread);
    tm__free(memory, self->members.runtime.bytes, self->members.runtime.capacity);
    tm__json_free(&self->parser);
    tm__dump_free(&self->dump);
    tm__notes_free(&self->notes);
}

static int reader_open(void *payload, tm__memory *memory, tm__input *input,
                       const tm_source_options *options)
{
    static const tm__dump_nature nature = {.reports_monitors = 1,
                                           .shows_all_virtual = 1};
    reader *self = payload;
    int rc;

    (void)options;
    self->memory = memory;
    self->input = input;
    self->members.dump = &self->dump;
    self->members.parser = &self->parser;
    tm__notes_init(&self->notes, memory);
    tm__snapshot_init(&self->members.thread, memory, &self->dump);
    rc = tm__json_init(&self->parser, memory, &tm__json_callbacks, &self->members);
    if (rc == TM_OK)
        rc = tm__dump_init(&self->dump, memory, &self->notes, nature);
    return rc;
}

/* A part of the file. @return TM_MORE, TM_OK: that was all of it */
static int advance(reader *self)
{
    int rc = TM_MORE;

    for (int piece = 0; piece < CALL_PIECES && rc == TM_MORE; piece++) {
        switch (self->state) {
        case EXPECTING: rc = next_dump(self); break;
        case SEEKING: rc = seek_dump(self); break;
        case PARSING: rc = parse(self); break;
        default: rc = end_dump(self); break;
        }
        if (tm__dump_is_full(&self->dump))
            break;
    }
    return rc;
}

static int reader_read(void *payload, const tm_sink *sink)
{
    reader *self = payload;
    int rc = TM_OK;

    if (self->state == DONE) {
        rc = tm__notes_emit(&self->notes, sink);
        if (rc >= 0 && self->too_new && !self->dump.thread_total)
            return tm__fail(TM_EVERSION,
                            "%s: thread dump of formatVersion %llu; 1 and 2 are read",
                            self->input->path, (unsigned long long)self->too_new);
        return rc < 0 ? rc : tm__notes_conclude(&self->notes, sink, self->input->path);
    }
    if (self->state == CONCLUDING) {
        rc = conclude(self);
        return rc < 0 ? rc : TM_MORE;
    }
    if (!tm__dump_is_full(&self->dump))
        rc = advance(self);
    if (rc < 0)
        return rc;
    if (rc == TM_OK && !tm__dump_is_full(&self->dump))
        self->state = CONCLUDING;
    rc = self->dump.dump_count ? emit_run(self, sink) : TM_OK;
    if (rc >= 0)
        rc = tm__dump_emit(&self->dump, sink);
    return rc < 0 ? rc : TM_MORE;
}

static uint64_t reader_position(const void *payload)
{
    const reader *self = payload;

    return self->position;
}

/* The dump's own time stands before the containers, those of threads within. */
static int begins(const uint8_t *bytes, size_t length, int64_t *time_ns)
{
    static const char key[] = "\"time\"";
    tm__slice text = {(const char *)bytes, length};
    const char *end;

    text.length = tm__slice_find(text, "\"threadContainers\"");
    text = tm__slice_from(text, tm__slice_find(text, key) + sizeof(key) - 1);
    text = tm__slice_from(text, tm__slice_find(text, "\"") + 1);
    end = text.length ? memchr(text.bytes, '"', text.length) : NULL;
    if (!end)
        return 0;
    text.length = (size_t)(end - text.bytes);
    return tm__dump_time(text, time_ns);
}

const tm__format tm__format_json = {
    .name = "json",
    .reader_bytes = sizeof(reader),
    .probe = probe,
    .open = reader_open,
    .read = reader_read,
    .position = reader_position,
    .close = reader_close,
    .begins = begins,
};

#else

const tm__format tm__format_json = {.name = "json", .probe = probe};

#endif
