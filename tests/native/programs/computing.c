/* SPDX-License-Identifier: Apache-2.0 */
/* Four threads that each compute until they have had a processor for so many ms. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS = 4, MS = 1000000 };

static int64_t wanted_ns;
static volatile unsigned long sum;

static void *compute(void *unused)
{
    struct timespec had;

    do {
        for (int i = 0; i < 10000; i++)
            sum += (unsigned long)i;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &had);
    } while ((int64_t)had.tv_sec * 1000 * MS + had.tv_nsec < wanted_ns);
    return unused;
}

int main(int count, char **arguments)
{
    pthread_t threads[THREADS];

    wanted_ns = count > 1 ? strtoll(arguments[1], NULL, 10) * MS : MS;
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, compute, NULL) != 0)
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
