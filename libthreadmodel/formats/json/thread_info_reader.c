/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `{"threads": [{"threadName": "main", "threadState": "BLOCKED", "lockInfo": {...},
 * "lockedMonitors": [...], "stackTrace": [...]}]}`: an array of ThreadInfo, at whatever
 * depth it stands. One dump is one text, and small: it is taken whole before any of it
 * is emitted, and begun again where memory runs out.
 */
#include "formats/dump/dump.h"
#include "formats/json/thread_info_reader.h"

#include <stdio.h>
#include <string.h>
#include <threadmodel/definition.h>

#include "base/error.h"
#include "formats/json/parser.h"
#include "formats/jstack/fill.h"
#include "formats/jstack/grammar.h"
#include "formats/jstack/parse.h"

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

enum { LEVELS = 32 };

/** What is open. */
enum level {
    OTHER,
    THREAD,
    LOCK_INFO,
    MONITORS,
    MONITOR,
    SYNCHRONIZERS,
    STACK,
    FRAME,
    HOLDING
};

typedef struct item {
    tm__slice class_name, method, file;
    int64_t hash, depth, line;
    int is_native;
} item;

typedef struct reader {
    tm__memory *memory;
    tm__input *input;
    enum { PARSING, FILLING, EMITTING, DONE } state;
    uint64_t position;
    tm__json_parser parser;
    tm__notes notes;
    tm__dump dump;
    tm__jstack_dump parsed;
    tm__jstack_fill fill;
    int is_begun;
    int has_no_memory;

    uint8_t levels[LEVELS];
    uint32_t open;
    char key[40];
    tm__jstack_thread thread;
    item it;
    tm__slice *frames; ///< of the thread at hand
    uint32_t frame_count, frame_capacity;
    tm__jstack_lock *locks;
    uint32_t lock_count, lock_capacity;
} reader;

static enum level level_of(const reader *self)
{
    return self->open ? (enum level)self->levels[self->open - 1] : OTHER;
}

/* @return 0, which stops the parser */
static int out_of_memory(reader *self)
{
    self->has_no_memory = 1;
    return 0;
}

static int is_key(const reader *self, const char *key)
{
    return strcmp(self->key, key) == 0;
}

static int on_key(void *payload, const unsigned char *bytes, size_t length)
{
    reader *self = payload;
    size_t to = 0;

    self->parser.calls++;
    length = length < sizeof(self->key) ? length : 0;
    /* Jackson may write thread_name for threadName. */
    for (size_t i = 0; i < length; i++) {
        int is_joined = i > 0 && i + 1 < length && bytes[i] == '_' &&
                        bytes[i + 1] >= 'a' && bytes[i + 1] <= 'z';

        i += (size_t)is_joined;
        self->key[to++] = (char)(is_joined ? bytes[i] - 'a' + 'A' : bytes[i]);
    }
    self->key[to] = '\0';
    return 1;
}

static int keep_frame(reader *self, tm__slice frame)
{
    if (tm__reserve(self->memory, &self->frames, &self->frame_capacity,
                    (size_t)self->frame_count + 1, sizeof(*self->frames)) < 0 ||
        tm__jstack_keep(&self->parsed, &frame) < 0)
        return out_of_memory(self);
    self->frames[self->frame_count++] = frame;
    return 1;
}

/* @param lock  whose class is kept */
static int keep_lock(reader *self, const tm__jstack_lock *lock)
{
    if (tm__reserve(self->memory, &self->locks, &self->lock_capacity,
                    (size_t)self->lock_count + 1, sizeof(*self->locks)) < 0)
        return out_of_memory(self);
    self->locks[self->lock_count++] = *lock;
    return 1;
}

static int add_text_frame(reader *self, tm__slice frame)
{
    return tm__jstack_is_frame(frame) ? keep_frame(self, frame) : 1;
}

