/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel counts for each thread how long it had a processor and how long it waited
 * for one, and forgets that when the thread ends. So once a second those that live are
 * asked, some of them where they are many, and the rest is taken to be like them.
 */
#include "writer/processor_waits.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* A few us each. */
enum { THREADS_MAX = 64 };

static struct {
    double had_ns;
    double waited_ns;
} most;

void tm__processor_waits_begin(void)
{
    most.had_ns = most.waited_ns = 0;
}

static int read_thread(int folder, const char *name, double *had_ns, double *waited_ns)
{
    char path[sizeof(struct dirent) + 16], text[96];
    unsigned long long had, waited;
    ssize_t count = -1;
    int file;

    snprintf(path, sizeof(path), "%s/schedstat", name);
    file = openat(folder, path, O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        count = read(file, text, sizeof(text) - 1);
        close(file);
    }
    if (count <= 0)
        return 0;
    text[count] = 0;
    if (sscanf(text, "%llu %llu", &had, &waited) != 2)
        return 0;
    *had_ns += (double)had;
    *waited_ns += (double)waited;
    return 1;
}

void tm__processor_waits_look(void)
{
    DIR *folder = opendir("/proc/self/task");
    double had_ns = 0, waited_ns = 0;
    int left = THREADS_MAX;

    if (!folder)
        return;
    for (struct dirent *it; left > 0 && (it = readdir(folder));)
        if (it->d_name[0] != '.')
            left -= read_thread(dirfd(folder), it->d_name, &had_ns, &waited_ns);
    closedir(folder);
    /* At the end those that did the work are gone. */
    if (had_ns > most.had_ns) {
        most.had_ns = had_ns;
        most.waited_ns = waited_ns;
    }
}

int64_t tm__processor_waits_ns(int64_t cpu_ns)
{
    double ns = most.had_ns > 0 ? (double)cpu_ns * most.waited_ns / most.had_ns : 0;

    return ns > 0 && ns < 9e18 ? (int64_t)ns : 0;
}
