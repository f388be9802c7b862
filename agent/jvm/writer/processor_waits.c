/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel counts for each thread how long it had a processor and how long it waited
 * for one, and forgets that when the thread ends. So once a second those that live are
 * asked, some of them where they are many, and the rest is taken to be like them.
 */
#include "writer/processor_waits.h"

#include <dirent.h>
#include <stdlib.h>

#include "ring/schedstat.h"

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

void tm__processor_waits_look(void)
{
    DIR *folder = opendir("/proc/self/task");
    double had_ns = 0, waited_ns = 0;
    int left = THREADS_MAX;

    if (!folder)
        return;
    for (struct dirent *it; left > 0 && (it = readdir(folder));) {
        uint64_t os_id = strtoull(it->d_name, NULL, 10);
        tm__schedstat now;

        if (!os_id || tm__schedstat_read(&now, os_id) != 0)
            continue;
        had_ns += (double)now.ran_ns;
        waited_ns += (double)now.waited_ns;
        left--;
    }
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
