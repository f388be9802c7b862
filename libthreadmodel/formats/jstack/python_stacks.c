/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads of Python, as faulthandler and py-spy print them:
 *
 *     Thread 0x00007f2d3c7f8700 (most recent call first):
 *       File "/srv/app/stock.py", line 31 in move
 *
 *     Thread 4250 (idle): "mover-1"
 *         move (stock.py:31)
 *
 * Neither shows locks. The object of a wait is inferred from the innermost frame, where
 * that is of the standard library.
 */
#include <stdio.h>
#include <string.h>
#include <threadmodel/definition.h>
#include <threadmodel/model.h>

#include "base/error.h"
#include "formats/jstack/grammar.h"
#include "formats/jstack/native_waits.h"
#include "formats/jstack/parse.h"
#include "formats/jstack/python_stacks.h"

tm__slice tm__python_module(tm__slice file)
{
    for (size_t i = 0; i < file.length; i++)
        if (file.bytes[i] == '/' || file.bytes[i] == '\\')
            return tm__python_module(tm__slice_from(file, i + 1));
    if (tm__slice_ends(file, ".py"))
        file.length -= 3;
    return file;
}

tm__slice tm__python_base(tm__slice file)
{
    size_t slash = 0;

    for (size_t i = 0; i < file.length; i++)
        if (file.bytes[i] == '/' || file.bytes[i] == '\\')
            slash = i + 1;
    return tm__slice_from(file, slash);
}

/* The state of a thread in a function of the standard library. */
static const struct {
    const char *module, *function;
    int state;
    tm__jstack_wait what;
} places[] = {
    {"threading", "_wait_for_tstate_lock", TM_STATE_JOINING, TM__JSTACK_IO(UNKNOWN)},
    {"threading", "join", TM_STATE_JOINING, TM__JSTACK_IO(UNKNOWN)},
    {"threading", "_shutdown", TM_STATE_JOINING, TM__JSTACK_IO(UNKNOWN)},
    {"threading", "wait", TM_STATE_WAITING, TM__JSTACK_WAIT(CONDITION, "condition")},
    {"threading", "wait_for", TM_STATE_WAITING,
     TM__JSTACK_WAIT(CONDITION, "condition")},
    {"threading", "acquire", TM_STATE_BLOCKED, TM__JSTACK_WAIT(MUTEX, "lock")},
    {"threading", "__enter__", TM_STATE_BLOCKED, TM__JSTACK_WAIT(MUTEX, "lock")},
    {"queue", "get", TM_STATE_WAITING, TM__JSTACK_WAIT(CONDITION, "queue")},
    {"queue", "put", TM_STATE_WAITING, TM__JSTACK_WAIT(CONDITION, "queue")},
    {"selectors", "select", TM_STATE_IO, TM__JSTACK_IO(POLL)},
    {"socket", "accept", TM_STATE_IO, TM__JSTACK_IO(ACCEPT)},
    {"socket", "readinto", TM_STATE_IO, TM__JSTACK_IO(SOCKET)},
    {"socket", "getaddrinfo", TM_STATE_IO, TM__JSTACK_IO(NAME)},
    {"socket", "create_connection", TM_STATE_IO, TM__JSTACK_IO(SOCKET)},
    {"ssl", "read", TM_STATE_IO, TM__JSTACK_IO(SOCKET)},
    {"ssl", "recv", TM_STATE_IO, TM__JSTACK_IO(SOCKET)},
    {"ssl", "write", TM_STATE_IO, TM__JSTACK_IO(SOCKET)},
    {"ssl", "do_handshake", TM_STATE_IO, TM__JSTACK_IO(SOCKET)},
    {"subprocess", "_try_wait", TM_STATE_IO, TM__JSTACK_IO(PROCESS)},
    {"popen_fork", "poll", TM_STATE_IO, TM__JSTACK_IO(PROCESS)},
    {"connection", "poll", TM_STATE_IO, TM__JSTACK_IO(POLL)},
    {"connection", "wait", TM_STATE_IO, TM__JSTACK_IO(POLL)},
    {"connection", "_recv", TM_STATE_IO, {TM_OBJECT_KIND_FILE, NULL, "a pipe"}},
    {"synchronize", "__enter__", TM_STATE_BLOCKED, TM__JSTACK_WAIT(MUTEX, "lock")},
};

