/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that note each of their sleeps where it outlives them, in the file that
 * is named, 8 bytes a thread, until they are killed. */
#include "program.h"

#include <fcntl.h>
#include <sys/mman.h>

enum { THREADS = 4 };

static volatile int64_t *the_counts;

static void *sleep_on(void *number)
{
    int i = (int)(intptr_t)number;
    char name[16];

    snprintf(name, sizeof(name), "sleeper-%d", i);
    pthread_setname_np(pthread_self(), name);
    for (int64_t count = 1;; count++) {
        usleep(20);
        the_counts[i] = count;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int file = argc == 2 ? open(argv[1], O_RDWR | O_CREAT, 0600) : -1;
    size_t bytes = THREADS * sizeof(*the_counts);
    pthread_t threads[THREADS];

    if (file < 0 || ftruncate(file, (off_t)bytes) != 0)
        return 2;
    the_counts = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (the_counts == MAP_FAILED)
        return 2;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, sleep_on, (void *)(intptr_t)i);
    printf("ringing\n");
    fflush(stdout);
    pthread_join(threads[0], NULL);
    return 0;
}
