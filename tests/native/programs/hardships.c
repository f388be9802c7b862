/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hardships that a recorder must survive. The argument chooses; the program prints
 * "fine" when all went as it would without one.
 */
#include "hardships.h"

#include <fcntl.h>
#include <sys/prctl.h>

pthread_mutex_t the_mutex = PTHREAD_MUTEX_INITIALIZER;
long the_count;

static pthread_cond_t the_condition = PTHREAD_COND_INITIALIZER;
static sem_t the_semaphore;

void contend(void)
{
    for (int i = 0; i < 200; i++) {
        pthread_mutex_lock(&the_mutex);
        the_count++;
        pthread_mutex_unlock(&the_mutex);
    }
}

void *contender(void *unused)
{
    about_to_block();
    contend();
    return unused;
}

/* More threads than processors, in waves, so that rings are used again. */
static int storm(void)
{
    pthread_t threads[100];

    for (int wave = 0; wave < 30; wave++) {
        for (int i = 0; i < 100; i++)
            if (pthread_create(&threads[i], NULL, contender, NULL) != 0)
                return 1;
        for (int i = 0; i < 100; i++)
            pthread_join(threads[i], NULL);
    }
    return the_count != 30L * 100 * 200;
}

/* The child owns a lock that the parent locked, starts threads, and goes on locking. */
static int forks(void)
{
    pthread_t thread;
    int status;
    pid_t child;

    pthread_mutex_lock(&the_mutex);
    child = fork();
    if (child == 0) {
        pthread_mutex_unlock(&the_mutex);
        start("contender", contender);
        contend();
        join();
        exit(the_count == 400 ? 0 : 1);
    }
    pthread_mutex_unlock(&the_mutex);
    pthread_create(&thread, NULL, contender, NULL);
    contend();
    pthread_join(thread, NULL);
    waitpid(child, &status, 0);
    return status != 0 || the_count != 400;
}

static void unlock(void *mutex)
{
    pthread_mutex_unlock(mutex);
}

static void *wait_for_ever(void *unused)
{
    pthread_mutex_lock(&the_mutex);
    pthread_cleanup_push(unlock, &the_mutex);
    about_to_block();
    for (;;)
        pthread_cond_wait(&the_condition, &the_mutex);
    pthread_cleanup_pop(1);
    return unused;
}

static int cancels(void)
{
    void *result;

    start("wait_for_ever", wait_for_ever);
    pthread_cancel(the_thread);
    pthread_join(the_thread, &result);
    contend();
    return result != PTHREAD_CANCELED || the_count != 200;
}

static void on_signal(int number)
{
    int error = errno;

    (void)number;
    sem_post(&the_semaphore);
    errno = error;
}

static void *post_by_signals(void *target)
{
    for (int i = 0; i < 2000; i++)
        pthread_kill(*(pthread_t *)target, SIGUSR1);
    return NULL;
}

static int signals(void)
{
    pthread_t self = pthread_self(), thread;
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

    sem_init(&the_semaphore, 0, 0);
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&thread, NULL, post_by_signals, &self);
    for (int i = 0; i < 2000; i++)
        contend();
    pthread_join(thread, NULL);
    return sem_trywait(&the_semaphore) != 0;
}

static int closes(void)
{
    for (int i = 3; i < 1024; i++)
        close(i);
    prctl(PR_SET_NAME, "renamed");
    start("contender", contender);
    contend();
    join();
    return open("/dev/null", O_RDONLY) != 3;
}

static int replaces(void)
{
    char storm_mode[] = "storm";
    char *arguments[] = {program_invocation_name, storm_mode, NULL};

    execv(program_invocation_name, arguments);
    return 1;
}

static int errors(void)
{
    pthread_mutexattr_t attributes;
    struct timespec past = {1, 0};
    pthread_mutex_t checked;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&checked, &attributes);
    errno = 77;
    if (pthread_mutex_unlock(&checked) != EPERM || pthread_mutex_lock(&checked) != 0 ||
        pthread_mutex_lock(&checked) != EDEADLK || pthread_mutex_unlock(&checked) != 0)
        return 1;
    sem_init(&the_semaphore, 0, 1);
    if (sem_wait(&the_semaphore) != 0 || errno != 77 ||
        sem_timedwait(&the_semaphore, &past) != -1 || errno != ETIMEDOUT)
        return 2;
    if (pthread_cond_wait(&the_condition, &checked) != EPERM ||
        pthread_cond_timedwait(&the_condition, &checked, &past) != EPERM)
        return 4;
    pthread_mutex_lock(&the_mutex);
    if (pthread_mutex_timedlock(&the_mutex, &past) != ETIMEDOUT ||
        pthread_mutex_trylock(&the_mutex) != EBUSY ||
        pthread_cond_timedwait(&the_condition, &the_mutex, &past) != ETIMEDOUT)
        return 3;
    return pthread_mutex_unlock(&the_mutex);
}

/* Contends until it is killed. */
static int goes_on(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, contender, NULL);
    puts("goes on");
    fflush(stdout);
    do {
        contend();
        pause_ms(1);
    } while (the_count >= 0);
    return 1;
}

int main(int argc, char **argv)
{
    static const mode MODES[] = {
        {"storm", storm},       {"forks", forks},     {"cancels", cancels},
        {"signals", signals},   {"closes", closes},   {"errors", errors},
        {"replaces", replaces}, {"goes_on", goes_on}, {NULL, NULL},
    };
    const char *which = argc > 1 ? argv[1] : "";
    int rc = 99;

    if (!run_mode(MODES, which, &rc) && !run_mode(SANDBOXES, which, &rc))
        run_mode(STACKS, which, &rc);
    if (rc == 0)
        puts("fine");
    return rc;
}
