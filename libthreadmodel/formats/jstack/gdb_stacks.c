/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks of native threads, as debuggers print those of all threads: gdb's `thread
 * apply all bt`, with `full` or without, pstack, elfutils' eu-stack, and lldb's `bt
 * all`:
 *
 *     Thread 25 (Thread 0x7f1e331fe6c0 (LWP 25543) "idle-pool"):
 *     #0  __futex_abstimed_wait_common64 (private=0, ...) at ./nptl/futex-internal.c:57
 *     #3  0x00007f1eb606e5d8 in ___pthread_mutex_lock (mutex=0x7f1eb00bef68) at ...
 *
 *     TID 25543:
 *     #0  0x00007f1eb606bf7b pthread_mutex_lock - /usr/lib/libc.so.6
 *
 *     * thread #1, tid = 25543, name = 'idle-pool', stop reason = signal SIGSTOP
 *         frame #0: 0x00007f1eb606bf7b libc.so.6`pthread_mutex_lock + 12
 *
 * The mutex of a lock is an argument, where the C library has symbols for it. No owner
 * is in the text.
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

/* In parser.section. */
enum { OUTSIDE = 1, NAMES_ALL = 2 };

/* The text between two quotes, the last one the last in the line. */
static tm__slice quoted(tm__slice text, char quote)
{
    size_t open = 0, end = text.length;

    while (open < text.length && text.bytes[open] != quote)
        open++;
    while (end > open + 1 && text.bytes[end - 1] != quote)
        end--;
    return end > open + 1 ? (tm__slice){text.bytes + open + 1, end - open - 2}
                          : (tm__slice){0};
}

static int number_behind(tm__slice text, const char *key, unsigned base,
                         uint64_t *number)
{
    size_t at = tm__slice_find(text, key);

    text = tm__slice_from(text, at + strlen(key));
    return tm__slice_number(&text, base, number);
}

/* "Thread 25 (Thread 0x7f1e331fe6c0 (LWP 25543) "idle-pool"):" */
static int read_gdb_heading(tm__slice line, tm__jstack_thread *thread, uint64_t *index)
{
    static const char begin[] = "Thread ";
    tm__slice rest = tm__slice_from(line, sizeof(begin) - 1);

    if (!tm__slice_begins(line, begin) || !tm__slice_number(&rest, 10, index) ||
        (!tm__slice_begins(rest, " (Thread ") && !tm__slice_begins(rest, " (LWP ") &&
         !tm__slice_begins(rest, " (process ")) ||
        !tm__slice_ends(line, "):"))
        return 0;
    if (!number_behind(rest, "LWP ", 10, &thread->os_id) &&
        !number_behind(rest, "process ", 10, &thread->os_id))
        number_behind(rest, ".0x", 16, &thread->os_id); /* Windows: 1234.0x1a2b */
    number_behind(rest, "(Thread 0x", 16, &thread->address);
    thread->name = quoted(rest, '"');
    if (!thread->name.length)
        thread->name = (tm__slice){line.bytes, (size_t)(rest.bytes - line.bytes)};
    return 1;
}

/* "* thread #1, tid = 25543, name = 'idle-pool', stop reason = ...", also with the
 * process number or the queue's name. */
static int read_lldb_heading(tm__slice line, tm__jstack_thread *thread, uint64_t *index)
{
    static const char begin[] = "thread #";
    tm__slice rest = line, name;
    size_t at;

    if (tm__slice_begins(rest, "* "))
        rest = tm__slice_from(rest, 2);
    if (!tm__slice_begins(rest, begin))
        return 0;
    name = rest;
    rest = tm__slice_from(rest, sizeof(begin) - 1);
    if (!tm__slice_number(&rest, 10, index) ||
        (rest.length && !tm__slice_begins(rest, ", ") && !tm__slice_begins(rest, ":")))
        return 0;
    name.length = (size_t)(rest.bytes - name.bytes);
    if (!number_behind(rest, "tid = 0x", 16, &thread->os_id))
        number_behind(rest, "tid = ", 10, &thread->os_id);
    at = tm__slice_find(rest, "name = '");
    thread->name = tm__slice_from(rest, at + strlen("name = '"));
    thread->name.length = tm__slice_find(thread->name, "'");
    if (!thread->name.length)
        thread->name = name;
    return 1;
}

