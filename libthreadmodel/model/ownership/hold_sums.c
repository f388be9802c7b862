/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holds that are no longer listed: an uncontended lock keeps only its last hold, and a
 * memory limit drops old ones. Their times are summed up by class and place, so that
 * statistics of hold times still include them.
 */
#include "model/ownership/hold_sums.h"

#include "base/saturate.h"
#include "model/entities/object.h"
#include "model/intervals/interval.h"
#include "model/state/model.h"

/* So many pairs of class and place are distinguished; then places are not. */
enum { SUMS_MAX = 1 << 14 };

static tm__hold_sum *find_sum(tm_model *model, uint32_t class_index, uint32_t stack)
{
    uint32_t *value;

    if (model->ownership.hold_sums_count >= SUMS_MAX)
        stack = TM__NONE;
    if (model->ownership.hold_sums_count >= 2 * SUMS_MAX)
        class_index = TM__NONE;
    /* A triple that is added must get a value. */
    if (tm__reserve(&model->memory, &model->ownership.hold_sums,
                    &model->ownership.hold_sums_capacity,
                    (size_t)model->ownership.hold_sums_count + 1,
                    sizeof(*model->ownership.hold_sums)) < 0)
        return NULL;
    value = tm__triple_map_at(&model->ownership.hold_sum_map, &model->memory,
                              class_index, stack, 0);
    if (!value)
        return NULL;
    if (*value == 0) {
        model->ownership.hold_sums[model->ownership.hold_sums_count++] =
            (tm__hold_sum){.class_index = class_index, .stack = stack};
        *value = model->ownership.hold_sums_count;
    }
    return &model->ownership.hold_sums[*value - 1];
}

void tm__hold_sum_add(tm_model *model, uint32_t object, const tm__tenure *it,
                      int64_t held_ns)
{
    tm__hold_sum *sum =
        find_sum(model, model->entities.objects[object].class_index, it->stack);

    if (!sum || tm__histogram_add(&sum->durations, &model->memory, held_ns) < 0) {
        model->ownership.hold_sums_left_out++;
        return;
    }
    sum->not_running_ns = tm__sum(
        sum->not_running_ns, tm__not_running_ns(model, it->owner, it->got_ns,
                                                tm__sum(it->got_ns, held_ns), NULL));
    sum->exact += tm__tenure_is_reported_over(it) && it->before_ns == 0;
}

void tm__hold_sums_free(tm_model *model)
{
    for (uint32_t i = 0; i < model->ownership.hold_sums_count; i++)
        tm__histogram_free(&model->ownership.hold_sums[i].durations, &model->memory);
    tm__triple_map_free(&model->ownership.hold_sum_map, &model->memory);
    tm__free(&model->memory, model->ownership.hold_sums,
             model->ownership.hold_sums_capacity * sizeof(*model->ownership.hold_sums));
}
