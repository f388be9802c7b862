/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The actions of threads at instants of their timelines, sorted: some marks an
 * interval, tens of millions of them. A signal counts where the thread that gave it
 * could act at that time, and another awaited it.
 */
#include "analysis/whatif/script_marks.h"

#include <string.h>

#include "analysis/timeline/wakeup_edge.h"
#include "base/error.h"
#include "model/intervals/interaction.h"

enum { RANK_SIGNALS, RANK_GIVES, RANK_TAKES, RANK_GIVES_AT_ONCE };

/* ---- pauses ---- */

tm__pause tm__pause_at(const tm_model *model, const tm__thread *thread, uint32_t first)
{
    tm__pause p = {.it = &thread->intervals[first], .first = first, .end = first + 1};

    while (p.end < thread->interval_count &&
           thread->intervals[p.end].flags & TM__INTERVAL_CONTINUES &&
           thread->intervals[p.end].state != TM_STATE_REENTERING &&
           tm__is_inert(thread->intervals[p.end].state))
        p.end++;
    p.is_over = p.end < thread->interval_count;
    p.end_ns = tm__interval_end_ns(model, thread, p.end - 1);
    return p;
}

/* The interval with which a thread begins to do something. */
uint32_t tm__begin_of(const tm__thread *thread)
{
    uint32_t first = 0;

    while (first < thread->interval_count &&
           thread->intervals[first].state == TM_STATE_NEW)
        first++;
    return first;
}

uint32_t tm__signal_thread(const tm__script *script, uint32_t signal)
{
    uint32_t rows = script->model->intervals.interactions_count;

    return signal < rows ? script->model->intervals.interactions[signal].from_thread
                         : script->signals->joins[signal - rows];
}

int tm__is_signal(const tm__script *script, uint32_t signal)
{
    if (signal == TM__NONE)
        return 0;
    return signal >= script->model->intervals.interactions_count ||
           script->signals->rows[signal] & TM__ROW_IN_TIME;
}

/* ---- marks ---- */

static void add_mark(tm__script_writer *w, uint32_t thread, tm__mark it)
{
    if (it.time_ns < w->script->begin_ns)
        it.time_ns = w->script->begin_ns;
    if (it.time_ns > w->script->end_ns ||
        (w->script->slice && !w->script->slice->threads[thread]))
        return;
    if (!w->is_counting)
        w->marks[w->first[thread]] = it;
    w->first[thread]++;
}

static void add_pair(tm__script_writer *w, uint32_t thread, uint32_t what,
                     int64_t start_ns, int64_t end_ns, int begins, int ends)
{
    int is_short = end_ns <= start_ns;

    add_mark(w, thread, (tm__mark){start_ns, what, (uint8_t)begins, RANK_TAKES});
    add_mark(w, thread,
             (tm__mark){end_ns, what, (uint8_t)ends,
                        is_short ? RANK_GIVES_AT_ONCE : RANK_GIVES});
}

uint32_t tm__span_place(const tm__script *script)
{
    return script->holds->places_count;
}

static void add_marks(tm__script_writer *w)
{
    const tm__script *script = w->script;
    const tm__holds *holds = script->holds;
    const tm__signals *signals = script->signals;
    uint32_t rows = script->model->intervals.interactions_count;

    for (uint32_t i = 0; i < signals->given_count; i++) {
        const tm__given_signal *it = &signals->given[i];

        if (tm__is_signal(script, it->row))
            add_mark(w, it->thread,
                     (tm__mark){it->from_ns, it->row, TM__STEP_SIGNAL, RANK_SIGNALS});
    }
    for (uint32_t i = 0; i < signals->joins_count; i++) {
        uint32_t peer = signals->joins[i];

        add_mark(w, peer,
                 (tm__mark){script->model->entities.threads[peer].end_ns, rows + i,
                            TM__STEP_SIGNAL, RANK_SIGNALS});
    }
    for (uint32_t i = 0; i < holds->items_count; i++) {
        const tm__replay_hold *it = &holds->items[i];

        if (it->is_handed || it->end_ns > it->start_ns)
            add_pair(w, it->owner, i, it->start_ns, it->end_ns, TM__STEP_ACQUIRE,
                     TM__STEP_RELEASE);
        if (it->until_ns > it->since_ns && !tm__hold_is_plain(it))
            add_pair(w, it->owner, it->place, it->since_ns, it->until_ns,
                     TM__STEP_ENTER, TM__STEP_LEAVE);
    }
    for (uint32_t i = 0; script->served && i < script->served->spans_count; i++) {
        const tm__span *it = &script->served->spans[i];

        if (script->served->permits && it->wait == TM__NONE)
            add_mark(w, it->thread,
                     (tm__mark){it->start_ns, TM__NONE, TM__STEP_ACQUIRE, RANK_TAKES});
        add_pair(w, it->thread, tm__span_place(script), it->start_ns, it->end_ns,
                 TM__STEP_ENTER, TM__STEP_LEAVE);
        if (script->served->permits)
            add_mark(w, it->thread,
                     (tm__mark){it->end_ns, TM__NONE, TM__STEP_RELEASE, RANK_GIVES});
    }
}

