/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blame as answers: share by share for those who want to see one block, added up
 * for those who want to know whom to ask. The sweep that finds the owners is in
 * shares.c, the sums are in blame_groups.c.
 */
#include "analysis/locks/blame_state.h"
#include "analysis/locks/blame_groups.h"

#include "analysis/listing/caveats.h"
#include "analysis/locks/blocks.h"
#include "analysis/locks/use_shares.h"
#include "base/error.h"
#include "base/saturate.h"
#include "base/sized.h"
#include "model/entities/entity_names.h"
#include "model/entities/object.h"
#include "model/entities/reports.h"
#include "table/builder.h"
#include "table/tables.h"

enum {
    ALL_KEYS = TM_BLAME_BY_THREAD | TM_BLAME_BY_CALLER | TM_BLAME_BY_CLASS |
               TM_BLAME_BY_OBJECT | TM_BLAME_BY_OWNER | TM_BLAME_BY_OWNER_METHOD |
               TM_BLAME_BY_OWNER_STACK,
    LOCK_STATES =
        1 << TM_STATE_BLOCKED | 1 << TM_STATE_REENTERING | 1 << TM_STATE_PARKED,
    RESOURCE_STATES = 1 << TM_STATE_WAITING | 1 << TM_STATE_PARKED
};

static void put_thread(tm__builder *builder, const tm_model *model, uint32_t thread)
{
    if (thread == TM__NONE)
        tm__put_null(builder);
    else
        tm__put_uint64(builder, model->entities.threads[thread].id);
    tm__put_string(builder, tm__thread_name(&model->entities, thread));
}

static double share_of(int64_t part_ns, int64_t whole_ns)
{
    return whole_ns > 0 ? (double)part_ns / (double)whole_ns : 0;
}

static void put_caveats(tm__builder *builder, const tm_model *model, uint64_t capped)
{
    tm__model_put_caveats(model, builder);
    if (capped)
        tm__builder_caveat(builder, "Some blocks had more than 256 successive owners: "
                                    "256 of each are listed.");
}

/* ---- single shares ---- */

typedef struct listing {
    const tm_model *model;
    tm__memory memory;
    tm__builder builder;
    tm__labels labels;
    tm__callers places;
    uint32_t states;
    uint64_t capped;
    TM__ARRAY(tm__share, shares);
} listing;

static int keep(void *payload, const tm__share *share)
{
    listing *list = payload;

    if (!(list->states >> share->state & 1))
        return TM_OK;
    if (tm__reserve(&list->memory, &list->shares, &list->shares_capacity,
                    (size_t)list->shares_count + 1, sizeof(*share)) < 0)
        return tm__failure();
    list->shares[list->shares_count++] = *share;
    return TM_OK;
}

static void put_share(listing *list, const tm__share *share)
{
    const tm_model *model = list->model;
    tm__builder *builder = &list->builder;
    int64_t origin_ns = tm__model_origin_ns(model);

    put_thread(builder, model, share->thread);
    tm__put_int64(builder, share->start_ns - origin_ns);
    tm__put_int64(builder, share->end_ns - origin_ns);
    tm__put_string(builder, tm_state_name(share->state));
    tm__put_string(builder, tm__label(&list->labels, model, share->object));
    tm__put_string(
        builder,
        share->object == TM__NONE
            ? NULL
            : tm__class_name(&model->entities,
                             model->entities.objects[share->object].class_index));
    tm__put_caller(builder, &list->places, tm__caller_of(&list->places, share->stack));
    tm__put_int64(builder, share->from_ns - origin_ns);
    tm__put_int64(builder, share->to_ns - origin_ns);
    tm__put_string(builder, tm__share_name(share->kind));
    put_thread(builder, model, share->owner);
    tm__put_caller(builder, &list->places,
                   tm__caller_of(&list->places, share->owner_stack));
    tm__put_double(builder, share->start_ns == share->end_ns
                                ? 1
                                : share_of(share->to_ns - share->from_ns,
                                           share->end_ns - share->start_ns));
    tm__put_string(builder, tm_provenance_name(share->provenance));
}

