/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of locks that one finding is about. There are as many groups as kinds of locks
 * that threads queued for, and as many objects as the program made. */
#include <stdio.h>
#include <string.h>

#include "analysis/findings/findings_groups.h"
#include "analysis/findings/findings_queues.h"
#include "analysis/findings/where.h"
#include "base/error.h"
#include "model/entities/object.h"

/* A condition that is longer names no row: it would be larger than the run's report. */
enum { LONGEST_WHERE = 1 << 20 };

/* The hash of the class in which a class is nested: the bins of one map have heads of
 * several. */
static uint64_t outer_class_hash(const tm_model *model, uint32_t class_name)
{
    const char *name = tm__strings_get(&model->entities.strings, class_name);
    uint64_t hash = 14695981039346656037u;

    for (; name && *name && *name != '$'; name++)
        hash = (hash ^ (unsigned char)*name) * 1099511628211u;
    return hash;
}

static int put_object(tm__lock_groups *groups, uint32_t object)
{
    tm__memory *memory = &groups->findings->memory;
    const tm__queue *queue = &groups->queues->items[object];
    uint32_t class_name = tm__class_name_of_object(groups->findings->model, object);
    /* Objects of one class that have no known place may have nothing in common. */
    uint64_t hash = queue->place == TM__NONE
                        ? object
                        : outer_class_hash(groups->findings->model, class_name);
    uint32_t *value = tm__triple_map_at(&groups->map, memory, (uint32_t)hash,
                                        (uint32_t)(hash >> 32), queue->place);
    tm__lock_group *group;

    if (!value)
        return tm__failure();
    if (*value == 0) {
        if (tm__reserve(memory, &groups->items, &groups->items_capacity,
                        (size_t)groups->items_count + 1, sizeof(*group)) < 0)
            return tm__failure();
        groups->items[groups->items_count++] =
            (tm__lock_group){.place = queue->place, .most_ns = -1};
        *value = groups->items_count;
    }
    groups->of_object[object] = *value - 1;
    group = &groups->items[*value - 1];
    group->is_mixed |= group->objects && group->class_name != class_name;
    group->objects++;
    if (queue->total_ns > group->most_ns) {
        group->most_ns = queue->total_ns;
        group->object = object;
        group->class_name = class_name;
    }
    return TM_OK;
}

int tm__lock_groups_open(tm__lock_groups *groups, const tm__queues *queues)
{
    tm__findings *findings = queues->findings;
    uint32_t count = findings->model->entities.objects_count;
    int rc = TM_OK;

    *groups = (tm__lock_groups){.findings = findings, .queues = queues};
    groups->of_object = tm__resize(&findings->memory, NULL, 0,
                                   ((size_t)count + 1) * sizeof(*groups->of_object));
    if (!groups->of_object)
        return tm__failure();
    for (uint32_t i = 0; i < count; i++)
        groups->of_object[i] = TM__NONE;
    findings->lock_group_of = groups->of_object;
    for (uint32_t i = 0; rc == TM_OK && i < count; i++)
        if (queues->items[i].blocks)
            rc = put_object(groups, i);
    return rc;
}

tm__lock_name tm__lock_name_of(const tm__lock_groups *groups, uint32_t number)
{
    const tm__lock_group *group = &groups->items[number];
    const char *name =
        tm__strings_get(&groups->findings->model->entities.strings, group->class_name);
    const char *dot = name ? strrchr(name, '.') : NULL;
    tm__lock_name it = {.text = ""};
    int at = 0;

    name = dot ? dot + 1 : name;
    if (group->objects > 1)
        at = snprintf(it.text, sizeof(it.text), "%u ", group->objects);
    if (group->is_mixed)
        snprintf(it.text + at, sizeof(it.text) - (size_t)at, "%.*s locks",
                 name ? (int)strcspn(name, "$") : 0, name ? name : "");
    else
        snprintf(it.text + at, sizeof(it.text) - (size_t)at, "%.150s",
                 name ? name : "an unknown class");
    return it;
}

/* Add 'text' to a list, or only count how long that is. */
static size_t add_quoted(char *to, size_t at, const char *text)
{
    at += (size_t)snprintf(to ? to + at : NULL, to ? 4 : 0, "%s'", at ? ", " : "");
    for (; *text; text++) {
        if (*text == '\'') {
            if (to)
                to[at] = '\'';
            at++;
        }
        if (to)
            to[at] = *text;
        at++;
    }
    if (to)
        to[at] = '\'';
    return at + 1;
}

/* The labels of a group's objects, one after the other. @return how long that is */
static size_t add_labels(char *to, const tm__lock_groups *groups, uint32_t number)
{
    tm__findings *findings = groups->findings;
    size_t at = 0;

    for (uint32_t i = 0; i < findings->model->entities.objects_count; i++)
        if (groups->of_object[i] == number)
            at = add_quoted(to, at, tm__label(&findings->labels, findings->model, i));
    return at;
}

int tm__where_lock_group(tm__finding *finding, const tm__lock_groups *groups,
                         uint32_t number)
{
    static const char begin[] = "object in (";
    const tm__lock_group *group = &groups->items[number];
    tm__findings *findings = groups->findings;
    size_t length;

    if (group->objects == 1) {
        tm__where_text(finding, "object",
                       tm__label(&findings->labels, findings->model, group->object));
        return TM_OK;
    }
    length = add_labels(NULL, groups, number);
    if (length > LONGEST_WHERE)
        return TM_OK;
    finding->long_where_bytes = sizeof(begin) + length + sizeof(")");
    finding->long_where =
        tm__zalloc(&findings->memory, finding->long_where_bytes + sizeof(", '"));
    if (!finding->long_where)
        return tm__failure();
    finding->long_where_bytes += sizeof(", '");
    memcpy(finding->long_where, begin, sizeof(begin));
    add_labels(finding->long_where + sizeof(begin) - 1, groups, number);
    finding->long_where[sizeof(begin) - 1 + length] = ')';
    return TM_OK;
}

void tm__lock_groups_close(tm__lock_groups *groups)
{
    tm__findings *findings = groups->findings;
    tm__memory *memory = &findings->memory;

    tm__free(memory, groups->items, groups->items_capacity * sizeof(*groups->items));
    tm__triple_map_free(&groups->map, memory);
}
