/* SPDX-License-Identifier: Apache-2.0 */
/* The threads that ended waits: which rows of a run let a thread of a script go on. A
 * signal counts where the thread that gave it could act at that time, and another
 * awaited it. */
#include "analysis/whatif/script_signals.h"

#include <string.h>

#include "analysis/timeline/wakeup_edge.h"
#include "analysis/whatif/script_marks.h"
#include "base/error.h"
#include "model/intervals/interaction.h"

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

/* A search for enders and signals, and where it puts them. */
typedef struct search {
    const tm_model *model;
    tm__memory *memory;
    tm__signals *signals;
    int64_t end_ns; ///< of the replays
} search;

/* The thread that a pause is a join of, if it had ended by then: in a replay it may end
 * later than the join begins. TM__NONE: it is no such join. */
static uint32_t ended_peer(const search *s, uint32_t thread, const tm__pause *p)
{
    uint32_t peer = p->it->peer;
    const tm__thread *it;

    if (p->it->state != TM_STATE_JOINING || peer == TM__NONE || peer == thread)
        return TM__NONE;
    it = &s->model->entities.threads[peer];
    return it->end_ns != INT64_MIN && it->interval_count &&
                   it->end_ns >= it->intervals[0].start_ns && it->end_ns <= p->end_ns &&
                   it->end_ns <= s->end_ns &&
                   (it->end_ns <= p->it->start_ns ||
                    !(p->it->flags & TM__INTERVAL_TIMED_OUT))
               ? peer
               : TM__NONE;
}

static int add_ender(const search *s, uint32_t signal, int64_t from_ns)
{
    tm__signals *to = s->signals;

    if (tm__reserve(s->memory, &to->enders, &to->enders_capacity,
                    (size_t)to->enders_count + 1, sizeof(*to->enders)) < 0)
        return tm__failure();
    to->enders[to->enders_count++] = (tm__ender){from_ns, signal};
    return TM_OK;
}

static int add_row(const search *s, uint32_t row)
{
    if (row == TM__NONE)
        return add_ender(s, TM__NONE, INT64_MIN);
    s->signals->rows[row] |= TM__ROW_AWAITED;
    return add_ender(s, row, s->model->intervals.interactions[row].from_ns);
}

static int add_join(const search *s, uint32_t peer)
{
    tm__signals *to = s->signals;

    if (tm__reserve(s->memory, &to->joins, &to->joins_capacity,
                    (size_t)to->joins_count + 1, sizeof(uint32_t)) < 0)
        return tm__failure();
    to->joins[to->joins_count++] = peer;
    return add_ender(s, s->model->intervals.interactions_count + to->joins_count - 1,
                     s->model->entities.threads[peer].end_ns);
}

static int add_pause(const search *s, uint32_t thread, const tm__pause *p)
{
    uint32_t row = row_after(s->model, thread, p), peer = TM__NONE;

    if (row == TM__NONE)
        peer = ended_peer(s, thread, p);
    return peer != TM__NONE ? add_join(s, peer) : add_row(s, row);
}

static int find_enders(const search *s)
{
    const tm_model *model = s->model;
    int rc = TM_OK;

    for (uint32_t t = 0; rc == TM_OK && t < model->entities.threads_count; t++) {
        const tm__thread *it = &model->entities.threads[t];

        s->signals->first[t] = s->signals->enders_count;
        rc = add_row(s, starting_row(model, t));
        for (uint32_t i = tm__begin_of(it); rc == TM_OK && i < it->interval_count;
             i++) {
            tm__pause p;

            if (!tm__is_inert(it->intervals[i].state))
                continue;
            p = tm__pause_at(model, it, i);
            rc = add_pause(s, t, &p);
            i = p.end - 1;
        }
    }
    return rc;
}

/* A thread that is not free at that time cannot have done it by itself. */
static int could_act(const tm_model *model, const tm__interaction *row, uint32_t *near)
{
    const tm__thread *thread = &model->entities.threads[row->from_thread];
    uint32_t at = tm__interval_near(thread, row->from_ns, near[row->from_thread]);
    const tm__interval *it;

    if (at == TM__NONE)
        return 0;
    near[row->from_thread] = at;
    it = &thread->intervals[at];
    if (!tm__is_inert(it->state))
        return 1;
    return it->start_ns == row->from_ns &&
           (at == 0 || !tm__is_inert(it[-1].state) || it[-1].state == TM_STATE_NEW);
}

static int find_given(const search *s, uint32_t *near)
{
    const tm__intervals *all = &s->model->intervals;
    tm__signals *to = s->signals;

    for (uint32_t i = 0; i < all->interactions_count; i++) {
        const tm__interaction *row = &all->interactions[i];

        if (!(to->rows[i] & TM__ROW_AWAITED) || row->from_ns > s->end_ns ||
            !could_act(s->model, row, near))
            continue;
        to->rows[i] |= TM__ROW_IN_TIME;
        if (tm__reserve(s->memory, &to->given, &to->given_capacity,
                        (size_t)to->given_count + 1, sizeof(*to->given)) < 0)
            return tm__failure();
        to->given[to->given_count++] =
            (tm__given_signal){row->from_ns, i, row->from_thread};
    }
    return TM_OK;
}

int tm__signals_find(tm__signals *signals, const tm_model *model, tm__memory *memory,
                     int64_t end_ns)
{
    search s = {model, memory, signals, end_ns};
    size_t threads = ((size_t)model->entities.threads_count + 1) * sizeof(uint32_t);
    uint32_t *near = tm__zalloc(memory, threads);
    int rc = TM_ENOMEM;

    signals->rows_bytes = (size_t)model->intervals.interactions_count + 1;
    signals->first_bytes = threads;
    signals->rows = tm__zalloc(memory, signals->rows_bytes);
    signals->first = tm__zalloc(memory, threads);
    if (near && signals->rows && signals->first)
        rc = find_enders(&s);
    if (rc == TM_OK)
        rc = find_given(&s, near);
    tm__free(memory, near, threads);
    return rc;
}

/* Rows that give a permit to the wait that they ended. Where uses are known, the end of
 * a use does. */
uint8_t *tm__signal_rows_served(const tm__signals *signals, const tm_model *model,
                                tm__memory *memory, const tm__served *served)
{
    uint8_t *rows = tm__resize(memory, NULL, 0, signals->rows_bytes);

    if (!rows)
        return NULL;
    memcpy(rows, signals->rows, signals->rows_bytes);
    for (uint32_t i = 0; i < served->resources->waits_count; i++) {
        uint32_t row =
            served->resources->waits[i].row - model->intervals.interactions_first;

        if (row >= model->intervals.interactions_count)
            continue;
        if (served->roles[i] == TM__WAIT_LOST ||
            (served->roles[i] == TM__WAIT_PERMIT && served->permits))
            rows[row] = 0;
        else if (served->roles[i] == TM__WAIT_PERMIT)
            rows[row] |= TM__ROW_PERMIT;
    }
    return rows;
}

void tm__signals_free(tm__signals *signals, tm__memory *memory)
{
    tm__free(memory, signals->rows, signals->rows_bytes);
    tm__free(memory, signals->first, signals->first_bytes);
    tm__free(memory, signals->given, signals->given_capacity * sizeof(*signals->given));
    tm__free(memory, signals->enders,
             signals->enders_capacity * sizeof(*signals->enders));
    tm__free(memory, signals->joins, signals->joins_capacity * sizeof(uint32_t));
    *signals = (tm__signals){0};
}
