/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workers whose time goes into one kind of slow call: reads that no cache answers,
 * syncs of written data, look-ups of names. Each computes for a while before each
 * call.
 *
 *     slow_calls read FILE | sync FILE | name DOMAIN   THREADS CALLS COMPUTE_US
 *
 * A worker prints "worker NAME CALLS_NS CPU_NS DELAY_NS": for how long it was in these
 * calls, for how long it had a processor in them, and for how long it wanted one in
 * all.
 */
#include "program.h"

#include <fcntl.h>
#include <netdb.h>
#include <sys/socket.h>

enum { BLOCK_BYTES = 1 << 20, ALIGNED = 4096 };

static const char *the_kind, *the_target;
static int the_calls, the_compute_us;

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* For how long this thread could run and had no processor. */
static int64_t delay_ns(void)
{
    FILE *file = fopen("/proc/thread-self/schedstat", "re");
    long long ran = 0, delay = 0;

    if (!file || fscanf(file, "%lld %lld", &ran, &delay) != 2)
        abort();
    fclose(file);
    return delay;
}

static void compute(void)
{
    int64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + (int64_t)the_compute_us * 1000;

    while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
        ;
}

__attribute__((noinline)) static int load_page(int fd, char *bytes, int i)
{
    return pread(fd, bytes, BLOCK_BYTES, (off_t)i * BLOCK_BYTES) == BLOCK_BYTES;
}

__attribute__((noinline)) static int commit(int fd, char *bytes, int i)
{
    (void)bytes;
    (void)i;
    return fsync(fd) == 0;
}

__attribute__((noinline)) static int resolve(int worker, int i)
{
    struct addrinfo *found, wanted = {.ai_family = AF_INET};
    char host[256];
    int rc;

    snprintf(host, sizeof(host), "host-%d-%d.%s", worker, i, the_target);
    rc = getaddrinfo(host, NULL, &wanted, &found);
    if (rc != 0)
        fprintf(stderr, "%s: %s\n", host, gai_strerror(rc));
    else
        freeaddrinfo(found);
    return rc == 0;
}

static int descriptor(int worker)
{
    char path[512];

    if (strcmp(the_kind, "read") == 0)
        return open(the_target, O_RDONLY | O_DIRECT);
    if (strcmp(the_kind, "name") == 0)
        return -1;
    snprintf(path, sizeof(path), "%s-%d", the_target, worker);
    return open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
}

static int call(int worker, int fd, char *bytes, int i)
{
    if (strcmp(the_kind, "read") == 0)
        return load_page(fd, bytes, worker * the_calls + i);
    return strcmp(the_kind, "sync") == 0 ? commit(fd, bytes, i) : resolve(worker, i);
}

static void *work(void *number)
{
    int worker = (int)(intptr_t)number, fd = descriptor(worker);
    int64_t in_calls = 0, cpu = 0, delay = delay_ns(), began, began_cpu;
    char name[16], *bytes = aligned_alloc(ALIGNED, BLOCK_BYTES);

    memset(bytes, worker, BLOCK_BYTES);
    snprintf(name, sizeof(name), "worker-%d", worker);
    pthread_setname_np(pthread_self(), name);
    for (int i = 0; i < the_calls; i++) {
        compute();
        if (strcmp(the_kind, "sync") == 0 && pwrite(fd, bytes, BLOCK_BYTES, 0) < 0)
            abort();
        began = clock_ns(CLOCK_MONOTONIC);
        began_cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
        if (!call(worker, fd, bytes, i))
            abort();
        cpu += clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_cpu;
        in_calls += clock_ns(CLOCK_MONOTONIC) - began;
    }
    printf("worker %s %lld %lld %lld\n", name, (long long)in_calls, (long long)cpu,
           (long long)(delay_ns() - delay));
    free(bytes);
    if (fd >= 0)
        close(fd);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[64];
    int count = argc == 6 ? atoi(argv[3]) : 0;

    if (count < 1 || count > 64)
        return 2;
    the_kind = argv[1];
    the_target = argv[2];
    the_calls = atoi(argv[4]);
    the_compute_us = atoi(argv[5]);
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
