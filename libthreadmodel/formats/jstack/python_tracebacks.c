/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads of Python as tracebacks, the outermost call first and each with its line of
 * source: pystack, hanging_threads, and programs that print sys._current_frames().
 *
 *     Traceback for thread 4250 (python) [] (most recent call last):
 *         (Python) File "/srv/app/stock.py", line 31, in move
 *             lock.acquire()
 *
 *     ---------- Thread 139822294636224 "mover" hangs   ----------
 *     	File "/srv/app/stock.py", line 31, in move
 *     		lock.acquire()
 *
 *     # Thread: mover(139822294636224)
 *     File: "/srv/app/stock.py", line 31, in move
 *       lock.acquire()
 *
 * The innermost call is known when the thread is over: then its frames are turned
 * round, and what it waits for is inferred, by the function or by the line of source.
 */
#include <stdio.h>
#include <string.h>
#include <threadmodel/definition.h>
#include <threadmodel/model.h>

#include "base/error.h"
#include "formats/jstack/grammar.h"
#include "formats/jstack/parse.h"
#include "formats/jstack/python_stacks.h"

/* In parser.section: what the line of source of the last frame calls. */
enum source { NOTHING, AWAITED, SLEEP, ACQUIRE };

static const tm__jstack_wait a_lock = TM__JSTACK_WAIT(MUTEX, "lock");

/* The last thread is over. */
static void turn_round(tm__jstack_parser *self)
{
    tm__jstack_dump *dump = self->dump;
    tm__jstack_thread *thread = tm__jstack_last(dump);
    tm__slice module, function;
    uint32_t low, high;
    size_t dot;

    if (self->thread == TM__NONE || !thread || !thread->frame_count)
        return;
    self->thread = TM__NONE;
    low = thread->frame_first;
    high = low + thread->frame_count - 1;
    for (; low < high; low++, high--) {
        uint32_t frame = dump->frames[low];

        dump->frames[low] = dump->frames[high];
        dump->frames[high] = frame;
    }
    if (thread->known_state)
        return;
    /* "threading.wait(threading.py:327)" */
    module = tm__jstack_frame(dump, thread->frame_first);
    module.length = tm__slice_find(module, "(");
    for (dot = module.length; dot > 0 && module.bytes[dot - 1] != '.'; dot--)
        ;
    function = tm__slice_from(module, dot);
    module.length = dot ? dot - 1 : 0;
    if (tm__python_infer(thread, module, function))
        return;
    if (self->section == SLEEP) {
        thread->known_state = TM_STATE_SLEEPING;
    } else if (self->section == ACQUIRE) {
        thread->known_state = TM_STATE_BLOCKED;
        thread->waits_for = &a_lock;
    }
}

static int begin_thread(tm__jstack_parser *self, tm__jstack_thread *thread)
{
    turn_round(self);
    if (tm__map_find(&self->dump->ids, thread->id) != TM__NONE)
        return TM__LINE_NEXT;
    self->section = NOTHING;
    if (!self->dump->vm.length)
        self->dump->vm = TM__SLICE("Python");
    if (tm__jstack_add_thread(self->dump, thread) < 0)
        return tm__failure();
    self->thread = self->dump->thread_count - 1;
    return TM_OK;
}

