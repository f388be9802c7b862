/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One walk backward over the run. At every instant `now_ns` is how much later the
 * thread could be there without putting off the path's end.
 *
 *     A  ──────s··········e────      slack at s: that at e, and the time from s to w
 *     B  ───────────────w──────      slack at w: no more than that at e
 *
 * What ends a blocking interval passes its slack on to who acted; who waited has as
 * much more as it was too early. Time limits, sleeps, and what nothing explains take as
 * long as they took.
 */
#include "analysis/path/slack.h"

#include "analysis/timeline/time_merge.h"
#include "analysis/timeline/wakeup_edge.h"
#include "model/entities/thread.h"
#include "model/intervals/interaction.h"
#include "model/intervals/interval.h"

typedef struct search {
    const tm_model *model;
    const tm__path *path;
    tm__time_merge merge;
    int64_t *now_ns;   ///< a thread
    int64_t *least_ns; ///< a thread: the result
    int64_t *asked_ns; ///< an interaction: of what it woke
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

/* The wake-up of an edge may come `slack_ns` later. */
static void ask(search *s, const tm__wakeup_edge *edge, int64_t slack_ns)
{
    if (edge->row != TM__NONE && edge->from_ns != INT64_MIN &&
        tm__time_merge_has(tm__row(s->model, edge->row)))
        lower(&s->asked_ns[edge->row - s->model->intervals.interactions_first],
              slack_ns);
    else
        ask_thread(s, edge->from, slack_ns);
}

/* Pass what the thread's slack is after a blocking interval on to before it. */
static void pass_blocking(search *s, uint32_t thread, uint32_t first,
                          const tm__wakeup_edge *edge, int64_t end_ns)
{
    int64_t *now_ns = &s->now_ns[thread];
    int64_t begin_ns = s->model->entities.threads[thread].intervals[first].start_ns;
    int64_t wakeup_ns = edge->from_ns == INT64_MIN ? end_ns : edge->from_ns;

    if (edge->from == TM__NONE || edge->from == thread)
        return;
    ask(s, edge, later(*now_ns, wakeup_ns < begin_ns ? begin_ns - wakeup_ns : 0));
    if (wakeup_ns > begin_ns)
        *now_ns = later(*now_ns, wakeup_ns - begin_ns);
}

static void read_beginning(search *s, uint32_t thread, uint32_t interval)
{
    const tm__thread *it = &s->model->entities.threads[thread];
    tm__wakeup_edge edge = tm__wakeup_edge_to(s->model, thread, interval);
    int64_t *now_ns = &s->now_ns[thread];
    int before;

    lower(&s->least_ns[thread], *now_ns);
    if (interval == 0 || edge.kind == TM_INTERACTION_START) {
        if (edge.kind == TM_INTERACTION_START && edge.from != TM__NONE &&
            edge.from != thread) {
            ask(s, &edge, *now_ns);
            *now_ns = TM__SLACK_ANY;
        }
        return;
    }
    before = it->intervals[interval - 1].state;
    if (tm__is_stopped(before) &&
        !(it->intervals[interval].flags & TM__INTERVAL_CONTINUES))
        pass_blocking(s, thread, tm__interval_first_blocking(it, interval - 1), &edge,
                      it->intervals[interval].start_ns);
}

/* The interval that it woke may be of the same instant, and come first. */
static void read_wakeup(search *s, const tm__time_merge_point *point)
{
    const tm__interaction *row = tm__row(s->model, point->number);
    int64_t asked_ns =
        s->asked_ns[point->number - s->model->intervals.interactions_first];

    if (asked_ns == TM__SLACK_ANY && row->to_ns == point->time_ns &&
        tm__time_merge_defer(&s->merge))
        return;
    ask_thread(s, point->thread, asked_ns);
}

/* The wait of a thread where the path's end lies within a blocking interval.
 * @return the thread that it joins, which may be blocked itself; or TM__NONE */
static uint32_t begin_blocked(search *s, uint32_t thread)
{
    const tm__thread *it = &s->model->entities.threads[thread];
    tm__wakeup_edge edge;
    uint32_t at = tm__interval_at(it, s->path->end_ns), first;

    if (at == TM__NONE || !tm__is_stopped(it->intervals[at].state))
        return TM__NONE;
    first = tm__interval_first_blocking(it, at);
    edge = tm__wakeup_edge_out(s->model, thread, first,
                               tm__interval_after_blocking(it, at));
    if (edge.from_ns > s->path->end_ns)
        edge.from_ns = INT64_MIN;
    pass_blocking(s, thread, first, &edge, s->path->end_ns);
    return edge.row == TM__NONE ? edge.from : TM__NONE;
}

static void begin(search *s)
{
    for (uint32_t i = 0; i < s->model->entities.threads_count; i++) {
        const tm__thread *it = &s->model->entities.threads[i];

        s->now_ns[i] = s->least_ns[i] = TM__SLACK_ANY;
        /* One that was started and has not run yet did nothing late. */
        if (s->path->others_hold && it->last_ns != INT64_MIN &&
            it->last_ns <= s->path->end_ns && it->interval_count &&
            !(it->flags & (TM_THREAD_DAEMON | TM_THREAD_AGENT)))
            s->now_ns[i] = s->path->end_ns - it->last_ns;
    }
    for (uint32_t i = 0; i < s->model->intervals.interactions_count; i++)
        s->asked_ns[i] = TM__SLACK_ANY;
    if (s->path->thread == TM__NONE)
        return;
    s->now_ns[s->path->thread] = 0;
    for (uint32_t i = 0, at = s->path->thread;
         i < s->model->entities.threads_count && at != TM__NONE; i++)
        at = begin_blocked(s, at);
}

int tm__slack_find(int64_t *slack_ns, const tm_model *model, tm__memory *memory,
                   const tm__path *path)
{
    size_t now_bytes = (model->entities.threads_count + (size_t)1) * sizeof(int64_t);
    size_t asked_bytes =
        (model->intervals.interactions_count + (size_t)1) * sizeof(int64_t);
    search s = {.model = model, .path = path, .least_ns = slack_ns};
    tm__time_merge_point point;
    int rc = tm__time_merge_open(&s.merge, model, memory);

    s.now_ns = tm__resize(memory, NULL, 0, now_bytes);
    s.asked_ns = tm__resize(memory, NULL, 0, asked_bytes);
    if (rc == TM_OK && s.now_ns && s.asked_ns) {
        begin(&s);
        tm__time_merge_start(&s.merge, 1);
        while (tm__time_merge_next(&s.merge, &point)) {
            if (point.time_ns > path->end_ns)
                continue;
            if (point.is_wakeup)
                read_wakeup(&s, &point);
            else
                read_beginning(&s, point.thread, point.number);
        }
    } else {
        rc = TM_ENOMEM;
    }
    tm__free(memory, s.now_ns, now_bytes);
    tm__free(memory, s.asked_ns, asked_bytes);
    tm__time_merge_close(&s.merge);
    return rc;
}
