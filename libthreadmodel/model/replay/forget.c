/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run of weeks has millions of threads and objects, and few of them are in use.
 * Those without a reference are removed, once a memory limit has evicted the referring
 * facts: a thread that has ended, and an object that no thread owns, waits for or has
 * named of late. As in a garbage collector, entities in use are marked, moved together
 * and given new indexes, by one list of all references.
 *
 *     threads     A  B† C  D† E          † ended, nothing kept refers to it
 *     numbers     0  -  1  -  2
 *
 * An object that is forgotten and named again is another one. Where acquisitions are
 * not reported, an object whose last known owner runs is not in use: whether it is
 * owned is not known.
 */
#include <string.h>

#include "model/deadlocks/deadlock_search.h"
#include "model/entities/object.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/intervals/cpu.h"
#include "model/intervals/interval.h"
#include "model/ownership/present_owner.h"
#include "model/ownership/tenure.h"
#include "model/replay/forget.h"
#include "model/replay/forget_names.h"
#include "model/replay/forget_sums.h"
#include "model/replay/references.h"
#include "model/state/model.h"
#include "model/wakeups/posts.h"

/* An object that was named since as many evictions may be named again. */
enum { NAMED_OF_LATE = 2 };

/* So much threads and objects may always take. */
enum { LEAST_BYTES = 1 << 18 };

/* Marks of an entity: in use, and whether what it refers to is marked, too. */
enum { UNUSED = 0, IN_USE = 1, FOLLOWED = 2 };

typedef struct forgetting {
    tm_model *model;
    int64_t cut_ns;
    uint32_t *threads; ///< marks, then new indexes
    uint32_t *objects;
    int has_more; ///< something was marked that is not followed
} forgetting;

/* ---- what is in use ---- */

static void mark(void *context, enum tm__reference kind, uint32_t *reference)
{
    forgetting *it = context;
    uint32_t *marks = kind == TM__REFERS_OBJECT   ? it->objects
                      : kind == TM__REFERS_THREAD ? it->threads
                                                  : NULL;

    if (!marks || marks[*reference] != UNUSED)
        return;
    marks[*reference] = IN_USE;
    it->has_more = 1;
}

/* All intervals but the last are in sums. */
static int has_ended(const forgetting *it, uint32_t thread)
{
    const tm__thread *of = &it->model->entities.threads[thread];

    return thread != it->model->replay.others && of->state == TM_STATE_DEAD &&
           of->end_ns <= it->cut_ns && of->interval_count <= 1 &&
           of->deadlock == TM__NONE && of->bound == TM__NONE &&
           of->waits_in == TM__NONE && of->wants == TM__NONE && of->joins == TM__NONE;
}

static int is_owned(const tm_model *model, const tm__object *object)
{
    return object->owner != TM__NONE &&
           (tm__owners_are_reported(model) ||
            tm__is_blocked(&model->entities.threads[object->owner]));
}

static int is_in_use(const forgetting *it, uint32_t object)
{
    const tm_model *model = it->model;
    const tm__object *of = &model->entities.objects[object];
    const tm__object_detail *detail = &model->entities.details[object];

    return (uint8_t)(model->entities.evictions - of->named) < NAMED_OF_LATE ||
           of->wanted || of->pending || of->waiter_head != TM__NONE ||
           of->binding_head != TM__NONE || of->doubt == TM__DOUBT_LEFT ||
           of->doubt == TM__DOUBT_STAYS || detail->first_tenure ||
           tm__tenure_at(model, of->tenure) || detail->post_head != TM__NONE ||
           (detail->post_spare != TM__NONE &&
            model->wakeups.posts[detail->post_spare].time_ns > it->cut_ns) ||
           is_owned(model, of);
}

static void mark_roots(forgetting *it)
{
    const tm_model *model = it->model;
    for (uint32_t i = 0; i < model->entities.threads_count; i++)
        it->threads[i] = has_ended(it, i) ? UNUSED : IN_USE;
    for (uint32_t i = 0; i < model->entities.objects_count; i++)
        it->objects[i] = is_in_use(it, i) ? IN_USE : UNUSED;
    tm__refer_of_run(it->model, mark, it);
}

static void mark_all(forgetting *it)
{
    const tm_model *model = it->model;

    mark_roots(it);
    do {
        it->has_more = 0;
        for (uint32_t i = 0; i < model->entities.threads_count; i++)
            if (it->threads[i] == IN_USE) {
                it->threads[i] = FOLLOWED;
                tm__refer_of_thread(it->model, i, mark, it);
            }
        for (uint32_t i = 0; i < model->entities.objects_count; i++)
            if (it->objects[i] == IN_USE) {
                it->objects[i] = FOLLOWED;
                tm__refer_of_object(it->model, i, mark, it);
            }
    } while (it->has_more);
}

