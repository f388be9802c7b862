/* SPDX-License-Identifier: Apache-2.0 */
/* The agent asks while the program runs, and the analysis afterwards. */
#include "roles/thread_roles.h"

#include <stddef.h>
#include <string.h>

/* Threads that the JVM itself starts, where a text names no thread group. */
static const char *const vm_threads[] = {
    "Attach Listener",          "Common-Cleaner",         "Finalizer",
    "Monitor Deflation Thread", "Notification Thread",    "Read-Poller",
    "Reference Handler",        "Service Thread",         "Signal Dispatcher",
    "Sweeper thread",           "VirtualThread-unparker", "Write-Poller",
};
static const char *const vm_prefixes[] = {"C1 CompilerThread", "C2 CompilerThread",
                                          "JDWP ", "JVMCI", "threadmodel "};
/* Those of the flight recorder may be in the group of the program. */
static const char recorders_prefix[] = "JFR ";
static const char reaper_prefix[] = "process reaper";
/* Their groups, where groups are known: no thread of a program is in them unless it
 * asks for that. */
static const char *const vm_groups[] = {"system", "InnocuousThreadGroup"};

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

static int is_among(const char *text, const char *const *list, size_t count)
{
    for (size_t i = 0; text && i < count; i++)
        if (strcmp(text, list[i]) == 0)
            return 1;
    return 0;
}

int tm__is_runtime_name(const char *name, const char *group)
{
    if (is_among(group, vm_groups, COUNT(vm_groups)))
        return 1;
    if (name && strncmp(name, recorders_prefix, sizeof(recorders_prefix) - 1) == 0)
        return 1;
    if (group || !name)
        return 0;
    for (size_t i = 0; i < COUNT(vm_prefixes); i++)
        if (strncmp(name, vm_prefixes[i], strlen(vm_prefixes[i])) == 0)
            return 1;
    return is_among(name, vm_threads, COUNT(vm_threads));
}

int tm__is_reaper_name(const char *name)
{
    return name && strncmp(name, reaper_prefix, sizeof(reaper_prefix) - 1) == 0;
}

int tm__is_destroyer_name(const char *name)
{
    return name && strcmp(name, "DestroyJavaVM") == 0;
}
