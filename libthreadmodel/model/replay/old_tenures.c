/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of owners lie in the order in which they began, those of all locks in one
 * array. A lock that is taken again and again without a queue has one record, which
 * stays where it began: so old records go from between others, and what is kept gets
 * new numbers. These are the last of those that were given: a number that is not kept
 * is one before the first.
 *
 *     numbers   1   2   3   4   5          3, 5 kept of 5:  first = 3
 *     become    -   -   4   -   5
 */
#include "model/replay/old_tenures.h"

#include "model/entities/object.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"
#include "model/ownership/hold_sums.h"
#include "model/ownership/tenure.h"
#include "model/ownership/tenure_bounds.h"
#include "model/state/model.h"

/* Add the hold time of a record to its sum. */
static void sum_up(tm_model *model, uint32_t object, const tm__tenure *it)
{
    const tm__tenure *next = tm__tenure_next(model, it);
    tm__bounds bounds;

    if (!tm__tenure_is_begun(it) || it->flags & TM__TENURE_LOST ||
        (it->flags & TM__TENURE_SHARED && !(it->flags & TM__TENURE_OVER)))
        return;
    if (!next) {
        if (tm__tenure_is_reported_over(it))
            tm__hold_sum_add(model, object, it, it->had_ns - it->got_ns);
        return;
    }
    tm__tenure_bounds(&bounds, model, object, it, next, next->got_ns, TM__NONE);
    tm__hold_sum_add(model, object, it, bounds.released_ns - it->got_ns);
}

/* It is the present owner's, and every release is reported: its end is yet to come. */
static int is_open(const tm_model *model, uint32_t object, uint32_t number)
{
    const tm__object *it = &model->entities.objects[object];
    const tm__tenure *record = tm__tenure_at(model, number);

    return number == it->tenure && it->owner != TM__NONE &&
           record->owner == it->owner && !(record->flags & TM__TENURE_OVER) &&
           tm__owners_are_reported(model);
}

/* Mark the records that are kept, by place in the array: those that are not old or not
 * over, and all records of the same lock after the first of these. @return how many are
 * not kept */
static uint32_t choose(const tm_model *model, uint32_t *numbers, int64_t cut_ns)
{
    uint32_t first = model->ownership.tenures_first, dropped = 0;

    for (uint32_t i = 0; i < model->ownership.tenures_count; i++)
        numbers[i] = model->ownership.tenures[i].had_ns > cut_ns;
    for (uint32_t i = 0; i < model->entities.objects_count; i++) {
        uint32_t number = model->entities.details[i].first_tenure;
        uint32_t is_kept = 0;

        for (; number > first; number = tm__tenure_at(model, number)->next)
            is_kept = numbers[number - first - 1] |=
                is_kept | (uint32_t)is_open(model, i, number);
    }
    for (uint32_t i = 0; i < model->ownership.tenures_count; i++)
        dropped += !numbers[i];
    return dropped;
}

/* The new number of a record; of one that is not kept, one before the first. */
static void renumber(const tm_model *model, const uint32_t *numbers, uint32_t dropped,
                     uint32_t *number)
{
    uint32_t first = model->ownership.tenures_first;

    if (*number > first)
        *number = numbers[*number - first - 1] ? numbers[*number - first - 1]
                                               : first + dropped;
}

static void drop_of_object(tm_model *model, uint32_t object, const uint32_t *numbers)
{
    uint32_t first = model->ownership.tenures_first;
    uint32_t *reader = &model->entities.details[object].first_reader;
    uint32_t *head = &model->entities.details[object].first_tenure;

    while (*reader > first && !numbers[*reader - first - 1])
        *reader = tm__tenure_at(model, *reader)->next;
    while (*head > first && !numbers[*head - first - 1]) {
        const tm__tenure *it = tm__tenure_at(model, *head);

        sum_up(model, object, it);
        *head = it->next;
    }
}

static void renumber_all(tm_model *model, const uint32_t *numbers, uint32_t dropped)
{
    for (uint32_t i = 0; i < model->entities.objects_count; i++) {
        tm__object_detail *detail = &model->entities.details[i];

        renumber(model, numbers, dropped, &detail->first_tenure);
        renumber(model, numbers, dropped, &detail->first_reader);
        renumber(model, numbers, dropped, &model->entities.objects[i].tenure);
    }
    for (uint32_t i = 0; i < model->entities.threads_count; i++) {
        tm__thread *thread = &model->entities.threads[i];

        for (uint32_t j = 0; j < thread->interval_count; j++)
            renumber(model, numbers, dropped, &thread->intervals[j].tenure);
    }
    for (uint32_t i = 0; i < model->ownership.tenures_count; i++)
        if (numbers[i])
            renumber(model, numbers, dropped, &model->ownership.tenures[i].next);
}

static void drop(tm_model *model, uint32_t *numbers, uint32_t dropped)
{
    tm__tenure *tenures = model->ownership.tenures;
    uint32_t kept = 0, count = model->ownership.tenures_count;

    for (uint32_t i = 0; i < model->entities.threads_count; i++)
        if (model->entities.threads[i].wants != TM__NONE)
            tm__name_owner(model, i);
    for (uint32_t i = 0; i < model->entities.objects_count; i++)
        drop_of_object(model, i, numbers);
    for (uint32_t i = 0; i < count; i++)
        if (numbers[i])
            numbers[i] = model->ownership.tenures_first + dropped + ++kept;
    renumber_all(model, numbers, dropped);
    kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (numbers[i])
            tenures[kept++] = tenures[i];
    model->ownership.tenures_count = kept;
    model->ownership.tenures_first += dropped;
    tm__shrink(&model->memory, &model->ownership.tenures,
               &model->ownership.tenures_capacity,
               (size_t)kept + kept / 4 + TM__TENURES_AN_EVENT, sizeof(*tenures));
}

uint64_t tm__drop_tenures(tm_model *model, int64_t cut_ns)
{
    size_t bytes = ((size_t)model->ownership.tenures_count + 1) * sizeof(uint32_t);
    uint32_t *numbers = tm__resize(&model->memory, NULL, 0, bytes);
    uint32_t dropped;

    if (!numbers)
        return 0;
    dropped = choose(model, numbers, cut_ns);
    if (dropped)
        drop(model, numbers, dropped);
    tm__free(&model->memory, numbers, bytes);
    return dropped;
}
