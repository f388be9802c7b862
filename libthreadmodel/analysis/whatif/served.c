/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a resource is to be replayed. Where its users hand permits to one another, each
 * release gives a permit to a waiter. Where other threads work for those that wait, a
 * wait is a place in their queue, and then their work:
 *
 *     server   ══[ for B ]══[ for A ]══    A waits for B's work and then for its own;
 *     A            wwwwwwwwwwwwwwwwww      with a second server, for that alone
 *
 * A wait whose waker is unknown stays as it was.
 */
#include "analysis/whatif/served.h"
#include "analysis/whatif/served_servers.h"
#include "analysis/whatif/served_uses.h"

#include "base/saturate.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"

static int is_asked(const tm__served *served, const tm__resource_wait *it,
                    const uint8_t *stacks, uint32_t class_name)
{
    const tm_model *model = served->resources->model;
    uint32_t stack = model->entities.threads[it->thread].intervals[it->interval].stack;
    uint32_t class_index = it->object == TM__NONE
                               ? TM__NONE
                               : model->entities.objects[it->object].class_index;

    return !it->is_open && it->row != TM__NONE && stack != TM__NONE && stacks[stack] &&
           (class_name == TM__NONE ||
            (class_index != TM__NONE &&
             model->entities.classes[class_index].name == class_name));
}

static void find_waits(tm__served *served, const uint8_t *stacks, uint32_t class_name,
                       const tm__scope *part)
{
    const tm__resources *all = served->resources;

    for (uint32_t i = 0; i < all->waits_count; i++) {
        const tm__resource_wait *it = &all->waits[i];

        if (!is_asked(served, it, stacks, class_name))
            continue;
        served->roles[i] = TM__WAIT_PERMIT;
        if (!tm__scope_has(part, it->start_ns))
            continue;
        served->waits++;
        served->wait_ns = tm__sum(served->wait_ns, it->end_ns - it->start_ns);
    }
}

int tm__served_find(tm__served *served, const tm__resources *resources,
                    tm__memory *memory, const uint8_t *stacks, uint32_t class_name,
                    const tm__scope *part)
{
    size_t waits = (size_t)resources->waits_count + 1;
    int rc;

    *served = (tm__served){.resources = resources, .memory = memory};
    served->roles = tm__zalloc(memory, waits);
    served->service_ns = tm__zalloc(memory, waits * sizeof(*served->service_ns));
    if (!served->roles || !served->service_ns)
        return TM_ENOMEM;
    find_waits(served, stacks, class_name, part);
    if (!served->waits)
        return TM_OK;
    rc = tm__served_find_uses(served);
    return rc == TM_OK && !served->spans_count ? tm__served_find_servers(served) : rc;
}

void tm__served_free(tm__served *served)
{
    size_t waits = served->resources ? (size_t)served->resources->waits_count + 1 : 0;

    tm__free(served->memory, served->roles, waits);
    tm__free(served->memory, served->service_ns, waits * sizeof(*served->service_ns));
    tm__free(served->memory, served->spans,
             served->spans_capacity * sizeof(*served->spans));
    served->roles = NULL;
    served->service_ns = NULL;
    served->spans = NULL;
}
