/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that the programs share: one other thread at a time, which reports
 * before it blocks. */
#ifndef TM_TEST_NATIVE_PROGRAM_H
#define TM_TEST_NATIVE_PROGRAM_H

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#ifdef __cplusplus
#include <atomic>
using std::atomic_int;
#else
#include <stdatomic.h>
#endif

static pthread_t the_thread;
static atomic_int the_blocker; ///< thread that is about to block; 0: none

static inline void pause_ms(int ms)
{
    struct timespec length = {ms / 1000, ms % 1000 * 1000000L};

    nanosleep(&length, NULL);
}

static inline void about_to_block(void)
{
    atomic_store(&the_blocker, (int)syscall(SYS_gettid));
}

/* Whether a thread sleeps, has spun for 20 ms of processor time, or has ended. */
static inline int is_stuck(int thread)
{
    char path[64], text[512], *state;
    unsigned long user = 0, system = 0;
    FILE *file;
    size_t length;

    snprintf(path, sizeof(path), "/proc/self/task/%d/stat", thread);
    file = fopen(path, "r");
    if (!file)
        return 1;
    length = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[length] = '\0';
    state = strrchr(text, ')');
    if (!state)
        return 1;
    sscanf(state, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
           &system);
    return strchr("SZX", state[2]) ||
           (user + system) * 1000 / sysconf(_SC_CLK_TCK) >= 20;
}

/*
 * Go on when the thread that said that it is about to block does so. The recorder may
 * let it sleep for a moment before: so it has to be seen asleep more than once.
 */
static inline void wait_until_blocked(void)
{
    for (int seen = 0; seen < 5; pause_ms(1))
        seen = atomic_load(&the_blocker) && is_stuck(atomic_load(&the_blocker))
                   ? seen + 1
                   : 0;
}

/* Start a thread, and go on when it is blocked. */
static inline void start(const char *name, void *(*routine)(void *))
{
    atomic_store(&the_blocker, 0);
    if (pthread_create(&the_thread, NULL, routine, NULL) != 0)
        abort();
    pthread_setname_np(the_thread, name);
    wait_until_blocked();
}

static inline void join(void)
{
    pthread_join(the_thread, NULL);
}

#endif
