/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of an uncontended lock and unlock: the best of 25 times. For
 * docs/native.md; no test runs it. */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

enum { CALLS = 2000000, TIMES = 25 };

static pthread_mutex_t the_mutex = PTHREAD_MUTEX_INITIALIZER;

/* With only one thread the C library leaves out the atomic instructions. */
static void *sleep_long(void *unused)
{
    struct timespec length = {1000, 0};

    nanosleep(&length, NULL);
    return unused;
}

static double measure(void)
{
    struct timespec begin, end;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    for (int i = 0; i < CALLS; i++) {
        pthread_mutex_lock(&the_mutex);
        pthread_mutex_unlock(&the_mutex);
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    return ((double)(end.tv_sec - begin.tv_sec) * 1e9 +
            (double)(end.tv_nsec - begin.tv_nsec)) /
           CALLS;
}

int main(void)
{
    pthread_t thread;
    double best = 1e9;

    pthread_create(&thread, NULL, sleep_long, NULL);
    for (int i = 0; i < TIMES; i++) {
        double ns = measure();

        best = ns < best ? ns : best;
    }
    printf("%.1f ns\n", best);
    return 0;
}
