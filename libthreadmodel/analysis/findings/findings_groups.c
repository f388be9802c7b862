/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which blocks one finding may be about: those for one object where it is the only one
 * of its class that blocked anybody, else those of a class at a place.
 */
#include "analysis/findings/findings_queues.h"
#include "model/object.h"

int tm__lock_groups_open(tm__lock_groups *groups, const tm__queues *queues)
{
    tm__findings *findings = queues->findings;

    *groups = (tm__lock_groups){.findings = findings};
    for (uint32_t i = 0; i < findings->model->objects_count; i++) {
        uint32_t *count;

        if (!queues->items[i].blocks)
            continue;
        count = tm__triple_map_at(&groups->of_class, &findings->memory,
                                  tm__class_name_of_object(findings->model, i), 0, 0);
        if (!count)
            return TM_ENOMEM;
        ++*count;
    }
    return TM_OK;
}

int tm__lock_group_of(tm__lock_groups *groups, uint32_t *number, uint32_t object,
                      uint32_t place)
{
    tm__memory *memory = &groups->findings->memory;
    uint32_t class_name = tm__class_name_of_object(groups->findings->model, object);
    int is_one = *tm__triple_map_find(&groups->of_class, class_name, 0, 0) == 1;
    uint32_t *value = tm__triple_map_at(&groups->map, memory, class_name,
                                        is_one ? TM__NONE : place, (uint32_t)is_one);
    tm__lock_group *group;

    if (!value)
        return TM_ENOMEM;
    if (*value == 0) {
        if (tm__reserve(memory, &groups->items, &groups->items_capacity,
                        (size_t)groups->items_count + 1, sizeof(*group)) < 0)
            return TM_ENOMEM;
        groups->items[groups->items_count++] =
            (tm__lock_group){.class_name = class_name,
                             .object = object,
                             .place = place,
                             .is_one = is_one};
        *value = groups->items_count;
    }
    *number = *value - 1;
    value = tm__triple_map_at(&groups->seen, memory, *number, object, 0);
    if (!value)
        return TM_ENOMEM;
    groups->items[*number].objects += *value == 0;
    *value = 1;
    return TM_OK;
}

void tm__finding_write_lock_group(tm__finding *finding, const tm__lock_groups *groups,
                                  uint32_t number)
{
    const tm__lock_group *group = &groups->items[number];
    tm__findings *findings = groups->findings;

    tm__finding_write_class(finding, findings->model, group->class_name);
    if (group->objects == 1)
        tm__finding_write(finding, " (%s)",
                          tm__label(&findings->labels, findings->model, group->object));
    else
        tm__finding_write(finding, " (%u objects)", group->objects);
}

void tm__where_lock_group(tm__finding *finding, const tm__lock_groups *groups,
                          uint32_t number)
{
    const tm__lock_group *group = &groups->items[number];
    tm__findings *findings = groups->findings;

    tm__where_class(finding, findings->model, group->class_name);
    if (!group->is_one)
        tm__where_caller(finding, findings, "method", group->place, 1);
}

void tm__lock_groups_close(tm__lock_groups *groups)
{
    tm__memory *memory = &groups->findings->memory;

    tm__free(memory, groups->items, groups->items_capacity * sizeof(*groups->items));
    tm__triple_map_free(&groups->of_class, memory);
    tm__triple_map_free(&groups->map, memory);
    tm__triple_map_free(&groups->seen, memory);
}