static int by_rank(const void *payload, uint32_t left, uint32_t right)
{
    const tm__mark *marks = payload;

    if (marks[left].rank != marks[right].rank)
        return marks[left].rank < marks[right].rank ? -1 : 1;
    return left < right ? -1 : left > right;
}

static void find_firsts(tm__script_writer *w)
{
    for (uint32_t i = 0, sum = 0; i <= w->model->entities.threads_count; i++) {
        uint32_t own = w->first[i];

        w->first[i] = sum;
        sum += own;
        w->mark_count = sum;
        if (own > w->most_marks)
            w->most_marks = own;
    }
}

/* The bounds differ in some marks. */
static size_t with_some_more(size_t count)
{
    return count + count / 16 + 1;
}

static int reserve_marks(tm__script_room *room, tm__memory *memory, size_t count)
{
    size_t old = room->capacity;

    if (count <= old && room->marks)
        return TM_OK;
    tm__free(memory, room->marks, old * sizeof(*room->marks));
    room->capacity = count = with_some_more(count);
    room->marks = tm__resize(memory, NULL, 0, count * sizeof(*room->marks));
    return room->marks ? TM_OK : TM_ENOMEM;
}

static int reserve_order(tm__script_room *room, tm__memory *memory, size_t count)
{
    size_t old = room->order_capacity;

    if (count <= old && room->order && room->spare)
        return TM_OK;
    tm__free(memory, room->order, old * sizeof(*room->order));
    tm__free(memory, room->spare, old * sizeof(*room->spare));
    room->order_capacity = count = with_some_more(count);
    room->order = tm__resize(memory, NULL, 0, count * sizeof(*room->order));
    room->spare = tm__resize(memory, NULL, 0, count * sizeof(*room->spare));
    return room->order && room->spare ? TM_OK : TM_ENOMEM;
}

static tm__script_room *room_of(tm__script *script)
{
    size_t firsts = (size_t)script->model->entities.threads_count + 1;
    tm__script_room *room = script->room;

    if (!room)
        room = script->room = tm__zalloc(script->memory, sizeof(*room));
    if (room && !room->first)
        room->first = tm__zalloc(script->memory, firsts * sizeof(*room->first));
    return room && room->first ? room : NULL;
}

int tm__marks_gather(tm__script_writer *w)
{
    uint32_t threads = w->model->entities.threads_count;
    tm__script_room *room = room_of(w->script);

    if (!room)
        return tm__failure();
    w->first = room->first;
    memset(w->first, 0, ((size_t)threads + 1) * sizeof(*w->first));
    w->is_counting = 1;
    add_marks(w);
    find_firsts(w);
    if (reserve_marks(room, w->script->memory, w->mark_count) < 0 ||
        reserve_order(room, w->script->memory, w->most_marks) < 0)
        return tm__failure();
    w->marks = room->marks;
    w->order = room->order;
    w->is_counting = 0;
    add_marks(w);
    /* Each thread's first has become the next one's. */
    for (uint32_t i = threads; i > 0; i--)
        w->first[i] = w->first[i - 1];
    w->first[0] = 0;
    return TM_OK;
}

void tm__marks_sort(tm__script_writer *w, uint32_t thread)
{
    uint32_t first = w->first[thread];

    w->at = 0;
    w->end = w->first[thread + 1] - first;
    for (uint32_t i = 0; i < w->end; i++)
        w->order[i] = (tm__sortable){w->marks[first + i].time_ns, first + i};
    tm__sort(w->order, w->script->room->spare, w->end, by_rank, w->marks);
}

int tm__ends_in_hold(const tm__script_writer *w, const tm__pause *p)
{
    for (uint32_t i = w->at; i < w->end; i++) {
        const tm__mark *it = &w->marks[w->order[i].number];

        if (it->time_ns > p->end_ns)
            return 0;
        if (it->time_ns == p->end_ns && it->kind == TM__STEP_ACQUIRE &&
            it->what != TM__NONE && w->script->holds->items[it->what].is_handed &&
            w->script->holds->items[it->what].object == p->it->object)
            return 1;
    }
    return 0;
}

int tm__parks_again(const tm__thread *thread, const tm__pause *p)
{
    uint32_t next = p->end;

    if (p->it->state != TM_STATE_PARKED)
        return 0;
    while (next < thread->interval_count &&
           !tm__is_inert(thread->intervals[next].state))
        next++;
    return next < thread->interval_count &&
           tm__is_lock_block(&thread->intervals[next]) &&
           thread->intervals[next].state == TM_STATE_PARKED &&
           thread->intervals[next].object == p->it->object;
}

void tm__marks_free(tm__script *script)
{
    tm__memory *memory = script->memory;
    tm__script_room *room = script->room;

    if (!room)
        return;
    tm__free(memory, room->marks, room->capacity * sizeof(*room->marks));
    tm__free(memory, room->order, room->order_capacity * sizeof(*room->order));
    tm__free(memory, room->spare, room->order_capacity * sizeof(*room->spare));
    tm__free(memory, room->first,
             ((size_t)script->model->entities.threads_count + 1) *
                 sizeof(*room->first));
    tm__free(memory, room, sizeof(*room));
    script->room = NULL;
}
