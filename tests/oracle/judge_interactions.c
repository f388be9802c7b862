/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wakers and the threads that they woke, against the truth. Every row that is called
 * exact or reported must be what happened: that thread, by that act, at that time.
 * Where all is reported nothing may be missing, and nothing may be called less than
 * exact.
 */
#include <inttypes.h>
#include <string.h>

#include "judging.h"

static int kind_of(const char *name)
{
    for (int kind = TM_INTERACTION_START; kind <= TM_INTERACTION_POST; kind++)
        if (name && !strcmp(name, tm_interaction_kind_name(kind)))
            return kind;
    return 0;
}

static bool can_end(const struct hold *h, int kind)
{
    switch (kind) {
    case TM_INTERACTION_START: return h->state == TM_STATE_NEW;
    case TM_INTERACTION_NOTIFY:
    case TM_INTERACTION_NOTIFY_ALL:
    case TM_INTERACTION_JOIN:
        return h->state == TM_STATE_WAITING || h->state == TM_STATE_JOINING;
    case TM_INTERACTION_POST:
    case TM_INTERACTION_UNPARK: return h->state == TM_STATE_PARKED;
    default: return h->state != TM_STATE_NEW && h->state != TM_STATE_BLOCKED;
    }
}

static struct hold *hold_ended_at(const struct world *w, int t, int kind,
                                  int64_t time_ns)
{
    for (size_t i = 0; i < w->hold_count; i++) {
        struct hold *h = &w->holds[i];

        if (h->thread == t && can_end(h, kind) &&
            (h->end_ns == time_ns || h->done_ns == time_ns))
            return h;
    }
    return NULL;
}

/* An interrupt or unpark is kept until it is taken: any since the last counts. */
static bool was_called(const struct world *w, int kind, int from, const struct hold *h,
                       int64_t time_ns)
{
    for (size_t i = 0; i < w->act_count; i++) {
        const struct act *a = &w->acts[i];

        if (a->kind == kind && a->thread == from && a->target == h->thread &&
            a->time_ns == time_ns)
            return true;
    }
    return false;
}

/* A notifier that the VM named and whose notify was not seen: it has no time of its
 * own, and whether it was a notify or a notifyAll is not known. */
static bool is_named_alone(const struct world *w, const struct hold *h, int kind,
                           int64_t time_ns)
{
    if (h->cause == CAUSE_DEATH && w->config.names)
        return false;
    return (kind == TM_INTERACTION_NOTIFY || kind == TM_INTERACTION_NOTIFY_ALL) &&
           (h->cause == CAUSE_NOTIFY || h->cause == CAUSE_NOTIFY_ALL ||
            h->cause == CAUSE_DEATH) &&
           time_ns == h->end_ns;
}

static bool is_right(const struct world *w, const struct hold *h, int kind, int from,
                     int64_t time_ns)
{
    static const enum cause causes[] = {
        [TM_INTERACTION_START] = CAUSE_NONE,
        [TM_INTERACTION_NOTIFY] = CAUSE_NOTIFY,
        [TM_INTERACTION_NOTIFY_ALL] = CAUSE_NOTIFY_ALL,
        [TM_INTERACTION_JOIN] = CAUSE_DEATH,
        [TM_INTERACTION_INTERRUPT] = CAUSE_INTERRUPT,
        [TM_INTERACTION_UNPARK] = CAUSE_UNPARK,
        [TM_INTERACTION_TIMEOUT] = CAUSE_TIMEOUT,
        [TM_INTERACTION_POST] = CAUSE_UNPARK,
    };

    if (is_named_alone(w, h, kind, time_ns))
        return h->waker == from;
    /* Time was up and the interrupt was there as well: the wait threw it. */
    if (kind == TM_INTERACTION_INTERRUPT && h->cause == CAUSE_TIMEOUT && h->interrupted)
        return was_called(w, TM_EVENT_INTERRUPT_CALLED, from, h, time_ns);
    if (h->cause != causes[kind])
        return false;
    switch (kind) {
    case TM_INTERACTION_TIMEOUT: return from == NONE;
    case TM_INTERACTION_INTERRUPT:
        return from == NONE ||
               was_called(w, TM_EVENT_INTERRUPT_CALLED, from, h, time_ns);
    case TM_INTERACTION_UNPARK:
        /* Reported by the parked thread alone, the time of the call is not known. */
        return h->waker == from ||
               was_called(w, TM_EVENT_UNPARK_CALLED, from, h, time_ns);
    case TM_INTERACTION_POST:
    case TM_INTERACTION_START: return h->waker == from;
    default: return h->waker == from && (!h->waker_seen || h->waker_ns == time_ns);
    }
}

static void judge_handoff(struct trial *trial, int from, int to, int object,
                          int64_t woken_ns, bool sure)
{
    int truth = truth_releaser(trial->w, object, to, woken_ns);

    trial->score->handoffs++;
    trial->score->handoffs_right += truth == from;
    if (sure && truth != from)
        wrong(trial,
              "handoff of Lock%d to T%d at %" PRId64 " surely from T%d, was from T%d",
              object, to, woken_ns, from, truth);
}

