/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Excerpts of some threads, as parts of a JVM or its frameworks print them: coroutines
 * of Kotlin, Vert.x's blocked event loops, a server's watchdog, Elasticsearch's hot
 * threads, the list of threads of a crash. None shows which thread has a lock.
 */
#include <string.h>
#include <threadmodel/definition.h>
#include <threadmodel/model.h>

#include "base/error.h"
#include "formats/jstack/grammar.h"
#include "formats/jstack/parse.h"
#include "formats/text/log_time.h"

static uint64_t id_of(tm__slice name)
{
    return tm__jstack_hash(name) | UINT64_C(1) << 63;
}

/* "shop.Bank.move(Bank.java:20)", with "at " before it or without. */
static int read_frame(tm__jstack_parser *self, tm__slice line)
{
    if (tm__slice_begins(line, "at "))
        line = tm__slice_from(line, 3);
    if (self->dump->thread_count && tm__jstack_is_frame(line))
        return tm__jstack_add_frame(self->dump, line);
    return line.length ? TM__LINE_OTHER : TM_OK;
}

static int add_thread(tm__jstack_parser *self, const tm__jstack_thread *thread,
                      const char *vm)
{
    if (tm__map_find(&self->dump->ids, thread->id) != TM__NONE)
        return TM__LINE_NEXT;
    self->dump->vm = (tm__slice){vm, strlen(vm)};
    return tm__jstack_add_thread(self->dump, thread);
}

/* `Coroutine "sync#2":StandaloneCoroutine{Active}@49070868, state: SUSPENDED` */
static int read_coroutine(tm__jstack_parser *self, tm__slice line)
{
    static const char begin[] = "Coroutine ", dump[] = "Coroutines dump";
    tm__jstack_thread thread = {
        .elapsed_ns = -1, .cpu_ns = -1, .flags = TM_THREAD_VIRTUAL};
    size_t state = tm__slice_find(line, ", state: "), at;
    tm__slice number, word;

    if (tm__slice_begins(line, dump)) {
        if (self->dump->has_header || self->dump->thread_count)
            return TM__LINE_NEXT;
        self->dump->has_header = 1;
        tm__log_time(line, &self->dump->time_ns);
        return TM_OK;
    }
    if (!tm__slice_begins(line, begin) || state == line.length)
        return tm__slice_begins(line, "(Coroutine") ? TM_OK : read_frame(self, line);
    thread.name =
        (tm__slice){line.bytes + sizeof(begin) - 1, state - sizeof(begin) + 1};
    at = tm__slice_find(thread.name, "@");
    number = tm__slice_from(thread.name, at + 1);
    thread.id = id_of(thread.name);
    if (tm__slice_number(&number, 16, &thread.id))
        thread.id |= UINT64_C(1) << 62;
    if (tm__slice_begins(thread.name, "\"")) {
        thread.name = tm__slice_from(thread.name, 1);
        thread.name.length = tm__slice_find(thread.name, "\"");
    }
    word = tm__slice_from(line, state + strlen(", state: "));
    thread.known_state = tm__slice_begins(word, "RUNNING")   ? TM_STATE_RUNNING
                         : tm__slice_begins(word, "CREATED") ? TM_STATE_NEW
                                                             : TM_STATE_WAITING;
    return add_thread(self, &thread, "Kotlin coroutines");
}

static size_t find_coroutines(tm__slice line)
{
    size_t at = tm__slice_find(line, "Coroutines dump ");

    if (at == line.length && tm__slice_find(line, ", state: ") < line.length)
        at = tm__slice_find(line, "Coroutine \"");
    return at;
}

/* "Thread Thread[vert.x-eventloop-thread-8,5,main] has been blocked for 3402 ms" */
static const char loop_begin[] = "Thread Thread[",
                  loop_blocked[] = " has been blocked for ";

static int read_loop(tm__jstack_parser *self, tm__slice line)
{
    tm__jstack_thread thread = {.elapsed_ns = -1, .cpu_ns = -1};
    size_t end = tm__slice_find(line, loop_blocked), comma;
    tm__slice name = {line.bytes, end}, number;

    if (!tm__slice_begins(line, loop_begin) || end == line.length)
        return tm__slice_find(line, "Exception") < line.length ? TM_OK
                                                               : read_frame(self, line);
    name = tm__slice_from(name, sizeof(loop_begin) - 1);
    number = tm__slice_from(name, 1);
    /* From JDK 19 on with its number: "#30,vert.x-eventloop-thread-8,5,main". */
    if (tm__slice_begins(name, "#") && tm__slice_number(&number, 10, &thread.id))
        name = tm__slice_from(number, 1);
    comma = tm__slice_find(name, ",");
    name.length = comma;
    thread.name = name;
    if (!thread.id)
        thread.id = id_of(name);
    return add_thread(self, &thread, "Vert.x");
}

