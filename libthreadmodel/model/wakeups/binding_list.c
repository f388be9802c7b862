/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of notifies whose waiters are not settled. Short: in exact replay they
 * live only while a waiter may have timed out or been interrupted unseen.
 */
#include "model/entities/fact.h"
#include "model/entities/object.h"
#include "model/intervals/interaction.h"
#include "model/state/model.h"
#include "model/wakeups/binding_list.h"
#include "model/wakeups/bindings.h"

int tm__binding_reserve(tm_model *model)
{
    if (model->wakeups.free_binding != TM__NONE)
        return TM_OK;
    return tm__reserve(
        &model->memory, &model->wakeups.bindings, &model->wakeups.bindings_capacity,
        (size_t)model->wakeups.bindings_count + 1, sizeof(*model->wakeups.bindings));
}

/* A place for one, out of those that were reserved. */
static uint32_t put(tm_model *model, tm__binding binding, uint32_t next)
{
    uint32_t index = model->wakeups.free_binding;

    if (index == TM__NONE)
        index = model->wakeups.bindings_count++;
    else
        model->wakeups.free_binding = model->wakeups.bindings[index].next;
    binding.next = next;
    model->wakeups.bindings[index] = binding;
    return index;
}

uint32_t tm__binding_append(tm_model *model, uint32_t object, tm__binding binding)
{
    tm__object *it = &model->entities.objects[object];
    uint32_t index = put(model, binding, TM__NONE);

    if (it->binding_head == TM__NONE)
        it->binding_head = index;
    else
        model->wakeups.bindings[model->entities.details[object].binding_tail].next =
            index;
    model->entities.details[object].binding_tail = index;
    return index;
}

void tm__binding_prepend(tm_model *model, uint32_t object, tm__binding binding)
{
    tm__object *it = &model->entities.objects[object];

    if (it->binding_head == TM__NONE) {
        tm__binding_append(model, object, binding);
        return;
    }
    it->binding_head = put(model, binding, it->binding_head);
}

void tm__binding_drop(tm_model *model, uint32_t object, uint32_t previous)
{
    tm__object *it = &model->entities.objects[object];
    uint32_t index = previous == TM__NONE ? it->binding_head
                                          : model->wakeups.bindings[previous].next;
    uint32_t next = model->wakeups.bindings[index].next;

    if (previous == TM__NONE)
        it->binding_head = next;
    else
        model->wakeups.bindings[previous].next = next;
    if (model->entities.details[object].binding_tail == index)
        model->entities.details[object].binding_tail = previous;
    model->wakeups.bindings[index].next = model->wakeups.free_binding;
    model->wakeups.free_binding = index;
}

uint32_t tm__binding_match(tm_model *model, uint32_t object, uint32_t binding,
                           uint32_t previous, const tm__fact *to, int provenance)
{
    /* A notifyAll has a row for each waiter. */
    uint32_t row =
        tm__interaction_again(model, model->wakeups.bindings[binding].interaction);

    tm__interaction_woke(model, row, to->thread, to);
    tm__row(model, row)->provenance = (uint8_t)provenance;
    if (!model->wakeups.bindings[binding].all)
        tm__binding_drop(model, object, previous);
    return row;
}