/* Spark has the whole stack in one string, a frame a line. */
static int add_stack(reader *self, tm__slice text)
{
    while (text.length > 0) {
        size_t end = tm__slice_find(text, "\n");

        if (!add_text_frame(self, tm__slice_trim((tm__slice){text.bytes, end})))
            return 0;
        text = tm__slice_from(text, end + 1);
    }
    return 1;
}

/* Spark's "Monitor(shop.Block@350285679})", whose hash is decimal. */
static int add_text_lock(reader *self, tm__slice text, uint8_t kind)
{
    size_t open = tm__slice_find(text, "("), at = tm__slice_find(text, "@");
    tm__jstack_lock lock = {.kind = kind, .depth = TM__NONE};
    tm__slice number = tm__slice_from(text, at + 1);
    uint64_t hash;

    if (open >= at || !tm__slice_number(&number, 10, &hash))
        return 1;
    lock.class_name = (tm__slice){text.bytes + open + 1, at - open - 1};
    if (kind == TM__JSTACK_LOCKED && tm__slice_begins(text, "Lock("))
        lock.kind = TM__JSTACK_SYNCHRONIZER;
    tm__jstack_lock_by_hash(&lock, hash);
    return tm__jstack_keep(&self->parsed, &lock.class_name) < 0
               ? out_of_memory(self)
               : keep_lock(self, &lock);
}

static int on_string(void *payload, const unsigned char *bytes, size_t length)
{
    reader *self = payload;
    tm__slice text = {(const char *)bytes, length};
    enum level level = level_of(self);
    tm__slice *to = NULL;

    self->parser.calls++;
    if (level == STACK)
        return add_text_frame(self, tm__slice_trim(text));
    if (level == HOLDING)
        return add_text_lock(self, text, TM__JSTACK_LOCKED);
    if (level == THREAD && is_key(self, "stackTrace"))
        return add_stack(self, text);
    if (level == THREAD && is_key(self, "blockedByLock"))
        return add_text_lock(self, text, TM__JSTACK_WAITING_ON);
    if (level == THREAD)
        to = is_key(self, "threadName")    ? &self->thread.name
             : is_key(self, "threadState") ? &self->thread.state
                                           : NULL;
    else if (is_key(self, "className"))
        to = &self->it.class_name;
    else if (is_key(self, "methodName"))
        to = &self->it.method;
    else if (is_key(self, "fileName"))
        to = &self->it.file;
    if (!to)
        return 1;
    if (tm__jstack_keep(&self->parsed, &text) < 0)
        return out_of_memory(self);
    *to = text;
    return 1;
}

static int on_number(void *payload, const char *text, size_t length)
{
    reader *self = payload;
    int is_negative = length > 0 && text[0] == '-';
    tm__slice digits = {text + is_negative, length - (size_t)is_negative};
    uint64_t value;

    self->parser.calls++;
    if (!tm__slice_number(&digits, 10, &value) || value > INT64_MAX)
        return 1;
    if (level_of(self) == THREAD) {
        if (is_key(self, "threadId"))
            self->thread.id = value;
        else if ((is_key(self, "lockOwnerId") || is_key(self, "blockedByThreadId")) &&
                 !is_negative)
            self->thread.owner_id = value;
        else if (is_key(self, "priority") && value < INT32_MAX)
            self->thread.priority = (int32_t)value;
    } else if (is_key(self, "identityHashCode")) {
        self->it.hash = (int64_t)value;
    } else if (is_key(self, "lockedStackDepth")) {
        self->it.depth = is_negative ? -1 : (int64_t)value;
    } else if (is_key(self, "lineNumber")) {
        self->it.line = is_negative ? 0 : (int64_t)value;
    }
    return 1;
}

static int on_boolean(void *payload, int value)
{
    reader *self = payload;

    self->parser.calls++;
    if (level_of(self) == THREAD && is_key(self, "daemon") && value)
        self->thread.flags |= TM_THREAD_DAEMON;
    if (level_of(self) == FRAME && is_key(self, "nativeMethod"))
        self->it.is_native = value;
    return 1;
}

