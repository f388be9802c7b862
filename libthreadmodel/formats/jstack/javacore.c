/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenJ9's javacore: each line begins with a tag that says what it is.
 *
 *     3XMTHREADINFO      "stacker" J9VMThread:0x21A0800, ..., state:B, prio=5
 *     3XMJAVALTHREAD            (java/lang/Thread getId:0xC, isDaemon:true)
 *     3XMTHREADINFO1            (native thread ID:0x38C1, ...)
 *     3XMTHREADBLOCK     Blocked on: Crate@0xFFF1E208 Owned by: "x" (J9VMThread:0x...
 *     4XESTACKTRACE                at Depot.stack(Depot.java:7(Compiled Code))
 *     5XESTACKTRACE                   (entered lock: Shelf@0xFFF1E1F8, entry count: 1)
 *
 * Owners are named by the address of the thread's structure, which its id is found by.
 */
#include <stdio.h>
#include <string.h>
#include <threadmodel/definition.h>

#include "base/error.h"
#include "formats/dump/dump_time.h"
#include "formats/jstack/grammar.h"
#include "formats/jstack/parse.h"

enum { FRAME_BYTES = 1024, CURRENT = 1 };

static int number_behind(tm__slice text, const char *key, unsigned base,
                         uint64_t *number)
{
    size_t at = tm__slice_find(text, key);

    text = tm__slice_from(text, at + strlen(key));
    return tm__slice_number(&text, base, number);
}

/* The text between the first quote and the one before `end`. */
static tm__slice quoted(tm__slice text, const char *end)
{
    size_t open = tm__slice_find(text, "\"");
    tm__slice name = tm__slice_from(text, open + 1);

    name.length = tm__slice_find(name, end);
    return name;
}

/* "Depot$Crate@0x00000000FFF1E208" */
static void read_object(tm__slice text, tm__jstack_lock *lock)
{
    size_t at;

    text = tm__slice_trim(text);
    at = tm__slice_find(text, "@0x");
    if (at == text.length || !number_behind(text, "@0x", 16, &lock->address))
        return;
    lock->class_name = (tm__slice){text.bytes, at};
}

static tm__slice java_state(tm__slice line)
{
    size_t at = tm__slice_find(line, "state:");
    tm__slice state = tm__slice_from(line, at + strlen("state:"));

    if (tm__slice_begins(state, "B"))
        return TM__SLICE("BLOCKED");
    if (tm__slice_begins(state, "CW") || tm__slice_begins(state, "P"))
        return TM__SLICE("WAITING");
    if (tm__slice_begins(state, "Z"))
        return TM__SLICE("TERMINATED");
    return TM__SLICE("RUNNABLE");
}

static int read_thread(tm__jstack_parser *self, tm__slice text)
{
    tm__jstack_thread thread = {
        .elapsed_ns = -1, .cpu_ns = -1, .state = java_state(text)};
    const char *end = "\" J9VMThread:0x";
    uint64_t priority;
    uint32_t at;

    self->thread = TM__NONE;
    /* Java 5 and 6 have the same number by another name. */
    if (tm__slice_find(text, end) == text.length)
        end = "\" TID:0x";
    if (!tm__slice_begins(text, "\"") || !number_behind(text, end, 16, &thread.id))
        return TM_OK;
    at = tm__map_find(&self->dump->ids, thread.id);
    /* Up to Java 6 the list has the thread that writes the dump once more. */
    if (at == 0 && self->section == CURRENT)
        return self->section = 0, TM_OK;
    if (at != TM__NONE)
        return TM__LINE_NEXT;
    thread.name = quoted(text, end);
    if (number_behind(text, "prio=", 10, &priority) && priority < INT32_MAX)
        thread.priority = (int32_t)priority;
    thread.address = thread.id;
    if (tm__jstack_add_thread(self->dump, &thread) < 0)
        return tm__failure();
    self->thread = self->dump->thread_count - 1;
    self->dump->threads[self->thread].id = thread.id | UINT64_C(1) << 63;
    return TM_OK;
}

static int read_block(tm__jstack_parser *self, tm__slice text)
{
    tm__jstack_thread *thread = tm__jstack_last(self->dump);
    tm__jstack_lock lock = {.depth = TM__NONE};
    size_t owner = tm__slice_find(text, " Owned by: "), on = tm__slice_find(text, ": ");
    tm__slice object = {text.bytes, owner};

    if (tm__slice_begins(text, "Blocked on"))
        lock.kind = TM__JSTACK_WANTED;
    else if (tm__slice_begins(text, "Parked on"))
        lock.kind = TM__JSTACK_PARKING;
    else
        lock.kind = TM__JSTACK_WAITING_ON;
    read_object(tm__slice_from(object, on + 2), &lock);
    if (!lock.address)
        return TM_OK;
    if (tm__jstack_add_lock(self->dump, &lock) < 0)
        return tm__failure();
    if (owner < text.length && lock.kind != TM__JSTACK_WAITING_ON)
        number_behind(tm__slice_from(text, owner), "J9VMThread:0x", 16,
                      &thread->owner_id);
    return TM_OK;
}

/* "at java/lang/Thread.run(Thread.java:840(Compiled Code))" */
static int read_frame(tm__jstack_parser *self, tm__slice text)
{
    char frame[FRAME_BYTES];
    size_t length, code, open;

    if (!tm__slice_begins(text, "at "))
        return TM_OK;
    text = tm__slice_from(text, 3);
    code = tm__slice_find(text, "(Compiled Code)");
    length = code < text.length ? code : text.length;
    if (length + 2 > sizeof(frame))
        return TM_OK;
    memcpy(frame, text.bytes, length);
    if (code < text.length)
        frame[length++] = ')';
    open = tm__slice_find((tm__slice){frame, length}, "(");
    for (size_t i = 0; i + 1 < open; i++)
        if (frame[i] == '/' && (frame[i + 1] < '0' || frame[i + 1] > '9'))
            frame[i] = '.';
    return tm__jstack_add_frame(self->dump, (tm__slice){frame, length});
}

static int read_entered(tm__jstack_parser *self, tm__slice text)
{
    static const char begin[] = "(entered lock: ";
    tm__jstack_lock lock = {.kind = TM__JSTACK_LOCKED};

    if (!tm__slice_begins(text, begin))
        return TM_OK;
    text = tm__slice_from(text, sizeof(begin) - 1);
    text.length = tm__slice_find(text, ",");
    read_object(text, &lock);
    return lock.address ? tm__jstack_add_lock(self->dump, &lock) : TM_OK;
}

/* "Date: 2026/11/28 at 01:20:46:311 (UTC)" */
static void read_time(tm__jstack_parser *self, tm__slice text)
{
    char stamp[24];
    size_t at = tm__slice_find(text, " at ");

    if (self->dump->time_ns != INT64_MIN || at < 10 || at + 16 > text.length)
        return;
    snprintf(stamp, sizeof(stamp), "%.10s %.8s.%.3s", text.bytes + at - 10,
             text.bytes + at + 4,
             at + 16 <= text.length ? text.bytes + at + 13 : "000");
    stamp[4] = stamp[7] = '-';
    tm__dump_time((tm__slice){stamp, strlen(stamp)}, &self->dump->time_ns);
}

/* "2LKDEADLOCKTHR  Thread "stacker" (0x21A0800)": who waits, and who has it. */
static int read_member(tm__jstack_parser *self, tm__slice text)
{
    tm__jstack_dump *dump = self->dump;
    tm__jstack_edge edge = {.thread = quoted(text, "\" (0x"),
                            .deadlock = dump->deadlock_count - 1,
                            .kind = TM__JSTACK_WANTED};
    tm__slice name = edge.thread;

    if (!dump->deadlock_count || tm__jstack_keep(dump, &name) < 0)
        return dump->deadlock_count ? TM_ENOMEM : TM_OK;
    if (dump->edge_count && !dump->edges[dump->edge_count - 1].owner.length) {
        dump->edges[dump->edge_count - 1].owner = name;
        if (tm__slice_same(dump->edges[0].thread, name))
            return TM_OK;
    }
    return tm__jstack_add_edge(dump, &edge);
}

static int read_member_object(tm__jstack_parser *self, tm__slice text)
{
    tm__jstack_dump *dump = self->dump;
    tm__jstack_lock lock = {0};

    read_object(text, &lock);
    if (!dump->edge_count || !lock.address)
        return TM_OK;
    if (tm__jstack_keep_class(dump, &lock.class_name) < 0)
        return tm__failure();
    dump->edges[dump->edge_count - 1].address = lock.address;
    dump->edges[dump->edge_count - 1].class_name = lock.class_name;
    return TM_OK;
}

static int read_version(tm__jstack_parser *self, tm__slice text)
{
    if (tm__jstack_keep(self->dump, &text) < 0)
        return tm__failure();
    self->dump->vm = text;
    return TM_OK;
}

/* "CPU usage total: 0.156250000 secs, user: ..." */
static int64_t cpu_time(tm__slice text)
{
    uint64_t whole, nanos;
    size_t digits;

    if (!number_behind(text, "total: ", 10, &whole) || whole > UINT32_MAX)
        return -1;
    text = tm__slice_from(text, tm__slice_find(text, ".") + 1);
    digits = text.length;
    if (!tm__slice_number(&text, 10, &nanos) || digits - text.length != 9)
        return -1;
    return (int64_t)(whole * 1000000000 + nanos);
}

static int read_thread_line(tm__jstack_parser *self, tm__slice tag, tm__slice text)
{
    tm__jstack_thread *thread = tm__jstack_last(self->dump);
    uint64_t id;

    if (tm__slice_is(tag, "3XMJAVALTHREAD")) {
        if (number_behind(text, "getId:0x", 16, &id) && id)
            thread->id = id;
        if (tm__slice_find(text, "isDaemon:true") < text.length)
            thread->flags |= TM_THREAD_DAEMON;
    } else if (tm__slice_is(tag, "3XMTHREADINFO1")) {
        number_behind(text, "native thread ID:0x", 16, &thread->os_id);
    } else if (tm__slice_is(tag, "3XMCPUTIME")) {
        thread->cpu_ns = cpu_time(text);
    } else if (tm__slice_is(tag, "3XMTHREADBLOCK")) {
        return read_block(self, text);
    } else if (tm__slice_is(tag, "4XESTACKTRACE")) {
        return read_frame(self, text);
    } else if (tm__slice_is(tag, "5XESTACKTRACE")) {
        return read_entered(self, text);
    }
    return TM_OK;
}

static int read_line(tm__jstack_parser *self, tm__slice line)
{
    tm__jstack_dump *dump = self->dump;
    tm__slice text = line, tag = tm__slice_word(&text);

    if (tm__slice_is(tag, "0SECTION")) {
        if (tm__slice_begins(text, "Javadump End")) {
            dump->has_end = 1;
            return TM__LINE_LAST;
        }
        return tm__slice_begins(text, "TITLE") && dump->has_header
                   ? TM__LINE_NEXT
                   : (dump->has_header |= tm__slice_begins(text, "TITLE"), TM_OK);
    }
    if (tm__slice_begins(tag, "1TIDATETIME")) {
        read_time(self, text);
        return TM_OK;
    }
    if (tm__slice_is(tag, "1CIJAVAVERSION"))
        return read_version(self, text);
    if (tm__slice_is(tag, "1CIPROCESSID"))
        return number_behind(text, "Process ID: ", 10, &dump->process), TM_OK;
    if (tm__slice_is(tag, "1LKDEADLOCK"))
        return dump->deadlock_count++, TM_OK;
    if (tm__slice_is(tag, "2LKDEADLOCKTHR"))
        return read_member(self, text);
    if (tm__slice_is(tag, "4LKDEADLOCKOBJ"))
        return read_member_object(self, text);
    if (tm__slice_is(tag, "1XMCURTHDINFO"))
        return self->section = CURRENT, TM_OK;
    if (tm__slice_is(tag, "3XMTHREADINFO"))
        return read_thread(self, text);
    if (self->thread != TM__NONE && tag.length > 5 && tag.bytes[1] == 'X')
        return read_thread_line(self, tag, text);
    return tag.length > 4 && tag.bytes[0] >= '0' && tag.bytes[0] <= '9' ? TM_OK
           : tm__slice_is(tag, "NULL")                                  ? TM_OK
                                       : TM__LINE_OTHER;
}

static size_t find(tm__slice line)
{
    size_t at = tm__slice_find(line, "0SECTION  ");

    return at < line.length ? at : tm__slice_find(line, "3XMTHREADINFO  ");
}

const tm__grammar tm__grammar_javacore = {
    .name = "javacore",
    .writer = "an OpenJ9 javacore",
    .find = find,
    .line = read_line,
    .ends_visibly = 1,
    .reports_locks = 1,
    .is_one_instant = 1,
};
