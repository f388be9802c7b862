/* SPDX-License-Identifier: Apache-2.0 */
/* Which threads are not the program's: the VM's, the recorder's, the runtime's. */
#include "analysis/waits/runtime_threads.h"

#include <string.h>

#include <threadmodel/definition.h>

#include "model/entities/entity_names.h"
#include "model/entities/thread.h"
#include "model/state/model.h"

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
/* Waits for a child process to end, and then does what the program asked for. */
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

/* The thread in which a JVM waits for all others to end: what was its first thread. */
static int is_destroyer(const tm_model *model, uint32_t thread)
{
    const char *name = tm__thread_name(model, thread);

    return name && strcmp(name, "DestroyJavaVM") == 0 &&
           !model->entities.threads[thread].wanted;
}

int tm__is_runtime_thread(const tm_model *model, uint32_t thread)
{
    const tm__thread *it = &model->entities.threads[thread];
    const char *name = tm__thread_name(model, thread);
    const char *group = tm__strings_get(&model->entities.strings, it->group);

    if (it->flags & TM_THREAD_AGENT)
        return 1;
    if (it->flags & TM_THREAD_CARRIER)
        return 0;
    if (name && strncmp(name, reaper_prefix, sizeof(reaper_prefix) - 1) == 0)
        return 0;
    if (is_among(group, vm_groups, COUNT(vm_groups)) || is_destroyer(model, thread))
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
