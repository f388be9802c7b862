/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gdb's `thread apply all bt`, and the same of lldb's and pstack's relatives:
 *
 *     Thread 25 (Thread 0x7f1e331fe6c0 (LWP 25543) "idle-pool"):
 *     #0  __futex_abstimed_wait_common64 (private=0, ...) at ./nptl/futex-internal.c:57
 *     #3  0x00007f1eb606e5d8 in ___pthread_mutex_lock (mutex=0x7f1eb00bef68) at ...
 *
 * The mutex of a lock is an argument, where the C library has symbols for it.
 */
#include <stdio.h>
#include <string.h>
#include <threadmodel/model.h>

#include "formats/jstack/grammar.h"

static const char begin[] = "Thread ";

/* @return 1: a thread begins with this line */
static int read_heading(tm__slice line, tm__jstack_thread *thread)
{
    tm__slice rest = tm__slice_from(line, sizeof(begin) - 1), number;
    size_t open, lwp;
    uint64_t index;

    *thread = (tm__jstack_thread){.elapsed_ns = -1, .cpu_ns = -1};
    if (!tm__slice_begins(line, begin) || !tm__slice_number(&rest, 10, &index) ||
        (!tm__slice_begins(rest, " (Thread 0x") && !tm__slice_begins(rest, " (LWP ") &&
         !tm__slice_begins(rest, " (process ")))
        return 0;
    lwp = tm__slice_find(rest, "LWP ");
    number = tm__slice_from(rest, lwp + strlen("LWP "));
    if (!tm__slice_number(&number, 10, &thread->os_id)) {
        lwp = tm__slice_find(rest, "process ");
        number = tm__slice_from(rest, lwp + strlen("process "));
        tm__slice_number(&number, 10, &thread->os_id);
    }
    thread->id = thread->os_id ? thread->os_id : index;
    open = tm__slice_find(rest, "\"");
    thread->name = tm__slice_from(rest, open + 1);
    for (lwp = thread->name.length; lwp > 0 && thread->name.bytes[lwp - 1] != '"';
         lwp--)
        ;
    thread->name.length = lwp ? lwp - 1 : 0;
    if (open == rest.length)
        thread->name = (tm__slice){line.bytes, (size_t)(rest.bytes - line.bytes)};
    return 1;
}

/* What the functions on top do, and by which argument the object is known. */
static const struct {
    const char *function, *argument, *class_name;
    int state;
} waits[] = {
    {"pthread_mutex_lock", "mutex=0x", "mutex", TM_STATE_BLOCKED},
    {"pthread_mutex_timedlock", "mutex=0x", "mutex", TM_STATE_BLOCKED},
    {"pthread_mutex_clocklock", "mutex=0x", "mutex", TM_STATE_BLOCKED},
    {"lll_lock_wait", "futex=0x", "mutex", TM_STATE_BLOCKED},
    {"lll_mutex_lock", "", "", TM_STATE_BLOCKED},
    {"pthread_rwlock_rdlock", "rwlock=0x", "rwlock", TM_STATE_BLOCKED},
    {"pthread_rwlock_wrlock", "rwlock=0x", "rwlock", TM_STATE_BLOCKED},
    {"pthread_spin_lock", "lock=0x", "spin lock", TM_STATE_BLOCKED},
    {"pthread_cond_wait", "cond=0x", "condition", TM_STATE_WAITING},
    {"pthread_cond_timedwait", "cond=0x", "condition", TM_STATE_WAITING},
    {"pthread_cond_clockwait", "cond=0x", "condition", TM_STATE_WAITING},
    {"pthread_join", "", "", TM_STATE_JOINING},
    {"pthread_clockjoin", "", "", TM_STATE_JOINING},
    {"pthread_timedjoin", "", "", TM_STATE_JOINING},
    {"pthread_barrier_wait", "barrier=0x", "barrier", TM_STATE_WAITING},
    {"sem_wait", "sem=0x", "semaphore", TM_STATE_WAITING},
    {"sem_timedwait", "sem=0x", "semaphore", TM_STATE_WAITING},
    {"nanosleep", "", "", TM_STATE_SLEEPING},
    {"usleep", "", "", TM_STATE_SLEEPING},
    {"epoll_wait", "", "", TM_STATE_WAITING},
    {"epoll_pwait", "", "", TM_STATE_WAITING},
    {"poll", "", "", TM_STATE_WAITING},
    {"ppoll", "", "", TM_STATE_WAITING},
    {"select", "", "", TM_STATE_WAITING},
    {"accept", "", "", TM_STATE_WAITING},
    {"accept4", "", "", TM_STATE_WAITING},
    {"recv", "", "", TM_STATE_WAITING},
    {"recvfrom", "", "", TM_STATE_WAITING},
    {"recvmsg", "", "", TM_STATE_WAITING},
    {"read", "", "", TM_STATE_WAITING},
    {"futex_wait", "", "", TM_STATE_WAITING},
    {"sigwait", "", "", TM_STATE_WAITING},
    {"sigtimedwait", "", "", TM_STATE_WAITING},
    {"wait4", "", "", TM_STATE_WAITING},
    {"waitpid", "", "", TM_STATE_WAITING},
};

