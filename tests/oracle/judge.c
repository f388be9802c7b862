/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model's answers against the truth.
 *
 * An answer that is called exact or reported must be right, always. A state must be the
 * true one wherever the reported events determine it. They do not, and then any
 * of the named states is accepted, in these cases only:
 *
 *   - no event showed that the thread stopped (the kind is not reported, or it entered
 *     before the producer came): it seems to run;
 *   - a wait whose end the model did not bind for certain: where in it waiting
 *     turned into queueing is open, so WAITING and REENTERING are one;
 *   - a waiter that a notify is only inferred to have woken may still wait, though it
 *     is said to queue for the monitor, or to stand in a cycle for that;
 *   - a join that is a wait on a thread object, the same; and JOINING shows as
 *     WAITING where nobody said that the object is a thread;
 *   - after Waited a platform thread may queue again without another event: it
 *     seems to run;
 *   - a waiter that left by itself and then meets contention has not been
 *     notified: BLOCKED and REENTERING are both true of it;
 *   - a thread in a cycle is DEADLOCKED if every edge of the cycle follows from
 *     what was reported, else it may also be what it was before. A cycle that the
 *     model calls inferred may be false, and is forgotten when a member got away.
 *
 * A producer that came late is believed about what a thread began afterwards; a run
 * in which events were lost is judged by its claims alone.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judging.h"

#define STATE(name) (1u << TM_STATE_##name)

void wrong(struct trial *trial, const char *format, ...)
{
    va_list arguments;

    trial->failed = true;
    trial->score->failures++;
    if (trial->score->failures > 40 && !trial->score->all)
        return;
    printf("seed %" PRIu64 ", policy %d%s: ", trial->w->config.seed, trial->policy,
           trial->w->config.full ? ", all reported" : "");
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
}

int thread_of(const struct world *w, uint64_t id)
{
    for (int t = 0; t < w->thread_count; t++)
        if (w->threads[t].id == id)
            return t;
    return NONE;
}

int object_of(const struct world *w, const char *class_name)
{
    int object = NONE;

    if (!class_name || sscanf(class_name, "sim.Lock%d", &object) != 1 ||
        object >= w->object_count)
        return NONE;
    return object;
}

bool is_sure(const char *provenance)
{
    return provenance &&
           (!strcmp(provenance, "exact") || !strcmp(provenance, "reported"));
}

static unsigned states_in_hold(const struct world *w, const struct span *s)
{
    const struct hold *h = s->hold == NONE ? NULL : &w->holds[s->hold];
    bool on_thread = h && h->object != NONE && w->objects[h->object].thread != NONE;
    bool joins = on_thread && w->config.names;
    unsigned unsure =
        STATE(WAITING) | STATE(REENTERING) | (on_thread ? STATE(JOINING) : 0);

    switch (s->showing) {
    case HIDDEN: return STATE(RUNNING);
    case NOTIFIED:
        if (joins)
            return STATE(JOINING) | STATE(REENTERING);
        return h->sure && h->waker_seen && !on_thread ? STATE(REENTERING) : unsure;
    case SILENT_REENTRY: return STATE(RUNNING) | STATE(REENTERING) | STATE(BLOCKED);
    case LATE_REENTRY:
        if (h->done_ns < 0)
            return STATE(RUNNING) | STATE(REENTERING) | STATE(BLOCKED);
        return STATE(REENTERING) | STATE(BLOCKED);
    case ENTER_REENTRY: return STATE(REENTERING) | STATE(BLOCKED);
    default: break;
    }
    if (s->state == TM_STATE_PARKED && is_await(w, h->object))
        return STATE(WAITING);
    if (s->state == TM_STATE_WAITING && !h->sure && h->cause != CAUSE_NONE)
        return unsure;
    if (s->state == TM_STATE_JOINING && on_thread)
        return joins ? STATE(JOINING) : unsure;
    return 1u << s->state;
}

static unsigned states_of(const struct world *w, const struct span *s)
{
    unsigned states;

    if (s->state == TM_STATE_NEW && !w->holds[s->hold].begin_seen)
        return ~0u;
    if (w->attach_ns > 0 && (s->showing != SHOWN || s->state == TM_STATE_RUNNING))
        return ~0u; /* what the snapshot said may still be all that is known */
    states = states_in_hold(w, s);
    if (s->deadlock != NONE && w->deadlocks[s->deadlock].certain && w->config.full)
        return STATE(DEADLOCKED);
    if (states & (STATE(BLOCKED) | STATE(REENTERING) | STATE(JOINING) | STATE(PARKED)))
        states |= STATE(DEADLOCKED);
    return states;
}

static int state_of(const char *name)
{
    for (int state = 0; state < TM_STATE_END; state++)
        if (name && !strcmp(name, tm_state_name(state)))
            return state;
    return TM_STATE_END;
}

/* Where the comparison of a thread's states begins. */
static size_t first_span(const struct world *w, const struct thread *th,
                         int64_t *from_ns)
{
    size_t s = 0;

    *from_ns = th->first_ns;
    if (w->attach_ns > 0) {
        while (s < th->span_count && th->spans[s].start_ns < w->attach_ns)
            s++;
        *from_ns = s < th->span_count ? th->spans[s].start_ns : INT64_MAX;
        return s;
    }
    if (th->span_count > 0 && th->spans[0].state == TM_STATE_NEW &&
        w->holds[th->spans[0].hold].begin_seen)
        *from_ns = th->spans[0].start_ns;
    return s;
}

