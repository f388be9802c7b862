/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `status` has a thread's name, state, numbers and switches in one file. `syscall` has
 * the call with its arguments, and the two registers from which a stack can be read; it
 * needs the right to trace.
 */
#include "inspect/target.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inspect/lock_words.h"
#include "inspect/modules.h"
#include "inspect/runtime.h"

enum { TASKS_MOST = 100000 };

/* @return how much was read, with a byte 0 behind it; -1: nothing */
static ssize_t read_text(const char *path, char *text, size_t room)
{
    FILE *file = fopen(path, "re");
    size_t length;

    *text = 0;
    if (!file)
        return -1;
    length = fread(text, 1, room - 1, file);
    fclose(file);
    text[length] = 0;
    return (ssize_t)length;
}

/* The text behind a key of `status`, to the end of its line; NULL: there is none. */
static char *field(char *text, const char *key)
{
    char *at = strstr(text, key);

    return at ? at + strlen(key) : NULL;
}

/* @return 0: it has ended */
static int read_status(const tm__target *it, tm__task *task)
{
    char path[96], text[4096], *at, *end;

    snprintf(path, sizeof(path), "/proc/%u/task/%u/status", it->pid, task->tid);
    if (read_text(path, text, sizeof(text)) <= 0)
        return 0;
    at = field(text, "Name:\t");
    if (at && (end = strchr(at, '\n')))
        snprintf(task->name, sizeof(task->name), "%.*s", (int)(end - at), at);
    at = field(text, "\nState:\t");
    task->state = at ? *at : '?';
    task->inner = task->tid;
    at = field(text, "\nNSpid:\t");
    if (at && (end = strchr(at, '\n'))) {
        *end = 0;
        task->inner =
            (uint32_t)strtoul(strrchr(at, '\t') ? strrchr(at, '\t') + 1 : at, NULL, 10);
        *end = '\n';
    }
    task->switches = 0;
    if ((at = field(text, "\nvoluntary_ctxt_switches:\t")))
        task->switches = strtoull(at, NULL, 10);
    if ((at = field(text, "\nnonvoluntary_ctxt_switches:\t")))
        task->switches += strtoull(at, NULL, 10);
    return task->state != 'X';
}

static void read_call(tm__target *it, tm__task *task)
{
    char path[96], text[512];

    snprintf(path, sizeof(path), "/proc/%u/task/%u/syscall", it->pid, task->tid);
    task->call = TM__CALL_UNKNOWN;
    errno = 0;
    if (read_text(path, text, sizeof(text)) <= 0) {
        if ((errno == EPERM || errno == EACCES) && !*it->refusal)
            snprintf(
                it->refusal, sizeof(it->refusal),
                "no right to trace it (%s): what its threads wait for, its locks and "
                "its stacks are not known. Run this as its user or as root, with "
                "kernel.yama.ptrace_scope 0 or the capability CAP_SYS_PTRACE",
                strerror(errno));
        snprintf(path, sizeof(path), "/proc/%u/task/%u/wchan", it->pid, task->tid);
        if (read_text(path, text, sizeof(text)) > 1)
            snprintf(task->in_kernel, sizeof(task->in_kernel), "%.63s", text);
        return;
    }
    if (strncmp(text, "running", 7) == 0)
        task->call = TM__CALL_RUNNING;
    else if (sscanf(text,
                    "%ld 0x%" SCNx64 " 0x%" SCNx64 " 0x%" SCNx64 " 0x%" SCNx64
                    " 0x%" SCNx64 " 0x%" SCNx64 " 0x%" SCNx64 " 0x%" SCNx64,
                    &task->call, &task->arguments[0], &task->arguments[1],
                    &task->arguments[2], &task->arguments[3], &task->arguments[4],
                    &task->arguments[5], &task->stack_pointer,
                    &task->program_counter) < 9)
        /* Blocked, and not in a call: "-1 SP PC". */
        task->call = TM__CALL_UNKNOWN;
}

static tm__task *add_task(tm__target *it)
{
    size_t room = it->task_room ? it->task_room * 2 : 64;
    tm__task *more;

    if (it->task_count == it->task_room) {
        more = it->task_count < TASKS_MOST ? realloc(it->tasks, room * sizeof(*more))
                                           : NULL;
        if (!more)
            return NULL;
        it->tasks = more;
        it->task_room = room;
    }
    memset(&it->tasks[it->task_count], 0, sizeof(*it->tasks));
    return &it->tasks[it->task_count++];
}

static int by_number(const void *left, const void *right)
{
    const tm__task *a = left, *b = right;

    return (a->tid > b->tid) - (a->tid < b->tid);
}

