/* SPDX-License-Identifier: Apache-2.0 */
/* ThreadInfo as JSON, value by value: which object or list is open decides what a value
 * is of. */
#include "formats/json/thread_info_values.h"

#include <stdio.h>
#include <string.h>
#include <threadmodel/definition.h>

#include "base/error.h"
#include "formats/json/parser.h"
#include "formats/jstack/grammar.h"
#include "formats/jstack/parse.h"

#ifndef TM_WITHOUT_YAJL

/** The kind of an object or list that is open. */
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

static enum level level_of(const tm__thread_infos *self)
{
    return self->open ? (enum level)self->levels[self->open - 1] : OTHER;
}

/* @return 0, which stops the parser */
static int out_of_memory(tm__thread_infos *self)
{
    self->has_no_memory = 1;
    return 0;
}

static int is_key(const tm__thread_infos *self, const char *key)
{
    return strcmp(self->key, key) == 0;
}

static int on_key(void *payload, const unsigned char *bytes, size_t length)
{
    tm__thread_infos *self = payload;
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

static int keep_frame(tm__thread_infos *self, tm__slice frame)
{
    if (tm__reserve(self->memory, &self->frames, &self->frame_capacity,
                    (size_t)self->frame_count + 1, sizeof(*self->frames)) < 0 ||
        tm__jstack_keep(&self->parsed, &frame) < 0)
        return out_of_memory(self);
    self->frames[self->frame_count++] = frame;
    return 1;
}

/* @param lock  whose class is kept */
static int keep_lock(tm__thread_infos *self, const tm__jstack_lock *lock)
{
    if (tm__reserve(self->memory, &self->locks, &self->lock_capacity,
                    (size_t)self->lock_count + 1, sizeof(*self->locks)) < 0)
        return out_of_memory(self);
    self->locks[self->lock_count++] = *lock;
    return 1;
}

static int add_text_frame(tm__thread_infos *self, tm__slice frame)
{
    return tm__jstack_is_frame(frame) ? keep_frame(self, frame) : 1;
}

/* Spark has the whole stack in one string, a frame a line. */
static int add_stack(tm__thread_infos *self, tm__slice text)
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
static int add_text_lock(tm__thread_infos *self, tm__slice text, uint8_t kind)
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
    tm__thread_infos *self = payload;
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
    tm__thread_infos *self = payload;
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
    tm__thread_infos *self = payload;

    self->parser.calls++;
    if (level_of(self) == THREAD && is_key(self, "daemon") && value)
        self->thread.flags |= TM_THREAD_DAEMON;
    if (level_of(self) == FRAME && is_key(self, "nativeMethod"))
        self->it.is_native = value;
    return 1;
}

static int on_null(void *payload)
{
    tm__thread_infos *self = payload;

    self->parser.calls++;
    return 1;
}

static enum level opens(const tm__thread_infos *self, int is_array)
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

static int open_level(tm__thread_infos *self, int is_array)
{
    enum level level = opens(self, is_array);

    self->parser.calls++;
    if (self->open == TM__THREAD_INFO_LEVELS)
        return 0;
    /* Within a lock there is the frame that took it, and of it nothing is wanted; and
     * an object that holds others is not a thread. */
    if (level_of(self) == MONITOR || level_of(self) == FRAME ||
        level_of(self) == LOCK_INFO)
        level = FRAME;
    if (level == THREAD) {
        self->thread = (tm__jstack_thread){.elapsed_ns = -1, .cpu_ns = -1};
        self->frame_count = self->lock_count = 0;
    }
    if (level != FRAME || level_of(self) == STACK)
        self->it = (tm__thread_info_item){.depth = -1};
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

static int end_frame(tm__thread_infos *self)
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

static int end_lock(tm__thread_infos *self, uint8_t kind)
{
    tm__jstack_lock lock = {.class_name = self->it.class_name, .kind = kind};

    if (!lock.class_name.length)
        return 1;
    tm__jstack_lock_by_hash(&lock, (uint64_t)self->it.hash);
    lock.depth = self->it.depth < 0 ? TM__NONE : (uint32_t)self->it.depth;
    return keep_lock(self, &lock);
}

static int end_thread(tm__thread_infos *self)
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
    tm__thread_infos *self = payload;
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

int tm__thread_infos_init(tm__thread_infos *infos, tm__memory *memory)
{
    infos->memory = memory;
    tm__jstack_init(&infos->parsed, memory);
    return tm__json_init(&infos->parser, memory, &callbacks, infos);
}

void tm__thread_infos_start(tm__thread_infos *infos, const tm__grammar *nature)
{
    tm__json_start(&infos->parser);
    tm__jstack_start(&infos->parsed, nature);
    infos->open = 0;
    infos->has_no_memory = 0;
    infos->key[0] = '\0';
}

void tm__thread_infos_free(tm__thread_infos *infos)
{
    tm__free(infos->memory, infos->frames,
             infos->frame_capacity * sizeof(*infos->frames));
    tm__free(infos->memory, infos->locks, infos->lock_capacity * sizeof(*infos->locks));
    tm__jstack_free(&infos->parsed);
    tm__json_free(&infos->parser);
}

#endif
