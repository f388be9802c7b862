/* SPDX-License-Identifier: Apache-2.0 */
/* A lock that is acquired by functions that are inlined, one in another. */
#include "program.h"

#define INLINED static inline __attribute__((always_inline))

static pthread_mutex_t the_mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int the_count;

INLINED void lock_the_mutex(void)
{
    pthread_mutex_lock(&the_mutex);
}

INLINED void count_one(void)
{
    lock_the_mutex();
    the_count++;
    pthread_mutex_unlock(&the_mutex);
}

static void *count(void *unused)
{
    about_to_block();
    count_one();
    return unused;
}

int main(void)
{
    if (pthread_mutex_lock(&the_mutex) != 0)
        return 1;
    start("count", count);
    pthread_mutex_unlock(&the_mutex);
    join();
    return 0;
}
