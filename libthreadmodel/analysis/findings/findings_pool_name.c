/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The name of a pool. Threads wait in a queue that the pool keeps, and whoever reads
 * of it knows the pool:
 *
 *     SynchronousQueue.poll              of the JDK
 *     hikari.util.ConcurrentBag.borrow   the caller: first outside the JDK
 *     hikari.pool.HikariPool.getConnection   <- the pool: whose class keeps the queue
 *     shop.Orders.order                  of another package, and releases as well
 */
#include <string.h>

#include "analysis/findings/findings_pool_name.h"
#include "analysis/resources/resource_state.h"
#include "model/entities/caller_frame.h"
#include "model/entities/entity_names.h"
#include "model/entities/methods.h"

static uint32_t class_of(const tm_model *model, uint32_t frame)
{
    uint32_t method = model->entities.frames[frame].method;

    return method == TM__NONE ? TM__NONE : model->entities.methods[method].class_index;
}

/* Bytes of a class's name that classes of one maker share: two parts of its package. */
static size_t maker_bytes(const char *name)
{
    const char *first = strchr(name, '.');
    const char *second = first ? strchr(first + 1, '.') : NULL;

    return second ? (size_t)(second - name) : first ? (size_t)(first - name) : 0;
}

static int is_of_one_maker(const char *left, const char *right)
{
    size_t bytes = maker_bytes(left);

    return bytes == maker_bytes(right) && strncmp(left, right, bytes) == 0;
}

/* Whether two classes are one, or nested in one. */
static int is_of_one_file(const char *left, const char *right)
{
    size_t bytes = strcspn(left, "$");

    return bytes == strcspn(right, "$") && strncmp(left, right, bytes) == 0;
}

static uint32_t name_of(const tm_model *model, uint32_t frame)
{
    uint32_t method = model->entities.frames[frame].method;

    return method == TM__NONE ? TM__NONE : model->entities.methods[method].full_name;
}

/* Whether the method of a frame is in a stack as well. */
static int is_in_stack(const tm_model *model, uint32_t stack, uint32_t frame)
{
    const tm__stack *it = &model->entities.stacks[stack];

    for (uint32_t f = 0; f < it->frame_count; f++)
        if (name_of(model, it->frame_first + f) == name_of(model, frame))
            return 1;
    return 0;
}

uint32_t tm__pool_frame(const tm_model *model, const tm__resource *it)
{
    uint32_t caller = tm__stack_caller(model, it->waiting_stack), end;
    const char *queue;

    if (caller == TM__NONE || it->releasing_stack == TM__NONE)
        return caller;
    queue = tm__class_name(&model->entities, class_of(model, caller));
    end = model->entities.stacks[it->waiting_stack].frame_first +
          model->entities.stacks[it->waiting_stack].frame_count;
    for (uint32_t f = caller; queue && f < end; f++) {
        const char *name = tm__class_name(&model->entities, class_of(model, f));

        /* A method that also releases is not part of the pool: it uses it. */
        if (!name || !is_of_one_maker(name, queue) ||
            is_in_stack(model, it->releasing_stack, f))
            break;
        if (!is_of_one_file(name, queue))
            return f;
    }
    return caller;
}