static int on_null(void *payload)
{
    reader *self = payload;

    self->parser.calls++;
    return 1;
}

static enum level opens(const reader *self, int is_array)
{
    switch (level_of(self)) {
    case OTHER: return is_array ? OTHER : THREAD;
    case THREAD:
        if (!is_array)
            return is_key(self, "lockInfo")     ? LOCK_INFO
                   : is_key(self, "stackTrace") ? STACK /* Spark's {"elems": []} */
                                                : OTHER;
        return is_key(self, "lockedMonitors")        ? MONITORS
               : is_key(self, "lockedSynchronizers") ? SYNCHRONIZERS
               : is_key(self, "stackTrace")          ? STACK
               : is_key(self, "holdingLocks")        ? HOLDING
                                                     : OTHER;
    case MONITORS:
    case SYNCHRONIZERS: return MONITOR;
    case STACK: return is_array ? STACK : FRAME;
    default: return OTHER;
    }
}

static int open_level(reader *self, int is_array)
{
    enum level level = opens(self, is_array);

    self->parser.calls++;
    if (self->open == LEVELS)
        return 0;
    /* Within a lock there is the frame that took it, and of it nothing is wanted; and
     * an object that holds others is no thread. */
    if (level_of(self) == MONITOR || level_of(self) == FRAME ||
        level_of(self) == LOCK_INFO)
        level = FRAME;
    if (level == THREAD) {
        self->thread = (tm__jstack_thread){.elapsed_ns = -1, .cpu_ns = -1};
        self->frame_count = self->lock_count = 0;
    }
    if (level != FRAME || level_of(self) == STACK)
        self->it = (item){.depth = -1};
    self->levels[self->open++] = (uint8_t)level;
    self->key[0] = '\0';
    return 1;
}

static int on_start_map(void *payload)
{
    return open_level(payload, 0);
}

static int on_start_array(void *payload)
{
    return open_level(payload, 1);
}

static int end_frame(reader *self)
{
    char text[1000], place[300];
    tm__slice frame = {text, 0};

    if (!self->it.class_name.length || !self->it.method.length)
        return 1;
    if (self->it.is_native)
        snprintf(place, sizeof(place), "Native Method");
    else if (!self->it.file.length)
        snprintf(place, sizeof(place), "Unknown Source");
    else
        snprintf(place, sizeof(place), "%.200s:%lld", self->it.file.bytes,
                 (long long)self->it.line);
    snprintf(text, sizeof(text), "%.400s.%.200s(%s)", self->it.class_name.bytes,
             self->it.method.bytes, place);
    frame.length = strlen(text);
    return keep_frame(self, frame);
}

static int end_lock(reader *self, uint8_t kind)
{
    tm__jstack_lock lock = {.class_name = self->it.class_name, .kind = kind};

    if (!lock.class_name.length)
        return 1;
    tm__jstack_lock_by_hash(&lock, (uint64_t)self->it.hash);
    lock.depth = self->it.depth < 0 ? TM__NONE : (uint32_t)self->it.depth;
    return keep_lock(self, &lock);
}

static int end_thread(reader *self)
{
    if (!self->thread.id || !self->thread.state.length)
        return 1;
    if (tm__jstack_add_thread(&self->parsed, &self->thread) < 0)
        return out_of_memory(self);
    for (uint32_t i = 0; i < self->frame_count; i++)
        if (tm__jstack_add_frame(&self->parsed, self->frames[i]) < 0)
            return out_of_memory(self);
    for (uint32_t i = 0; i < self->lock_count; i++) {
        if (tm__jstack_add_lock(&self->parsed, &self->locks[i]) < 0)
            return out_of_memory(self);
        self->parsed.locks[self->parsed.lock_count - 1].depth = self->locks[i].depth;
        if (self->locks[i].kind == TM__JSTACK_SYNCHRONIZER)
            self->parsed.reports_synchronizers = 1;
    }
    self->thread.id = 0;
    return 1;
}