/* "TID 25543:" of eu-stack, "Stack trace of thread 25543:" of coredumpctl */
static int read_stack_heading(tm__slice line, tm__jstack_thread *thread)
{
    static const char tid[] = "TID ", trace[] = "Stack trace of thread ";
    const char *begin = tm__slice_begins(line, trace) ? trace : tid;
    tm__slice rest = tm__slice_from(line, strlen(begin));

    if (!tm__slice_begins(line, begin) ||
        !tm__slice_number(&rest, 10, &thread->os_id) || !tm__slice_is(rest, ":"))
        return 0;
    thread->name = (tm__slice){line.bytes, line.length - 1};
    return 1;
}

/* @return 1: a thread begins with this line */
static int read_heading(tm__slice line, tm__jstack_thread *thread, uint64_t *index)
{
    *thread = (tm__jstack_thread){.elapsed_ns = -1, .cpu_ns = -1};
    *index = 0;
    if (!read_gdb_heading(line, thread, index) &&
        !read_lldb_heading(line, thread, index) && !read_stack_heading(line, thread))
        return 0;
    thread->id = thread->os_id ? thread->os_id : *index;
    return thread->id != 0;
}

static tm__slice base_of(tm__slice file)
{
    size_t slash = 0;

    for (size_t i = 0; i < file.length; i++)
        if (file.bytes[i] == '/')
            slash = i + 1;
    return tm__slice_from(file, slash);
}

/* The first parenthesis behind the function's own name, which may have templates. */
static size_t find_arguments(tm__slice text)
{
    size_t at = tm__slice_find(text, " (");

    return at < text.length ? at : tm__slice_find(text, "(");
}

/* Split "./nptl/futex-internal.c:57", also with a column, into both. */
static tm__slice split_place(tm__slice place, uint64_t *line)
{
    size_t colon;
    tm__slice rest;

    *line = 0;
    for (int i = 0; i < 2; i++) {
        uint64_t number;

        for (colon = place.length; colon > 0 && place.bytes[colon - 1] != ':'; colon--)
            ;
        rest = tm__slice_from(place, colon);
        if (colon == 0 || !tm__slice_number(&rest, 10, &number) || rest.length)
            break;
        *line = number;
        place.length = colon - 1;
    }
    return place;
}

/* The name that stands for the class: the file without its ending, or the library. */
static tm__slice module_of(tm__slice path, tm__slice library)
{
    static const char *const sources[] = {
        "./nptl/", "/nptl/",  "sysdeps/",  "./io/",  "./misc/",
        "./csu/",  "./time/", "./socket/", "/glibc", "musl/src/"};
    tm__slice module = base_of(library.length ? library : path);

    for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++)
        if (tm__slice_find(path, sources[i]) < path.length)
            return TM__SLICE(TM__NATIVE_LIBRARY);
    if (tm__slice_find(path, "/include/c++/") < path.length)
        return TM__SLICE("libstdc++");
    if (tm__slice_find(path, "/rustc/") < path.length)
        return TM__SLICE("rust-std");
    module.length = tm__slice_find(module, ".");
    return module.length ? module : TM__SLICE("?");
}

/* A name that no program gives a function of its own. */
static int is_reserved(tm__slice function)
{
    return tm__slice_begins(function, "_") || tm__slice_begins(function, "futex_") ||
           tm__slice_begins(function, "lll_") || tm__slice_begins(function, "pthread_");
}

