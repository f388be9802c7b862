/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPython's lock lies before a condition that threads wait for with a limit: an
 * interval in us, the thread that had it last, and whether it is locked, the same from
 * release 3.2 to 3.14. A thread is known there by its pthread_t, which is looked for in
 * what Python knows of it.
 */
#include "inspect/runtime.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "inspect/frames.h"
#include "inspect/glibc_words.h"
#include "inspect/target_state.h"

enum { STATE_WORDS = 128, INTERVAL_MOST = 100000000 };

/* Go writes its build id into a note of its own. */
static int is_go(const char *program)
{
    static const char note[] = "Go\0\0";
    unsigned char head[8192];
    int file = open(program, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    ssize_t length = file >= 0 ? read(file, head, sizeof(head)) : 0;

    if (file >= 0)
        close(file);
    for (ssize_t i = 0; i + 16 < length; i += 4)
        /* The length of the name, any length, type 4, the name. */
        if (memcmp(head + i, "\4\0\0\0", 4) == 0 &&
            memcmp(head + i + 8, "\4\0\0\0", 4) == 0 &&
            memcmp(head + i + 12, note, 4) == 0)
            return 1;
    return 0;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

void tm__runtime_recognise(tm__target *target)
{
    char program[64];

    snprintf(program, sizeof(program), "/proc/%u/exe", target->pid);
    if (is_go(program)) {
        snprintf(target->runtime, sizeof(target->runtime), "Go");
        return;
    }
    for (size_t i = 0; i < target->module_count; i++) {
        const char *name = base_name(target->modules[i].path);

        if (strncmp(name, "libpython", 9) == 0 || strncmp(name, "python", 6) == 0) {
            snprintf(target->runtime, sizeof(target->runtime), "Python");
            return;
        }
    }
}

/* The thread of a PyThreadState. @return 0: there is none of the process in it */
static uint32_t thread_of_state(const tm__target *target, uint64_t state)
{
    uint64_t words[STATE_WORDS];
    uint32_t thread = 0;

    if (!tm__target_read(target, state, words, sizeof(words)))
        return 0;
    for (size_t i = 0; !thread && i < STATE_WORDS; i++)
        thread = tm__thread_of_descriptor(target, words[i]);
    return thread;
}

void tm__runtime_find_lock(tm__target *target)
{
    struct {
        uint64_t interval_us, holder;
        uint32_t is_locked, pad;
        uint64_t switches;
    } lock;

    if (strncmp(target->runtime, "Python", 6) != 0)
        return;
    for (size_t i = 0; i < target->task_count; i++) {
        tm__thread_wait *wait = &target->tasks[i].wait;
        uint64_t address = wait->object - sizeof(lock);
        uint32_t holder;

        if (wait->kind != TM__WAIT_CONDITION || !wait->is_timed ||
            !tm__target_read(target, address, &lock, sizeof(lock)) || !lock.holder ||
            lock.is_locked != 1 || lock.interval_us == 0 ||
            lock.interval_us > INTERVAL_MOST)
            continue;
        holder = thread_of_state(target, lock.holder);
        if (!holder)
            continue;
        wait->kind = TM__WAIT_GIL;
        wait->object = address;
        /* A thread that had it last and waits for it was just made to drop it. */
        wait->owner = holder == target->tasks[i].inner ? 0 : holder;
        wait->detail[0] = 0;
    }
}

static int is_called(tm__target *target, const tm__task *task, const char *function)
{
    for (size_t i = 0; i < task->frame_count; i++)
        if (strcmp(tm__frame_function(target, task->frames[i], i == 0), function) == 0)
            return 1;
    return 0;
}

void tm__runtime_find_locks_of_language(tm__target *target)
{
    for (size_t i = 0; i < target->task_count; i++)
        if (target->tasks[i].wait.kind == TM__WAIT_SEMAPHORE &&
            is_called(target, &target->tasks[i], "PyThread_acquire_lock_timed"))
            target->tasks[i].wait.kind = TM__WAIT_PYTHON_LOCK;
}
