/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merging the timelines of hundreds of threads, ten million intervals in all: a heap
 * of the threads by the time of the next that each has to tell. Timelines are sorted;
 * the acts of each thread nearly are, and take four bytes each.
 *
 * At one time in one thread, intervals in which it can act begin before its acts, and
 * those in which it cannot after them. Between threads the order of one instant is
 * open: a point that needs another of its time lets that go first.
 */
#include "analysis/timeline/time_merge.h"

#include "analysis/timeline/wakeup_edge.h"
#include "model/interval.h"
#include "model/thread.h"

/* Chains of hand-overs within one instant are seldom longer. */
enum { TURNS = 4 };

int tm__march_has(const tm__interaction *row)
{
    return row->from_thread != TM__NONE && row->to_thread != TM__NONE &&
           row->from_thread != row->to_thread && row->from_ns != INT64_MIN &&
           row->to_ns != INT64_MIN && row->from_ns <= row->to_ns &&
           (row->effect == TM__EFFECT_WOKE || row->effect == TM__EFFECT_PERMIT);
}

static int64_t act_ns(const tm__march *march, uint32_t act)
{
    return tm__row(march->model, march->acts[act])->from_ns;
}

static int goes_after(const tm__march *march, uint32_t left, uint32_t right)
{
    int64_t a = tm__row(march->model, left)->from_ns;
    int64_t b = tm__row(march->model, right)->from_ns;

    return a != b ? a > b : left > right;
}

static void sift(const tm__march *march, uint32_t *acts, size_t root, size_t count)
{
    uint32_t moved = acts[root];

    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && goes_after(march, acts[child + 1], acts[child]))
            child++;
        if (!goes_after(march, acts[child], moved))
            break;
        acts[root] = acts[child];
    }
    acts[root] = moved;
}

/* Heap sort, for it needs no memory, and almost no thread needs it. */
static void sort_acts(const tm__march *march, uint32_t *acts, size_t count)
{
    size_t sorted = 1;

    while (sorted < count && !goes_after(march, acts[sorted - 1], acts[sorted]))
        sorted++;
    if (sorted >= count)
        return;
    for (size_t i = count / 2; i > 0; i--)
        sift(march, acts, i - 1, count);
    for (size_t i = count; i > 1; i--) {
        uint32_t last = acts[i - 1];

        acts[i - 1] = acts[0];
        acts[0] = last;
        sift(march, acts, 0, i - 1);
    }
}

static void gather_acts(tm__march *march)
{
    const tm_model *model = march->model;
    uint32_t *first = march->act_first;

    for (uint32_t i = 0; i < model->interactions_count; i++)
        if (tm__march_has(&model->interactions[i]))
            first[model->interactions[i].from_thread]++;
    for (uint32_t i = 0, sum = 0; i <= march->thread_count; i++) {
        sum += first[i];
        first[i] = sum;
    }
    for (uint32_t i = model->interactions_count; i > 0; i--)
        if (tm__march_has(&model->interactions[i - 1]))
            march->acts[--first[model->interactions[i - 1].from_thread]] =
                model->interactions_first + i - 1;
    for (uint32_t i = 0; i < march->thread_count; i++)
        sort_acts(march, march->acts + first[i], first[i + 1] - first[i]);
}

int tm__march_open(tm__march *march, const tm_model *model, tm__memory *memory)
{
    size_t count = model->threads_count;

    *march = (tm__march){.model = model, .memory = memory};
    march->thread_count = model->threads_count;
    for (uint32_t i = 0; i < model->interactions_count; i++)
        march->act_count += (uint32_t)tm__march_has(&model->interactions[i]);
    march->act_first = tm__zalloc(memory, (count + 1) * sizeof(*march->act_first));
    march->acts = tm__zalloc(memory, (march->act_count + 1) * sizeof(*march->acts));
    march->threads = tm__zalloc(memory, (count + 1) * sizeof(*march->threads));
    march->heap = tm__zalloc(memory, (count + 1) * sizeof(*march->heap));
    if (!march->act_first || !march->acts || !march->threads || !march->heap)
        return TM_ENOMEM;
    gather_acts(march);
    return TM_OK;
}

/* What a thread has to tell next; 0 for nothing. */
static int next_of(const tm__march *march, uint32_t thread, tm__march_point *point)
{
    const tm__thread *it = &march->model->threads[thread];
    const tm__march_thread *at = &march->threads[thread];
    uint32_t interval = at->interval, act = at->act;
    int has_interval, has_act;

    if (march->backward) {
        has_interval = interval > 0;
        has_act = act > march->act_first[thread];
        interval--;
        act--;
    } else {
        has_interval = interval < it->interval_count;
        has_act = act < march->act_first[thread + 1];
    }
    if (!has_interval && !has_act)
        return 0;
    *point = (tm__march_point){.thread = thread, .is_act = !has_interval};
    if (has_interval && has_act) {
        int64_t interval_ns = it->intervals[interval].start_ns;
        int64_t when_ns = act_ns(march, act);

        if (when_ns == interval_ns)
            point->is_act =
                tm__is_inert(it->intervals[interval].state) != march->backward;
        else
            point->is_act = (when_ns < interval_ns) != march->backward;
    }
    point->number = point->is_act ? march->acts[act] : interval;
    point->time_ns =
        point->is_act ? act_ns(march, act) : it->intervals[interval].start_ns;
    return 1;
}

