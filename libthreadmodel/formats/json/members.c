/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A path through the text by levels, one for each object and array that is open:
 *
 *   TOP {threadDump: DUMP {threadContainers: CONTAINERS [ CONTAINER {threads:
 *       THREADS [ THREAD {stack: STACK [], parkBlocker: BLOCKER {},
 *                         monitorsOwned: OWNED [ ITEM {locks: LOCKS []} ]} ]} ]}}
 *
 * Members on no such path are skipped, so those that a later JDK adds do no harm.
 * Numbers may be written as strings, as JDK 21 to 26 do.
 */
#include "formats/dump/dump.h"
#include "formats/json/members.h"

#include <string.h>

#include "formats/dump/dump_time.h"

#ifndef TM_WITHOUT_YAJL

enum level {
    OUTSIDE,
    TOP,
    DUMP,
    CONTAINERS,
    CONTAINER,
    THREADS,
    THREAD,
    STACK,
    BLOCKER,
    OWNED,
    ITEM,
    LOCKS,
};

enum member {
    NONE,
    THREAD_DUMP,
    FORMAT_VERSION,
    PROCESS_ID,
    TIME,
    RUNTIME_VERSION,
    THREAD_CONTAINERS,
    CONTAINER_NAME,
    CONTAINER_THREADS,
    THREAD_COUNT,
    TID,
    VIRTUAL,
    NAME,
    STATE,
    CARRIER,
    FRAMES,
    PARK_BLOCKER,
    BLOCKED_ON,
    WAITING_ON,
    MONITORS_OWNED,
    BLOCKER_OBJECT,
    BLOCKER_OWNER,
    DEPTH,
    ITEM_LOCKS,
};

static const struct {
    const char *name;
    uint8_t level;
    uint8_t member;
} members[] = {
    {"stack", THREAD, FRAMES},
    {"tid", THREAD, TID},
    {"name", THREAD, NAME},
    {"state", THREAD, STATE},
    {"virtual", THREAD, VIRTUAL},
    {"parkBlocker", THREAD, PARK_BLOCKER},
    {"object", BLOCKER, BLOCKER_OBJECT},
    {"owner", BLOCKER, BLOCKER_OWNER},
    {"blockedOn", THREAD, BLOCKED_ON},
    {"waitingOn", THREAD, WAITING_ON},
    {"monitorsOwned", THREAD, MONITORS_OWNED},
    {"depth", ITEM, DEPTH},
    {"locks", ITEM, ITEM_LOCKS},
    {"carrier", THREAD, CARRIER},
    {"container", CONTAINER, CONTAINER_NAME},
    {"threads", CONTAINER, CONTAINER_THREADS},
    {"threadCount", CONTAINER, THREAD_COUNT},
    {"threadDump", TOP, THREAD_DUMP},
    {"formatVersion", DUMP, FORMAT_VERSION},
    {"processId", DUMP, PROCESS_ID},
    {"time", DUMP, TIME},
    {"runtimeVersion", DUMP, RUNTIME_VERSION},
    {"threadContainers", DUMP, THREAD_CONTAINERS},
};

static enum level level_of(const tm__json_dump *it)
{
    return it->depth ? (enum level)it->levels[it->depth - 1] : OUTSIDE;
}

/* @return 0, which makes the parser stop */
static int stop(tm__json_dump *it, int reason)
{
    it->stop = reason;
    return 0;
}

static int check(tm__json_dump *it, int rc)
{
    return rc < 0 ? stop(it, TM__JSON_NO_MEMORY) : 1;
}

void tm__json_dump_start(tm__json_dump *it, int is_again)
{
    it->depth = it->skipped = 0;
    it->member = NONE;
    it->stop = TM__JSON_NOT_STOPPED;
    if (is_again) {
        it->taken = it->taken > it->met ? it->taken : it->met;
    } else {
        it->is_begun = 0;
        it->taken = 0;
    }
    it->met = it->left_out = 0;
    it->time_ns = INT64_MIN;
    it->version = 0;
}

static int read_number(tm__json_dump *it, tm__slice text)
{
    uint64_t number;

    if (!tm__slice_number(&text, 10, &number) || text.length)
        return 1;
    switch ((enum member)it->member) {
    case FORMAT_VERSION:
        it->version = number;
        return number > 2 ? stop(it, TM__JSON_TOO_NEW) : 1;
    case PROCESS_ID:
        it->process_id = number;
        tm__dump_process(it->dump, number);
        break;
    case THREAD_COUNT: it->container_count = number; break;
    case TID: it->thread.id = number; break;
    case CARRIER: it->thread.carrier = number; break;
    case BLOCKER_OWNER: it->thread.blocker_owner = number; break;
    case DEPTH: it->item_depth = number < TM__NONE ? (uint32_t)number : TM__NONE; break;
    default: break;
    }
    return 1;
}

static int on_number(void *payload, const char *text, size_t length)
{
    tm__json_dump *it = payload;

    it->parser->calls++;
    return it->skipped ? 1 : read_number(it, (tm__slice){text, length});
}

