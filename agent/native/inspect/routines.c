/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect/routines.h"

#include <stdio.h>
#include <string.h>

#include "inspect/frames.h"
#include "names/c_library.h"
#include "names/routine_name.h"

/* The outermost function but for those of the C library, which began the thread, and
 * of a language's runtime.
 * @param[out] name  "": the stack does not end in the C library, or it has none */
static void name_routine(tm__target *target, const tm__task *task, char *name,
                         size_t room)
{
    int is_whole = 0;

    *name = 0;
    for (size_t i = task->frame_count; i-- > 0 && !*name;) {
        const tm__symbol *chain;
        size_t count = tm__frame_names(target, task->frames[i], i == 0, &chain);

        if (!count)
            continue;
        if (tm__is_c_library(chain[count - 1].module)) {
            is_whole = 1;
            continue;
        }
        if (!is_whole || !tm__routine_is_known(&chain[count - 1]))
            return;
        while (count-- > 0 && !*name)
            tm__routine_name(&chain[count], name, room);
    }
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

        if (task == first || task->is_cut || strcmp(task->name, first->name) != 0)
            continue;
        name_routine(target, task, name, sizeof(name));
        if (*name)
            memcpy(task->name, name, sizeof(name));
    }
}
