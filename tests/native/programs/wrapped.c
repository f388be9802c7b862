/* SPDX-License-Identifier: Apache-2.0 */
/* A wrapper of a lock, which two functions call by turns, each as deep as the other:
 * how often each was blocked is known. */
#include "program.h"

enum { ROUNDS = 40, OF_FIRST = 29 };

static pthread_mutex_t the_mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t the_turn, the_end;
static volatile int the_sum;

static __attribute__((noinline)) void wrapper(void)
{
    if (pthread_mutex_lock(&the_mutex) != 0)
        abort();
}

static __attribute__((noinline)) void first(void)
{
    wrapper();
    the_sum += 1;
    pthread_mutex_unlock(&the_mutex);
}

static __attribute__((noinline)) void second(void)
{
    wrapper();
    the_sum += 2;
    pthread_mutex_unlock(&the_mutex);
}

/* Both by turns, and the first alone in the end. */
static int is_first(int round)
{
    return round % 2 == 0 || round >= 2 * (ROUNDS - OF_FIRST);
}

static void *calls_both(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        sem_wait(&the_turn);
        about_to_block();
        if (is_first(i))
            first();
        else
            second();
        sem_post(&the_end);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;

    sem_init(&the_turn, 0, 0);
    sem_init(&the_end, 0, 0);
    if (pthread_create(&thread, NULL, calls_both, NULL) != 0)
        return 1;
    pthread_setname_np(thread, "calls_both");
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&the_mutex);
        atomic_store(&the_blocker, 0);
        sem_post(&the_turn);
        wait_until_blocked();
        pthread_mutex_unlock(&the_mutex);
        sem_wait(&the_end);
    }
    pthread_join(thread, NULL);
    return 0;
}
