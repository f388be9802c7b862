/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Servers' listings of their threads, by ThreadInfo, in forms of their own. Hadoop's
 * and HBase's "/stacks":
 *
 *     Thread 97 (IPC Server handler 3 on 8020):
 *       State: BLOCKED
 *       Blocked on java.lang.Object@3c4a8af8
 *       Blocked by 12 (writer)
 *       Stack:
 *         org.example.Store.put(Store.java:175)
 *
 * WebLogic's console, whose frames have no "at" either:
 *
 *     "Thread-13" waiting for lock java.util.Timer$TimerImpl@b190e2c5 TIMED_WAITING
 * native
 */
#include <string.h>
#include <threadmodel/definition.h>
#include <threadmodel/model.h>

#include "base/error.h"
#include "formats/jstack/grammar.h"
#include "formats/jstack/java_locks.h"
#include "formats/jstack/parse.h"

static const char *const states[] = {"NEW",           "RUNNABLE", "BLOCKED",
                                     "TIMED_WAITING", "WAITING",  "TERMINATED"};

static int is_state(tm__slice word)
{
    for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++)
        if (tm__slice_is(word, states[i]))
            return 1;
    return 0;
}

static int add_thread(tm__jstack_parser *self, tm__jstack_thread *thread)
{
    if (tm__map_find(&self->dump->ids, thread->id) != TM__NONE)
        return TM__LINE_NEXT;
    return tm__jstack_add_thread(self->dump, thread);
}

static int add_wait(tm__jstack_parser *self, tm__slice object, tm__slice state)
{
    tm__jstack_lock lock = {.kind = tm__slice_is(state, "BLOCKED")
                                        ? TM__JSTACK_WANTED
                                        : TM__JSTACK_WAITING_ON};

    tm__jstack_read_object(object, &lock);
    return lock.address ? tm__jstack_add_lock(self->dump, &lock) : TM_OK;
}

static const char hadoop_begin[] = "Thread ";

/* "Thread 97 (IPC Server handler 3 on 8020):" @return 1 */
static int read_heading(tm__slice line, tm__jstack_thread *thread)
{
    tm__slice rest = tm__slice_from(line, sizeof(hadoop_begin) - 1);

    *thread = (tm__jstack_thread){.elapsed_ns = -1, .cpu_ns = -1};
    if (!tm__slice_begins(line, hadoop_begin) ||
        !tm__slice_number(&rest, 10, &thread->id) || !thread->id ||
        !tm__slice_begins(rest, " (") || !tm__slice_ends(rest, "):") ||
        tm__slice_begins(rest, " (Thread ") || tm__slice_begins(rest, " (LWP "))
        return 0;
    thread->name = (tm__slice){rest.bytes + 2, rest.length - 4};
    return 1;
}

static int read_hadoop(tm__jstack_parser *self, tm__slice line)
{
    tm__jstack_dump *dump = self->dump;
    tm__jstack_thread *last = tm__jstack_last(dump), thread;
    tm__slice rest = line, first = tm__slice_word(&rest), second = rest;

    if (tm__slice_begins(line, "Process Thread Dump: ")) {
        if (dump->has_header || dump->thread_count)
            return TM__LINE_NEXT;
        dump->has_header = 1;
        return TM_OK;
    }
    if (read_heading(line, &thread))
        return add_thread(self, &thread);
    if (line.length == 0 || !last)
        return line.length ? TM__LINE_OTHER : TM_OK;
    if (tm__slice_is(first, "State:") && is_state(rest)) {
        if (tm__jstack_keep(dump, &rest) < 0)
            return tm__failure();
        last->state = rest;
        return TM_OK;
    }
    tm__slice_word(&second);
    if (tm__slice_is(first, "Blocked") || tm__slice_is(first, "Waiting")) {
        if (tm__slice_begins(rest, "by "))
            tm__slice_number(&second, 10, &last->owner_id);
        return tm__slice_begins(rest, "on ") ? add_wait(self, second, last->state)
                                             : TM_OK;
    }
    if (tm__jstack_is_frame(line))
        return tm__jstack_add_frame(dump, line);
    return tm__slice_is(first, "Waited") || tm__slice_is(line, "Stack:")
               ? TM_OK
               : TM__LINE_OTHER;
}

/* A thread alone may be any debugger's; its state is on the next line. */
static size_t find_hadoop(tm__slice line)
{
    size_t at = tm__slice_find(line, "Process Thread Dump: ");
    tm__jstack_thread thread;

    if (at < line.length)
        return at;
    at = tm__slice_find(line, hadoop_begin);
    return at < line.length && read_heading(tm__slice_from(line, at), &thread)
               ? at
               : line.length;
}

/* `"name" [waiting for lock C@1b ]STATE[ native]` @return 1 */
static int read_console(tm__slice line, tm__jstack_thread *thread, tm__slice *object)
{
    static const char waits[] = "waiting for lock ";
    tm__slice rest;
    size_t end;

    *thread = (tm__jstack_thread){.elapsed_ns = -1, .cpu_ns = -1};
    *object = (tm__slice){0};
    if (!tm__slice_begins(line, "\""))
        return 0;
    for (end = line.length; end > 1 && line.bytes[end - 1] != '"'; end--)
        ;
    if (end < 3)
        return 0;
    thread->name = (tm__slice){line.bytes + 1, end - 2};
    thread->id = tm__jstack_hash(thread->name) | UINT64_C(1) << 63;
    rest = tm__slice_trim(tm__slice_from(line, end));
    if (tm__slice_begins(rest, waits)) {
        rest = tm__slice_from(rest, sizeof(waits) - 1);
        *object = tm__slice_word(&rest);
    }
    thread->state = tm__slice_word(&rest);
    return is_state(thread->state) && (!rest.length || tm__slice_is(rest, "native"));
}

static int read_weblogic(tm__jstack_parser *self, tm__slice line)
{
    tm__jstack_thread thread;
    tm__slice object;

    if (read_console(line, &thread, &object)) {
        int rc = add_thread(self, &thread);

        return rc == TM_OK && object.length ? add_wait(self, object, thread.state) : rc;
    }
    if (line.length == 0 || tm__slice_is(line, "null"))
        return TM_OK;
    if (self->dump->thread_count && tm__jstack_is_frame(line))
        return tm__jstack_add_frame(self->dump, line);
    return TM__LINE_OTHER;
}

static size_t find_weblogic(tm__slice line)
{
    size_t at = tm__slice_find(line, "\"");
    tm__jstack_thread thread;
    tm__slice object;

    return at < line.length && read_console(tm__slice_from(line, at), &thread, &object)
               ? at
               : line.length;
}

const tm__grammar tm__grammar_hadoop = {
    .name = "hadoop",
    .writer = "Hadoop's stacks",
    .find = find_hadoop,
    .line = read_hadoop,
    .is_one_instant = 1,
};

const tm__grammar tm__grammar_weblogic = {
    .name = "weblogic",
    .writer = "WebLogic's console",
    .find = find_weblogic,
    .line = read_weblogic,
    .is_one_instant = 1,
};