int tm__target_open(tm__target *it, uint32_t pid)
{
    char path[64];
    ssize_t length;

    memset(it, 0, sizeof(*it));
    it->pid = pid;
    snprintf(path, sizeof(path), "/proc/%u", pid);
    if (access(path, F_OK) != 0) {
        snprintf(it->refusal, sizeof(it->refusal), "there is no process %u", pid);
        return -1;
    }
    snprintf(path, sizeof(path), "/proc/%u/exe", pid);
    length = readlink(path, it->program, sizeof(it->program) - 1);
    it->program[length > 0 ? length : 0] = 0;
    snprintf(path, sizeof(path), "/proc/%u/cmdline", pid);
    length = read_text(path, it->command, sizeof(it->command));
    for (ssize_t i = 0; i + 1 < length; i++)
        if (it->command[i] == 0)
            it->command[i] = ' ';
    /* A server that writes its state there leaves the rest of its arguments blank. */
    while (length > 0 && (it->command[length - 1] == ' ' || !it->command[length - 1]))
        it->command[--length] = 0;
    it->symbols = tm__symbols_new();
    tm__modules_read(it);
    tm__runtime_recognise(it);
    return 0;
}

size_t tm__target_look(tm__target *it)
{
    char path[64];
    DIR *tasks;
    const struct dirent *entry;

    it->task_count = 0;
    it->gone = it->stopped = 0;
    it->stopped_ns = 0;
    snprintf(path, sizeof(path), "/proc/%u/task", it->pid);
    tasks = opendir(path);
    while (tasks && (entry = readdir(tasks))) {
        uint32_t tid = (uint32_t)strtoul(entry->d_name, NULL, 10);
        tm__task *task = tid ? add_task(it) : NULL;

        if (!task)
            continue;
        task->tid = tid;
        task->has_moved = 1;
        if (!read_status(it, task)) {
            it->task_count--;
            it->gone++;
            continue;
        }
        if (task->state != 'Z')
            read_call(it, task);
    }
    if (tasks)
        closedir(tasks);
    if (it->task_count)
        qsort(it->tasks, it->task_count, sizeof(*it->tasks), by_number);
    return it->task_count;
}

/* Whether a thread has stood still since it was looked at. */
static int stands(tm__target *it, const tm__task *task)
{
    tm__task now = {.tid = task->tid};

    if (!read_status(it, &now))
        return 0;
    read_call(it, &now);
    return now.call == task->call && now.switches == task->switches &&
           now.stack_pointer == task->stack_pointer &&
           memcmp(now.arguments, task->arguments, sizeof(now.arguments)) == 0;
}

size_t tm__target_confirm(tm__target *it)
{
    size_t moved = 0;

    for (size_t i = 0; i < it->task_count; i++) {
        tm__task *task = &it->tasks[i];
        tm__thread_wait again = task->wait;

        task->has_moved = 0;
        if (task->wait.kind == TM__WAIT_NONE)
            continue;
        tm__lock_words_owner(it, &again);
        task->has_moved = !stands(it, task);
        task->wait.is_confirmed = again.owner == task->wait.owner && !task->has_moved;
        moved += (size_t)task->has_moved;
    }
    return moved;
}

void tm__target_look_again(tm__target *it)
{
    for (size_t i = 0; i < it->task_count; i++) {
        tm__task *task = &it->tasks[i];

        if (!task->has_moved)
            continue;
        memset(&task->wait, 0, sizeof(task->wait));
        task->frame_count = 0;
        task->call = TM__CALL_UNKNOWN;
        task->stack_pointer = task->program_counter = 0;
        if (read_status(it, task))
            read_call(it, task);
        else
            task->state = 'Z';
    }
}

static int is_of_lock(int kind)
{
    return kind == TM__WAIT_MUTEX || kind == TM__WAIT_RWLOCK_READ ||
           kind == TM__WAIT_RWLOCK_WRITE || kind == TM__WAIT_LOCK_OF_LIBC;
}

void tm__target_forget_moved(tm__target *it)
{
    for (size_t i = 0; i < it->task_count; i++) {
        tm__task *task = &it->tasks[i];

        if (!is_of_lock(task->wait.kind))
            continue;
        /* It may have the lock by now, whose owner others name. */
        if (task->has_moved) {
            memset(&task->wait, 0, sizeof(task->wait));
            task->call = TM__CALL_UNKNOWN;
        } else if (!task->wait.is_confirmed && task->wait.owner == task->inner) {
            task->wait.owner = 0;
        }
    }
}

void tm__target_close(tm__target *it)
{
    tm__symbols_free(it->symbols);
    free(it->tasks);
    free(it->modules);
}
