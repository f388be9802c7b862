/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that cannot go on, and others that only wait: the first argument names one,
 * and a second one, "beside", has another thread go on meanwhile.
 * It prints "hung" with the names of the threads that cannot go on, or "healthy", once
 * it is in that state. SIGUSR1 ends the wait of `resumed`, SIGTERM the program.
 */
#include "standstill.h"

pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
pthread_cond_t done = PTHREAD_COND_INITIALIZER;
pthread_barrier_t all;
sem_t permits, requests, answers;
atomic_int own_one, own_other, own_tasks;
pthread_t threads[8];
atomic_int count, is_done;
int tasks;

void begin(const char *name, void *(*routine)(void *))
{
    pthread_create(&threads[count], NULL, routine, NULL);
    pthread_setname_np(threads[count++], name);
}

static void join_all(void)
{
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

void say(const char *truth)
{
    pause_ms(150);
    puts(truth);
    fflush(stdout);
    join_all();
}

void after(atomic_int *it, int least)
{
    while (atomic_load(it) < least)
        pause_ms(1);
}

void *locks(void *unused)
{
    after(&is_done, 1);
    pthread_mutex_lock(&one);
    return unused;
}

static void *ticks(void *unused)
{
    for (;;)
        pause_ms(50);
    return unused;
}

static int run(const situation *it, const char *name)
{
    while (it->name && strcmp(it->name, name) != 0)
        it++;
    if (it->name)
        it->run();
    return it->name != NULL;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    pthread_t ticker;

    pthread_setname_np(pthread_self(), "main");
    if (argc == 3) {
        pthread_create(&ticker, NULL, ticks, NULL);
        pthread_setname_np(ticker, "ticker");
    }
    return run(HUNG, name) || run(ON_OWN, name) || run(WAITS, name) || run(TURNS, name)
               ? 0
               : 2;
}