/* Marks become new indexes. @return how many are not in use */
static uint32_t number(uint32_t *marks, uint32_t count)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++)
        marks[i] = marks[i] == UNUSED ? TM__NONE : kept++;
    return count - kept;
}

/* ---- what is forgotten ---- */

static void detach_objects(forgetting *it)
{
    tm_model *model = it->model;

    for (uint32_t i = 0; i < model->entities.objects_count; i++) {
        uint32_t owner = model->entities.objects[i].owner;

        if (it->objects[i] == TM__NONE &&
            model->entities.details[i].post_spare != TM__NONE)
            tm__post_set_spare(model, i, TM__NONE);
        if (owner != TM__NONE &&
            (it->objects[i] == TM__NONE || it->threads[owner] == TM__NONE))
            tm__disown(model, i);
    }
}

static void detach_threads(forgetting *it)
{
    tm_model *model = it->model;

    for (uint32_t i = 0; i < model->entities.threads_count; i++) {
        tm__thread *thread = &model->entities.threads[i];

        if (it->threads[i] != TM__NONE)
            continue;
        tm__others_add(model, i);
        if (thread->interval_capacity > TM__FIRST_INTERVALS)
            tm__free(&model->memory, thread->intervals,
                     thread->interval_capacity * sizeof(*thread->intervals));
        else if (thread->intervals)
            tm__pool_release(&model->intervals.first_intervals, thread->intervals);
    }
}

/* ---- what is kept ---- */

static void renumber(void *context, enum tm__reference kind, uint32_t *reference)
{
    const forgetting *it = context;
    int is_object = kind == TM__REFERS_OBJECT || kind == TM__REFERS_LOOSE_OBJECT;
    uint32_t index = (is_object ? it->objects : it->threads)[*reference];

    if (index == TM__NONE && kind == TM__REFERS_PAST_THREAD)
        index = it->threads[it->model->replay.others];
    *reference = index;
}

static void renumber_all(forgetting *it)
{
    tm_model *model = it->model;

    for (uint32_t i = 0; i < model->entities.threads_count; i++)
        if (it->threads[i] != TM__NONE)
            tm__refer_of_thread(model, i, renumber, it);
    for (uint32_t i = 0; i < model->entities.objects_count; i++)
        if (it->objects[i] != TM__NONE)
            tm__refer_of_object(model, i, renumber, it);
    tm__refer_of_run(model, renumber, it);
}

/* Move together the items of an array that are kept. @return how many */
static uint32_t pack(void *items, size_t item_bytes, uint32_t count,
                     const uint32_t *numbers)
{
    char *array;
    uint32_t kept = 0;

    memcpy(&array, items, sizeof(array));
    for (uint32_t i = 0; i < count; i++)
        if (numbers[i] != TM__NONE) {
            if (kept != i)
                memcpy(array + kept * item_bytes, array + i * item_bytes, item_bytes);
            kept++;
        }
    return kept;
}

/* Room for as many and some more. */
static size_t room_for(uint32_t count)
{
    return (size_t)count + count / 4 + 16;
}

#define PACK(model, array, count, numbers)                                             \
    pack(&(model)->array, sizeof(*(model)->array), count, numbers)
#define SHRINK(shrink, model, array, count)                                            \
    shrink(&(model)->memory, &(model)->array, &(model)->array##_capacity,              \
           room_for(count), sizeof(*(model)->array))

static void pack_threads(forgetting *it)
{
    tm_model *model = it->model;

    model->entities.threads_count =
        PACK(model, entities.threads, model->entities.threads_count, it->threads);
    model->intervals.wakes_count =
        PACK(model, intervals.wakes, model->intervals.wakes_count, it->threads);
    model->intervals.cpu_uses_count =
        PACK(model, intervals.cpu_uses, model->intervals.cpu_uses_count, it->threads);
    model->replay.unit_tops_count =
        PACK(model, replay.unit_tops, model->replay.unit_tops_count, it->threads);
    model->deadlocks.leads_count = 0; /* which are found again */
    SHRINK(tm__shrink_lines, model, entities.threads, model->entities.threads_count);
    SHRINK(tm__shrink, model, intervals.wakes, model->intervals.wakes_count);
    SHRINK(tm__shrink, model, intervals.cpu_uses, model->intervals.cpu_uses_count);
    SHRINK(tm__shrink, model, replay.unit_tops, model->replay.unit_tops_count);
    SHRINK(tm__shrink, model, deadlocks.leads, 0);
}

