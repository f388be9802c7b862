/* SPDX-License-Identifier: Apache-2.0 */
/* What the programs share: one other thread at a time, which says before it blocks. */
#ifndef TM_TEST_NATIVE_PROGRAM_H
#define TM_TEST_NATIVE_PROGRAM_H

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static pthread_t the_thread;
static atomic_int the_blocks;

static inline void pause_ms(int ms)
{
    struct timespec length = {ms / 1000, ms % 1000 * 1000000L};

    nanosleep(&length, NULL);
}

static inline void about_to_block(void)
{
    atomic_store(&the_blocks, 1);
}

/* Start a thread, and go on when it must be blocked, 20 ms after it said so. */
static inline void start(const char *name, void *(*routine)(void *))
{
    atomic_store(&the_blocks, 0);
    if (pthread_create(&the_thread, NULL, routine, NULL) != 0)
        abort();
    pthread_setname_np(the_thread, name);
    while (!atomic_load(&the_blocks))
        pause_ms(1);
    pause_ms(20);
}

static inline void join(void)
{
    pthread_join(the_thread, NULL);
}

#endif