static int read_text(tm__json_dump *it, tm__slice text)
{
    tm__snapshot *thread = &it->thread;

    switch ((enum member)it->member) {
    case TIME: tm__dump_time(text, &it->time_ns); return 1;
    case RUNTIME_VERSION:
        return check(it, tm__snapshot_set(thread, &it->runtime, text));
    case CONTAINER_NAME:
        return check(it, tm__snapshot_set(thread, &thread->group, text));
    case NAME: return check(it, tm__snapshot_set(thread, &thread->name, text));
    case STATE:
        it->has_states = 1;
        return check(it, tm__snapshot_set(thread, &thread->state, text));
    case BLOCKED_ON:
        return check(it, tm__snapshot_object(thread, text, 0, &thread->blocked_on));
    case WAITING_ON:
        return check(it, tm__snapshot_object(thread, text, 0, &thread->waiting_on));
    case BLOCKER_OBJECT:
        return check(it, tm__snapshot_object(thread, text, 1, &thread->blocker));
    default: return read_number(it, text);
    }
}

static int on_string(void *payload, const unsigned char *bytes, size_t length)
{
    tm__json_dump *it = payload;
    tm__slice text = {(const char *)bytes, length};

    it->parser->calls++;
    if (it->skipped)
        return 1;
    switch (level_of(it)) {
    case STACK: return check(it, tm__snapshot_frame(&it->thread, text));
    case LOCKS: return check(it, tm__snapshot_lock(&it->thread, text));
    default: return read_text(it, text);
    }
}

static int on_boolean(void *payload, int value)
{
    tm__json_dump *it = payload;

    it->parser->calls++;
    if (!it->skipped && it->member == VIRTUAL)
        it->thread.is_virtual = value;
    return 1;
}

/* Among locks: one that the compiler eliminated. Nobody can wait for it. */
static int on_null(void *payload)
{
    tm__json_dump *it = payload;

    it->parser->calls++;
    return 1;
}

static int on_key(void *payload, const unsigned char *bytes, size_t length)
{
    tm__json_dump *it = payload;
    tm__slice name = {(const char *)bytes, length};

    it->parser->calls++;
    it->member = NONE;
    if (it->skipped)
        return 1;
    for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
        if (members[i].level == level_of(it) && tm__slice_is(name, members[i].name)) {
            it->member = members[i].member;
            break;
        }
    return 1;
}

/* The level that opens, by where it stands and as which member; OUTSIDE: it is not
 * wanted. */
static enum level opens(const tm__json_dump *it, int is_array)
{
    switch (level_of(it)) {
    case OUTSIDE: return is_array ? OUTSIDE : TOP;
    case CONTAINERS: return is_array ? OUTSIDE : CONTAINER;
    case THREADS: return is_array ? OUTSIDE : THREAD;
    case OWNED: return is_array ? OUTSIDE : ITEM;
    case STACK:
    case LOCKS: return OUTSIDE;
    default: break;
    }
    switch ((enum member)it->member) {
    case THREAD_DUMP: return is_array ? OUTSIDE : DUMP;
    case THREAD_CONTAINERS: return is_array ? CONTAINERS : OUTSIDE;
    case CONTAINER_THREADS: return is_array ? THREADS : OUTSIDE;
    case FRAMES: return is_array ? STACK : OUTSIDE;
    case MONITORS_OWNED: return is_array ? OWNED : OUTSIDE;
    case ITEM_LOCKS: return is_array ? LOCKS : OUTSIDE;
    case PARK_BLOCKER: return is_array ? OUTSIDE : BLOCKER;
    default: return OUTSIDE;
    }
}

static int begin(tm__json_dump *it, enum level level)
{
    switch (level) {
    case CONTAINERS:
        if (!it->is_begun)
            tm__dump_begin(it->dump, it->time_ns);
        it->is_begun = 1;
        break;
    case CONTAINER:
        it->in_container = it->container_count = 0;
        it->thread.group.is_set = 0;
        break;
    case THREAD: tm__snapshot_start(&it->thread); break;
    case ITEM:
        it->thread.lock_first = it->thread.lock_count;
        it->item_depth = TM__NONE;
        break;
    default: break;
    }
    return 1;
}

static int open_level(tm__json_dump *it, int is_array)
{
    enum level level = it->skipped ? OUTSIDE : opens(it, is_array);

    it->parser->calls++;
    if (it->depth + it->skipped >= TM__JSON_LEVELS)
        return stop(it, TM__JSON_TOO_DEEP);
    if (level == OUTSIDE) {
        it->skipped++;
        return 1;
    }
    it->levels[it->depth++] = (uint8_t)level;
    it->member = NONE;
    return begin(it, level);
}

static int on_start_map(void *payload)
{
    return open_level(payload, 0);
}

static int on_start_array(void *payload)
{
    return open_level(payload, 1);
}

static int end_thread(tm__json_dump *it)
{
    it->in_container++;
    if (it->met < it->taken) {
        it->met++;
        return 1;
    }
    if (it->thread.id == 0)
        return stop(it, TM__JSON_NO_THREAD);
    if (tm__snapshot_end(&it->thread) < 0)
        return stop(it, TM__JSON_NO_MEMORY);
    it->met++;
    return 1;
}

static int on_end(void *payload)
{
    tm__json_dump *it = payload;

    it->parser->calls++;
    if (it->skipped) {
        it->skipped--;
        return it->depth + it->skipped ? 1 : stop(it, TM__JSON_NO_DUMP);
    }
    it->member = NONE;
    switch ((enum level)it->levels[--it->depth]) {
    case THREAD: return end_thread(it);
    case ITEM: tm__snapshot_depth(&it->thread, it->item_depth); return 1;
    case CONTAINER:
        if (it->container_count > it->in_container)
            it->left_out += it->container_count - it->in_container;
        return 1;
    case TOP: return stop(it, it->is_begun ? TM__JSON_DUMP_ENDS : TM__JSON_NO_DUMP);
    default: return 1;
    }
}

const yajl_callbacks tm__json_callbacks = {
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

#endif