/* The order of blocks that began together; a thread's own are in order already. */
static int compare_shares(const void *payload, uint32_t left, uint32_t right)
{
    const listing *list = payload;
    uint32_t l = list->shares[left].thread, r = list->shares[right].thread;

    return l < r ? -1 : l > r;
}

static int64_t by_start(const void *payload, uint32_t number)
{
    return ((const listing *)payload)->shares[number].start_ns;
}

static int put_sorted(listing *list)
{
    tm__sortable *order = tm__sorted_new(&list->memory, list->shares_count, by_start,
                                         compare_shares, list);

    if (!order)
        return tm__failure();
    tm__builder_expect(&list->builder, list->shares_count);
    for (uint32_t i = 0; i < list->shares_count && !list->builder.failed; i++)
        put_share(list, &list->shares[order[i].number]);
    tm__sorted_free(&list->memory, order, list->shares_count);
    return TM_OK;
}

static int list_shares(tm_table **out, const tm_model *model, const tm__scope *scope,
                       uint32_t of, uint32_t states, const tm__libraries *libraries)
{
    listing list = {.model = model, .states = states};
    int rc = tm__labels_open(&list.labels, model);

    if (rc < 0)
        return rc;
    tm__memory_init(&list.memory, &model->memory.hook);
    tm__builder_start(&list.builder, &tm__blame_table, 0, &model->memory.hook);
    rc = tm__callers_open(&list.places, model, &list.memory, libraries);
    if (rc == TM_OK && of != TM_BLAME_OF_RESOURCES)
        rc = tm__shares_need(model, scope);
    if (rc == TM_OK)
        rc = of == TM_BLAME_OF_RESOURCES
                 ? tm__use_shares_walk(model, scope, keep, &list, &list.capped)
                 : tm__shares_walk(model, scope, keep, &list, &list.capped);
    if (rc == TM_OK)
        rc = put_sorted(&list);
    if (rc == TM_OK)
        rc = list.labels.failed;
    put_caveats(&list.builder, model, list.capped);
    tm__free(&list.memory, list.shares, list.shares_capacity * sizeof(*list.shares));
    tm__callers_close(&list.places);
    tm__labels_close(&list.labels);
    return tm__builder_close(&list.builder, out, rc);
}

/* ---- groups ---- */

static void put_group(tm__builder *builder, tm__labels *labels, const tm__blame *blame,
                      const tm__blamed *group, int64_t whole_ns)
{
    const tm_model *model = blame->model;
    const int64_t *parts_ns = group->by_provenance_ns;

    if (blame->keys & TM_BLAME_BY_THREAD)
        put_thread(builder, model, group->thread);
    if (blame->keys & TM_BLAME_BY_CALLER)
        tm__put_caller(builder, &blame->places, group->caller);
    if (blame->keys & TM_BLAME_BY_OBJECT)
        tm__put_string(builder, tm__label(labels, model, group->object));
    if (blame->keys & (TM_BLAME_BY_CLASS | TM_BLAME_BY_OBJECT))
        tm__put_string(builder,
                       tm__strings_get(&model->entities.strings, group->class_name));
    if (blame->keys & TM_BLAME_BY_OWNER)
        put_thread(builder, model, group->owner);
    if (blame->keys & TM_BLAME_BY_OWNER_METHOD)
        tm__put_caller(builder, &blame->places, tm__blamed_owner_caller(blame, group));
    if (blame->keys & TM_BLAME_BY_OWNER_STACK) {
        if (group->owner_place == TM__NONE)
            tm__put_null(builder);
        else
            tm__put_int32(builder, (int32_t)group->owner_place);
    }
    tm__put_int64(builder, group->count);
    tm__put_int64(builder, group->total_ns);
    tm__put_int64(builder, group->max_ns);
    tm__put_int64(builder, group->latency_ns);
    tm__put_double(builder, share_of(group->total_ns, whole_ns));
    tm__put_double(builder,
                   share_of(parts_ns[TM_PROVENANCE_REPORTED], group->total_ns));
    tm__put_double(builder, share_of(parts_ns[TM_PROVENANCE_EXACT], group->total_ns));
    tm__put_double(builder,
                   share_of(parts_ns[TM_PROVENANCE_INFERRED], group->total_ns));
}

