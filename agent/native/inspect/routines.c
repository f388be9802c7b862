/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/routines.h"

#include <stdio.h>
#include <string.h>

#include "inspect/frames.h"
#include "names/c_library.h"
#include "names/routine_name.h"

/* The outermost function but for those of the C library, which began the thread.
 * @return NULL: the stack does not end in one */
static const tm__symbol *routine_of(tm__target *target, const tm__task *task)
{
    for (size_t i = task->frame_count; i-- > 0;) {
        const tm__symbol *chain;
        size_t count = tm__frame_names(target, task->frames[i], i == 0, &chain);

        if (count && !tm__is_c_library(chain[count - 1].module))
            return i + 1 < task->frame_count ? &chain[count - 1] : NULL;
    }
    return NULL;
}

static const tm__task *first_thread(const tm__target *target)
{
    for (size_t i = 0; i < target->task_count; i++)
        if (target->tasks[i].tid == target->pid)
            return &target->tasks[i];
    return NULL;
}

void tm__routines_find(tm__target *target)
{
    const tm__task *first = first_thread(target);
    char name[sizeof(first->name)];

    for (size_t i = 0; first && i < target->task_count; i++) {
        tm__task *task = &target->tasks[i];
        const tm__symbol *routine;

        if (task == first || task->is_cut || strcmp(task->name, first->name) != 0)
            continue;
        routine = routine_of(target, task);
        /* Where in a routine without a name a thread waits tells nothing of it. */
        if (!routine || !*routine->function)
            continue;
        tm__routine_name(routine, name, sizeof(name));
        if (*name)
            memcpy(task->name, name, sizeof(name));
    }
}
