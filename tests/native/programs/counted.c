/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Four threads queue for a mutex in each turn, and its owner releases it when all of
 * them do. Prints how often one queued: what a recorder shows as contended enters, and
 * at most what the kernel shows as waits.
 */
#include "program.h"

enum { THREADS = 4, TURNS = 25 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *queue(void *unused)
{
    about_to_block();
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS];
    int blocked = 0;

    for (int turn = 0; turn < TURNS; turn++) {
        pthread_mutex_lock(&lock);
        for (int i = 0; i < THREADS; i++) {
            start("queue", queue);
            threads[i] = the_thread;
            blocked++;
        }
        pthread_mutex_unlock(&lock);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
    }
    printf("%d\n", blocked);
    return 0;
}
