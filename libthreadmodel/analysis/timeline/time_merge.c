/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merging the timelines of hundreds of threads, ten million intervals in all: a heap
 * of the threads by the time of the next point of each. Timelines are sorted;
 * the wake-ups of each thread nearly are, and take four bytes each.
 *
 * At one time in one thread, intervals in which it can wake others begin before its
 * wake-ups, and those in which it cannot after them. Between threads the order of one
 * instant is open: a point that needs another of its time yields to that.
 */
#include "analysis/timeline/time_merge.h"

#include "analysis/timeline/wakeup_edge.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"

/* Chains of hand-overs within one instant are seldom longer. */
enum { TURNS = 4 };

int tm__time_merge_has(const tm__interaction *row)
{
    return row->from_thread != TM__NONE && row->to_thread != TM__NONE &&
           row->from_thread != row->to_thread && row->from_ns != INT64_MIN &&
           row->to_ns != INT64_MIN && row->from_ns <= row->to_ns &&
           (row->effect == TM__EFFECT_WOKE || row->effect == TM__EFFECT_PERMIT);
}

static int64_t wakeup_ns(const tm__time_merge *merge, uint32_t wakeup)
{
    return tm__row(merge->model, merge->wakeups[wakeup])->from_ns;
}

static int goes_after(const tm__time_merge *merge, uint32_t left, uint32_t right)
{
    int64_t a = tm__row(merge->model, left)->from_ns;
    int64_t b = tm__row(merge->model, right)->from_ns;

    return a != b ? a > b : left > right;
}

static void sift(const tm__time_merge *merge, uint32_t *wakeups, size_t root,
                 size_t count)
{
    uint32_t moved = wakeups[root];

    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && goes_after(merge, wakeups[child + 1], wakeups[child]))
            child++;
        if (!goes_after(merge, wakeups[child], moved))
            break;
        wakeups[root] = wakeups[child];
    }
    wakeups[root] = moved;
}

/* Heap sort, for it needs no memory, and almost no thread needs it. */
static void sort_wakeups(const tm__time_merge *merge, uint32_t *wakeups, size_t count)
{
    size_t sorted = 1;

    while (sorted < count && !goes_after(merge, wakeups[sorted - 1], wakeups[sorted]))
        sorted++;
    if (sorted >= count)
        return;
    for (size_t i = count / 2; i > 0; i--)
        sift(merge, wakeups, i - 1, count);
    for (size_t i = count; i > 1; i--) {
        uint32_t last = wakeups[i - 1];

        wakeups[i - 1] = wakeups[0];
        wakeups[0] = last;
        sift(merge, wakeups, 0, i - 1);
    }
}

static void gather_wakeups(tm__time_merge *merge)
{
    const tm_model *model = merge->model;
    uint32_t *first = merge->wakeup_first;

    for (uint32_t i = 0; i < model->intervals.interactions_count; i++)
        if (tm__time_merge_has(&model->intervals.interactions[i]))
            first[model->intervals.interactions[i].from_thread]++;
    for (uint32_t i = 0, sum = 0; i <= merge->thread_count; i++) {
        sum += first[i];
        first[i] = sum;
    }
    for (uint32_t i = model->intervals.interactions_count; i > 0; i--)
        if (tm__time_merge_has(&model->intervals.interactions[i - 1]))
            merge->wakeups[--first[model->intervals.interactions[i - 1].from_thread]] =
                model->intervals.interactions_first + i - 1;
    for (uint32_t i = 0; i < merge->thread_count; i++)
        sort_wakeups(merge, merge->wakeups + first[i], first[i + 1] - first[i]);
}

static int open_merge(tm__time_merge *merge, const tm_model *model, tm__memory *memory,
                      uint32_t wakeup_count)
{
    size_t count = model->entities.threads_count;

    *merge = (tm__time_merge){.model = model,
                              .memory = memory,
                              .thread_count = model->entities.threads_count,
                              .wakeup_count = wakeup_count};
    merge->wakeup_first =
        tm__zalloc(memory, (count + 1) * sizeof(*merge->wakeup_first));
    merge->wakeups =
        tm__zalloc(memory, (merge->wakeup_count + 1) * sizeof(*merge->wakeups));
    merge->threads = tm__zalloc(memory, (count + 1) * sizeof(*merge->threads));
    merge->heap = tm__zalloc(memory, (count + 1) * sizeof(*merge->heap));
    return merge->wakeup_first && merge->wakeups && merge->threads && merge->heap
               ? TM_OK
               : TM_ENOMEM;
}

