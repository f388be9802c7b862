/* SPDX-License-Identifier: Apache-2.0 */
/* The activities of a span's thread, part by part. */
#include "analysis/units/unit_state.h"
#include "analysis/units/unit_walk.h"

#include "model/entities/methods.h"
#include "model/entities/object.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"

void tm__unit_walk_start(tm__unit_walk *walk, const tm_model *model,
                         const tm__unit_span *span)
{
    *walk = (tm__unit_walk){
        .model = model, .span = span, .at_ns = span->start_ns, .next = span->interval};
}

int tm__unit_walk_next(tm__unit_walk *walk, tm__unit_part *part)
{
    const tm__thread *thread = &walk->model->entities.threads[walk->span->thread];
    int64_t end_ns = walk->span->end_ns;

    while (walk->at_ns < end_ns) {
        uint32_t at = walk->next, after = at == TM__NONE ? 0 : at + 1;
        int64_t until_ns = end_ns;

        if (after < thread->interval_count &&
            thread->intervals[after].start_ns < end_ns)
            until_ns = thread->intervals[after].start_ns;
        *part = (tm__unit_part){.start_ns = walk->at_ns,
                                .end_ns = until_ns,
                                .interval = at,
                                .state = at == TM__NONE ? TM_STATE_UNKNOWN
                                                        : thread->intervals[at].state};
        walk->next = after;
        if (until_ns > walk->at_ns) {
            walk->at_ns = until_ns;
            return 1;
        }
    }
    return 0;
}

tm__unit_cause tm__unit_cause_of(const tm__units *units, uint32_t thread,
                                 const tm__unit_part *part)
{
    const tm_model *model = units->model;
    tm__unit_cause cause = {
        .state = (uint32_t)part->state, .class_name = TM__NONE, .method = TM__NONE};
    const tm__interval *it;
    uint32_t object, frame;

    if (part->interval == TM__NONE || !tm__is_stopped(part->state))
        return cause;
    it = &model->entities.threads[thread].intervals[part->interval];
    object = tm__interval_object(model, it);
    if (object != TM__NONE && model->entities.objects[object].class_index != TM__NONE)
        cause.class_name =
            model->entities.classes[model->entities.objects[object].class_index].name;
    frame = it->stack == TM__NONE ? TM__NONE : units->callers[it->stack];
    if (frame != TM__NONE && model->entities.frames[frame].method != TM__NONE)
        cause.method =
            model->entities.methods[model->entities.frames[frame].method].full_name;
    return cause;
}
