/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From an event to a fact: the ids of most have been seen before, and cost a look into
 * a map each.
 */
#include "model/entities/fact.h"

#include "base/map.h"
#include "model/entities/entities.h"
#include "model/entities/event_needs.h"
#include "model/entities/object.h"
#include "model/state/model.h"
static int find_thread(tm_model *model, uint64_t id, uint32_t *index)
{
    *index = tm__map_find(&model->entities.thread_map, id);
    return *index != TM__NONE ? TM_OK : tm__model_thread(model, id, index);
}

static int find_object(tm_model *model, uint64_t id, uint32_t *index)
{
    *index = tm__map_find(&model->entities.object_map, id);
    return *index != TM__NONE ? TM_OK : tm__model_object(model, id, index);
}

static int find_stack(tm_model *model, uint32_t id, uint32_t *index)
{
    *index = tm__map_find(&model->entities.stack_map, id);
    return *index != TM__NONE ? TM_OK : tm__model_stack(model, id, index);
}

/* The other thread: by its id, or by its thread object as some formats say it. The
 * peer of a unit is its parent. */
static int find_peer(tm_model *model, const tm_event *event, tm__fact *fact)
{
    int rc;

    if (!event->peer) {
        if (tm__event_needs[event->kind] & TM__NEEDS_PEER && fact->object != TM__NONE)
            fact->peer = model->entities.objects[fact->object].thread;
        return TM_OK;
    }
    if (tm__event_needs[event->kind] & TM__IS_UNIT)
        return TM_OK;
    rc = find_thread(model, event->peer, &fact->peer);
    if (rc < 0)
        return rc;
    if (fact->peer == fact->thread && event->kind != TM_EVENT_INTERRUPT_CALLED &&
        event->kind != TM_EVENT_UNPARK_CALLED && event->kind != TM_EVENT_WAITED &&
        event->kind != TM_EVENT_UNPARKED) {
        model->diagnostics[TM_DIAGNOSTIC_OWN_PEER]++;
        fact->peer = TM__NONE;
    }
    return TM_OK;
}

/* An owner that was read: its index stands in `value` in place of its id. */
static int find_owner(tm_model *model, const tm_event *event, tm__fact *fact)
{
    uint32_t owner = TM__NONE;
    int rc = event->value ? find_thread(model, (uint64_t)event->value, &owner) : TM_OK;

    fact->value = owner;
    return rc;
}

static int intern(tm_model *model, const tm_event *event, tm__fact *fact)
{
    int rc = TM_OK;

    if (event->thread)
        rc = find_thread(model, event->thread, &fact->thread);
    if (rc == TM_OK && event->object)
        rc = find_object(model, event->object, &fact->object);
    if (rc == TM_OK && event->stack)
        rc = find_stack(model, event->stack, &fact->stack);
    if (rc == TM_OK)
        rc = find_peer(model, event, fact);
    if (rc == TM_OK && event->flags & TM_EVENT_OWNER_READ)
        rc = find_owner(model, event, fact);
    return rc;
}

int tm__fact_resolve(tm_model *model, const tm_event *event, tm__fact *fact)
{
    *fact = (tm__fact){.time_ns = event->time_ns,
                       .value = event->value,
                       .thread = TM__NONE,
                       .object = TM__NONE,
                       .peer = TM__NONE,
                       .stack = TM__NONE,
                       .kind = event->kind,
                       .flags = event->flags};
    if (!event->kind || event->kind >= TM_EVENT_KIND_END ||
        event->kind == TM_EVENT_LOST ||
        (!event->thread && event->kind != TM_EVENT_GC_PAUSE))
        return TM_OK;
    return intern(model, event, fact);
}