static size_t find_loop(tm__slice line)
{
    return tm__slice_find(line, loop_blocked) < line.length
               ? tm__slice_find(line, loop_begin)
               : line.length;
}

/* Bukkit's, Spigot's and Paper's: "Current Thread: Server thread", then "PID: 18 | ...
 * State: BLOCKED", "Stack:" and frames without "at". */
static int read_watchdog(tm__jstack_parser *self, tm__slice line)
{
    static const char begin[] = "Current Thread: ";
    tm__jstack_thread thread = {.elapsed_ns = -1, .cpu_ns = -1}, *last;
    size_t state = tm__slice_find(line, "State: ");
    tm__slice word;

    if (tm__slice_begins(line, begin)) {
        thread.name = tm__slice_from(line, sizeof(begin) - 1);
        thread.id = id_of(thread.name);
        return add_thread(self, &thread, "Java, by a server's watchdog");
    }
    last = tm__jstack_last(self->dump);
    if (last && tm__slice_begins(line, "PID: ") && state < line.length) {
        word = tm__slice_from(line, state + strlen("State: "));
        if (tm__jstack_keep(self->dump, &word) < 0)
            return tm__failure();
        last->state = word;
        return TM_OK;
    }
    return tm__slice_begins(line, "Locked on:") || tm__slice_begins(line, "---")
               ? TM_OK
               : read_frame(self, line);
}

static size_t find_watchdog(tm__slice line)
{
    return tm__slice_find(line, "Current Thread: ");
}

/* "99.4% [cpu=99.4%, ...] (497ms out of 500ms) cpu usage by thread 'write'" */
static int read_hot(tm__jstack_parser *self, tm__slice line)
{
    static const char by[] = " usage by thread '";
    tm__jstack_thread thread = {.elapsed_ns = -1, .cpu_ns = -1};
    size_t at = tm__slice_find(line, by);

    if (tm__slice_begins(line, "Hot threads at ")) {
        if (self->dump->has_header)
            return TM__LINE_NEXT;
        self->dump->has_header = 1;
        tm__log_time(line, &self->dump->time_ns);
        return TM_OK;
    }
    if (at < line.length) {
        thread.name = tm__slice_from(line, at + sizeof(by) - 1);
        thread.name.length -= tm__slice_ends(thread.name, "'");
        thread.id = id_of(thread.name);
        thread.known_state = TM_STATE_RUNNING;
        if (tm__slice_ends((tm__slice){line.bytes, at}, "block"))
            thread.known_state = TM_STATE_BLOCKED;
        if (tm__slice_ends((tm__slice){line.bytes, at}, "wait"))
            thread.known_state = TM_STATE_WAITING;
        self->is_closed = 0;
        self->section = 0;
        return add_thread(self, &thread, "Elasticsearch hot threads");
    }
    /* The first of several groups of equal stacks is the most frequent. */
    if (tm__slice_find(line, "snapshot") < line.length) {
        self->is_closed = self->section++ > 0;
        return TM_OK;
    }
    if (tm__slice_begins(line, "::: {"))
        return self->dump->thread_count ? TM__LINE_NEXT : TM_OK;
    return self->is_closed ? TM_OK : read_frame(self, line);
}

static size_t find_hot(tm__slice line)
{
    return tm__slice_find(line, "Hot threads at ");
}

/* "j  java.lang.Thread.sleep(J)V+0 java.base@17.0.15", "J 123 c2 a.B.c(I)V (9 bytes)"
 */
static int read_crash_frame(tm__jstack_parser *self, tm__slice line)
{
    int is_compiled = line.bytes[0] == 'J';
    size_t open, dot;
    tm__slice name;

    tm__slice_word(&line);
    for (int i = 0; is_compiled && i < 4; i++) {
        tm__slice rest = line, word = tm__slice_word(&rest);

        if (tm__slice_find(word, "(") < word.length || !rest.length)
            break;
        line = rest;
    }
    name = tm__slice_word(&line);
    open = tm__slice_find(name, "(");
    for (dot = open; dot > 0 && name.bytes[dot - 1] != '.'; dot--)
        ;
    if (dot == 0 || open == name.length)
        return TM__LINE_OTHER;
    return tm__jstack_add_call(self->dump, (tm__slice){name.bytes, dot - 1},
                               (tm__slice){name.bytes + dot, open - dot}, TM__SLICE(""),
                               0);
}

