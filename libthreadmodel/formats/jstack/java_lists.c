/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of threads that programs print of themselves. Thread.toString() and a stack,
 * with "at" or without (Akka, Solr's leaked threads, an ANR watchdog):
 *
 *     Thread[dispatcher-20,5,main]
 *      sun.nio.ch.EPollArrayWrapper.epollWait(Native Method)
 *
 * Hazelcast's, with the state on the second line:
 *
 *     "hz.response"
 *         java.lang.Thread.State: WAITING on lock=shop.Queue@1673f47d
 *
 * Dropwizard's health check of deadlocks:
 *
 *     thread-deadlock : [pool [#4] locked on shop.Queue@7991f96c (owned by timer [#5]):
 *
 * A log has lines that look like the first line of such a thread: the next line shows
 * whether it is one.
 */
#include <string.h>
#include <threadmodel/definition.h>
#include <threadmodel/model.h>

#include "base/error.h"
#include "formats/jstack/grammar.h"
#include "formats/jstack/java_locks.h"
#include "formats/jstack/parse.h"

static const tm__jstack_thread no_thread = {.elapsed_ns = -1, .cpu_ns = -1};

static int begin_thread(tm__jstack_parser *self, tm__jstack_thread *thread)
{
    if (!thread->id)
        thread->id = tm__jstack_hash(thread->name) | UINT64_C(1) << 63;
    if (tm__map_find(&self->dump->ids, thread->id) != TM__NONE)
        return TM__LINE_NEXT;
    return tm__jstack_add_thread(self->dump, thread);
}

/* The first thread waits for the next line, which shows whether it is one. */
static int hold(tm__jstack_parser *self, const tm__jstack_thread *thread)
{
    if (self->is_held)
        return TM__LINE_NEXT;
    self->held = *thread;
    if (tm__jstack_keep(self->dump, &self->held.name) < 0)
        return tm__failure();
    self->is_held = 1;
    return TM_OK;
}

static int settle(tm__jstack_parser *self)
{
    int rc = self->is_held ? begin_thread(self, &self->held) : TM_OK;

    if (rc >= 0)
        self->is_held = 0;
    return rc;
}

/* The text that follows a key up to a comma or the end. @return 1: the key is there */
static int member(tm__slice text, const char *key, tm__slice *value)
{
    size_t at = tm__slice_find(text, key);

    *value = tm__slice_from(text, at + strlen(key));
    value->length = tm__slice_find(*value, ", ");
    return at < text.length;
}

/* "Thread[id=12, name=x, state=WAITING, group=g]", which is certain */
static int read_listed(tm__slice text, tm__jstack_thread *thread)
{
    tm__slice number;

    return member(text, "id=", &number) && tm__slice_number(&number, 10, &thread->id) &&
           member(text, ", name=", &thread->name) && thread->name.length > 0 &&
           member(text, ", state=", &thread->state) && thread->state.length > 0;
}

/* "x,5,main", from JDK 19 on "#12,x,5,main", and without a group if it has ended */
static int read_printed(tm__slice text, tm__jstack_thread *thread)
{
    tm__slice name = text, number = tm__slice_from(text, 1);
    uint64_t priority = 0;
    size_t comma;

    if (tm__slice_begins(text, "#") && tm__slice_number(&number, 10, &thread->id) &&
        tm__slice_begins(number, ","))
        name = tm__slice_from(number, 1);
    for (comma = name.length; comma > 0 && name.bytes[comma - 1] != ','; comma--)
        ;
    if (comma < 2)
        return 0;
    name.length = comma - 1;
    for (comma = name.length; comma > 0 && name.bytes[comma - 1] != ','; comma--)
        ;
    number = tm__slice_from(name, comma);
    if (comma < 2 || !tm__slice_number(&number, 10, &priority) || number.length ||
        priority < 1 || priority > 10)
        return 0;
    thread->priority = (int32_t)priority;
    thread->name = (tm__slice){name.bytes, comma - 1};
    return 1;
}

/* "ANRError$$$_Thread: main (state = BLOCKED)" */
static int read_anr(tm__slice line, tm__jstack_thread *thread)
{
    static const char of[] = "$_Thread: ", state[] = " (state = ";
    size_t at = tm__slice_find(line, of), end;

    if (at == line.length || !tm__slice_ends(line, ")"))
        return 0;
    thread->name = tm__slice_from(line, at + sizeof(of) - 1);
    end = tm__slice_find(thread->name, state);
    thread->state = tm__slice_from(thread->name, end + sizeof(state) - 1);
    if (end == 0 || thread->state.length < 2)
        return 0;
    thread->state.length--;
    thread->name.length = end;
    return 1;
}

/* Where "12) " before it begins. */
static size_t number_before(tm__slice line, size_t at)
{
    size_t digits = at < 3 ? 0 : at - 2;

    if (!digits || line.bytes[at - 2] != ')' || line.bytes[at - 1] != ' ')
        return at;
    while (digits > 0 && line.bytes[digits - 1] >= '0' && line.bytes[digits - 1] <= '9')
        digits--;
    return digits;
}

enum heading { NO_HEADING, MAYBE, CERTAIN };

/* @param first  where it begins */
static enum heading read_heading(tm__slice line, tm__jstack_thread *thread,
                                 size_t *first)
{
    static const char begin[] = "Thread[";
    tm__slice text;
    size_t at;

    /* Most lines of a log end otherwise. */
    if (line.length == 0 || !strchr("])", line.bytes[line.length - 1]))
        return NO_HEADING;
    *thread = no_thread;
    if (tm__slice_ends(line, "]")) {
        *first = at = tm__slice_find(line, begin);
        text = tm__slice_from(line, at + sizeof(begin) - 1);
        if (text.length < 2)
            return NO_HEADING;
        text.length--;
        if (read_listed(text, thread)) {
            *first = number_before(line, at);
            return CERTAIN;
        }
        *thread = no_thread;
        return read_printed(text, thread) ? MAYBE : NO_HEADING;
    }
    if (!read_anr(line, thread))
        return NO_HEADING;
    *first = tm__slice_find(line, "Caused by: ");
    if (*first == line.length)
        *first = tm__slice_find(line, "com.github.anrwatchdog");
    return CERTAIN;
}

static int read_list(tm__jstack_parser *self, tm__slice line)
{
    tm__jstack_dump *dump = self->dump;
    tm__jstack_thread thread;
    size_t first;
    enum heading heading = read_heading(line, &thread, &first);
    int rc;

    if (heading == MAYBE && dump->thread_count == 0)
        return hold(self, &thread);
    if (heading != NO_HEADING) {
        if (!dump->vm.length)
            dump->vm = TM__SLICE("Java, a list of threads");
        self->is_closed = 0;
        return begin_thread(self, &thread);
    }
    if (tm__slice_begins(line, "at "))
        line = tm__slice_from(line, 3);
    if (tm__jstack_is_frame(line) && !self->is_closed) {
        if (!dump->vm.length)
            dump->vm = TM__SLICE("Java, a list of threads");
        rc = settle(self);
        return rc == TM_OK && dump->thread_count ? tm__jstack_add_frame(dump, line)
                                                 : rc;
    }
    if (line.length == 0)
        return TM_OK;
    if (self->is_held)
        return TM__LINE_NEXT;
    /* The stack of an exception would look like that of the thread. */
    self->is_closed = 1;
    return TM__LINE_OTHER;
}

static size_t find_list(tm__slice line)
{
    tm__jstack_thread thread;
    size_t first;

    return read_heading(line, &thread, &first) ? first : line.length;
}

/* ---- Hazelcast ---- */

static int is_name(tm__slice line)
{
    return line.length > 2 && line.bytes[0] == '"' && tm__slice_ends(line, "\"") &&
           tm__slice_find(tm__slice_from(line, 1), "\"") == line.length - 2;
}

/* "WAITING, on lock=C@1b, owned by x, cpu=3 nsecs" */
static int read_state(tm__jstack_parser *self, tm__slice text)
{
    tm__jstack_lock lock = {.depth = TM__NONE};
    tm__jstack_thread *thread = tm__jstack_last(self->dump);
    size_t on = tm__slice_find(text, "on lock="),
           by = tm__slice_find(text, "owned by "), id;
    tm__slice state = text, object = tm__slice_from(text, on + strlen("on lock=")),
              owner = tm__slice_from(text, by + strlen("owned by "));

    state.length = tm__slice_find(state, " ");
    state.length = tm__slice_find(state, ",");
    object.length = tm__slice_find(object, ",");
    owner.length = tm__slice_find(owner, ",");
    id = tm__slice_find(owner, " id=");
    owner.length = id;
    if (tm__jstack_keep(self->dump, &state) < 0 ||
        tm__jstack_keep(self->dump, &owner) < 0)
        return tm__failure();
    thread->owner = owner;
    lock.kind =
        tm__slice_is(state, "BLOCKED") ? TM__JSTACK_WANTED : TM__JSTACK_WAITING_ON;
    tm__jstack_read_object(tm__slice_word(&object), &lock);
    if (lock.address && tm__jstack_add_lock(self->dump, &lock) < 0)
        return tm__failure();
    thread->state = state;
    return TM_OK;
}

static int read_hazelcast(tm__jstack_parser *self, tm__slice line)
{
    static const char state[] = "java.lang.Thread.State: ";
    tm__jstack_dump *dump = self->dump;
    tm__jstack_lock lock;
    tm__jstack_owner owner;
    int rc;

    if (is_name(line)) {
        tm__jstack_thread thread = no_thread;

        thread.name = (tm__slice){line.bytes + 1, line.length - 2};
        return hold(self, &thread);
    }
    if (line.length == 0)
        return TM_OK;
    /* Where memory ran out, the thread is there and its state is not. */
    if (tm__slice_begins(line, state) &&
        (self->is_held ||
         (dump->thread_count && !tm__jstack_last(dump)->state.length))) {
        dump->vm = TM__SLICE("Java, by Hazelcast");
        rc = settle(self);
        return rc == TM_OK ? read_state(self, tm__slice_from(line, sizeof(state) - 1))
                           : rc;
    }
    if (self->is_held || !dump->thread_count)
        return TM__LINE_NEXT;
    if (tm__slice_begins(line, "at ") && tm__jstack_is_frame(tm__slice_from(line, 3)))
        return tm__jstack_add_frame(dump, tm__slice_from(line, 3));
    if (tm__slice_begins(line, "- ") &&
        tm__jstack_read_lock(tm__slice_from(line, 2), 0, &lock, &owner))
        return tm__jstack_add_lock(dump, &lock);
    return TM__LINE_OTHER;
}

static size_t find_hazelcast(tm__slice line)
{
    size_t at = tm__slice_ends(line, "\"") ? tm__slice_find(line, "\"") : line.length;

    return at < line.length && is_name(tm__slice_trim(tm__slice_from(line, at)))
               ? at
               : line.length;
}

/* ---- Dropwizard ---- */

static const char locked[] = " locked on ", owned[] = " (owned by ";

/* "[x locked on C@1b (owned by y):", ", x locked on ..." @return where x is, or 0 */
static size_t find_member(tm__slice line)
{
    size_t on, at;

    if (!tm__slice_ends(line, "):"))
        return 0;
    on = tm__slice_find(line, locked);
    if (on == line.length || tm__slice_find(line, owned) == line.length)
        return 0;
    if (tm__slice_begins(line, ", "))
        return 2;
    at = tm__slice_find(line, ": [");
    if (at < on)
        return at + 3;
    return tm__slice_begins(line, "[");
}

static int read_deadlock(tm__jstack_parser *self, tm__slice line)
{
    tm__jstack_thread thread = no_thread;
    tm__jstack_edge edge = {.kind = TM__JSTACK_WANTED};
    tm__jstack_lock lock = {.depth = TM__NONE};
    size_t at = find_member(line);
    tm__slice object;

    if (at > 0) {
        line = tm__slice_from(line, at);
        line.length -= 2;
        at = tm__slice_find(line, locked);
        edge.thread = thread.name = (tm__slice){line.bytes, at};
        object = tm__slice_from(line, at + sizeof(locked) - 1);
        at = tm__slice_find(object, owned);
        edge.owner = tm__slice_from(object, at + sizeof(owned) - 1);
        object.length = at;
        tm__jstack_read_object(object, &lock);
        edge.class_name = lock.class_name;
        edge.address = lock.address;
        if (tm__slice_begins(edge.class_name, "java.util.concurrent."))
            edge.kind = TM__JSTACK_PARKING;
        if (tm__jstack_keep(self->dump, &edge.owner) < 0 ||
            tm__jstack_keep(self->dump, &edge.class_name) < 0 ||
            tm__jstack_add_edge(self->dump, &edge) < 0)
            return tm__failure();
        self->dump->vm = TM__SLICE("Java, by Dropwizard");
        self->dump->deadlock_count = 1;
        return begin_thread(self, &thread);
    }
    if (tm__slice_begins(line, "at "))
        line = tm__slice_from(line, 3);
    if (self->dump->thread_count && tm__jstack_is_frame(line))
        return tm__jstack_add_frame(self->dump, line);
    return line.length && !tm__slice_is(line, "]") ? TM__LINE_OTHER : TM_OK;
}

static size_t find_deadlock(tm__slice line)
{
    return find_member(line) > 0 ? 0 : line.length;
}

const tm__grammar tm__grammar_list = {
    .name = "thread_list",
    .writer = "a list of Java threads",
    .find = find_list,
    .line = read_list,
    .is_vague = 1,
};

const tm__grammar tm__grammar_hazelcast = {
    .name = "hazelcast",
    .writer = "Hazelcast's thread dump",
    .find = find_hazelcast,
    .line = read_hazelcast,
    .reports_locks = 1,
    .is_one_instant = 1,
    .is_vague = 1,
};

const tm__grammar tm__grammar_dropwizard = {
    .name = "dropwizard",
    .writer = "Dropwizard's health check of deadlocks",
    .find = find_deadlock,
    .line = read_deadlock,
    .reports_locks = 1,
    .is_one_instant = 1,
};