/* A frame of whose parts some may be empty. */
static int add_frame(tm__jstack_parser *self, tm__slice function, tm__slice arguments,
                     tm__slice path, tm__slice library)
{
    char text[64] = {0};
    uint64_t line;
    tm__slice file = base_of(split_place(path, &line)), module;
    size_t version = tm__slice_find(function, "@");

    module = module_of(path, library);
    if (tm__native_is_wait(function) &&
        (module.bytes[0] == '?' || is_reserved(function)))
        module = TM__SLICE(TM__NATIVE_LIBRARY);
    if (tm__slice_begins(function, "??") || function.length == 0)
        function = TM__SLICE("?");
    else if (version > 0)
        function.length = version; /* "pthread_mutex_lock@@GLIBC_2.2.5" */
    if (module.length < sizeof(text))
        memcpy(text, module.bytes, module.length);
    /* A function further out does not wait, but calls the one that does. */
    if (module.bytes[0] != '?' && !tm__native_is_library(text) &&
        !tm__slice_is(module, "rust-std"))
        self->section |= OUTSIDE;
    if (!(self->section & OUTSIDE) &&
        tm__native_wait_read(self->dump, function, arguments) < 0)
        return tm__failure();
    return tm__jstack_add_call(self->dump, module, function,
                               line ? file : TM__SLICE(""), line);
}

/* "#3  0x7f1e in f (x=1) at a/b.c:12", "... from /lib/libc.so.6", or
 * "#3  0x7f1e f - /lib/b". */
static int read_gdb_frame(tm__jstack_parser *self, tm__slice line)
{
    tm__slice text = tm__slice_from(line, 1), function, arguments, path = {0},
              library = {0};
    size_t open, at;
    uint64_t number;

    if (!tm__slice_number(&text, 10, &number))
        return TM__LINE_OTHER;
    text = tm__slice_trim(text);
    if (tm__slice_begins(text, "0x")) {
        tm__slice_word(&text);
        if (tm__slice_begins(text, "in "))
            text = tm__slice_from(text, 3);
        /* eu-stack says of a caller that its address is that of the call. */
        if (tm__slice_begins(text, "- 1 "))
            text = tm__slice_from(text, 4);
    }
    open = find_arguments(text);
    at = tm__slice_find(text, " - /");
    if (at < open) {
        library = tm__slice_from(text, at + 3);
        text.length = open = at;
    }
    function = (tm__slice){text.bytes, open};
    arguments = tm__slice_from(text, open);
    at = tm__slice_find(arguments, ") at ");
    path = tm__slice_trim(tm__slice_from(arguments, at + strlen(") at ")));
    at = tm__slice_find(arguments, ") from ");
    if (!path.length)
        library = at < arguments.length ? tm__slice_from(arguments, at + 7) : library;
    return add_frame(self, function, arguments, path, library);
}

/* "frame #0: 0x7f libc.so.6`f(x=1) at b.c:9:5", "... libsystem`f + 10" */
static int read_lldb_frame(tm__jstack_parser *self, tm__slice line)
{
    tm__slice text = line, function, arguments, path, library;
    size_t tick, open, at, plus;

    if (tm__slice_begins(text, "* "))
        text = tm__slice_from(text, 2);
    text = tm__slice_from(text, tm__slice_find(text, ": ") + 2);
    if (tm__slice_begins(text, "0x"))
        tm__slice_word(&text);
    tick = tm__slice_find(text, "`");
    library = (tm__slice){text.bytes, tick};
    if (tick == text.length)
        library.length = 0;
    else
        text = tm__slice_from(text, tick + 1);
    open = tm__slice_find(text, "(");
    plus = tm__slice_find(text, " + ");
    at = tm__slice_find(text, " at ");
    path = tm__slice_from(text, at + 4);
    function = (tm__slice){text.bytes, open < plus ? open : plus};
    if (at < function.length)
        function.length = at;
    arguments = tm__slice_from(text, open);
    return add_frame(self, tm__slice_trim(function), arguments, path, library);
}

