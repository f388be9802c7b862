/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Four threads that take one mutex, and count how often it was taken by another. Prints
 * that count: what a recorder shows as contended enters, and at most what the kernel
 * shows as waits.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

enum { THREADS = 4, TURNS = 500 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int blocked;

static void pause_ns(long ns)
{
    nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
}

static void *work(void *unused)
{
    for (int i = 0; i < TURNS; i++) {
        if (pthread_mutex_trylock(&lock) != 0) {
            atomic_fetch_add(&blocked, 1);
            pthread_mutex_lock(&lock);
        }
        pause_ns(20000);
        pthread_mutex_unlock(&lock);
        pause_ns(60000);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", atomic_load(&blocked));
    return 0;
}