int tm__time_merge_open(tm__time_merge *merge, const tm_model *model,
                        tm__memory *memory)
{
    uint32_t wakeups = 0;
    int rc;

    for (uint32_t i = 0; i < model->intervals.interactions_count; i++)
        wakeups += (uint32_t)tm__time_merge_has(&model->intervals.interactions[i]);
    rc = open_merge(merge, model, memory, wakeups);
    if (rc == TM_OK)
        gather_wakeups(merge);
    return rc;
}

int tm__time_merge_open_intervals(tm__time_merge *merge, const tm_model *model,
                                  tm__memory *memory)
{
    return open_merge(merge, model, memory, 0);
}

/* The next point of a thread; 0 for nothing. */
static int next_of(const tm__time_merge *merge, uint32_t thread,
                   tm__time_merge_point *point)
{
    const tm__thread *it = &merge->model->entities.threads[thread];
    const tm__time_merge_thread *at = &merge->threads[thread];
    uint32_t interval = at->interval, wakeup = at->wakeup;
    int has_interval, has_wakeup;

    if (merge->backward) {
        has_interval = interval > 0;
        has_wakeup = wakeup > merge->wakeup_first[thread];
        interval--;
        wakeup--;
    } else {
        has_interval = interval < it->interval_count;
        has_wakeup = wakeup < merge->wakeup_first[thread + 1];
    }
    if (!has_interval && !has_wakeup)
        return 0;
    *point = (tm__time_merge_point){.thread = thread, .is_wakeup = !has_interval};
    if (has_interval && has_wakeup) {
        int64_t interval_ns = it->intervals[interval].start_ns;
        int64_t when_ns = wakeup_ns(merge, wakeup);

        if (when_ns == interval_ns)
            point->is_wakeup =
                tm__is_inert(it->intervals[interval].state) != merge->backward;
        else
            point->is_wakeup = (when_ns < interval_ns) != merge->backward;
    }
    point->number = point->is_wakeup ? merge->wakeups[wakeup] : interval;
    point->time_ns =
        point->is_wakeup ? wakeup_ns(merge, wakeup) : it->intervals[interval].start_ns;
    return 1;
}

static int goes_first(const tm__time_merge_entry *left,
                      const tm__time_merge_entry *right)
{
    if (left->key_ns != right->key_ns)
        return left->key_ns < right->key_ns;
    if (left->turn != right->turn)
        return left->turn < right->turn;
    return left->thread < right->thread;
}

static void sink(tm__time_merge *merge, uint32_t root)
{
    tm__time_merge_entry *heap = merge->heap, moved = heap[root];

    for (uint32_t child; (child = 2 * root + 1) < merge->heap_count; root = child) {
        if (child + 1 < merge->heap_count && goes_first(&heap[child + 1], &heap[child]))
            child++;
        if (!goes_first(&heap[child], &moved))
            break;
        heap[root] = heap[child];
    }
    heap[root] = moved;
}

static int64_t key_of(const tm__time_merge *merge, const tm__time_merge_point *point)
{
    return merge->backward ? -point->time_ns : point->time_ns;
}

/* Forward, a monitor is released and acquired before others of that instant want it. */
static uint32_t turn_of(const tm__time_merge *merge, const tm__time_merge_point *point)
{
    const tm__thread *it = &merge->model->entities.threads[point->thread];

    if (merge->backward || point->is_wakeup ||
        !tm__is_inert(it->intervals[point->number].state))
        return 0;
    return TURNS + 1;
}

