/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/waits/wait_tasks.h"

#include <string.h>

#include "model/entities/methods.h"
#include "model/entities/object.h"
#include "roles/method_roles.h"

/* So many of a thread's last intervals show what it runs. */
enum { STACKS_LOOKED_AT = 8 };

/* Whether a thread runs tasks of an executor, as far as its stacks show. */
static int may_run_tasks(const tm__wait_graph *graph, uint32_t thread)
{
    const tm_model *model = graph->model;
    const tm__thread *it = &model->entities.threads[thread];
    uint32_t index = it->interval_count, looked_at = 0;

    for (; index > 0 && looked_at < STACKS_LOOKED_AT; index--) {
        uint32_t stack = it->intervals[index - 1].stack;

        if (stack == TM__NONE || it->intervals[index - 1].state == TM_STATE_NEW)
            continue;
        looked_at++;
        if (model->entities.stacks[stack].flags & TM_STACK_TRUNCATED ||
            tm__stack_has(model, stack, "java.util.concurrent.FutureTask.run") ||
            tm__stack_has(model, stack, "java.util.concurrent.ThreadPoolExecutor.") ||
            tm__stack_has(model, stack, "java.util.concurrent.ForkJoin"))
            return 1;
    }
    return !looked_at;
}

/* A worker that fetches its next task runs none, and has none in its queue but for a
 * time to come. */
static int is_fetching(const tm__wait_graph *graph, uint32_t thread)
{
    const tm__wait_node *node = &graph->nodes[thread];

    return node->move != TM__MOVE_RUNS && node->move != TM__MOVE_WOKEN &&
           node->stack != TM__NONE &&
           tm__stack_has_role(graph->model, node->stack, TM__ROLE_IDLES);
}

/* Tasks of a pool that steals work run at no later time than others. */
static const char fork_join[] = "java.util.concurrent.ForkJoinTask.";

int tm__wait_is_for_future(const tm_model *model, const tm__wait_node *node)
{
    return tm__stack_has(model, node->stack, "java.util.concurrent.FutureTask.") ||
           tm__stack_has(model, node->stack, fork_join);
}

/* Whether it waits for a task that was given without a time at which to run. */
static int awaits_plain_task(const tm_model *model, const tm__wait_node *node)
{
    uint32_t class_index = node->object == TM__NONE
                               ? TM__NONE
                               : model->entities.objects[node->object].class_index;
    const char *name = class_index == TM__NONE
                           ? NULL
                           : tm__strings_get(&model->entities.strings,
                                             model->entities.classes[class_index].name);

    return (name && strcmp(name, "java.util.concurrent.FutureTask") == 0) ||
           tm__stack_has(model, node->stack, fork_join);
}

int tm__wait_task_is_run(const tm__wait_graph *graph, const tm__wait_node *waiter,
                         int is_run[2])
{
    int is_timed = !awaits_plain_task(graph->model, waiter);

    if (is_run[is_timed] >= 0)
        return is_run[is_timed];
    is_run[is_timed] = 0;
    for (uint32_t i = 0; i < graph->model->entities.threads_count; i++) {
        const tm__wait_node *node = &graph->nodes[i];

        if (!node->is_member &&
            (node->kind == TM__NODE_MOVES || node->kind == TM__NODE_WAITS) &&
            (is_timed || !is_fetching(graph, i)) && may_run_tasks(graph, i)) {
            is_run[is_timed] = 1;
            break;
        }
    }
    return is_run[is_timed];
}
