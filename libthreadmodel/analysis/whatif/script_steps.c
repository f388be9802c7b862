/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of a script, written one after the other. */
#include "analysis/whatif/script_steps.h"

#include "analysis/whatif/script_marks.h"
#include "base/saturate.h"
#include "model/intervals/interaction.h"

static void append(tm__script_writer *w, const tm__step *step)
{
    tm__script *script = w->script;

    if (w->rc != TM_OK)
        return;
    if (script->steps_count == TM__STEPS_MAX)
        w->rc = 1;
    else
        w->rc = tm__reserve(script->memory, &script->steps, &script->steps_capacity,
                            (size_t)script->steps_count + 1, sizeof(*step));
    if (w->rc == TM_OK)
        script->steps[script->steps_count++] = *step;
}

/* The part of the work at hand in the method, which is counted. */
static uint16_t take_part(tm__script_writer *w)
{
    double part = w->work_ns > 0 ? w->method_ns / (double)w->work_ns : 0;

    if (part > 0) {
        w->script->scaled++;
        w->script->scaled_ns = tm__sum(w->script->scaled_ns, tm__whole(w->method_ns));
    }
    w->method_ns = 0;
    return (uint16_t)((part > 1 ? 1 : part) * TM__WHOLE + 0.5);
}

void tm__put_work(tm__script_writer *w)
{
    if (w->work_ns > 0)
        append(w, &(tm__step){.length_ns = w->work_ns,
                              .kind = TM__STEP_WORK,
                              .part = take_part(w)});
    w->work_ns = 0;
}

void tm__put_step(tm__script_writer *w, tm__step step)
{
    if (tm__step_follows_work(&step)) {
        step.part = take_part(w);
        step.length_ns = w->work_ns;
        w->work_ns = 0;
    }
    tm__put_work(w);
    append(w, &step);
}

static void put_hold(tm__script_writer *w, const tm__replay_hold *it, int kind)
{
    tm__step step = {.until_ns = it->start_ns - w->script->begin_ns,
                     .what = it->object,
                     .place = tm__hold_is_plain(it) ? it->place : TM__NONE,
                     .latency_ns = it->latency_ns,
                     .kind = (uint8_t)kind,
                     .flags = it->is_shared ? TM__STEP_SHARED : 0};

    if (it->is_handed)
        step.flags |= TM__STEP_QUEUED;
    tm__put_step(w, step);
    if (kind == TM__STEP_ACQUIRE && it->hidden_ns > 0)
        tm__put_step(w, (tm__step){.length_ns = it->hidden_ns,
                                   .place = it->place,
                                   .kind = TM__STEP_HIDDEN});
}

void tm__put_mark(tm__script_writer *w, const tm__mark *it)
{
    if (it->what == TM__NONE) {
        tm__put_step(w, (tm__step){.until_ns = it->time_ns - w->script->begin_ns,
                                   .what = w->model->entities.objects_count,
                                   .place = TM__NONE,
                                   .kind = it->kind});
        return;
    }
    switch (it->kind) {
    case TM__STEP_SIGNAL:
        if (it->what < w->model->intervals.interactions_count &&
            w->script->signals->rows[it->what] & TM__ROW_PERMIT)
            tm__put_step(w, (tm__step){.what = w->model->entities.objects_count,
                                       .place = TM__NONE,
                                       .kind = TM__STEP_RELEASE});
        else
            tm__put_step(w, (tm__step){.what = it->what, .kind = TM__STEP_SIGNAL});
        break;
    case TM__STEP_ACQUIRE:
    case TM__STEP_RELEASE:
        put_hold(w, &w->script->holds->items[it->what], it->kind);
        break;
    default: tm__put_step(w, (tm__step){.place = it->what, .kind = it->kind}); break;
    }
}

const tm__mark *tm__next_mark(const tm__script_writer *w)
{
    return w->at < w->end ? &w->marks[w->order[w->at].number] : NULL;
}

void tm__put_marks_before(tm__script_writer *w, int64_t time_ns)
{
    for (const tm__mark *it; (it = tm__next_mark(w)) && it->time_ns < time_ns; w->at++)
        tm__put_mark(w, it);
}
