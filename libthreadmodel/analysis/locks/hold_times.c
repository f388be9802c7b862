/* SPDX-License-Identifier: Apache-2.0 */
/* How long locks were held, by class, place, lock and owner. */
#include <threadmodel/hold.h>

#include "analysis/grouping/callers.h"
#include "analysis/listing/caveats.h"
#include "analysis/listing/selection.h"
#include "analysis/locks/hold_walk.h"
#include "base/error.h"
#include "base/saturate.h"
#include "base/sized.h"
#include "base/sort.h"
#include "model/entities/entity_names.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"
#include "model/ownership/hold_sums.h"
#include "table/distribution.h"
#include "table/tables.h"

enum {
    ALL_KEYS =
        TM_HOLD_BY_CLASS | TM_HOLD_BY_CALLER | TM_HOLD_BY_OBJECT | TM_HOLD_BY_OWNER
};

/** Holds of one group; a field that is not a key is TM__NONE. */
typedef struct group {
    uint32_t class_name;
    uint32_t place;
    uint32_t object;
    uint32_t owner;
    uint64_t exact;
    uint64_t unmeasured;
    int64_t not_running_ns;
    tm__histogram durations;
} group;

typedef struct groups {
    const tm_model *model;
    tm__memory memory;
    tm__callers places;
    tm__triple_map by_key;
    uint32_t keys;
    TM__ARRAY(group, items);
} groups;

static uint32_t name_of(const tm_model *model, uint32_t class_index)
{
    return class_index == TM__NONE ? TM__NONE
                                   : model->entities.classes[class_index].name;
}

static group *find_group(groups *all, uint32_t object, uint32_t class_index,
                         uint32_t stack, uint32_t owner)
{
    group key = {.class_name = TM__NONE,
                 .place = TM__NONE,
                 .object = TM__NONE,
                 .owner = TM__NONE};
    uint32_t *value;

    if (all->keys & (TM_HOLD_BY_CLASS | TM_HOLD_BY_OBJECT))
        key.class_name = name_of(all->model, class_index);
    if (all->keys & TM_HOLD_BY_CALLER)
        key.place = tm__caller_of(&all->places, stack);
    if (all->keys & TM_HOLD_BY_OBJECT)
        key.object = object;
    if (all->keys & TM_HOLD_BY_OWNER)
        key.owner = owner;
    if (tm__reserve(&all->memory, &all->items, &all->items_capacity,
                    (size_t)all->items_count + 1, sizeof(key)) < 0)
        return NULL;
    value = tm__triple_map_at(&all->by_key, &all->memory,
                              key.object != TM__NONE ? key.object
                                                     : tm__class_key(key.class_name),
                              key.place, key.owner);
    if (!value)
        return NULL;
    if (*value == 0) {
        all->items[all->items_count] = key;
        *value = ++all->items_count;
    }
    return &all->items[*value - 1];
}

static int add(void *payload, const tm__hold *hold)
{
    groups *all = payload;
    const tm__tenure *it = hold->tenure;
    group *to = find_group(all, hold->object,
                           all->model->entities.objects[hold->object].class_index,
                           it->stack, it->owner);

    if (!to)
        return tm__failure();
    if (hold->is_open || !tm__tenure_is_begun(it) || it->flags & TM__TENURE_LOST) {
        to->unmeasured++;
        return TM_OK;
    }
    to->exact += tm__tenure_is_reported_over(it) && it->before_ns == 0;
    to->not_running_ns =
        tm__sum(to->not_running_ns,
                tm__not_running_ns(all->model, it->owner, hold->bounds.got_latest_ns,
                                   hold->bounds.released_ns, NULL));
    return tm__histogram_add(&to->durations, &all->memory,
                             hold->bounds.released_ns - hold->bounds.got_latest_ns);
}

/* The time and the owner of holds that are listed no more are not known. */
static int add_sums(groups *all, const tm__scope *scope)
{
    const tm_model *model = all->model;

    if (scope->threads || scope->from_ns != INT64_MIN || scope->to_ns != INT64_MAX)
        return TM_OK;
    for (uint32_t i = 0; i < model->ownership.hold_sums_count; i++) {
        const tm__hold_sum *sum = &model->ownership.hold_sums[i];
        group *to;

        if (scope->classes &&
            (sum->class_index == TM__NONE || !scope->classes[sum->class_index]))
            continue;
        to = find_group(all, TM__NONE, sum->class_index, sum->stack, TM__NONE);
        if (!to ||
            tm__histogram_merge(&to->durations, &all->memory, &sum->durations) < 0)
            return tm__failure();
        to->exact += sum->exact;
        to->not_running_ns = tm__sum(to->not_running_ns, sum->not_running_ns);
    }
    return TM_OK;
}