struct rows {
    const uint64_t *thread_id, *peer_id;
    int64_t *start_ns, *end_ns; ///< on the world's clock
    const tm_table *table;
    size_t count;
};

static void judge_thread(struct trial *trial, const struct rows *rows, size_t row,
                         size_t end, int t)
{
    const struct world *w = trial->w;
    const struct thread *th = &w->threads[t];
    int64_t from_ns, at_ns;
    size_t s = first_span(w, th, &from_ns);

    if (w->config.loses || from_ns < 0 || from_ns == INT64_MAX)
        return;
    for (at_ns = from_ns; s < th->span_count && at_ns < trial->end_ns; s++) {
        const struct span *span = &th->spans[s];
        int64_t until = s + 1 < th->span_count ? span[1].start_ns : trial->end_ns;

        if (until > trial->end_ns)
            until = trial->end_ns;
        while (at_ns < until) {
            unsigned allowed = states_of(w, span);
            const char *state;

            if (allowed == ~0u) {
                at_ns = until;
                break;
            }
            while (row < end && rows->end_ns[row] <= at_ns)
                row++;
            if (row == end && span->state == TM_STATE_DEAD)
                return; /* it has no intervals any more */
            if (row == end || rows->start_ns[row] > at_ns) {
                wrong(trial, "T%d has no interval at %" PRId64, t, at_ns);
                return;
            }
            state = tm_table_string(rows->table, "state", row);
            if (span->state == TM_STATE_WAITING && allowed & STATE(WAITING) &&
                !is_sure(tm_table_string(rows->table, "provenance", row)))
                allowed |= STATE(REENTERING) | STATE(DEADLOCKED);
            if (!(allowed >> state_of(state) & 1)) {
                wrong(trial, "T%d at %" PRId64 " is %s%s, and said to be %s", t, at_ns,
                      span->deadlock == NONE ? "" : "deadlocked ",
                      tm_state_name(span->state), state);
                return;
            }
            at_ns = rows->end_ns[row] < until ? rows->end_ns[row] : until;
        }
    }
}

static void judge_peer(struct trial *trial, const struct rows *rows, size_t row, int t)
{
    const struct world *w = trial->w;
    const char *state = tm_table_string(rows->table, "state", row);
    int object = object_of(w, tm_table_string(rows->table, "class", row));
    int peer = thread_of(w, rows->peer_id[row]);

    if (tm_table_is_null(rows->table, "peer_id", row) ||
        !is_sure(tm_table_string(rows->table, "provenance", row)) || object == NONE)
        return;
    if (!strcmp(state, "waiting") || !strcmp(state, "running") ||
        !strcmp(state, "joining") || w->objects[object].thread == peer)
        return;
    if (!truth_owned_at(w, object, peer, rows->start_ns[row]))
        wrong(trial,
              "T%d at %" PRId64 ", %s: T%d is surely said to own Lock%d, and does not",
              t, rows->start_ns[row], state, peer, object);
}

/* The model counts from the first event, the world from its own zero. */
static int64_t *on_world_clock(const struct trial *trial, const tm_table *table,
                               const char *column)
{
    size_t count = tm_table_row_count(table);
    int64_t *times = malloc((count + 1) * sizeof(*times));

    if (!times)
        exit(2);
    for (size_t row = 0; row < count; row++)
        times[row] = tm_table_int64(table, column)[row] + trial->origin_ns;
    return times;
}

static void judge_timeline(struct trial *trial, const tm_model *model)
{
    tm_table *table;
    struct rows rows;

    if (tm_timeline_list(&table, model, NULL) != TM_OK) {
        wrong(trial, "no timeline: %s", tm_error_text());
        return;
    }
    rows = (struct rows){tm_table_uint64(table, "thread_id"),
                         tm_table_uint64(table, "peer_id"),
                         on_world_clock(trial, table, "start_ns"),
                         on_world_clock(trial, table, "end_ns"),
                         table,
                         tm_table_row_count(table)};
    for (size_t row = 0, end; row < rows.count; row = end) {
        int t = thread_of(trial->w, rows.thread_id[row]);

        for (end = row; end < rows.count && rows.thread_id[end] == rows.thread_id[row];
             end++) {
            if (rows.end_ns[end] < rows.start_ns[end] ||
                (end > row && rows.start_ns[end] != rows.end_ns[end - 1]))
                wrong(trial, "T%d: intervals do not tile at %" PRId64, t,
                      rows.start_ns[end]);
            if (t != NONE)
                judge_peer(trial, &rows, end, t);
        }
        if (t != NONE)
            judge_thread(trial, &rows, row, end, t);
    }
    free(rows.start_ns);
    free(rows.end_ns);
    tm_table_free(table);
}

void judge(struct world *w, const tm_model *model, struct score *score, int policy)
{
    struct trial trial = {w,
                          score,
                          policy,
                          w->events[0].time_ns,
                          w->events[w->event_count - 1].time_ns,
                          false};

    if (w->config.terse) {
        judge_paths(&trial, model);
        return;
    }
    judge_interactions(&trial, model);
    if (w->config.locks) {
        judge_timeline(&trial, model);
        judge_deadlocks(&trial, model);
        judge_blame(&trial, model);
        judge_uses(&trial, model);
        judge_holds(&trial, model);
        judge_whatif(&trial, model);
        return;
    }
    if (policy == TM_POLICY_HOTSPOT) {
        judge_timeline(&trial, model);
        judge_deadlocks(&trial, model);
        judge_blame(&trial, model);
        judge_uses(&trial, model);
        judge_paths(&trial, model);
    }
}
