/* SPDX-License-Identifier: Apache-2.0 */
/* How a process ends: `endings exit|kill|vain|fork|stay`. Its threads idle for a while
 * before. */
#include "program.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t the_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t the_condition = PTHREAD_COND_INITIALIZER;
static pthread_cond_t the_signal = PTHREAD_COND_INITIALIZER; ///< comes too early
static int jobs, idle;

enum { IDLE_US = 300000 };

static void *work(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&the_mutex);
        idle++;
        while (jobs == 0)
            pthread_cond_wait(&the_condition, &the_mutex);
        idle--;
        jobs--;
        pthread_mutex_unlock(&the_mutex);
    }
    return unused;
}

static void *wait_late(void *unused)
{
    pthread_setname_np(pthread_self(), "late");
    usleep(100000);
    pthread_mutex_lock(&the_mutex);
    pthread_cond_wait(&the_signal, &the_mutex);
    pthread_mutex_unlock(&the_mutex);
    return unused;
}

static int are_idle(void)
{
    int are;

    pthread_mutex_lock(&the_mutex);
    are = jobs == 0 && idle == 2;
    pthread_mutex_unlock(&the_mutex);
    return are;
}

/* Both threads idle when it returns. */
static void meet(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 20; i++) {
        usleep(1000);
        pthread_mutex_lock(&the_mutex);
        jobs++;
        pthread_cond_signal(&the_condition);
        pthread_mutex_unlock(&the_mutex);
    }
    while (!are_idle())
        usleep(1000);
}

static void start_children(void)
{
    for (int i = 0; i < 3; i++) {
        pid_t child = fork();

        if (child == 0) {
            if (i == 0)
                meet();
            usleep(IDLE_US);
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "exit";
    pthread_t late;

    /* While no lock of the recorder is held. */
    if (strcmp(how, "fork") == 0)
        start_children();
    meet();
    if (strcmp(how, "vain") == 0) {
        pthread_create(&late, NULL, wait_late, NULL);
        usleep(20000);
        pthread_cond_signal(&the_signal);
    }
    if (strcmp(how, "stay") == 0)
        sleep(60);
    usleep(IDLE_US);
    if (strcmp(how, "kill") == 0)
        raise(SIGKILL);
    return 3;
}