/* `JavaThread "main" [_thread_in_native, id=4251, stack(...)]`, with an address before
 */
static int read_crash_thread(tm__jstack_parser *self, tm__slice line, int is_current)
{
    static const char begin[] = "JavaThread \"";
    tm__jstack_thread thread = {.elapsed_ns = -1, .cpu_ns = -1};
    size_t at = tm__slice_find(line, begin), address = tm__slice_find(line, "0x"), end;
    tm__slice number = tm__slice_from(line, address + 2), rest;

    if (at == line.length || !tm__slice_number(&number, 16, &thread.address))
        return TM__LINE_OTHER;
    rest = tm__slice_from(line, at + sizeof(begin) - 1);
    for (end = tm__slice_find(rest, "[_thread_"); end > 0 && rest.bytes[end - 1] != '"';
         end--)
        ;
    if (end == 0)
        return TM__LINE_OTHER;
    thread.name = (tm__slice){rest.bytes, end - 1};
    rest = tm__slice_from(rest, end);
    if (tm__slice_find(rest, "daemon") < tm__slice_find(rest, "["))
        thread.flags = TM_THREAD_DAEMON;
    number = tm__slice_from(rest, tm__slice_find(rest, "id=") + 3);
    tm__slice_number(&number, 10, &thread.os_id);
    if (tm__slice_find(rest, "_thread_in_Java") < rest.length)
        thread.known_state = TM_STATE_RUNNING;
    thread.id = thread.address | UINT64_C(1) << 63;
    if (tm__map_find(&self->dump->ids, thread.id) != TM__NONE)
        return TM_OK;
    if (tm__jstack_add_thread(self->dump, &thread) < 0)
        return tm__failure();
    self->is_closed = !is_current;
    return TM_OK;
}

static int read_crash(tm__jstack_parser *self, tm__slice line)
{
    static const char vm[] = "# Java VM: ";
    tm__slice text = tm__slice_from(line, sizeof(vm) - 1);

    if (tm__slice_begins(line, "# A fatal error has been detected")) {
        if (self->dump->has_header)
            return TM__LINE_NEXT;
        self->dump->has_header = 1;
        return TM_OK;
    }
    if (tm__slice_begins(line, vm)) {
        if (tm__jstack_keep(self->dump, &text) < 0)
            return tm__failure();
        self->dump->vm = text;
        return TM_OK;
    }
    if (tm__slice_begins(line, "Current thread ("))
        return read_crash_thread(self, line, 1);
    if (tm__slice_begins(line, "=>0x") || tm__slice_begins(line, "0x"))
        return read_crash_thread(self, line, 0);
    if (self->dump->thread_count == 1 && !self->is_closed &&
        (tm__slice_begins(line, "j  ") || tm__slice_begins(line, "J ")))
        return read_crash_frame(self, line);
    if (tm__slice_begins(line, "END."))
        return self->dump->has_end = 1, TM__LINE_LAST;
    return TM_OK;
}

static size_t find_crash(tm__slice line)
{
    return tm__slice_find(line, "# A fatal error has been detected");
}

const tm__grammar tm__grammar_coroutines = {
    .name = "coroutines",
    .writer = "a dump of Kotlin's coroutines",
    .find = find_coroutines,
    .line = read_coroutine,
};

const tm__grammar tm__grammar_blocked_loop = {
    .name = "vertx",
    .writer = "Vert.x's blocked event loops",
    .find = find_loop,
    .line = read_loop,
};

const tm__grammar tm__grammar_watchdog = {
    .name = "watchdog",
    .writer = "a server's watchdog",
    .find = find_watchdog,
    .line = read_watchdog,
};

const tm__grammar tm__grammar_hot_threads = {
    .name = "hot_threads",
    .writer = "Elasticsearch's hot threads",
    .find = find_hot,
    .line = read_hot,
};

const tm__grammar tm__grammar_hs_err = {
    .name = "hs_err",
    .writer = "the report of a crashed JVM",
    .find = find_crash,
    .line = read_crash,
    .is_one_instant = 1,
};