static void put_group(tm__builder *builder, tm__labels *labels, const groups *all,
                      const group *it)
{
    const tm_model *model = all->model;
    tm__distribution durations = tm__distribution_of(&it->durations);

    if ((all->keys & (TM_HOLD_BY_CLASS | TM_HOLD_BY_OBJECT)) == TM_HOLD_BY_CLASS)
        tm__put_string(builder,
                       tm__strings_get(&model->entities.strings, it->class_name));
    if (all->keys & TM_HOLD_BY_CALLER)
        tm__put_caller(builder, &all->places, it->place);
    if (all->keys & TM_HOLD_BY_OBJECT) {
        tm__put_string(builder, tm__label(labels, model, it->object));
        tm__put_string(builder,
                       tm__strings_get(&model->entities.strings, it->class_name));
    }
    if (all->keys & TM_HOLD_BY_OWNER && it->owner != TM__NONE) {
        tm__put_uint64(builder, model->entities.threads[it->owner].id);
        tm__put_string(builder, tm__thread_name(&model->entities, it->owner));
    } else if (all->keys & TM_HOLD_BY_OWNER) {
        tm__put_null(builder);
        tm__put_null(builder);
    }
    tm__put_distribution(builder, &durations);
    tm__put_int64(builder, it->not_running_ns);
    tm__put_int64(builder, (int64_t)it->exact);
    tm__put_int64(builder, (int64_t)it->unmeasured);
}

/* The order of equal totals: more holds first, then those that were met first. */
static int compare_groups(const void *payload, uint32_t left, uint32_t right)
{
    const groups *all = payload;
    uint64_t l = all->items[left].durations.count,
             r = all->items[right].durations.count;

    return l != r ? (l > r ? -1 : 1) : (left > right) - (left < right);
}

static int64_t longest_first(const void *payload, uint32_t number)
{
    return -((const groups *)payload)->items[number].durations.total;
}

static int put_sorted(tm__builder *builder, tm__labels *labels, groups *all)
{
    tm__sortable *order = tm__sorted_new(&all->memory, all->items_count, longest_first,
                                         compare_groups, all);

    if (!order)
        return tm__failure();
    for (uint32_t i = 0; i < all->items_count && !builder->failed; i++)
        put_group(builder, labels, all, &all->items[order[i].number]);
    tm__sorted_free(&all->memory, order, all->items_count);
    return TM_OK;
}

static void close_groups(groups *all)
{
    for (uint32_t i = 0; i < all->items_count; i++)
        tm__histogram_free(&all->items[i].durations, &all->memory);
    tm__free(&all->memory, all->items, all->items_capacity * sizeof(*all->items));
    tm__triple_map_free(&all->by_key, &all->memory);
    tm__callers_close(&all->places);
}

static int gather(groups *all, const tm__scope *scope, const tm__libraries *libraries)
{
    int rc = tm__callers_open(&all->places, all->model, &all->memory, libraries);

    if (rc == TM_OK)
        rc = tm__holds_walk(all->model, scope, add, all);
    return rc == TM_OK ? add_sums(all, scope) : rc;
}

static int put_all(tm_table **out, groups *all)
{
    tm__builder builder;
    tm__labels labels;
    int rc = tm__labels_open(&labels, all->model);

    if (rc < 0)
        return rc;
    tm__builder_start(&builder, &tm__hold_times_table, all->keys,
                      &all->model->memory.hook);
    rc = put_sorted(&builder, &labels, all);
    tm__model_put_caveats(all->model, &builder);
    if (all->model->ownership.hold_sums_left_out)
        tm__builder_caveat(&builder, "Some holds are missing from the hold times: "
                                     "memory for their sums ran out.");
    if (rc == TM_OK)
        rc = labels.failed;
    tm__labels_close(&labels);
    return tm__builder_close(&builder, out, rc);
}

int tm_hold_group(tm_table **out, const tm_model *model, const tm_hold_options *given)
{
    tm_hold_options options;
    tm__libraries libraries;
    groups all = {.model = model};
    tm__scope scope;
    int rc;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    rc = TM__READ(&options, given, tm_hold_options, keys);
    if (rc < 0)
        return rc;
    if (options.keys & ~(uint32_t)ALL_KEYS)
        return tm__fail(TM_EINVAL, "keys %u: unknown bits above %d", options.keys,
                        ALL_KEYS);
    rc = tm__scope_open(&scope, model, options.selection);
    if (rc < 0)
        return rc;
    all.keys = options.keys ? options.keys : TM_HOLD_BY_CLASS | TM_HOLD_BY_CALLER;
    tm__memory_init(&all.memory, &model->memory.hook);
    libraries = (tm__libraries){options.libraries, options.library_count};
    rc = gather(&all, &scope, &libraries);
    if (rc == TM_OK)
        rc = put_all(out, &all);
    close_groups(&all);
    tm__scope_close(&scope, model);
    return rc;
}
