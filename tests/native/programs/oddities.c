/* SPDX-License-Identifier: Apache-2.0 */
/* Odd uses of locks and threads that few programs make. The argument chooses; "fine" is
 * printed when all went as it would without a recorder. */
#include "oddities.h"

static pthread_mutex_t the_other = PTHREAD_MUTEX_INITIALIZER;
static sem_t the_semaphore;

static void *goes_on(void *unused)
{
    pause_ms(400);
    pthread_mutex_lock(&the_other);
    block_one("waiter", &the_other);
    pthread_mutex_unlock(&the_other);
    join();
    puts("fine");
    fflush(stdout);
    exit(0);
    return unused;
}

/* The first thread ends, and the others go on. */
static int leaves(void)
{
    pthread_t other;

    pthread_create(&other, NULL, goes_on, NULL);
    pthread_setname_np(other, "second");
    pthread_exit(NULL);
}

typedef struct job {
    pthread_t thread;
    char name[100];
} job;

static atomic_int the_jobs;

static void *frees(void *payload)
{
    pthread_detach(pthread_self());
    memset(payload, 0xff, sizeof(job));
    free(payload);
    atomic_fetch_add(&the_jobs, 1);
    return NULL;
}

/* A thread that frees the memory in which its creator keeps its handle. */
static int detaches(void)
{
    enum { JOBS = 2000 };

    for (int i = 0; i < JOBS; i++) {
        job *it = malloc(sizeof(*it));

        if (!it || pthread_create(&it->thread, NULL, frees, it) != 0)
            return 1;
    }
    while (atomic_load(&the_jobs) < JOBS)
        pause_ms(1);
    return 0;
}

static void *returns(void *unused)
{
    pause_ms(1);
    return unused;
}

/* Threads whose handle is that of the thread before. */
static int joins(void)
{
    for (int i = 0; i < 300; i++) {
        pthread_t thread;

        pthread_create(&thread, NULL, returns, NULL);
        pthread_join(thread, NULL);
    }
    return 0;
}

static void *takes_all(void *unused)
{
    about_to_block();
    while (sem_wait(&the_semaphore) == 0)
        sem_post(&the_semaphore);
    return unused;
}

/* A semaphore that is never empty does not keep a thread from being cancelled. */
static int cancels(void)
{
    pthread_t thread;
    void *result;

    sem_init(&the_semaphore, 0, 1);
    pthread_create(&thread, NULL, takes_all, NULL);
    while (!atomic_load(&the_blocker))
        pause_ms(1);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    return result != PTHREAD_CANCELED;
}

static atomic_int has_enough;

static void *sleeps(void *unused)
{
    while (!atomic_load(&has_enough)) {
        struct timespec moment = {0, 1};

        nanosleep(&moment, NULL);
    }
    return unused;
}

/* Threads whose stacks are walked while the process forks. */
static int forks(void)
{
    pthread_t threads[4];
    int rc = 0;

    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, sleeps, NULL);
    for (int i = 0; i < 200; i++) {
        pid_t child = fork();
        int status = 0;

        if (child == 0) {
            pause_ms(0);
            _exit(0);
        }
        rc |= child < 0 || waitpid(child, &status, 0) != child || status != 0;
    }
    atomic_store(&has_enough, 1);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return rc;
}

static void *allocates(void *unused)
{
    while (!atomic_load(&has_enough)) {
        void *volatile it = malloc(5000);

        free(it);
        pause_ms(1);
    }
    return unused;
}

/* Threads that have arenas of their own in an allocator, which locks them all to fork.
 */
static int forks_and_allocates(void)
{
    pthread_t threads[8];
    int rc = 0;

    for (int i = 0; i < 8; i++)
        pthread_create(&threads[i], NULL, allocates, NULL);
    pause_ms(50);
    for (int i = 0; i < 5; i++) {
        pid_t child = fork();
        int status = 0;

        if (child == 0)
            _exit(0);
        rc |= child < 0 || waitpid(child, &status, 0) != child || status != 0;
    }
    atomic_store(&has_enough, 1);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    return rc;
}

int main(int argc, char **argv)
{
    static const mode MODES[] = {
        {"leaves", leaves}, {"detaches", detaches},
        {"joins", joins},   {"cancels", cancels},
        {"forks", forks},   {"forks_and_allocates", forks_and_allocates},
        {NULL, NULL},
    };
    const char *which = argc > 1 ? argv[1] : "";
    int rc = 2;

    if (!run_mode(MODES, which, &rc) && !run_mode(OF_LOCKS, which, &rc))
        run_mode(OF_WAITS, which, &rc);
    if (rc == 0)
        puts("fine");
    return rc;
}
