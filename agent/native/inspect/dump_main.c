/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A dump of the threads of a native process: `threadmodel-native-dump PID TRACE
 * [LOOKS [MS [stop|go-on|none]]]`. It looks so many times, with so many ms in between,
 * prints the last look, and writes all of them into the trace. `stop`: threads whose
 * stacks cannot be read else are stopped for a moment; `go-on`: none is; `none`: no
 * stacks at all. Exit status 1: the process cannot be looked at, 2: wrong arguments.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <threadmodel/error.h>

#include "inspect/dump_text.h"
#include "inspect/emit_dump.h"
#include "inspect/frames.h"
#include "inspect/lock_words.h"
#include "inspect/routines.h"
#include "inspect/runtime.h"
#include "inspect/target.h"

enum { LOOKS_MOST = 10000, ROUNDS_MOST = 4 };

static int look(tm__target *target, const char *how)
{
    if (tm__target_look(target) == 0)
        return 0;
    /* Stacks take longest. Threads that have moved since are looked at again, so that
     * at one instant all that is shown was so. */
    for (int i = 0; i < ROUNDS_MOST; i++) {
        if (strcmp(how, "none") != 0)
            tm__frames_read(target);
        for (size_t k = 0; k < target->task_count; k++)
            if (!target->tasks[k].wait.is_confirmed)
                tm__lock_words_find(target, &target->tasks[k]);
        tm__lock_words_find_once(target);
        tm__runtime_find_lock(target);
        if (tm__target_confirm(target) == 0)
            break;
        if (i + 1 < ROUNDS_MOST)
            tm__target_look_again(target);
    }
    tm__target_forget_moved(target);
    /* The object of each wait is known by now: to stop a thread changes the state in
     * which it is seen. */
    if (strcmp(how, "stop") == 0)
        tm__frames_read_stopped(target);
    tm__runtime_find_locks_of_language(target);
    tm__routines_find(target);
    return 1;
}

static int number(const char *text, int most)
{
    char *end;
    long value = strtol(text, &end, 10);

    return *end || end == text || value < 0 || value > most ? -1 : (int)value;
}

/* Whether all of it has ended but for the number, which its parent has not fetched. */
static int is_over(const tm__target *target)
{
    for (size_t i = 0; i < target->task_count; i++)
        if (target->tasks[i].state != 'Z')
            return 0;
    return 1;
}

static int run(tm__target *target, const char *trace, int looks, int between_ms,
               const char *how)
{
    const struct timespec between = {between_ms / 1000, between_ms % 1000 * 1000000L};
    tm__dump_writer *writer = NULL;
    int seen = 0;

    for (int i = 0; i < looks; i++) {
        if (i)
            nanosleep(&between, NULL);
        if (!look(target, how))
            break;
        seen++;
        if (!writer && !(writer = tm__dump_writer_open(trace, target))) {
            fprintf(stderr, "threadmodel: %s: %s\n", trace, tm_error_text());
            return 1;
        }
        tm__dump_writer_add(writer, target);
        if (i + 1 == looks || is_over(target)) {
            tm__dump_text_put(stdout, target);
            break;
        }
    }
    if (!seen)
        fprintf(stderr, "threadmodel: process %u has ended\n", target->pid);
    else if (seen < looks)
        printf("Process %u has ended after %d of %d dumps.\n", target->pid, seen,
               looks);
    if (writer && tm__dump_writer_close(writer, target) != 0) {
        fprintf(stderr, "threadmodel: %s: %s\n", trace, tm_error_text());
        return 1;
    }
    return seen ? 0 : 1;
}

int main(int argc, char **argv)
{
    tm__target target;
    int pid = argc > 2 ? number(argv[1], 0x7FFFFFFF) : -1;
    int looks = argc > 3 ? number(argv[3], LOOKS_MOST) : 1;
    int between_ms = argc > 4 ? number(argv[4], 3600000) : 0;
    const char *how = argc > 5 ? argv[5] : "stop";
    int rc;

    if (argc > 6 || pid <= 0 || looks <= 0 || between_ms < 0) {
        fprintf(stderr,
                "usage: threadmodel-native-dump PID TRACE [LOOKS [MS [HOW]]]\n");
        return 2;
    }
    /* Symbols come from this machine. */
    unsetenv("DEBUGINFOD_URLS");
    if (tm__target_open(&target, (uint32_t)pid) != 0) {
        fprintf(stderr, "threadmodel: %s\n", target.refusal);
        return 1;
    }
    rc = run(&target, argv[2], looks, between_ms, how);
    tm__target_close(&target);
    tm__frames_forget();
    return rc;
}
