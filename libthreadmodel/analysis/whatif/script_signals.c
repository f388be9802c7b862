/* SPDX-License-Identifier: Apache-2.0 */
/* The threads that ended waits: which rows of a run let a thread of a script go on. A
 * signal counts where the thread that gave it could act at that time, and another
 * awaited it. */
#include "analysis/whatif/script_signals.h"

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

static int add_ender(tm__signals *signals, tm__memory *memory, uint32_t signal)
{
    if (tm__reserve(memory, &signals->enders, &signals->enders_capacity,
                    (size_t)signals->enders_count + 1, sizeof(uint32_t)) < 0)
        return tm__failure();
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
        return tm__failure();
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
