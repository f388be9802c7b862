/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The argument chooses: `two`: threads that lock two mutexes in turn; `self`: a mutex
 * locked twice. Either ends when its standard input does.
 */
#include "program.h"

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;

static void *left_first(void *unused)
{
    pthread_mutex_lock(&left);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(&right);
    return unused;
}

static void *right_first(void *unused)
{
    pthread_mutex_lock(&right);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(&left);
    return unused;
}

static void *lock_twice(void *unused)
{
    pthread_mutex_lock(&left);
    pthread_mutex_lock(&left);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    char byte;

    if (argc > 1 && strcmp(argv[1], "self") == 0) {
        pthread_create(&threads[0], NULL, lock_twice, NULL);
        pthread_setname_np(threads[0], "lock_twice");
    } else {
        pthread_barrier_init(&both, NULL, 2);
        pthread_create(&threads[0], NULL, left_first, NULL);
        pthread_setname_np(threads[0], "left_first");
        pthread_create(&threads[1], NULL, right_first, NULL);
        pthread_setname_np(threads[1], "right_first");
    }
    while (read(STDIN_FILENO, &byte, 1) > 0)
        ;
    _exit(0);
}
