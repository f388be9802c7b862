/* SPDX-License-Identifier: Apache-2.0 */
/* Children, descriptors, limits and ends of a process. */
#include "random.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/time.h>

extern char **environ;

/* A child has a lock of its own: the others may be locked for ever by threads that it
 * does not have. */
static void *child_thread(void *mutex)
{
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
    return mutex;
}

static void be_child(uint64_t *random)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    char *const words[] = {(char *)"sh", (char *)"-c", (char *)"exit 5", NULL};
    pthread_t thread;

    for (int i = 0; i < 20; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
    if (below(random, 2) && pthread_create(&thread, NULL, child_thread, &mutex) == 0)
        pthread_join(thread, NULL);
    switch (below(random, 4)) {
    case 0: execv("/bin/sh", words); break;
    case 1: kill(getpid(), SIGKILL); break;
    case 2: kill(getpid(), SIGTERM); break;
    default: break;
    }
    _exit((int)below(random, 100));
}

static void await_child(pid_t child)
{
    int status = 0;

    while (waitpid(child, &status, 0) != child)
        if (errno != EINTR) {
            check(0);
            return;
        }
    count(CHILDREN, 1);
    count(STATUSES, status);
}

void start_process(uint64_t *random)
{
    uint64_t theirs = below(random, 1 << 30) + 1;
    char *const words[] = {(char *)"sh", (char *)"-c", (char *)"exit 3", NULL};
    pid_t child = -1;

    if (below(random, 4) == 0) {
        check(posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ) == 0);
    } else {
        child = fork();
        if (child == 0)
            be_child(&theirs);
    }
    check(child > 0);
    if (child > 0)
        await_child(child);
}

void use_descriptors(uint64_t *random)
{
    char bytes[64] = "";
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0) {
        check(0);
        return;
    }
    check(write(ends[1], bytes, 1 + below(random, 60)) > 0);
    count(WRITTEN, read(ends[0], bytes, sizeof(bytes)));
    close(ends[0]);
    close(ends[1]);
}

static void on_alarm(int number)
{
    (void)number;
}

void limit_oneself(uint64_t *random)
{
    struct rlimit limit = {0, 0};

    if (below(random, 2))
        for (int i = 3; i < 256; i++)
            close(i);
    if (below(random, 2)) {
        limit.rlim_cur = limit.rlim_max = 64;
        check(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    }
    if (below(random, 4) == 0) {
        limit.rlim_cur = limit.rlim_max = 0;
        check(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    }
    if (below(random, 4) == 0) {
        limit.rlim_cur = limit.rlim_max = UINT64_C(8) << 30;
        check(setrlimit(RLIMIT_AS, &limit) == 0);
    }
    if (below(random, 4) == 0) {
        struct itimerval every = {{0, 1000}, {0, 1000}};

        signal(SIGALRM, on_alarm);
        check(setitimer(ITIMER_REAL, &every, NULL) == 0);
    }
}

static void *end_process(void *status)
{
    exit((int)(intptr_t)status);
}

int end(uint64_t *random, const char *self)
{
    int status = (int)below(random, 256);
    char *const words[] = {(char *)self, NULL};
    struct itimerval never = {{0, 0}, {0, 0}};
    struct rlimit none = {0, 0};
    pthread_t thread;

    setrlimit(RLIMIT_CORE, &none);
    setitimer(ITIMER_REAL, &never, NULL); /* which another program would inherit */
    switch (below(random, 8)) {
    case 0: exit(status);
    case 1: _exit(status);
    case 2: abort();
    case 3: kill(getpid(), SIGKILL); break;
    case 4: raise(SIGTERM); break;
    case 5: execv("/proc/self/exe", words); break;
    case 6:
        if (pthread_create(&thread, NULL, end_process, (void *)(intptr_t)status) == 0)
            pthread_exit(NULL);
        break;
    default: break;
    }
    return status;
}
