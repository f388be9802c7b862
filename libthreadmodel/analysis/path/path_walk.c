/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/path/path_walk.h"

#include "base/search.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"

/* Beginnings in one instant of one thread that are looked at; programs have two. */
enum { AT_ONCE = 8 };

uint32_t tm__walk_locate(tm__walk *w, uint32_t thread, int64_t time_ns)
{
    const tm__interval *intervals = w->model->entities.threads[thread].intervals;
    tm__walk_cursor *it = &w->cursors[thread];
    uint32_t high = it->next, step = 1, low;

    if (!high || intervals[high - 1].start_ns < time_ns)
        return high ? high - 1 : TM__NONE;
    while (step < high && intervals[high - step].start_ns >= time_ns)
        step *= 2;
    low = step < high ? high - step : 0;
    high -= step / 2;
    it->next = TM__FIRST_FROM(intervals, tm__interval, start_ns, low, high, time_ns);
    return it->next ? it->next - 1 : TM__NONE;
}

void tm__walk_find_blocking(tm__walk *w, uint32_t interval)
{
    const tm__thread *thread = &w->model->entities.threads[w->thread];
    tm__walk_cursor *it = &w->cursors[w->thread];

    if (interval >= it->first && interval < it->end)
        return;
    it->first = tm__interval_first_blocking(thread, interval);
    it->end = tm__interval_after_blocking(thread, interval);
}

/* Whether a thread begins to be able to wake others at just this instant. */
static int is_able_from(const tm__thread *thread, uint32_t interval, int64_t time_ns)
{
    for (int i = 0; i < AT_ONCE && interval < thread->interval_count; i++, interval++) {
        if (thread->intervals[interval].start_ns != time_ns)
            return 0;
        if (!tm__is_inert(thread->intervals[interval].state))
            return 1;
    }
    return 0;
}

int64_t tm__walk_last_able_ns(tm__walk *w, uint32_t thread, int64_t time_ns)
{
    const tm__interval *intervals = w->model->entities.threads[thread].intervals;
    uint32_t at = tm__walk_locate(w, thread, time_ns);
    tm__walk_cursor *it = &w->cursors[thread];

    if (at == TM__NONE || !tm__is_inert(intervals[at].state) ||
        is_able_from(&w->model->entities.threads[thread], at + 1, time_ns))
        return time_ns;
    if (at < it->stopped || at >= it->ended) {
        it->ended = at + 1;
        while (at > 0 && tm__is_inert(intervals[at - 1].state))
            at--;
        it->stopped = at;
    }
    return intervals[it->stopped].start_ns;
}