static void pack_objects(forgetting *it)
{
    tm_model *model = it->model;
    uint32_t count = model->entities.objects_count;

    PACK(model, entities.links, count, it->objects);
    PACK(model, entities.details, count, it->objects);
    count = PACK(model, entities.objects, count, it->objects);
    model->entities.objects_count = count;
    SHRINK(tm__shrink_lines, model, entities.objects, count);
    SHRINK(tm__shrink, model, entities.links, count);
    SHRINK(tm__shrink, model, entities.details, count);
}

/* ---- all of it ---- */

/* Choose what goes, and make room for what needs any. @return 0: nothing goes */
static int find_numbers(forgetting *it, tm__map *threads, tm__map *objects)
{
    tm_model *model = it->model;
    uint32_t count = model->entities.threads_count;
    uint32_t ended, unused;

    mark_all(it);
    ended = number(it->threads, count);
    unused = number(it->objects, model->entities.objects_count);
    if (!ended && !unused)
        return 0;
    it->threads[count] = count - ended; /* the row of others, if it is new */
    if (ended && tm__others_reserve(model) < 0)
        return 0;
    if (tm__map_renumber(threads, &model->entities.thread_map, it->threads) < 0)
        return 0;
    if (tm__map_renumber(objects, &model->entities.object_map, it->objects) < 0) {
        tm__map_clear(threads);
        return 0;
    }
    model->diagnostics[TM_DIAGNOSTIC_FORGOTTEN_THREAD] += ended;
    model->diagnostics[TM_DIAGNOSTIC_FORGOTTEN_OBJECT] += unused;
    return 1;
}

static void forget(forgetting *it, tm__map threads, tm__map objects)
{
    tm_model *model = it->model;
    size_t before = model->memory.used_bytes, less;
    uint32_t others = model->replay.others;
    tm__renumbering to = {it->threads, it->objects,
                          others == TM__NONE ? TM__NONE : it->threads[others]};

    detach_objects(it);
    tm__sums_renumber(model, &to);
    detach_threads(it);
    renumber_all(it);
    tm__nestings_renumber(model);
    tm__map_clear(&model->entities.thread_map);
    tm__map_clear(&model->entities.object_map);
    model->entities.thread_map = threads;
    model->entities.object_map = objects;
    model->replay.others = to.others;
    pack_threads(it);
    pack_objects(it);
    tm__sums_link(model);
    tm__names_sweep(model);
    less = before > model->memory.used_bytes ? before - model->memory.used_bytes : 0;
    model->entities.definition_bytes -= less < model->entities.definition_bytes
                                            ? less
                                            : model->entities.definition_bytes;
}

/* The memory of threads and objects, with their sums, beside their timelines. */
static size_t entity_bytes(const tm_model *model)
{
    return model->entities.threads_count *
               (sizeof(tm__thread) + TM__FIRST_INTERVALS * sizeof(tm__interval)) +
           model->entities.objects_count *
               (sizeof(tm__object) + sizeof(tm__object_links) +
                sizeof(tm__object_detail) + 3 * sizeof(tm__map_slot)) +
           model->replay.aggregate_bytes;
}

uint64_t tm__forget_ended(tm_model *model, int64_t cut_ns)
{
    forgetting it = {.model = model, .cut_ns = cut_ns};
    uint64_t before = model->diagnostics[TM_DIAGNOSTIC_FORGOTTEN_THREAD] +
                      model->diagnostics[TM_DIAGNOSTIC_FORGOTTEN_OBJECT];
    size_t threads_bytes, objects_bytes;
    tm__map threads, objects;

    if (entity_bytes(model) < model->memory_limit_bytes / 4 ||
        entity_bytes(model) < LEAST_BYTES)
        return 0;
    threads_bytes = ((size_t)model->entities.threads_count + 1) * sizeof(*it.threads);
    objects_bytes = ((size_t)model->entities.objects_count + 1) * sizeof(*it.objects);
    it.threads = tm__zalloc(&model->memory, threads_bytes);
    it.objects = tm__zalloc(&model->memory, objects_bytes);
    if (it.threads && it.objects && find_numbers(&it, &threads, &objects))
        forget(&it, threads, objects);
    tm__free(&model->memory, it.threads, threads_bytes);
    tm__free(&model->memory, it.objects, objects_bytes);
    return model->diagnostics[TM_DIAGNOSTIC_FORGOTTEN_THREAD] +
           model->diagnostics[TM_DIAGNOSTIC_FORGOTTEN_OBJECT] - before;
}