static int goes_first(const tm__march_entry *left, const tm__march_entry *right)
{
    if (left->key_ns != right->key_ns)
        return left->key_ns < right->key_ns;
    if (left->turn != right->turn)
        return left->turn < right->turn;
    return left->thread < right->thread;
}

static void sink(tm__march *march, uint32_t root)
{
    tm__march_entry *heap = march->heap, moved = heap[root];

    for (uint32_t child; (child = 2 * root + 1) < march->heap_count; root = child) {
        if (child + 1 < march->heap_count && goes_first(&heap[child + 1], &heap[child]))
            child++;
        if (!goes_first(&heap[child], &moved))
            break;
        heap[root] = heap[child];
    }
    heap[root] = moved;
}

static int64_t key_of(const tm__march *march, const tm__march_point *point)
{
    return march->backward ? -point->time_ns : point->time_ns;
}

/* Forward, a monitor is let go and got before others of that instant want it. */
static uint32_t turn_of(const tm__march *march, const tm__march_point *point)
{
    const tm__thread *it = &march->model->threads[point->thread];

    if (march->backward || point->is_act ||
        !tm__is_inert(it->intervals[point->number].state))
        return 0;
    return TURNS + 1;
}

void tm__march_start(tm__march *march, int backward)
{
    tm__march_point point;

    march->backward = backward;
    march->heap_count = 0;
    march->is_taken = 0;
    for (uint32_t i = 0; i < march->thread_count; i++) {
        march->threads[i].interval =
            backward ? march->model->threads[i].interval_count : 0;
        march->threads[i].act = march->act_first[i + (backward ? 1 : 0)];
        if (next_of(march, i, &point))
            march->heap[march->heap_count++] =
                (tm__march_entry){.key_ns = key_of(march, &point),
                                  .thread = i,
                                  .turn = turn_of(march, &point)};
    }
    for (uint32_t i = march->heap_count / 2; i > 0; i--)
        sink(march, i - 1);
}

/* The first of the heap was told: its thread's next takes its place. */
static void pass_first(tm__march *march)
{
    tm__march_entry *first = &march->heap[0];
    tm__march_thread *at = &march->threads[first->thread];
    tm__march_point point;
    uint32_t by = march->backward ? UINT32_MAX : 1; /* one down, or one up */

    if (!next_of(march, first->thread, &point))
        return;
    if (point.is_act)
        at->act += by;
    else
        at->interval += by;
    if (next_of(march, first->thread, &point)) {
        first->key_ns = key_of(march, &point);
        first->turn = turn_of(march, &point);
    } else {
        *first = march->heap[--march->heap_count];
    }
    if (march->heap_count)
        sink(march, 0);
}

int tm__march_next(tm__march *march, tm__march_point *point)
{
    if (march->is_taken)
        pass_first(march);
    march->is_taken = march->heap_count > 0;
    return march->is_taken && next_of(march, march->heap[0].thread, point);
}

int tm__march_defer(tm__march *march)
{
    if (march->heap[0].turn >= TURNS)
        return 0;
    march->heap[0].turn++;
    march->is_taken = 0;
    sink(march, 0);
    return 1;
}

uint32_t tm__march_act(const tm__march *march, uint32_t row)
{
    const tm__interaction *it = tm__row(march->model, row);
    uint32_t low, high;

    if (!tm__march_has(it))
        return TM__NONE;
    low = march->act_first[it->from_thread];
    high = march->act_first[it->from_thread + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (goes_after(march, row, march->acts[middle]))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int tm__march_is_coming(const tm__march *march, uint32_t thread, int64_t time_ns)
{
    tm__march_point point;

    return next_of(march, thread, &point) && point.time_ns == time_ns &&
           !point.is_act &&
           !tm__is_inert(march->model->threads[thread].intervals[point.number].state);
}

int64_t tm__march_able_ns(const tm__march *march, uint32_t thread, int64_t time_ns)
{
    const tm__interval *intervals = march->model->threads[thread].intervals;
    uint32_t begun = march->threads[thread].interval;
    int64_t able_ns = time_ns;

    /* A wait and its re-entering are two; more in a row are no program's. */
    for (int i = 0; i < TURNS && begun > 0; i++, begun--) {
        if (!tm__is_inert(intervals[begun - 1].state))
            break;
        if (intervals[begun - 1].start_ns < able_ns)
            able_ns = intervals[begun - 1].start_ns;
    }
    return able_ns;
}

void tm__march_close(tm__march *march)
{
    size_t count = march->thread_count;

    tm__free(march->memory, march->act_first, (count + 1) * sizeof(*march->act_first));
    tm__free(march->memory, march->acts,
             ((size_t)march->act_count + 1) * sizeof(*march->acts));
    tm__free(march->memory, march->threads, (count + 1) * sizeof(*march->threads));
    tm__free(march->memory, march->heap, (count + 1) * sizeof(*march->heap));
    march->act_first = march->acts = NULL;
    march->threads = NULL;
    march->heap = NULL;
}