/* @param thread_ns  NULL, or a thread's blocked time each: shares are of that */
static int put_groups(tm_table **out, tm__blame *blame, const tm__table_spec *spec,
                      const int64_t *thread_ns)
{
    tm__builder builder;
    tm__labels labels;
    tm__sortable *order;
    int rc = tm__labels_open(&labels, blame->model);

    if (rc < 0)
        return rc;
    order = tm__blame_order(blame);
    if (!order) {
        tm__labels_close(&labels);
        return TM_ENOMEM;
    }
    tm__builder_start(&builder, spec, blame->keys, &blame->model->memory.hook);
    tm__builder_expect(&builder, blame->items_count);
    for (uint32_t i = 0; i < blame->items_count && !builder.failed; i++) {
        const tm__blamed *group = &blame->items[order[i].number];

        put_group(&builder, &labels, blame, group,
                  thread_ns ? thread_ns[group->thread] : blame->total_ns);
    }
    put_caveats(&builder, blame->model, blame->capped);
    tm__sorted_free(&blame->memory, order, blame->items_count);
    rc = labels.failed;
    tm__labels_close(&labels);
    return tm__builder_close(&builder, out, rc);
}

int tm_blame_list(tm_table **out, const tm_model *model, const tm_blame_options *given)
{
    tm_blame_options options;
    tm__libraries libraries;
    tm__blame blame;
    tm__scope scope;
    uint32_t states;
    int rc;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    rc = TM__READ(&options, given, tm_blame_options, keys);
    if (rc < 0)
        return rc;
    if (options.keys & ~(uint32_t)ALL_KEYS)
        return tm__fail(TM_EINVAL, "keys %u: unknown bits above %d", options.keys,
                        ALL_KEYS);
    if (options.of > TM_BLAME_OF_RESOURCES)
        return tm__fail(TM_EINVAL, "of %u is not an enum tm_blame_of", options.of);
    states = options.of == TM_BLAME_OF_RESOURCES ? RESOURCE_STATES : LOCK_STATES;
    if (options.states & ~states)
        return tm__fail(TM_EINVAL, "states %u: %s", options.states,
                        options.of == TM_BLAME_OF_RESOURCES
                            ? "only waiting and parked are for a resource"
                            : "only blocked, reentering and parked have an owner");
    states = options.states ? options.states : states;
    rc = tm__scope_open(&scope, model, options.selection);
    if (rc < 0)
        return rc;
    libraries = (tm__libraries){options.libraries, options.library_count};
    if (options.keys == 0) {
        rc = list_shares(out, model, &scope, options.of, states, &libraries);
    } else {
        rc = tm__blame_gather(&blame, model, &scope, options.of, options.keys, states,
                              &libraries);
        if (rc == TM_OK)
            rc = put_groups(out, &blame, &tm__blamed_table, NULL);
        tm__blame_free(&blame);
    }
    tm__scope_close(&scope, model);
    return rc;
}

int tm_blocker_list(tm_table **out, const tm_model *model,
                    const tm_selection *selection)
{
    tm__blame blame;
    tm__scope scope;
    size_t bytes;
    int64_t *thread_ns;
    int rc;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    rc = tm__scope_open(&scope, model, selection);
    if (rc < 0)
        return rc;
    rc = tm__blame_gather(&blame, model, &scope, TM_BLAME_OF_LOCKS,
                          TM_BLAME_BY_THREAD | TM_BLAME_BY_OWNER, LOCK_STATES, NULL);
    bytes = ((size_t)model->entities.threads_count + 1) * sizeof(*thread_ns);
    thread_ns = rc == TM_OK ? tm__zalloc(&blame.memory, bytes) : NULL;
    if (thread_ns) {
        for (uint32_t i = 0; i < blame.items_count; i++)
            thread_ns[blame.items[i].thread] =
                tm__sum(thread_ns[blame.items[i].thread], blame.items[i].total_ns);
        rc = put_groups(out, &blame, &tm__blockers_table, thread_ns);
    } else if (rc == TM_OK) {
        rc = TM_ENOMEM;
    }
    tm__free(&blame.memory, thread_ns, bytes);
    tm__blame_free(&blame);
    tm__scope_close(&scope, model);
    return rc;
}
