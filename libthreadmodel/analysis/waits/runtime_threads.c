/* SPDX-License-Identifier: Apache-2.0 */
/* Recognizes threads that are not the program's: those of the VM, the recorder and the
 * runtime. */
#include "analysis/waits/runtime_threads.h"

#include <threadmodel/definition.h>

#include "model/entities/entity_names.h"
#include "model/entities/thread.h"
#include "model/state/model.h"
#include "roles/thread_roles.h"

/* The thread in which a JVM waits for all others to end: formerly its first thread. */
static int is_destroyer(const tm_model *model, uint32_t thread)
{
    const char *name = tm__thread_name(&model->entities, thread);

    return tm__is_destroyer_name(name) && !model->entities.threads[thread].wanted;
}

int tm__is_runtime_thread(const tm_model *model, uint32_t thread)
{
    const tm__thread *it = &model->entities.threads[thread];
    const char *name = tm__thread_name(&model->entities, thread);
    const char *group = tm__strings_get(&model->entities.strings, it->group);

    /* A recording of JFR has the JDK's own threads as those of an agent, and yet a
     * reaper waits for the program's children. */
    if (tm__is_reaper_name(name))
        return 0;
    if (it->flags & TM_THREAD_AGENT)
        return 1;
    if (it->flags & TM_THREAD_CARRIER)
        return 0;
    return tm__is_runtime_name(name, group) || is_destroyer(model, thread);
}