/* "__GI___pthread_mutex_lock" is pthread_mutex_lock. */
static tm__slice plain_name(tm__slice function)
{
    static const char *const before[] = {"__GI_", "__libc_", "__new_"};

    for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++)
        if (tm__slice_begins(function, before[i]))
            function = tm__slice_from(function, strlen(before[i]));
    while (tm__slice_begins(function, "_"))
        function = tm__slice_from(function, 1);
    return function;
}

/* The kernel's side comes first, and a lock's own function a frame or two below. */
static int read_wait(tm__jstack_parser *self, tm__slice function, tm__slice arguments)
{
    enum { FRAMES = 8 };
    tm__jstack_thread *thread = tm__jstack_last(self->dump);
    tm__slice name = plain_name(function), number;
    tm__jstack_lock lock = {0};

    if (thread->frame_count >= FRAMES || thread->lock_count)
        return TM_OK;
    for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++) {
        size_t length = strlen(waits[i].function), at;

        if (!tm__slice_begins(name, waits[i].function) ||
            (name.length > length && name.bytes[length] != '@' &&
             name.bytes[length] != '_' && name.bytes[length] != '6'))
            continue;
        if (!waits[i].argument[0]) {
            if (thread->known_state == TM_STATE_UNKNOWN ||
                waits[i].state == TM_STATE_JOINING)
                thread->known_state = (uint32_t)waits[i].state;
            return TM_OK;
        }
        thread->known_state = (uint32_t)waits[i].state;
        at = tm__slice_find(arguments, waits[i].argument);
        number = tm__slice_from(arguments, at + strlen(waits[i].argument));
        if (!tm__slice_number(&number, 16, &lock.address) || !lock.address)
            return TM_OK;
        lock.kind = waits[i].state == TM_STATE_BLOCKED ? TM__JSTACK_WANTED
                                                       : TM__JSTACK_WAITING_ON;
        lock.class_name = (tm__slice){waits[i].class_name, strlen(waits[i].class_name)};
        return tm__jstack_add_lock(self->dump, &lock);
    }
    return TM_OK;
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

/* The file and line, or the library, behind the arguments. */
static tm__slice find_place(tm__slice text, uint64_t *line)
{
    size_t at = tm__slice_find(text, ") at "), from = tm__slice_find(text, ") from ");
    size_t colon;
    tm__slice place, rest;

    *line = 0;
    if (at == text.length) {
        place = tm__slice_from(text, from + strlen(") from "));
        return base_of(tm__slice_trim(place));
    }
    place = tm__slice_from(text, at + strlen(") at "));
    for (colon = place.length; colon > 0 && place.bytes[colon - 1] != ':'; colon--)
        ;
    rest = tm__slice_from(place, colon);
    tm__slice_number(&rest, 10, line);
    place.length = colon ? colon - 1 : place.length;
    return base_of(place);
}

static int read_frame(tm__jstack_parser *self, tm__slice line)
{
    tm__slice text = tm__slice_from(line, 1), function, place, module;
    size_t in, open, dot;
    uint64_t number;

    if (!tm__slice_number(&text, 10, &number))
        return TM__LINE_OTHER;
    text = tm__slice_trim(text);
    in = tm__slice_find(text, " in ");
    if (tm__slice_begins(text, "0x") && in < text.length)
        text = tm__slice_from(text, in + strlen(" in "));
    open = find_arguments(text);
    function = (tm__slice){text.bytes, open};
    place = find_place(text, &number);
    module = place;
    dot = tm__slice_find(module, ".");
    module.length = dot;
    if (module.length == 0)
        module = TM__SLICE("?");
    if (tm__slice_is(function, "??") || function.length == 0)
        function = TM__SLICE("?");
    if (read_wait(self, function, tm__slice_from(text, open)) < 0)
        return TM_ENOMEM;
    return tm__jstack_add_call(self->dump, module, function,
                               number ? place : TM__SLICE(""), number);
}

static int read_line(tm__jstack_parser *self, tm__slice line)
{
    tm__jstack_thread thread;

    if (read_heading(line, &thread)) {
        if (tm__map_find(&self->dump->ids, thread.id) != TM__NONE)
            return TM__LINE_NEXT;
        if (!self->dump->vm.length)
            self->dump->vm = TM__SLICE("native program, by gdb");
        return tm__jstack_add_thread(self->dump, &thread);
    }
    if (line.length == 0)
        return TM_OK;
    if (self->dump->thread_count && line.bytes[0] == '#')
        return read_frame(self, line);
    return TM__LINE_OTHER;
}

static size_t find(tm__slice line)
{
    size_t at = tm__slice_find(line, begin);
    tm__jstack_thread thread;

    return at < line.length && read_heading(tm__slice_from(line, at), &thread)
               ? at
               : line.length;
}

const tm__grammar tm__grammar_gdb = {
    .name = "gdb",
    .writer = "gdb's stacks of all threads",
    .find = find,
    .line = read_line,
    .is_one_instant = 1,
};