/* @return 1: the line begins a thread */
static int read_heading(tm__slice line, tm__jstack_thread *thread)
{
    static const char pystack[] = "Traceback for thread ";
    static const char recipe[] = "# Thread: ", recipe_id[] = "# ThreadID: ";
    tm__slice rest = line;
    size_t open, close;

    *thread = (tm__jstack_thread){.elapsed_ns = -1, .cpu_ns = -1};
    if (tm__slice_begins(line, pystack)) {
        rest = tm__slice_from(line, sizeof(pystack) - 1);
        thread->name = tm__slice_from(line, strlen("Traceback for "));
        if (!tm__slice_number(&rest, 10, &thread->id) || !thread->id ||
            !tm__slice_ends(line, "(most recent call last):"))
            return 0;
        thread->name.length = (size_t)(rest.bytes - thread->name.bytes);
        thread->os_id = thread->id;
        if (tm__slice_find(line, "Has the GIL") < line.length &&
            tm__slice_find(line, "Garbage collecting") == line.length)
            thread->known_state = TM_STATE_RUNNING;
        return 1;
    }
    if (tm__slice_begins(line, "-------")) {
        rest = tm__slice_from(line, tm__slice_find(line, "Thread ") + 7);
        thread->name = tm__slice_from(line, tm__slice_find(line, "Thread "));
        if (!tm__slice_number(&rest, 10, &thread->id) || !thread->id)
            return 0;
        /* Before version 2 without the name. */
        thread->name.length = (size_t)(rest.bytes - thread->name.bytes);
        if (tm__slice_begins(rest, "-------"))
            return 1;
        if (!tm__slice_begins(rest, " \""))
            return 0;
        rest = tm__slice_from(rest, 2);
        close = tm__slice_find(rest, "\" hangs");
        thread->name = (tm__slice){rest.bytes, close};
        return close < rest.length;
    }
    if (tm__slice_begins(line, recipe_id)) {
        rest = tm__slice_from(line, sizeof(recipe_id) - 1);
        thread->name = tm__slice_from(line, 2);
        return tm__slice_number(&rest, 10, &thread->id) && thread->id && !rest.length;
    }
    if (!tm__slice_begins(line, recipe) || !tm__slice_ends(line, ")"))
        return 0;
    thread->name = tm__slice_from(line, sizeof(recipe) - 1);
    for (open = thread->name.length; open > 0 && thread->name.bytes[open - 1] != '(';
         open--)
        ;
    rest = tm__slice_from(thread->name, open);
    thread->name.length = open ? open - 1 : 0;
    return open > 0 && tm__slice_number(&rest, 10, &thread->id) && thread->id &&
           tm__slice_is(rest, ")");
}

/* `File "stock.py", line 31, in move`, behind "(Python) " or "(C) ". */
static int read_frame(tm__jstack_parser *self, tm__slice line)
{
    int is_native = tm__slice_begins(line, "(C) ");
    size_t file_at = tm__slice_find(line, "File"), end;
    tm__slice file, rest, function;
    uint64_t number = 0;

    file = tm__slice_from(line, file_at + 4);
    file = tm__slice_from(file, tm__slice_begins(file, ":"));
    if (file_at > strlen("(Python) ") || !tm__slice_begins(file, " \""))
        return TM__LINE_OTHER;
    file = tm__slice_from(file, 2);
    end = tm__slice_find(file, "\", line ");
    rest = tm__slice_from(file, end + strlen("\", line "));
    file.length = end;
    tm__slice_number(&rest, 10, &number);
    function = tm__slice_from(rest, tm__slice_find(rest, "in ") + 3);
    /* "in futex_wait (libc.so.6)" */
    if (is_native)
        function.length = tm__slice_find(function, " (");
    self->section = is_native ? NOTHING : AWAITED;
    return tm__jstack_add_call(self->dump, tm__python_module(file), function,
                               tm__python_base(file), number);
}

static int read_line(tm__jstack_parser *self, tm__slice line)
{
    tm__jstack_thread thread;
    int rc;

    if (read_heading(line, &thread))
        return begin_thread(self, &thread);
    if (line.length == 0)
        return TM_OK;
    if (self->thread == TM__NONE)
        return TM__LINE_OTHER;
    rc = read_frame(self, line);
    if (rc != TM__LINE_OTHER || self->section != AWAITED)
        return rc;
    self->section = tm__slice_begins(line, "time.sleep(")             ? SLEEP
                    : tm__slice_find(line, ".acquire(") < line.length ? ACQUIRE
                                                                      : NOTHING;
    return TM_OK;
}

static int end(tm__jstack_parser *self)
{
    turn_round(self);
    return TM_OK;
}

static size_t find(tm__slice line)
{
    static const char *const begins[] = {"Traceback for thread ", "-------",
                                         "# Thread"};
    tm__jstack_thread thread;

    for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++) {
        size_t at = tm__slice_find(line, begins[i]);

        if (at < line.length && read_heading(tm__slice_from(line, at), &thread))
            return at;
    }
    return line.length;
}

const tm__grammar tm__grammar_tracebacks = {
    .name = "python_tracebacks",
    .writer = "tracebacks of Python's threads",
    .find = find,
    .line = read_line,
    .end = end,
    .is_library = tm__python_is_library,
};