/* py-spy writes "Condition.wait" from Python 3.11 on. */
int tm__python_infer(tm__jstack_thread *thread, tm__slice module, tm__slice function)
{
    size_t dot = function.length;

    while (dot > 0 && function.bytes[dot - 1] != '.')
        dot--;
    function = tm__slice_from(function, dot);
    for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
        if (tm__slice_is(module, places[i].module) &&
            tm__slice_is(function, places[i].function)) {
            thread->known_state = (uint32_t)places[i].state;
            thread->waits_for = &places[i].what;
            return 1;
        }
    return 0;
}

/* Modules of the standard library in which threads wait, and which call the rest. */
int tm__python_is_library(const char *name)
{
    static const char *const modules[] = {
        "threading",   "queue",       "selectors",   "socket",       "ssl",
        "subprocess",  "connection",  "synchronize", "socketserver", "thread",
        "_base",       "base_events", "events",      "runners",      "popen_fork",
        "popen_spawn", "process",     "pool",        "queues",       "runpy",
    };

    /* "threading", "threading.Condition" */
    size_t length = strcspn(name, ".");

    for (size_t i = 0; i < sizeof(modules) / sizeof(*modules); i++)
        if (strlen(modules[i]) == length && memcmp(name, modules[i], length) == 0)
            return 1;
    return tm__native_is_library(name) || strncmp(name, "libpython", 9) == 0;
}

/* A library in which py-spy's native frames are: "libc.so.6" is "libc". */
static int is_native(tm__slice file)
{
    return tm__slice_find(file, ".so") < file.length ||
           tm__slice_ends(file, ".dylib") || tm__slice_begins(file, "python");
}

static int add_call(tm__jstack_parser *self, tm__slice function, tm__slice file,
                    uint64_t line)
{
    tm__jstack_thread *thread = tm__jstack_last(self->dump);
    tm__slice module = tm__python_module(file);
    int native = !line && is_native(tm__python_base(file));

    if (native) {
        module = tm__python_base(file);
        module.length = tm__slice_find(module, ".so");
        if (self->section == 0 &&
            tm__native_wait_read(self->dump, function, TM__SLICE("")) < 0)
            return tm__failure();
    } else if (self->section++ == 0 && (thread->known_state == TM_STATE_UNKNOWN ||
                                        thread->known_state == TM_STATE_NATIVE ||
                                        thread->known_state == TM_STATE_BLOCKED)) {
        /* The innermost one of Python says what a lock is of. */
        tm__python_infer(thread, module, function);
    }
    return tm__jstack_add_call(self->dump, module, function, tm__python_base(file),
                               line);
}

static int add_thread(tm__jstack_parser *self, tm__jstack_thread *thread)
{
    if (tm__map_find(&self->dump->ids, thread->id) != TM__NONE)
        return TM__LINE_NEXT;
    self->section = 0;
    if (!self->dump->vm.length)
        self->dump->vm = TM__SLICE("Python");
    return tm__jstack_add_thread(self->dump, thread);
}

static const char recent[] = "(most recent call first):";

static int read_fault_line(tm__jstack_parser *self, tm__slice line)
{
    tm__jstack_thread thread = {.elapsed_ns = -1, .cpu_ns = -1};
    size_t id = tm__slice_find(line, "hread 0x"), end;
    tm__slice rest = tm__slice_from(line, id + strlen("hread 0x"));
    tm__slice file, function;
    uint64_t number = 0;

    if (id < line.length && tm__slice_ends(line, recent)) {
        char name[40];

        if (!tm__slice_number(&rest, 16, &thread.id) || !thread.id)
            return TM__LINE_OTHER;
        snprintf(name, sizeof(name), "Thread 0x%llx", (unsigned long long)thread.id);
        thread.name = (tm__slice){name, strlen(name)};
        /* From Python 3.14 on with its name. */
        end = tm__slice_find(rest, "]");
        if (tm__slice_begins(rest, " [") && end < rest.length)
            thread.name = (tm__slice){rest.bytes + 2, end - 2};
        /* The thread that prints all others is the last. */
        if (tm__slice_begins(line, "Current thread") && self->dump->thread_count)
            self->dump->has_header = 1;
        return add_thread(self, &thread);
    }
    if (line.length == 0)
        return TM_OK;
    if (!self->dump->thread_count || !tm__slice_begins(line, "File \""))
        return tm__slice_is(line, "...") || tm__slice_begins(line, "<no Python")
                   ? TM_OK
                   : TM__LINE_OTHER;
    file = tm__slice_from(line, strlen("File \""));
    end = tm__slice_find(file, "\", line ");
    rest = tm__slice_from(file, end + strlen("\", line "));
    file.length = end;
    if (!tm__slice_number(&rest, 10, &number))
        tm__slice_begins(rest, "???");
    function = tm__slice_from(rest, tm__slice_find(rest, "in ") + 3);
    return add_call(self, function, file, number);
}

