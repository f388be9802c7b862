/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that wait some thousand times a second, and do little in between: they nap,
 * and answer one another over a socket. Each prints when it began and ended, by the
 * clock of the recording, 0, and what the kernel counted of it on a processor and
 * waiting for one, and its number.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef struct task {
    const char *name;
    void (*body)(void);
} task;

static int64_t until_ns;
static int ends[2];

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Of this thread; the file is read by calls that no recorder knows. */
static void read_counts(int64_t counts[2])
{
    char text[128] = "";
    int file = (int)syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/schedstat", 0, 0);

    syscall(SYS_read, file, text, sizeof(text) - 1);
    syscall(SYS_close, file);
    if (sscanf(text, "%" SCNd64 " %" SCNd64, &counts[0], &counts[1]) != 2)
        abort();
}

static void *run(void *of)
{
    const task *it = of;
    int64_t before[2], after[2], begun, ended;

    pthread_setname_np(pthread_self(), it->name);
    read_counts(before);
    begun = now_ns();
    it->body();
    ended = now_ns();
    read_counts(after);
    printf("thread %s %" PRId64 " %" PRId64 " 0 %" PRId64 " %" PRId64 " %ld\n",
           it->name, begun, ended, after[0] - before[0], after[1] - before[1],
           syscall(SYS_gettid));
    return NULL;
}

static void work_us(int us)
{
    int64_t end = now_ns() + us * 1000;

    while (now_ns() < end)
        ;
}

static void nap(void)
{
    const struct timespec time = {0, 400000};

    nanosleep(&time, NULL);
}

static void nap_often(void)
{
    while (now_ns() < until_ns) {
        nap();
        work_us(100);
    }
}

static void ask(void)
{
    char octet = 'x';

    while (now_ns() < until_ns) {
        if (write(ends[0], &octet, 1) != 1 || read(ends[0], &octet, 1) != 1)
            abort();
        nap();
    }
    close(ends[0]);
}

static void answer(void)
{
    char octet;

    while (read(ends[1], &octet, 1) == 1) {
        work_us(100);
        if (write(ends[1], &octet, 1) != 1)
            return;
    }
}

int main(int argc, char **argv)
{
    static const task tasks[] = {
        {"napper", nap_often}, {"client", ask}, {"server", answer}};
    enum { COUNT = sizeof(tasks) / sizeof(*tasks) };
    pthread_t threads[COUNT];

    if (argc != 2 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return 2;
    until_ns = now_ns() + (int64_t)atoi(argv[1]) * 1000000;
    for (int i = 0; i < COUNT; i++)
        pthread_create(&threads[i], NULL, run, (void *)&tasks[i]);
    for (int i = 0; i < COUNT; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
