/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What threads do at which instants of their timelines, sorted: some marks an interval,
 * tens of millions of them. A signal counts where the thread that gave it could act at
 * that time, and another awaited it.
 */
#include "analysis/whatif/script_marks.h"

#include <string.h>

#include "analysis/timeline/wakeup_edge.h"
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

static int is_wakeup(int kind)
{
    return kind != TM_INTERACTION_HANDOFF && kind != TM_INTERACTION_START &&
           kind != TM_INTERACTION_TIMEOUT;
}

/* The row, from 0, that ended a pause or began a thread; TM__NONE: nothing tells. */
static uint32_t signal_of(const tm_model *model, uint32_t thread, uint32_t interval)
{
    tm__wakeup_edge edge = tm__wakeup_edge_to(model, thread, interval);

    if (edge.row == TM__NONE || edge.from == TM__NONE || edge.from == thread ||
        edge.from_ns == INT64_MIN)
        return TM__NONE;
    return edge.row - model->intervals.interactions_first;
}

static uint32_t row_after(const tm_model *model, uint32_t thread, const tm__pause *p)
{
    const tm__thread *it = &model->entities.threads[thread];
    uint32_t row;

    if (!p->is_over || tm__is_lock_block(p->it) || p->it->state == TM_STATE_SLEEPING ||
        (p->it->flags | it->intervals[p->end - 1].flags) & TM__INTERVAL_TIMED_OUT)
        return TM__NONE;
    row = signal_of(model, thread, p->end);
    return row != TM__NONE && is_wakeup(model->intervals.interactions[row].kind)
               ? row
               : TM__NONE;
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

/* The row, from 0, by which a thread was started; TM__NONE: nothing tells. */
static uint32_t starting_row(const tm_model *model, uint32_t thread)
{
    const tm__thread *it = &model->entities.threads[thread];
    uint32_t first = tm__begin_of(it), row;

    if (first >= it->interval_count || it->interval_first)
        return TM__NONE;
    row = signal_of(model, thread, first);
    return row != TM__NONE &&
                   model->intervals.interactions[row].kind == TM_INTERACTION_START
               ? row
               : TM__NONE;
}

/* The thread that a pause is a join of, if it had ended by then: in a replay it may end
 * later than the join begins. TM__NONE: it is no such join. */
static uint32_t ended_peer(const tm__script *script, uint32_t thread,
                           const tm__pause *p)
{
    uint32_t peer = p->it->peer;
    const tm__thread *it;

    if (p->it->state != TM_STATE_JOINING || peer == TM__NONE || peer == thread)
        return TM__NONE;
    it = &script->model->entities.threads[peer];
    return it->end_ns != INT64_MIN && it->interval_count &&
                   it->end_ns >= it->intervals[0].start_ns && it->end_ns <= p->end_ns &&
                   it->end_ns <= script->end_ns &&
                   (it->end_ns <= p->it->start_ns ||
                    !(p->it->flags & TM__INTERVAL_TIMED_OUT))
               ? peer
               : TM__NONE;
}

/* ---- rows ---- */

static int add_ender(tm__signals *signals, tm__memory *memory, uint32_t signal)
{
    if (tm__reserve(memory, &signals->enders, &signals->enders_capacity,
                    (size_t)signals->enders_count + 1, sizeof(uint32_t)) < 0)
        return TM_ENOMEM;
    signals->enders[signals->enders_count++] = signal;
    return TM_OK;
}

static int add_row(tm__signals *signals, tm__memory *memory, uint32_t row)
{
    if (row != TM__NONE)
        signals->rows[row] |= TM__ROW_AWAITED;
    return add_ender(signals, memory, row);
}

static int add_join(tm__signals *signals, const tm__script *script, uint32_t peer)
{
    if (tm__reserve(script->memory, &signals->joins, &signals->joins_capacity,
                    (size_t)signals->joins_count + 1, sizeof(uint32_t)) < 0)
        return TM_ENOMEM;
    signals->joins[signals->joins_count++] = peer;
    return add_ender(signals, script->memory,
                     script->model->intervals.interactions_count +
                         signals->joins_count - 1);
}

static int add_pause(tm__signals *signals, const tm__script *script, uint32_t thread,
                     const tm__pause *p)
{
    uint32_t row = row_after(script->model, thread, p), peer = TM__NONE;

    if (row == TM__NONE)
        peer = ended_peer(script, thread, p);
    return peer != TM__NONE ? add_join(signals, script, peer)
                            : add_row(signals, script->memory, row);
}

static int find_enders(tm__signals *signals, const tm__script *script)
{
    const tm_model *model = script->model;
    int rc = TM_OK;

    for (uint32_t t = 0; rc == TM_OK && t < model->entities.threads_count; t++) {
        const tm__thread *it = &model->entities.threads[t];

        signals->first[t] = signals->enders_count;
        rc = add_row(signals, script->memory, starting_row(model, t));
        for (uint32_t i = tm__begin_of(it); rc == TM_OK && i < it->interval_count;
             i++) {
            tm__pause p;

            if (!tm__is_inert(it->intervals[i].state))
                continue;
            p = tm__pause_at(model, it, i);
            rc = add_pause(signals, script, t, &p);
            i = p.end - 1;
        }
    }
    return rc;
}

/* A thread that is not free at that time cannot have done it by itself. */
static int could_act(const tm_model *model, const tm__interaction *row)
{
    const tm__thread *thread = &model->entities.threads[row->from_thread];
    uint32_t at = tm__interval_at(thread, row->from_ns);
    const tm__interval *it;

    if (at == TM__NONE)
        return 0;
    it = &thread->intervals[at];
    if (!tm__is_inert(it->state))
        return 1;
    return it->start_ns == row->from_ns &&
           (at == 0 || !tm__is_inert(it[-1].state) || it[-1].state == TM_STATE_NEW);
}

static void note_in_time(tm__signals *signals, const tm__script *script)
{
    const tm_model *model = script->model;

    for (uint32_t i = 0; i < model->intervals.interactions_count; i++) {
        const tm__interaction *row = &model->intervals.interactions[i];

        if (signals->rows[i] & TM__ROW_AWAITED && row->from_ns <= script->end_ns &&
            could_act(model, row))
            signals->rows[i] |= TM__ROW_IN_TIME;
    }
}

/* The thread that had ended before it was joined. */
static uint32_t joined_by(const tm__script *script, uint32_t signal)
{
    return script->signals->joins[signal - script->model->intervals.interactions_count];
}

int tm__is_signal(const tm__script *script, uint32_t signal)
{
    if (signal == TM__NONE)
        return 0;
    return signal >= script->model->intervals.interactions_count ||
           script->signals->rows[signal] & TM__ROW_IN_TIME;
}

int64_t tm__signal_ns(const tm__script *script, uint32_t signal)
{
    const tm_model *model = script->model;

    return signal < model->intervals.interactions_count
               ? model->intervals.interactions[signal].from_ns
               : model->entities.threads[joined_by(script, signal)].end_ns;
}

/* Rows that give a permit to the wait that they ended. Where uses are known, the end of
 * a use does. */
static void note_permits(tm__signals *signals, const tm__script *script)
{
    const tm_model *model = script->model;
    const tm__served *served = script->served;

    for (uint32_t i = 0; served && i < served->resources->waits_count; i++) {
        uint32_t row =
            served->resources->waits[i].row - model->intervals.interactions_first;

        if (row >= model->intervals.interactions_count)
            continue;
        if (served->roles[i] == TM__WAIT_LOST ||
            (served->roles[i] == TM__WAIT_PERMIT && served->permits))
            signals->rows[row] = 0;
        else if (served->roles[i] == TM__WAIT_PERMIT)
            signals->rows[row] |= TM__ROW_PERMIT;
    }
}

int tm__signals_find(tm__signals *signals, const tm__script *script)
{
    const tm_model *model = script->model;
    int rc;

    signals->rows =
        tm__zalloc(script->memory, (size_t)model->intervals.interactions_count + 1);
    signals->first = tm__zalloc(
        script->memory, ((size_t)model->entities.threads_count + 1) * sizeof(uint32_t));
    if (!signals->rows || !signals->first)
        return TM_ENOMEM;
    rc = find_enders(signals, script);
    note_in_time(signals, script);
    note_permits(signals, script);
    return rc;
}

void tm__signals_free(tm__signals *signals, const tm_model *model, tm__memory *memory)
{
    tm__free(memory, signals->rows, (size_t)model->intervals.interactions_count + 1);
    tm__free(memory, signals->first,
             ((size_t)model->entities.threads_count + 1) * sizeof(uint32_t));
    tm__free(memory, signals->enders, signals->enders_capacity * sizeof(uint32_t));
    tm__free(memory, signals->joins, signals->joins_capacity * sizeof(uint32_t));
    *signals = (tm__signals){0};
}

/* ---- marks ---- */

static void add_mark(tm__script_writer *w, uint32_t thread, tm__mark it)
{
    if (it.time_ns < w->script->begin_ns)
        it.time_ns = w->script->begin_ns;
    if (it.time_ns > w->script->end_ns)
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

    for (uint32_t i = 0; i < tm__script_signal_count(script); i++)
        if (tm__is_signal(script, i))
            add_mark(
                w,
                i < w->model->intervals.interactions_count
                    ? w->model->intervals.interactions[i].from_thread
                    : joined_by(script, i),
                (tm__mark){tm__signal_ns(script, i), i, TM__STEP_SIGNAL, RANK_SIGNALS});
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
        return TM_ENOMEM;
    w->first = room->first;
    memset(w->first, 0, ((size_t)threads + 1) * sizeof(*w->first));
    w->is_counting = 1;
    add_marks(w);
    find_firsts(w);
    if (reserve_marks(room, w->script->memory, w->mark_count) < 0 ||
        reserve_order(room, w->script->memory, w->most_marks) < 0)
        return TM_ENOMEM;
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