static int add_thread(tm__jstack_parser *self, const tm__jstack_thread *thread,
                      uint64_t index)
{
    tm__jstack_dump *dump = self->dump;

    if (tm__map_find(&dump->ids, thread->id) != TM__NONE)
        return TM__LINE_NEXT;
    if (!dump->vm.length)
        dump->vm = TM__SLICE("native program");
    self->section &= NAMES_ALL;
    if (index > self->numbers)
        self->numbers = index < UINT32_MAX ? (uint32_t)index : UINT32_MAX;
    if (tm__jstack_add_thread(dump, thread) < 0)
        return tm__failure();
    /* By this number others join it. */
    return !thread->address || thread->address == thread->id ||
                   tm__map_find(&dump->ids, thread->address) != TM__NONE
               ? TM_OK
               : tm__map_put(&dump->ids, thread->address, dump->thread_count - 1);
}

/* `File "/srv/stock.py", line 31, in move`, of gdb's py-bt */
static int read_python_frame(tm__jstack_parser *self, tm__slice line)
{
    tm__jstack_thread *thread = tm__jstack_last(self->dump);
    tm__slice file = tm__slice_from(line, strlen("File \"")), function;
    size_t end = tm__slice_find(file, "\", line ");
    uint64_t number = 0;

    if (end == file.length)
        return TM__LINE_OTHER;
    number_behind(file, "\", line ", 10, &number);
    function = tm__slice_from(file, tm__slice_find(file, ", in ") + 5);
    file.length = end;
    if (!thread->frame_count && !thread->known_state)
        tm__python_infer(thread, tm__python_module(file), function);
    return tm__jstack_add_call(self->dump, tm__python_module(file), function,
                               tm__python_base(file), number);
}

static int read_line(tm__jstack_parser *self, tm__slice line)
{
    static const tm__jstack_wait gil = {TM_OBJECT_KIND_MUTEX, "GIL", "the GIL"};
    tm__jstack_dump *dump = self->dump;
    tm__jstack_thread thread;
    uint64_t index;

    if (read_heading(line, &thread, &index))
        return add_thread(self, &thread, index);
    if (tm__slice_begins(line, "PID ") && tm__slice_ends(line, " - process")) {
        if (dump->thread_count || dump->process)
            return TM__LINE_NEXT;
        number_behind(line, "PID ", 10, &dump->process);
        self->section |= NAMES_ALL;
        return TM_OK;
    }
    if (line.length == 0)
        return TM_OK;
    if (dump->thread_count && line.bytes[0] == '#')
        return read_gdb_frame(self, line);
    if (dump->thread_count &&
        (tm__slice_begins(line, "frame #") || tm__slice_begins(line, "* frame #")))
        return read_lldb_frame(self, line);
    if (dump->thread_count && tm__slice_begins(line, "File \""))
        return read_python_frame(self, line);
    if (dump->thread_count && tm__slice_is(line, "Waiting for the GIL") &&
        !tm__jstack_last(dump)->frame_count) {
        tm__jstack_last(dump)->known_state = TM_STATE_BLOCKED;
        tm__jstack_last(dump)->waits_for = &gil;
        return TM_OK;
    }
    return TM__LINE_OTHER;
}

/* gdb numbers threads from 1 on: where none is left out, the list is whole. */
static int end(tm__jstack_parser *self)
{
    tm__jstack_dump *dump = self->dump;

    dump->has_header = self->section & NAMES_ALL || self->numbers == dump->thread_count;
    return TM_OK;
}

static size_t find(tm__slice line)
{
    static const char *const begins[] = {"Thread ", "* thread #", "thread #", "PID ",
                                         "Stack trace of thread "};
    tm__jstack_thread thread;
    uint64_t index;

    for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++) {
        size_t at = tm__slice_find(line, begins[i]);
        tm__slice rest = tm__slice_from(line, at);

        if (at < line.length &&
            (read_heading(rest, &thread, &index) ||
             (begins[i][0] == 'P' && tm__slice_ends(rest, " - process"))))
            return at;
    }
    return line.length;
}

const tm__grammar tm__grammar_gdb = {
    .name = "gdb",
    .writer = "stacks of a debugger",
    .find = find,
    .line = read_line,
    .end = end,
    .is_library = tm__native_is_library,
    .is_one_instant = 1,
};
