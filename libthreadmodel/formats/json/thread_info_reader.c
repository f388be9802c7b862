/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `{"threads": [{"threadName": "main", "threadState": "BLOCKED", "lockInfo": {...},
 * "lockedMonitors": [...], "stackTrace": [...]}]}`: an array of ThreadInfo, at whatever
 * depth it stands. One dump is one text, and small: it is taken whole before any of it
 * is emitted, and begun again where memory runs out.
 */
#include "formats/dump/dump.h"
#include "formats/json/thread_info_reader.h"

#include <string.h>
#include <threadmodel/definition.h>

#include "base/error.h"
#include "formats/dump/dump_emit.h"
#include "formats/json/parser.h"
#include "formats/jstack/fill.h"
#include "formats/jstack/grammar.h"
#include "formats/json/thread_info_values.h"

static int probe(const uint8_t *bytes, size_t length)
{
    size_t mark = length >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    tm__slice text =
        tm__slice_trim((tm__slice){(const char *)bytes + mark, length - mark});

    return text.length > 0 && (text.bytes[0] == '{' || text.bytes[0] == '[') &&
           ((tm__slice_find(text, "\"threadName\"") < text.length &&
             tm__slice_find(text, "\"threadState\"") < text.length) ||
            (tm__slice_find(text, "\"thread_name\"") < text.length &&
             tm__slice_find(text, "\"thread_state\"") < text.length));
}

#ifndef TM_WITHOUT_YAJL

typedef struct reader {
    tm__input *input;
    enum { PARSING, FILLING, EMITTING, DONE } state;
    uint64_t position;
    tm__notes notes;
    tm__dump dump;
    tm__thread_infos infos;
    tm__jstack_fill fill;
    int is_begun;
} reader;

static const tm__grammar nature = {
    .name = "thread_info",
    .writer = "ThreadInfo as JSON",
    .reports_locks = 1,
    .is_one_instant = 1,
};

/* The whole text. lockInfo may stand before the state that says what it is for. */
static int parse(reader *self)
{
    int outcome = TM__JSON_GOES_ON;

    tm__thread_infos_start(&self->infos, &nature);
    self->position = 0;
    while (outcome == TM__JSON_GOES_ON) {
        const uint8_t *bytes = NULL;
        size_t available, taken;
        int rc = tm__input_view(self->input, self->position, TM__JSON_PIECE_BYTES,
                                &bytes, &available);

        if (rc < 0)
            return rc;
        if (available == 0)
            break;
        if (self->position == 0 && available >= 3 &&
            memcmp(bytes, "\xef\xbb\xbf", 3) == 0) {
            self->position = 3;
            continue;
        }
        outcome = tm__json_read(&self->infos.parser, bytes, available, &taken);
        self->position += taken;
        if (self->infos.open == 0 && taken < available)
            break;
    }
    if (self->infos.has_no_memory)
        return TM_ENOMEM;
    if (outcome != TM__JSON_GOES_ON || self->infos.open > 0)
        if (tm__notes_damage(&self->notes,
                             "the dump is cut or wrong at byte %llu: "
                             "threads behind it are missing",
                             (unsigned long long)self->position) < 0)
            return tm__failure();
    for (uint32_t t = 0; t < self->infos.parsed.thread_count; t++) {
        const tm__jstack_thread *thread = &self->infos.parsed.threads[t];

        for (uint32_t i = 0; i < thread->lock_count; i++) {
            tm__jstack_lock *lock = &self->infos.parsed.locks[thread->lock_first + i];

            if (lock->kind == TM__JSTACK_WAITING_ON &&
                tm__slice_is(thread->state, "BLOCKED"))
                lock->kind = TM__JSTACK_WANTED;
        }
    }
    self->state = FILLING;
    return TM_OK;
}

static void reader_close(void *payload)
{
    reader *self = payload;

    tm__jstack_fill_free(&self->fill);
    tm__thread_infos_free(&self->infos);
    tm__dump_free(&self->dump);
    tm__notes_free(&self->notes);
}

static int reader_open(void *payload, tm__memory *memory, tm__input *input,
                       const tm_source_options *options)
{
    static const tm__dump_nature as_dump = {.is_one_instant = 1, .reports_monitors = 1};
    reader *self = payload;
    int rc;

    (void)options;
    self->input = input;
    tm__notes_init(&self->notes, memory);
    tm__jstack_fill_init(&self->fill, memory, &self->dump);
    rc = tm__thread_infos_init(&self->infos, memory);
    if (rc == TM_OK)
        rc = tm__dump_init(&self->dump, memory, &self->notes, as_dump);
    return rc;
}

static int fill(reader *self)
{
    int rc;

    if (self->infos.parsed.thread_count == 0)
        return tm__fail(TM_EFORMAT, "%s: no thread of this JSON can be read",
                        self->input->path);
    if (!self->is_begun)
        tm__dump_begin(&self->dump, INT64_MIN);
    self->is_begun = 1;
    rc = tm__jstack_fill_read(&self->fill, &self->infos.parsed, 0);
    if (rc == TM_OK)
        rc = tm__dump_end(&self->dump, 1);
    if (rc == TM_OK)
        rc = tm__dump_conclude(&self->dump);
    if (rc == TM_OK)
        self->state = EMITTING;
    return rc;
}

static int reader_read(void *payload, const tm_sink *sink)
{
    reader *self = payload;
    tm_run run = {.size = sizeof(run),
                  .vm = "Java, by ThreadInfo as JSON",
                  .format = nature.name,
                  .identity = TM_IDENTITY_HASH};
    int rc = TM_OK;

    switch (self->state) {
    case PARSING: rc = parse(self); break;
    case FILLING: rc = fill(self); break;
    case EMITTING:
        tm__dump_describe(&self->dump, &run);
        rc = sink->run(sink->payload, &run);
        if (rc >= 0)
            rc = tm__dump_emit(&self->dump, sink);
        if (rc >= 0)
            self->state = DONE;
        break;
    case DONE: return tm__notes_conclude(&self->notes, sink, self->input->path);
    }
    return rc < 0 ? rc : TM_MORE;
}

static uint64_t reader_position(const void *payload)
{
    const reader *self = payload;

    return self->position;
}

const tm__format tm__format_thread_info = {
    .name = "thread_info",
    .reader_bytes = sizeof(reader),
    .probe = probe,
    .open = reader_open,
    .read = reader_read,
    .position = reader_position,
    .close = reader_close,
};

#else

const tm__format tm__format_thread_info = {.name = "thread_info", .probe = probe};

#endif
