/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A platform thread has its state in bits that JVM TI defines; that of a virtual one is
 * a number whose meaning changed with nearly each release, so its frames are asked, and
 * the number only where they cannot tell: what is blocked on a monitor, JDK 24 on.
 */
#include "base/error.h"
#include "formats/dump/dump.h"
#include "formats/hprof/hprof_threads.h"
#include "formats/hprof/read_threads.h"
#include "base/utf8.h"
#include "formats/dump/dump_names.h"
#include "formats/dump/java_state.h"

/* Bits of JVM TI's thread states. */
enum {
    STATE_TERMINATED = 0x2,
    STATE_RUNNABLE = 0x4,
    STATE_SLEEPING = 0x40,
    STATE_IN_OBJECT_WAIT = 0x100,
    STATE_PARKED = 0x200,
    STATE_BLOCKED = 0x400,
};

/* Values of VirtualThread.state from JDK 24 on. */
enum { VIRTUAL_TERMINATED = 99, VIRTUAL_BLOCKING = 12, VIRTUAL_BLOCKED = 13 };
enum { VIRTUAL_STATE = 0xff };

typedef struct text {
    char bytes[3 * 4096 + 1];
} text;

static size_t put_utf8(char *to, uint32_t c)
{
    if (c == 0)
        c = 0xfffd;
    if (c < 0x80) {
        to[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        to[0] = (char)(0xc0 | c >> 6);
        to[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        to[0] = (char)(0xe0 | c >> 12);
        to[1] = (char)(0x80 | (c >> 6 & 0x3f));
        to[2] = (char)(0x80 | (c & 0x3f));
        return 3;
    }
    to[0] = (char)(0xf0 | c >> 18);
    to[1] = (char)(0x80 | (c >> 12 & 0x3f));
    to[2] = (char)(0x80 | (c >> 6 & 0x3f));
    to[3] = (char)(0x80 | (c & 0x3f));
    return 4;
}

/* A character of UTF-16: one that is half of a pair without the other is replaced. */
static uint32_t next_unit(const uint8_t *bytes, uint32_t count, uint32_t *at, int low)
{
#define UNIT(i) ((uint32_t)bytes[2 * (i) + !low] | (uint32_t)bytes[2 * (i) + low] << 8)
    uint32_t unit = UNIT(*at), second;

    (*at)++;
    if (unit < 0xd800 || unit > 0xdfff)
        return unit;
    if (unit > 0xdbff || *at == count)
        return 0xfffd;
    second = UNIT(*at);
    if (second < 0xdc00 || second > 0xdfff)
        return 0xfffd;
    (*at)++;
    return 0x10000 + ((unit - 0xd800) << 10) + (second - 0xdc00);
#undef UNIT
}

/* Arrays of bytes are in the order of the machine, which in practice is little-endian;
 * arrays of characters in that of the file. */
static const char *decode(const tm__hprof_threads *self, uint64_t array, int is_utf16,
                          text *to)
{
    uint32_t index = tm__map_find(&self->text_map, array), count;
    const uint8_t *bytes;
    size_t length = 0;
    int are_chars;

    if (index == TM__NONE || self->texts[index].length == TM__NONE)
        return NULL;
    bytes = (const uint8_t *)self->letters + self->texts[index].offset;
    are_chars = *bytes++;
    count = self->texts[index].length;
    if (are_chars || is_utf16) {
        count /= 2;
        for (uint32_t i = 0; i < count && length + 4 < sizeof(to->bytes);)
            length +=
                put_utf8(to->bytes + length, next_unit(bytes, count, &i, !are_chars));
    } else {
        for (uint32_t i = 0; i < count && length + 4 < sizeof(to->bytes); i++)
            length += put_utf8(to->bytes + length, bytes[i]);
    }
    to->bytes[length] = '\0';
    return to->bytes;
}

/* The text of a string object, or of an array of characters. */
static const char *text_of(const tm__hprof_threads *self, uint64_t id, text *to)
{
    uint32_t index = tm__map_find(&self->object_map, id);

    if (index != TM__NONE && self->objects[index].text)
        return decode(self, self->objects[index].text, self->objects[index].coder, to);
    return decode(self, id, 0, to);
}

/* The text of a string record. */
static const char *record_text(const tm__hprof_threads *self, uint64_t id, text *to)
{
    tm__slice bytes = tm__hprof_text_of(self->names, id);
    size_t length = bytes.length < 4096 ? bytes.length : 4096;

    if (!bytes.bytes)
        return NULL;
    length = tm__utf8_repair(to->bytes, bytes.bytes, length);
    to->bytes[length] = '\0';
    return to->bytes;
}

static uint64_t value_of(const tm__hprof_threads *self, const tm__hprof_thread *thread,
                         int slot)
{
    uint32_t holder =
        tm__map_find(&self->part_map, thread->values[TM__HPROF_HOLDER_OF]);

    return holder == TM__NONE ? thread->values[slot] : self->parts[holder][slot];
}

static uint64_t group_name(const tm__hprof_threads *self,
                           const tm__hprof_thread *thread)
{
    uint32_t group =
        tm__map_find(&self->part_map, value_of(self, thread, TM__HPROF_GROUP_OF));

    return group == TM__NONE ? 0 : self->parts[group][TM__HPROF_NAME];
}

static uint64_t id_of(const tm__hprof_thread *thread)
{
    if (thread->values[TM__HPROF_TID])
        return thread->values[TM__HPROF_TID];
    return thread->serial ? thread->serial : thread->object | UINT64_C(1) << 63;
}

static uint64_t id_at(const tm__hprof_threads *self, uint64_t object)
{
    uint32_t index = tm__map_find(&self->thread_map, object);

    return index == TM__NONE ? 0 : id_of(&self->threads[index]);
}

uint64_t tm__hprof_thread_id(const tm__hprof_threads *self, uint32_t serial)
{
    uint32_t index = tm__map_find(&self->serial_map, serial);

    return index == TM__NONE ? 0 : id_of(&self->threads[index]);
}

static int state_of_platform(const tm__hprof_threads *self,
                             const tm__hprof_thread *thread, uint32_t count)
{
    uint64_t status = value_of(self, thread, TM__HPROF_STATUS);
    tm__slice waiting = {"WAITING", 7};
    uint32_t wait_depth;
    int by_frames =
        tm__dump_state(self->dump, waiting, self->frames, count, &wait_depth);

    if (status & STATE_BLOCKED)
        return wait_depth == TM__NONE ? TM_STATE_BLOCKED : TM_STATE_REENTERING;
    if (status & STATE_IN_OBJECT_WAIT)
        return by_frames == TM_STATE_JOINING ? TM_STATE_JOINING : TM_STATE_WAITING;
    if (status & STATE_SLEEPING)
        return TM_STATE_SLEEPING;
    if (status & STATE_PARKED)
        return TM_STATE_PARKED;
    if (status & STATE_RUNNABLE)
        return TM_STATE_RUNNING;
    return status & STATE_TERMINATED ? TM_STATE_DEAD : TM_STATE_UNKNOWN;
}

/* Up to JDK 23 a virtual thread that is blocked by a monitor, or waits for one, keeps
 * its carrier, and its own state says that it runs. The VM has stopped the carrier
 * then. */
static uint64_t carrier_status(const tm__hprof_threads *self,
                               const tm__hprof_thread *thread)
{
    uint32_t carrier =
        tm__map_find(&self->thread_map, thread->values[TM__HPROF_CARRIER]);

    return carrier == TM__NONE
               ? 0
               : value_of(self, &self->threads[carrier], TM__HPROF_STATUS);
}

static int state_of_virtual(const tm__hprof_threads *self,
                            const tm__hprof_thread *thread, uint32_t count)
{
    uint64_t state = thread->values[TM__HPROF_STATE] & VIRTUAL_STATE;
    tm__slice waiting = {"WAITING", 7};
    uint32_t wait_depth;
    int by_frames =
        tm__dump_state(self->dump, waiting, self->frames, count, &wait_depth);
    uint64_t status = carrier_status(self, thread);
    int is_blocked = thread->has_block_permit &&
                     (state == VIRTUAL_BLOCKING || state == VIRTUAL_BLOCKED);

    if (is_blocked || status & STATE_BLOCKED)
        return wait_depth == TM__NONE ? TM_STATE_BLOCKED : TM_STATE_REENTERING;
    if (by_frames != TM_STATE_UNKNOWN)
        return by_frames;
    if (status & (STATE_IN_OBJECT_WAIT | STATE_PARKED))
        return status & STATE_PARKED ? TM_STATE_PARKED : TM_STATE_WAITING;
    if (state == 0)
        return TM_STATE_NEW;
    /* Up to JDK 23 a heap dump has no stack of one that is not mounted. */
    return status || thread->has_block_permit ? TM_STATE_RUNNING : TM_STATE_UNKNOWN;
}

/* Class and flags of an object that a thread holds or is parked for. */
static int define(tm__hprof_threads *self, uint64_t id, uint64_t class_id)
{
    tm_object object = {
        .size = sizeof(object), .id = id, .flags = TM_OBJECT_SYNCHRONIZER};
    int is_class = tm__map_find(&self->names->class_map, id) != TM__NONE;
    tm__slice class_name = {"java.lang.Class", 15};
    uint32_t number;
    int rc = is_class
                 ? tm__dump_class(self->dump, class_name, &number)
                 : tm__hprof_class_number(self->names, self->dump, class_id, &number);

    if (rc < 0)
        return tm__failure();
    object.class_id = number;
    return tm__dump_object(self->dump, &object);
}

static int add_blocker(tm__hprof_threads *self, const tm__hprof_thread *thread,
                       tm__dump_thread *to)
{
    uint64_t blocker = thread->values[TM__HPROF_PARK_BLOCKER];
    uint32_t object = tm__map_find(&self->object_map, blocker);
    uint32_t owned = tm__map_find(&self->owned_map, blocker);
    uint64_t class_id = object == TM__NONE ? 0 : self->objects[object].class_id;

    if (to->state != TM_STATE_PARKED || blocker == 0)
        return TM_OK;
    to->wanted = blocker;
    if (owned != TM__NONE)
        to->owner = id_at(self, self->owned[owned].owner);
    return define(self, blocker, class_id);
}

static int add_holds(tm__hprof_threads *self, const tm__hprof_thread *thread,
                     tm__dump_thread *to)
{
    uint32_t count = 0;

    for (uint32_t i = thread->hold; i != TM__NONE; i = self->owned[i].next) {
        if (tm__reserve(self->memory, &self->holds, &self->hold_capacity,
                        (size_t)count + 1, sizeof(*self->holds)) < 0 ||
            define(self, self->owned[i].object, self->owned[i].class_id) < 0)
            return tm__failure();
        self->holds[count++] = (tm__dump_hold){self->owned[i].object, TM__NONE};
    }
    to->holds = self->holds;
    to->hold_count = count;
    return TM_OK;
}

/* Threads that have not begun, or have ended, are objects like any other. */
static int is_alive(const tm__hprof_threads *self, const tm__hprof_thread *thread)
{
    uint64_t state = thread->values[TM__HPROF_STATE] & VIRTUAL_STATE;

    (void)self;
    if (thread->is_root)
        return 1;
    return thread->is_seen && thread->is_virtual && state != 0 &&
           state != VIRTUAL_TERMINATED;
}

static int read_thread(tm__hprof_threads *self, const tm__hprof_thread *thread)
{
    text name, group;
    tm__dump_thread to = {
        .thread = {.size = sizeof(tm_thread), .id = id_of(thread)},
    };

    if (!is_alive(self, thread))
        return TM_OK;
    to.thread.name = text_of(self, thread->values[TM__HPROF_NAME], &name);
    if (!to.thread.name)
        to.thread.name = record_text(self, thread->started_name, &name);
    to.thread.group = text_of(self, group_name(self, thread), &group);
    if (!to.thread.group)
        to.thread.group = record_text(self, thread->started_group, &group);
    if (thread->is_virtual) {
        to.thread.flags |= TM_THREAD_VIRTUAL;
        to.carrier = id_at(self, thread->values[TM__HPROF_CARRIER]);
    } else {
        to.thread.priority =
            (int32_t)(value_of(self, thread, TM__HPROF_PRIORITY) & 0x7f);
        if (value_of(self, thread, TM__HPROF_DAEMON))
            to.thread.flags |= TM_THREAD_DAEMON;
    }
    if (tm__hprof_trace_frames(self->names, self->dump, thread->trace, &self->frames,
                               &self->frame_capacity, &to.frame_count) < 0)
        return tm__failure();
    to.frames = self->frames;
    to.state = thread->is_virtual ? state_of_virtual(self, thread, to.frame_count)
                                  : state_of_platform(self, thread, to.frame_count);
    if (add_blocker(self, thread, &to) < 0 || add_holds(self, thread, &to) < 0)
        return tm__failure();
    return tm__dump_read(self->dump, &to);
}

int tm__hprof_define_started(tm__hprof_threads *self)
{
    for (uint32_t i = 0; i < self->thread_count; i++) {
        const tm__hprof_thread *thread = &self->threads[i];
        text name, group;
        tm_thread item = {.size = sizeof(item), .id = id_of(thread)};

        if (thread->is_root || !thread->started_name)
            continue;
        item.name = record_text(self, thread->started_name, &name);
        item.group = record_text(self, thread->started_group, &group);
        if (tm__dump_define(self->dump, &item) < 0)
            return tm__failure();
    }
    return TM_OK;
}

int tm__hprof_read_threads(tm__hprof_threads *self)
{
    for (; self->next < self->thread_count; self->next++)
        if (read_thread(self, &self->threads[self->next]) < 0)
            return tm__failure();
    return TM_OK;
}