static size_t find_fault(tm__slice line)
{
    size_t at = tm__slice_find(line, recent);

    if (at == line.length)
        return at;
    at = tm__slice_find(line, "Current thread 0x");
    return at < line.length ? at : tm__slice_find(line, "Thread 0x");
}

/* `Thread 4250 (idle): "mover-1"`, `Thread 0x7F2D (active+gil)`. @return 1 */
static int read_spy_heading(tm__slice line, tm__jstack_thread *thread)
{
    tm__slice rest = tm__slice_from(line, strlen("Thread "));
    unsigned base = tm__slice_begins(rest, "0x") ? 16 : 10;
    size_t open;

    *thread = (tm__jstack_thread){.elapsed_ns = -1, .cpu_ns = -1};
    if (!tm__slice_begins(line, "Thread "))
        return 0;
    if (base == 16)
        rest = tm__slice_from(rest, 2);
    if (!tm__slice_number(&rest, base, &thread->id) || !thread->id ||
        (!tm__slice_begins(rest, " (idle") && !tm__slice_begins(rest, " (active")))
        return 0;
    thread->os_id = base == 10 ? thread->id : 0;
    if (tm__slice_begins(rest, " (active"))
        thread->known_state = TM_STATE_RUNNING;
    else
        thread->known_state = TM_STATE_NATIVE;
    open = tm__slice_find(rest, "\"");
    thread->name = tm__slice_from(rest, open + 1);
    if (tm__slice_ends(thread->name, "\""))
        thread->name.length--;
    if (open == rest.length)
        thread->name = (tm__slice){line.bytes, (size_t)(rest.bytes - line.bytes)};
    return 1;
}

static int read_spy_line(tm__jstack_parser *self, tm__slice line)
{
    tm__jstack_dump *dump = self->dump;
    tm__jstack_thread thread;
    tm__slice file, rest;
    size_t open, colon;
    uint64_t number = 0;

    if (tm__slice_begins(line, "Process ")) {
        rest = tm__slice_from(line, strlen("Process "));
        if (dump->thread_count || dump->process)
            return TM__LINE_NEXT;
        tm__slice_number(&rest, 10, &dump->process);
        return TM_OK;
    }
    if (tm__slice_begins(line, "Python v")) {
        if (tm__jstack_keep(dump, &line) < 0)
            return tm__failure();
        dump->vm = line;
        dump->has_header = 1;
        return TM_OK;
    }
    if (read_spy_heading(line, &thread))
        return add_thread(self, &thread);
    if (line.length == 0)
        return TM_OK;
    /* --locals: "Arguments:", "timeout: -1", "args: (1, 2)" */
    if (tm__slice_ends(line, ":") || tm__slice_find(line, ": ") < line.length)
        return dump->thread_count ? TM_OK : TM__LINE_OTHER;
    open = line.length;
    while (open > 0 && line.bytes[open - 1] != '(')
        open--;
    if (!dump->thread_count || open < 3 || !tm__slice_ends(line, ")"))
        return TM__LINE_OTHER;
    file = (tm__slice){line.bytes + open, line.length - open - 1};
    for (colon = file.length; colon > 0 && file.bytes[colon - 1] != ':'; colon--)
        ;
    rest = tm__slice_from(file, colon);
    if (colon == 0 || !tm__slice_number(&rest, 10, &number) || rest.length)
        number = 0;
    else
        file.length = colon - 1;
    return add_call(self, tm__slice_trim((tm__slice){line.bytes, open - 1}), file,
                    number);
}

static size_t find_spy(tm__slice line)
{
    size_t at = tm__slice_find(line, "Thread ");
    tm__jstack_thread thread;

    if (at < line.length && read_spy_heading(tm__slice_from(line, at), &thread))
        return at;
    at = tm__slice_find(line, "Python v");
    return at < line.length && tm__slice_find(line, "(/") < line.length ? at
                                                                        : line.length;
}

const tm__grammar tm__grammar_faulthandler = {
    .name = "faulthandler",
    .writer = "Python's faulthandler",
    .find = find_fault,
    .line = read_fault_line,
    .is_library = tm__python_is_library,
    .is_one_instant = 1,
};

const tm__grammar tm__grammar_pyspy = {
    .name = "py-spy",
    .writer = "py-spy",
    .find = find_spy,
    .line = read_spy_line,
    .is_library = tm__python_is_library,
    .is_one_instant = 1,
};