void tm__time_merge_start(tm__time_merge *merge, int backward)
{
    tm__time_merge_point point;

    merge->backward = backward;
    merge->heap_count = 0;
    merge->is_visited = 0;
    for (uint32_t i = 0; i < merge->thread_count; i++) {
        merge->threads[i].interval =
            backward ? merge->model->entities.threads[i].interval_count : 0;
        merge->threads[i].wakeup = merge->wakeup_first[i + (backward ? 1 : 0)];
        if (next_of(merge, i, &point))
            merge->heap[merge->heap_count++] =
                (tm__time_merge_entry){.key_ns = key_of(merge, &point),
                                       .thread = i,
                                       .turn = turn_of(merge, &point)};
    }
    for (uint32_t i = merge->heap_count / 2; i > 0; i--)
        sink(merge, i - 1);
}

/* The first point of the heap was read: its thread's next takes its place. */
static void pass_first(tm__time_merge *merge)
{
    tm__time_merge_entry *first = &merge->heap[0];
    tm__time_merge_thread *at = &merge->threads[first->thread];
    tm__time_merge_point point;
    uint32_t by = merge->backward ? UINT32_MAX : 1; /* one down, or one up */

    if (!next_of(merge, first->thread, &point))
        return;
    if (point.is_wakeup)
        at->wakeup += by;
    else
        at->interval += by;
    if (next_of(merge, first->thread, &point)) {
        first->key_ns = key_of(merge, &point);
        first->turn = turn_of(merge, &point);
    } else {
        *first = merge->heap[--merge->heap_count];
    }
    if (merge->heap_count)
        sink(merge, 0);
}

int tm__time_merge_next(tm__time_merge *merge, tm__time_merge_point *point)
{
    if (merge->is_visited)
        pass_first(merge);
    merge->is_visited = merge->heap_count > 0;
    return merge->is_visited && next_of(merge, merge->heap[0].thread, point);
}

int tm__time_merge_defer(tm__time_merge *merge)
{
    if (merge->heap[0].turn >= TURNS)
        return 0;
    merge->heap[0].turn++;
    merge->is_visited = 0;
    sink(merge, 0);
    return 1;
}

uint32_t tm__time_merge_wakeup(const tm__time_merge *merge, uint32_t row)
{
    const tm__interaction *it = tm__row(merge->model, row);
    uint32_t low, high;

    if (!tm__time_merge_has(it))
        return TM__NONE;
    low = merge->wakeup_first[it->from_thread];
    high = merge->wakeup_first[it->from_thread + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (goes_after(merge, row, merge->wakeups[middle]))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int tm__time_merge_is_coming(const tm__time_merge *merge, uint32_t thread,
                             int64_t time_ns)
{
    tm__time_merge_point point;

    return next_of(merge, thread, &point) && point.time_ns == time_ns &&
           !point.is_wakeup &&
           !tm__is_inert(
               merge->model->entities.threads[thread].intervals[point.number].state);
}

int64_t tm__time_merge_able_ns(const tm__time_merge *merge, uint32_t thread,
                               int64_t time_ns)
{
    const tm__interval *intervals = merge->model->entities.threads[thread].intervals;
    uint32_t begun = merge->threads[thread].interval;
    int64_t able_ns = time_ns;

    /* A wait and its re-entering are two; a program never has more in a row. */
    for (int i = 0; i < TURNS && begun > 0; i++, begun--) {
        if (!tm__is_inert(intervals[begun - 1].state))
            break;
        if (intervals[begun - 1].start_ns < able_ns)
            able_ns = intervals[begun - 1].start_ns;
    }
    return able_ns;
}

void tm__time_merge_close(tm__time_merge *merge)
{
    size_t count = merge->thread_count;

    tm__free(merge->memory, merge->wakeup_first,
             (count + 1) * sizeof(*merge->wakeup_first));
    tm__free(merge->memory, merge->wakeups,
             ((size_t)merge->wakeup_count + 1) * sizeof(*merge->wakeups));
    tm__free(merge->memory, merge->threads, (count + 1) * sizeof(*merge->threads));
    tm__free(merge->memory, merge->heap, (count + 1) * sizeof(*merge->heap));
    merge->wakeup_first = merge->wakeups = NULL;
    merge->threads = NULL;
    merge->heap = NULL;
}
