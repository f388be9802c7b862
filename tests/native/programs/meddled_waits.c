/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits in the kernel that others meddle with. Each thread prints "THREAD NS", with its
 * sum of time around the calls that wait. The argument: how many threads wait at once.
 */
#include "program.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>

enum { WAIT_MS = 50, ROUNDS = 6, VISITORS = 2000 };

extern char **environ;
static atomic_int handled;
static int the_log[2];

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#define CHECK(condition)                                                               \
    do {                                                                               \
        if (!(condition))                                                              \
            abort();                                                                   \
    } while (0)

static int64_t read_one(int fd)
{
    int64_t before = now_ns();
    char byte;

    CHECK(read(fd, &byte, 1) == 1);
    return now_ns() - before;
}

static void say(const char *thread, int64_t sum)
{
    printf("%s %lld\n", thread, (long long)sum);
}

static void *call(void *(*body)(void *), void *argument, const char *name)
{
    pthread_t *thread = malloc(sizeof(*thread));

    CHECK(thread && pthread_create(thread, NULL, body, argument) == 0);
    pthread_setname_np(*thread, name);
    return thread;
}

static void await_end(void *thread)
{
    CHECK(pthread_join(*(pthread_t *)thread, NULL) == 0);
    free(thread);
}

/* ---- a handler makes a recorded call during a call that waits ---- */

static void handle(int signal)
{
    struct pollfd none = {the_log[0], POLLIN, 0};
    int error = errno;

    (void)signal;
    CHECK(poll(&none, 1, 0) >= 0);
    CHECK(write(the_log[1], "x", 1) == 1);
    CHECK(read(the_log[0], &(char){0}, 1) == 1);
    atomic_fetch_add(&handled, 1);
    errno = error;
}

static void *read_signalled(void *fd)
{
    int64_t sum = 0;

    for (int i = 0; i < ROUNDS; i++)
        sum += read_one(*(int *)fd);
    say("signalled", sum);
    return NULL;
}

static void signals(void)
{
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    int fds[2];
    pthread_t *thread;

    CHECK(pipe(the_log) == 0 && pipe(fds) == 0);
    sigaction(SIGUSR1, &action, NULL);
    thread = call(read_signalled, fds, "signalled");
    for (int i = 0; i < ROUNDS; i++) {
        for (int k = 0; k < 5; k++) {
            pause_ms(WAIT_MS / 5);
            pthread_kill(*thread, SIGUSR1);
        }
        pause_ms(1);
        CHECK(write(fds[1], "x", 1) == 1);
    }
    await_end(thread);
    CHECK(atomic_load(&handled) > 0);
}

/* ---- the number of a descriptor comes to mean another thing, or nothing ---- */

static void *read_reused(void *fd)
{
    say("first", read_one(*(int *)fd));
    say("second", read_one(*(int *)fd));
    return NULL;
}

static void *read_closed(void *fd)
{
    say("closed", read_one(*(int *)fd));
    return NULL;
}

static void reuse(void)
{
    int fds[2], pair[2], other[2];
    void *reused, *closed;

    CHECK(pipe(fds) == 0 && pipe(other) == 0 &&
          socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    reused = call(read_reused, &fds[0], "reused");
    closed = call(read_closed, &other[0], "closed");
    pause_ms(WAIT_MS);
    CHECK(dup2(pair[0], fds[0]) == fds[0] && close(other[0]) == 0);
    pause_ms(WAIT_MS);
    /* The calls still use the pipes. */
    CHECK(write(fds[1], "x", 1) == 1 && write(other[1], "x", 1) == 1);
    await_end(closed);
    pause_ms(WAIT_MS);
    CHECK(write(pair[1], "x", 1) == 1);
    await_end(reused);
}

/* ---- children that share memory until they run another program ---- */

static pid_t run_by_vfork(char *const command[])
{
    pid_t child = vfork();

    if (child == 0) {
        dup2(STDERR_FILENO, STDOUT_FILENO);
        close(the_log[0]);
        execvp(command[0], command);
        _exit(127);
    }
    return child;
}

static void *spawn(void *unused)
{
    char *const command[] = {"sleep", "0.05", NULL};
    int64_t sum = 0;
    int status;

    for (int i = 0; i < ROUNDS; i++) {
        int64_t before;
        pid_t child;

        if (i % 2)
            CHECK(posix_spawnp(&child, command[0], NULL, NULL, command, environ) == 0);
        else
            child = run_by_vfork(command);
        before = now_ns();
        CHECK(waitpid(child, &status, 0) == child && status == 0);
        sum += now_ns() - before;
    }
    say("spawner", sum);
    return unused;
}

/* ---- many threads, one after another and at once ---- */

static void *visit(void *fd)
{
    struct pollfd it = {*(int *)fd, POLLIN, 0};

    CHECK(poll(&it, 1, 1) == 0);
    return NULL;
}

static void visitors(void)
{
    pthread_t threads[20];
    int fds[2];

    CHECK(pipe(fds) == 0);
    for (int i = 0; i < VISITORS / 20; i++) {
        for (int k = 0; k < 20; k++)
            CHECK(pthread_create(&threads[k], NULL, visit, &fds[0]) == 0);
        for (int k = 0; k < 20; k++)
            pthread_join(threads[k], NULL);
    }
}

static void *wait_for_end(void *fd)
{
    CHECK(read(*(int *)fd, &(char){0}, 1) == 0);
    return NULL;
}

static void crowd(int count)
{
    pthread_t *threads = calloc((size_t)count, sizeof(*threads));
    pthread_attr_t small;
    int fds[2];

    CHECK(threads && pipe(fds) == 0);
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 << 10);
    for (int i = 0; i < count; i++)
        CHECK(pthread_create(&threads[i], &small, wait_for_end, &fds[0]) == 0);
    pause_ms(4 * WAIT_MS);
    close(fds[1]);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    free(threads);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    signals();
    reuse();
    await_end(call(spawn, NULL, "spawner"));
    visitors();
    crowd(argc > 1 ? atoi(argv[1]) : 500);
    printf("fine 1\n");
    return 0;
}