static int on_end(void *payload)
{
    reader *self = payload;
    enum level level = level_of(self), above;

    self->parser.calls++;
    self->open -= self->open > 0;
    above = level_of(self);
    self->key[0] = '\0';
    switch (level) {
    case THREAD: return end_thread(self);
    case FRAME: return above == STACK ? end_frame(self) : 1;
    case MONITOR:
        return end_lock(self, above == SYNCHRONIZERS ? TM__JSTACK_SYNCHRONIZER
                                                     : TM__JSTACK_LOCKED);
    case LOCK_INFO:
        return end_lock(self, tm__slice_is(self->thread.state, "BLOCKED")
                                  ? TM__JSTACK_WANTED
                                  : TM__JSTACK_WAITING_ON);
    default: return 1;
    }
}

static const yajl_callbacks callbacks = {
    .yajl_null = on_null,
    .yajl_boolean = on_boolean,
    .yajl_number = on_number,
    .yajl_string = on_string,
    .yajl_start_map = on_start_map,
    .yajl_map_key = on_key,
    .yajl_end_map = on_end,
    .yajl_start_array = on_start_array,
    .yajl_end_array = on_end,
};

static const tm__grammar nature = {
    .name = "thread_info",
    .writer = "ThreadInfo as JSON",
    .reports_locks = 1,
    .is_one_instant = 1,
};

static void start(reader *self)
{
    tm__json_start(&self->parser);
    tm__jstack_start(&self->parsed, &nature);
    self->position = 0;
    self->open = 0;
    self->has_no_memory = 0;
    self->key[0] = '\0';
}

/* The whole text. lockInfo may stand before the state that says what it is for. */
static int parse(reader *self)
{
    int outcome = TM__JSON_GOES_ON;

    start(self);
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
        outcome = tm__json_read(&self->parser, bytes, available, &taken);
        self->position += taken;
        if (self->open == 0 && taken < available)
            break;
    }
    if (self->has_no_memory)
        return TM_ENOMEM;
    if (outcome != TM__JSON_GOES_ON || self->open > 0)
        if (tm__notes_damage(&self->notes,
                             "the dump is cut or wrong at byte %llu: "
                             "threads behind it are missing",
                             (unsigned long long)self->position) < 0)
            return TM_ENOMEM;
    for (uint32_t t = 0; t < self->parsed.thread_count; t++) {
        const tm__jstack_thread *thread = &self->parsed.threads[t];

        for (uint32_t i = 0; i < thread->lock_count; i++) {
            tm__jstack_lock *lock = &self->parsed.locks[thread->lock_first + i];

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

    tm__free(self->memory, self->frames, self->frame_capacity * sizeof(*self->frames));
    tm__free(self->memory, self->locks, self->lock_capacity * sizeof(*self->locks));
    tm__jstack_fill_free(&self->fill);
    tm__jstack_free(&self->parsed);
    tm__json_free(&self->parser);
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
    self->memory = memory;
    self->input = input;
    tm__notes_init(&self->notes, memory);
    tm__jstack_init(&self->parsed, memory);
    tm__jstack_fill_init(&self->fill, memory, &self->dump);
    rc = tm__json_init(&self->parser, memory, &callbacks, self);
    if (rc == TM_OK)
        rc = tm__dump_init(&self->dump, memory, &self->notes, as_dump);
    return rc;
}

static int fill(reader *self)
{
    int rc;

    if (self->parsed.thread_count == 0)
        return tm__fail(TM_EFORMAT, "%s: no thread of this JSON can be read",
                        self->input->path);
    if (!self->is_begun)
        tm__dump_begin(&self->dump, INT64_MIN);
    self->is_begun = 1;
    rc = tm__jstack_fill_read(&self->fill, &self->parsed, 0);
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