static void judge_unbound(struct trial *trial, const char *effect, int kind, int from,
                          int to, int64_t time_ns)
{
    const struct world *w = trial->w;

    if (kind != TM_INTERACTION_NOTIFY && kind != TM_INTERACTION_NOTIFY_ALL)
        return;
    for (size_t i = 0; i < w->act_count; i++) {
        const struct act *a = &w->acts[i];

        if (a->thread != from || a->time_ns != time_ns)
            continue;
        if (a->hits > 0 && (!strcmp(effect, "useless") || !strcmp(effect, "lost")))
            wrong(trial, "notify of T%d at %" PRId64 " woke %d, and is surely %s", from,
                  time_ns, a->hits, effect);
    }
    if (to == NONE)
        return;
    for (size_t i = 0; i < w->hold_count; i++)
        if (w->holds[i].thread == to && w->holds[i].waker == from &&
            w->holds[i].waker_ns == time_ns)
            return;
    wrong(trial, "notify of T%d at %" PRId64 " is surely T%d's, and was not", from,
          time_ns, to);
}

static void judge_row(struct trial *trial, const tm_table *table, size_t row)
{
    struct world *w = trial->w;
    int kind = kind_of(tm_table_string(table, "kind", row));
    const char *effect = tm_table_string(table, "effect", row);
    bool sure = is_sure(tm_table_string(table, "provenance", row));
    int64_t time_ns = tm_table_int64(table, "time_ns")[row] + trial->origin_ns;
    int64_t woken_ns = tm_table_int64(table, "woken_ns")[row] + trial->origin_ns;
    int from = tm_table_is_null(table, "from_thread_id", row)
                   ? NONE
                   : thread_of(w, tm_table_uint64(table, "from_thread_id")[row]);
    int to = tm_table_is_null(table, "to_thread_id", row)
                 ? NONE
                 : thread_of(w, tm_table_uint64(table, "to_thread_id")[row]);
    struct hold *h;

    if (tm_table_is_null(table, "woken_ns", row) || to == NONE) {
        if (sure)
            judge_unbound(trial, effect, kind, from, to, time_ns);
        return;
    }
    if (kind == TM_INTERACTION_HANDOFF) {
        int object = object_of(w, tm_table_string(table, "class", row));

        if (object != NONE && from != NONE)
            judge_handoff(trial, from, to, object, woken_ns, sure);
        return;
    }
    h = hold_ended_at(w, to, kind, woken_ns);
    if (!h) {
        if (sure)
            wrong(trial, "%s surely woke T%d at %" PRId64 ": nothing ended then",
                  tm_interaction_kind_name(kind), to, woken_ns);
        return;
    }
    if (kind == TM_INTERACTION_NOTIFY || kind == TM_INTERACTION_NOTIFY_ALL)
        h->bound = true;
    /* The VM named the thread; which of its notifies it was is left open. */
    if (sure && tm_table_int32(table, "candidates")[row] > 1 && h->waker == from &&
        !strcmp(tm_table_string(table, "provenance", row), "reported") && h->bound)
        sure = false;
    if (is_right(w, h, kind, from, time_ns)) {
        h->right |= 1u << kind;
        h->sure |= sure && !is_named_alone(w, h, kind, time_ns) ? 1u << kind : 0;
    } else if (sure) {
        wrong(trial,
              "%s of T%d at %" PRId64 " surely woke T%d at %" PRId64
              ": cause %d, of T%d at %" PRId64,
              tm_interaction_kind_name(kind), from, time_ns, to, woken_ns, h->cause,
              h->waker, h->waker_ns);
    }
}

static int kind_wanted(const struct hold *h)
{
    switch (h->cause) {
    case CAUSE_NOTIFY: return TM_INTERACTION_NOTIFY;
    case CAUSE_NOTIFY_ALL: return TM_INTERACTION_NOTIFY_ALL;
    case CAUSE_TIMEOUT: return TM_INTERACTION_TIMEOUT;
    case CAUSE_DEATH: return TM_INTERACTION_JOIN;
    case CAUSE_UNPARK: return TM_INTERACTION_UNPARK;
    case CAUSE_INTERRUPT: return h->waker == NONE ? 0 : TM_INTERACTION_INTERRUPT;
    default: return h->state == TM_STATE_NEW ? TM_INTERACTION_START : 0;
    }
}

static void judge_hold(struct trial *trial, const struct hold *h)
{
    bool notified = h->cause == CAUSE_NOTIFY || h->cause == CAUSE_NOTIFY_ALL;
    int kind = kind_wanted(h);
    struct score *score = trial->score;

    if (!h->begin_seen || (!h->end_seen && h->state != TM_STATE_NEW) || h->end_ns < 0)
        return;
    if (notified && h->waker_seen) {
        score->waits_notified++;
        score->exact += h->sure != 0;
        score->inferred += !h->sure && h->bound;
        score->inferred_right += !h->sure && h->right;
        score->unbound += !h->bound;
    }
    if (!trial->w->config.full || trial->policy != TM_POLICY_HOTSPOT || kind == 0)
        return;
    score->evident++;
    if (!(h->right >> kind & 1))
        wrong(trial,
              "T%d, %s at %" PRId64 " to %" PRId64 ": no %s (of T%d at %" PRId64 ")",
              h->thread, tm_state_name(h->state), h->begin_ns, h->end_ns,
              tm_interaction_kind_name(kind), h->waker, h->waker_ns);
    else
        score->unsure += !(h->sure >> kind & 1);
}

void judge_interactions(struct trial *trial, const tm_model *model)
{
    struct world *w = trial->w;
    tm_table *table;

    for (size_t i = 0; i < w->hold_count; i++)
        w->holds[i].right = w->holds[i].sure = w->holds[i].bound = 0;
    if (tm_interaction_list(&table, model, NULL) != TM_OK) {
        wrong(trial, "no interactions: %s", tm_error_text());
        return;
    }
    for (size_t row = 0; row < tm_table_row_count(table); row++)
        judge_row(trial, table, row);
    tm_table_free(table);
    for (size_t i = 0; i < w->hold_count; i++)
        judge_hold(trial, &w->holds[i]);
}
