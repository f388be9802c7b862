/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many threads. Each waits once for a byte of a pipe, and measures the wait. "together
 * N": all are there at once. "apart N RATE": they come and go, so many a second. Prints
 * for how long all of them waited, and how long that took.
 */
#include "program.h"

#include <inttypes.h>
#include <sys/resource.h>

enum { STACK_BYTES = 64 << 10, NAP_US = 1000 };

static int the_pipe[2];
static atomic_llong the_waited_ns;
static atomic_int the_waiting;

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void *wait_for_a_byte(void *unused)
{
    int64_t begun;
    char byte;

    atomic_fetch_add(&the_waiting, 1);
    begun = now_ns();
    if (read(the_pipe[0], &byte, 1) != 1)
        abort();
    atomic_fetch_add(&the_waited_ns, now_ns() - begun);
    return unused;
}

static void start_one(pthread_t *thread)
{
    pthread_attr_t attributes;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    if (pthread_create(thread, &attributes, wait_for_a_byte, NULL) != 0)
        abort();
    pthread_attr_destroy(&attributes);
}

static void give(void)
{
    if (write(the_pipe[1], "x", 1) != 1)
        abort();
}

static void together(pthread_t *threads, int count)
{
    for (int i = 0; i < count; i++)
        start_one(&threads[i]);
    while (atomic_load(&the_waiting) < count)
        pause_ms(1);
    pause_ms(500);
    for (int i = 0; i < count; i++)
        give();
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

/* As many threads as are due, then a sleep, and a byte for each that began before it.
 * Any of them may take it, so that none is joined before the end. */
static void apart(pthread_t *threads, int count, int rate)
{
    int64_t begun = now_ns();
    int started = 0, served = 0;

    while (served < count) {
        int64_t due = (now_ns() - begun) * rate / 1000000000 + 1;
        struct timespec nap = {0, NAP_US * 1000};
        int before = started;

        while (started < count && started < due)
            start_one(&threads[started++]);
        nanosleep(&nap, NULL);
        for (; served < before; served++)
            give();
    }
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
    int count = argc > 2 ? atoi(argv[2]) : 0;
    pthread_t *threads = calloc((size_t)count + 1, sizeof(*threads));
    int64_t begun = now_ns();

    if (count <= 0 || !threads || pipe(the_pipe) != 0)
        return 2;
    if (strcmp(argv[1], "together") == 0)
        together(threads, count);
    else if (argc == 4)
        apart(threads, count, atoi(argv[3]));
    printf("%lld %" PRId64 "\n", (long long)atomic_load(&the_waited_ns),
           now_ns() - begun);
    free(threads);
    return 0;
}
