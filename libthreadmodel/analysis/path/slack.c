/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One march backward over the run. At every instant `now_ns` is how much later the
 * thread could be there without putting off the path's end.
 *
 *     A  ──────s··········e────      slack at s: that at e, and the time from s to w
 *     B  ───────────────w──────      slack at w: no more than that at e
 *
 * What ends a hold-up passes its slack on to who acted; who waited has as much more
 * as it was too early. Time limits, sleeps, and what nothing explains take as long as
 * they took.
 */
#include "analysis/path/slack.h"

#include "analysis/timeline/time_merge.h"
#include "analysis/timeline/wakeup_edge.h"
#include "model/interaction.h"
#include "model/interval.h"
#include "model/thread.h"

typedef struct search {
    const tm_model *model;
    const tm__path *path;
    tm__march march;
    int64_t *now_ns;   ///< a thread
    int64_t *least_ns; ///< a thread: the result
    int64_t *asked_ns; ///< an interaction: of what it let go on
} search;

static void lower(int64_t *value, int64_t to)
{
    if (to < *value)
        *value = to;
}

static int64_t later(int64_t slack_ns, int64_t by_ns)
{
    return slack_ns == TM__SLACK_ANY ? slack_ns : slack_ns + by_ns;
}

static void ask_thread(search *s, uint32_t thread, int64_t slack_ns)
{
    lower(&s->now_ns[thread], slack_ns);
    lower(&s->least_ns[thread], s->now_ns[thread]);
}

/* The act of a link may come `slack_ns` later. */
static void ask(search *s, const tm__link *link, int64_t slack_ns)
{
    if (link->row != TM__NONE && link->from_ns != INT64_MIN &&
        tm__march_has(tm__row(s->model, link->row)))
        lower(&s->asked_ns[link->row - s->model->interactions_first], slack_ns);
    else
        ask_thread(s, link->from, slack_ns);
}

/* Pass what the thread's slack is after a hold-up on to before it. */
static void pass_hold_up(search *s, uint32_t thread, uint32_t first,
                         const tm__link *link, int64_t end_ns)
{
    int64_t *now_ns = &s->now_ns[thread];
    int64_t begin_ns = s->model->threads[thread].intervals[first].start_ns;
    int64_t act_ns = link->from_ns == INT64_MIN ? end_ns : link->from_ns;

    if (link->from == TM__NONE || link->from == thread)
        return;
    ask(s, link, later(*now_ns, act_ns < begin_ns ? begin_ns - act_ns : 0));
    if (act_ns > begin_ns)
        *now_ns = later(*now_ns, act_ns - begin_ns);
}

static void take_beginning(search *s, uint32_t thread, uint32_t interval)
{
    const tm__thread *it = &s->model->threads[thread];
    tm__link link = tm__link_to(s->model, thread, interval);
    int64_t *now_ns = &s->now_ns[thread];
    int before;

    lower(&s->least_ns[thread], *now_ns);
    if (interval == 0 || link.kind == TM_INTERACTION_START) {
        if (link.kind == TM_INTERACTION_START && link.from != TM__NONE &&
            link.from != thread) {
            ask(s, &link, *now_ns);
            *now_ns = TM__SLACK_ANY;
        }
        return;
    }
    before = it->intervals[interval - 1].state;
    if (tm__is_stopped(before) &&
        !(it->intervals[interval].flags & TM__INTERVAL_CONTINUES))
        pass_hold_up(s, thread, tm__link_hold_up_first(it, interval - 1), &link,
                     it->intervals[interval].start_ns);
}

/* What it let go on may be of the same instant, and come first. */
static void take_act(search *s, const tm__march_point *point)
{
    const tm__interaction *row = tm__row(s->model, point->number);
    int64_t asked_ns = s->asked_ns[point->number - s->model->interactions_first];

    if (asked_ns == TM__SLACK_ANY && row->to_ns == point->time_ns &&
        tm__march_defer(&s->march))
        return;
    ask_thread(s, point->thread, asked_ns);
}

/* What a thread waits for when the path's end lies within a hold-up.
 * @return the thread that it joins, which may be held up itself; or TM__NONE */
static uint32_t begin_held_up(search *s, uint32_t thread)
{
    const tm__thread *it = &s->model->threads[thread];
    tm__link link;
    uint32_t at = 0, end = it->interval_count, first;

    while (at < end) {
        uint32_t middle = at + (end - at) / 2;

        if (it->intervals[middle].start_ns <= s->path->end_ns)
            at = middle + 1;
        else
            end = middle;
    }
    if (at == 0 || !tm__is_stopped(it->intervals[at - 1].state))
        return TM__NONE;
    first = tm__link_hold_up_first(it, at - 1);
    link = tm__link_out(s->model, thread, first, tm__link_hold_up_end(it, at - 1));
    if (link.from_ns > s->path->end_ns)
        link.from_ns = INT64_MIN;
    pass_hold_up(s, thread, first, &link, s->path->end_ns);
    return link.row == TM__NONE ? link.from : TM__NONE;
}

static void begin(search *s)
{
    for (uint32_t i = 0; i < s->model->threads_count; i++) {
        const tm__thread *it = &s->model->threads[i];

        s->now_ns[i] = s->least_ns[i] = TM__SLACK_ANY;
        if (s->path->others_hold && it->last_ns <= s->path->end_ns &&
            it->interval_count && !(it->flags & (TM_THREAD_DAEMON | TM_THREAD_AGENT)))
            s->now_ns[i] = s->path->end_ns - it->last_ns;
    }
    for (uint32_t i = 0; i < s->model->interactions_count; i++)
        s->asked_ns[i] = TM__SLACK_ANY;
    if (s->path->thread == TM__NONE)
        return;
    s->now_ns[s->path->thread] = 0;
    for (uint32_t i = 0, at = s->path->thread;
         i < s->model->threads_count && at != TM__NONE; i++)
        at = begin_held_up(s, at);
}

int tm__slack_find(int64_t *slack_ns, const tm_model *model, tm__memory *memory,
                   const tm__path *path)
{
    size_t now_bytes = (model->threads_count + (size_t)1) * sizeof(int64_t);
    size_t asked_bytes = (model->interactions_count + (size_t)1) * sizeof(int64_t);
    search s = {.model = model, .path = path, .least_ns = slack_ns};
    tm__march_point point;
    int rc = tm__march_open(&s.march, model, memory);

    s.now_ns = tm__resize(memory, NULL, 0, now_bytes);
    s.asked_ns = tm__resize(memory, NULL, 0, asked_bytes);
    if (rc == TM_OK && s.now_ns && s.asked_ns) {
        begin(&s);
        tm__march_start(&s.march, 1);
        while (tm__march_next(&s.march, &point)) {
            if (point.time_ns > path->end_ns)
                continue;
            if (point.is_act)
                take_act(&s, &point);
            else
                take_beginning(&s, point.thread, point.number);
        }
    } else {
        rc = TM_ENOMEM;
    }
    tm__free(memory, s.now_ns, now_bytes);
    tm__free(memory, s.asked_ns, asked_bytes);
    tm__march_close(&s.march);
    return rc;
}
