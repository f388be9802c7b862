/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/findings/siblings.h"

#include "analysis/timeline/processor_time.h"
#include "model/entities/thread.h"
#include "model/intervals/interaction.h"

/* If there are fewer intervals, an equal number is chance. */
enum { ENOUGH_INTERVALS = 16 };

uint32_t *tm__siblings_open(tm__findings *findings)
{
    const tm_model *model = findings->model;
    size_t count = (size_t)model->entities.threads_count + 1;
    uint32_t *started =
        tm__resize(&findings->memory, NULL, 0, count * sizeof(*started));

    for (size_t i = 0; started && i < count; i++)
        started[i] = TM__NONE;
    for (uint32_t i = 0; started && i < model->intervals.interactions_count; i++) {
        const tm__interaction *row = &model->intervals.interactions[i];

        if (row->kind == TM_INTERACTION_START && row->to_thread != TM__NONE)
            started[row->to_thread] = model->intervals.interactions_first + i;
    }
    return started;
}

void tm__siblings_close(tm__findings *findings, uint32_t *started)
{
    if (started)
        tm__free(&findings->memory, started,
                 ((size_t)findings->model->entities.threads_count + 1) *
                     sizeof(*started));
}

int tm__are_siblings(const tm__findings *findings, const uint32_t *started,
                     uint32_t left, uint32_t right)
{
    const tm__interaction *l, *r;
    uint32_t place;

    if (started[left] == TM__NONE || started[right] == TM__NONE)
        return 0;
    l = tm__row(findings->model, started[left]);
    r = tm__row(findings->model, started[right]);
    place = tm__caller_of(&findings->places, l->from_stack);
    return l->from_thread == r->from_thread && place != TM__NONE &&
           place == tm__caller_of(&findings->places, r->from_stack);
}

int tm__did_the_same(const tm_model *model, uint32_t left, uint32_t right)
{
    const tm__thread *l = &model->entities.threads[left],
                     *r = &model->entities.threads[right];
    uint64_t more = (uint64_t)l->interval_first + l->interval_count;
    uint64_t less = (uint64_t)r->interval_first + r->interval_count;

    if (more < less) {
        uint64_t swap = more;

        more = less;
        less = swap;
    }
    return less >= ENOUGH_INTERVALS && (more - less) * 8 <= more;
}

int64_t tm__kept_from_cpu_ns(const tm_model *model, uint32_t late, uint32_t other)
{
    int64_t ns = tm__lacked_processor_ns(model, late),
            less_ns = tm__lacked_processor_ns(model, other);

    return less_ns >= 0 && ns > less_ns ? ns - less_ns : 0;
}
