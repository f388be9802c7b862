/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Critical paths against the causes that the world knows.
 *
 * The world remembers which thread ended each blocking interval and when (struct hold).
 * From that the true path is walked here, by the rule that docs/analysis.md states and
 * without any code of the library: a thread that runs is the path; one that was blocked
 * hands it over to the thread that woke it, at the instant when it did. What was waited
 * for at each moment goes back to the waiting thread where its blocking interval began.
 *
 *   - Where the model calls a wake-up certain (exact, reported), the thread on the path
 *     at each instant must be the true one, and only time without a cause may be
 *     unexplained.
 *   - Where it does not, the blocking interval's own time is not compared, nor the time
 *     before it where that would be the waker's past. Only there may time with a cause
 *     be unexplained: that takes a producer that leaves optional fields out.
 *   - A waiter that queues for its monitor again may be waiting for its owner. The
 * model states that as inferred, where it takes long; the time before is not compared
 *     then.
 *   - All paths tile from the first event to their end, whatever was reported.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "judging.h"

/* A stretch of a path. */
struct stretch {
    int64_t start_ns, end_ns;
    int thread;
    bool unexplained;
    bool skipped; ///< the model does not claim to know
};

struct stretches {
    struct stretch *items;
    size_t count, capacity;
};

struct walk {
    struct trial *trial;
    const tm_table *links;          ///< the model's interactions
    struct stretches path;          ///< the latest first
    const struct stretches *stated; ///< the model's, the same way
    bool waits[MAX_THREADS];
    bool comes_back; ///< asked is what was waited for at each moment
};

/* How a blocking interval ended. */
struct ending {
    int64_t begin_ns; ///< of the whole blocking interval
    int64_t end_ns;   ///< -1: not yet
    int64_t act_ns;   ///< when the waker acted
    int waker;        ///< NONE
    bool known;       ///< it is clear why, though nobody did it: time was up
    bool unsure;      ///< what the world does not keep, or the events do not tell
};

static void put(struct walk *walk, int64_t start_ns, int64_t end_ns, int thread,
                bool unexplained, bool skipped)
{
    struct stretches *p = &walk->path;

    if (start_ns >= end_ns)
        return;
    p->items = grown(p->items, p->count, &p->capacity, sizeof(*p->items));
    p->items[p->count++] =
        (struct stretch){start_ns, end_ns, thread, unexplained, skipped};
}

static bool is_inert(int state)
{
    return state != TM_STATE_RUNNING && state != TM_STATE_DEAD;
}

/* The spans [first, end) of one blocking interval around a span: notified or deadlocked
 * meanwhile, it is still the same. */
static void bounds(const struct thread *th, size_t span, size_t *first, size_t *end)
{
    *first = span;
    *end = span + 1;
    while (*first > 0 && is_inert(th->spans[*first - 1].state) &&
           th->spans[*first - 1].hold == th->spans[span].hold)
        --*first;
    while (*end < th->span_count && is_inert(th->spans[*end].state) &&
           th->spans[*end].hold == th->spans[span].hold)
        ++*end;
}

/* Whether a blocking interval ended in a cycle that stands, as far as the events tell:
 * whoever got away from one has no event of that before it goes on. */
static bool seems_stuck(const struct world *w, const struct thread *th, size_t first,
                        size_t end)
{
    const struct deadlock *d;

    while (end > first && th->spans[end - 1].deadlock == NONE)
        end--;
    if (end == first)
        return false;
    d = &w->deadlocks[th->spans[end - 1].deadlock];
    for (int i = 0; i < d->count; i++) {
        int hold = w->threads[d->threads[i]].hold;

        if (hold != NONE && w->holds[hold].begin_ns <= d->time_ns &&
            w->holds[hold].cause != CAUSE_NONE && w->holds[hold].end_ns < 0)
            return true;
    }
    return d->resolved_ns < 0;
}

static struct ending ending_of(const struct world *w, int t, size_t span)
{
    const struct thread *th = &w->threads[t];
    const struct hold *h = &w->holds[th->spans[span].hold];
    struct ending e = {.end_ns = -1, .waker = NONE};
    size_t first, end;

    bounds(th, span, &first, &end);
    e.begin_ns = th->spans[first].start_ns;
    if (end < th->span_count)
        e.end_ns = th->spans[end].start_ns;
    e.known = th->spans[span].state == TM_STATE_SLEEPING;
    if (e.end_ns < 0 && th->spans[span].state != TM_STATE_REENTERING &&
        (h->cause == CAUSE_NOTIFY || h->cause == CAUSE_NOTIFY_ALL)) {
        /* It was notified, and queues for the monitor at the end of the data. */
        e.end_ns = e.act_ns = h->waker_ns;
        e.waker = h->waker;
        return e;
    }
    if (e.end_ns < 0) {
        bool joins = h->state == TM_STATE_JOINING;

        /* The act that wakes it may have happened without an event as yet, so that it
         * may be taken for one whom the last notify found; the thread that an object
         * represents must have been reported; and in a cycle no thread goes on. */
        e.unsure = h->cause != CAUSE_NONE ||
                   (joins && (w->config.terse || seems_stuck(w, th, first, end)));
        if (joins && !e.unsure)
            e.waker = h->target;
        e.act_ns = INT64_MAX;
        return e;
    }
    e.known = e.known || h->cause == CAUSE_TIMEOUT;
    /* Without a waker: an interrupt that had come before, and that may have ended a
     * park as well. The world does not keep who interrupted. */
    e.unsure = h->cause == CAUSE_INTERRUPT && h->waker == NONE;
    e.waker = h->waker;
    e.act_ns = h->waker_ns;
    return e;
}

/* Whether the model claims to know who ended the blocking interval that ended then, or
 * a wait by an act of that time. */
static bool is_claimed(const struct walk *walk, int t, const struct ending *e)
{
    const struct trial *trial = walk->trial;
    const uint64_t *to = tm_table_uint64(walk->links, "to_thread_id");
    const int64_t *woken_ns = tm_table_int64(walk->links, "woken_ns");
    const int64_t *time_ns = tm_table_int64(walk->links, "time_ns");

    for (size_t row = 0; row < tm_table_row_count(walk->links); row++) {
        bool open = tm_table_is_null(walk->links, "woken_ns", row);

        if (!tm_table_is_null(walk->links, "to_thread_id", row) &&
            to[row] == trial->w->threads[t].id &&
            (open ? time_ns[row] + trial->origin_ns == e->act_ns
                  : woken_ns[row] + trial->origin_ns == e->end_ns) &&
            is_sure(tm_table_string(walk->links, "provenance", row)))
            return true;
    }
    return false;
}

/* Whether the model's path leaves a thread that queues again, after its wait was ended
 * at act_ns. */
static bool goes_to_owner(const struct walk *walk, int t, size_t span, int64_t act_ns,
                          int64_t high_ns)
{
    if (walk->trial->w->threads[t].spans[span].state != TM_STATE_REENTERING)
        return false;
    for (size_t i = 0; i < walk->stated->count; i++) {
        const struct stretch *at = &walk->stated->items[i];

        if (at->start_ns < high_ns && at->end_ns >= high_ns)
            return at->thread != t || at->start_ns > act_ns;
    }
    return false;
}

/* How `t` came to be where it was at high_ns, back to low_ns. */
static void explain(struct walk *walk, int t, int64_t low_ns, int64_t high_ns)
{
    const struct world *w = walk->trial->w;

    while (high_ns > low_ns) {
        const struct thread *th = &w->threads[t];
        size_t span = th->span_count;
        struct ending e;
        int64_t start_ns, begin_ns, act_ns;

        while (span > 0 && th->spans[span - 1].start_ns >= high_ns)
            span--;
        if (span-- == 0) {
            put(walk, low_ns, high_ns, t, true, false);
            return;
        }
        start_ns =
            th->spans[span].start_ns > low_ns ? th->spans[span].start_ns : low_ns;
        if (!is_inert(th->spans[span].state)) {
            put(walk, start_ns, high_ns, t, th->spans[span].state == TM_STATE_DEAD,
                false);
            high_ns = start_ns;
            continue;
        }
        e = ending_of(w, t, span);
        begin_ns = e.begin_ns > low_ns ? e.begin_ns : low_ns;
        act_ns = e.act_ns < high_ns ? e.act_ns : high_ns;
        if (e.waker == NONE || e.waker == t || walk->waits[t]) {
            bool known = e.known || (e.waker == t && e.end_ns >= 0);

            if (e.unsure && !walk->comes_back)
                start_ns = low_ns; /* the model may stay with whom it takes for it */
            put(walk, start_ns, high_ns, t, !known, e.unsure);
            high_ns = start_ns;
        } else if (e.end_ns >= 0 && (!is_claimed(walk, t, &e) ||
                                     goes_to_owner(walk, t, span, e.act_ns, high_ns))) {
            /* Nor does it come back from its starter. */
            if (th->spans[span].state == TM_STATE_NEW || !walk->comes_back)
                begin_ns = low_ns;
            put(walk, begin_ns, high_ns, t, true, true);
            high_ns = begin_ns;
        } else if (th->spans[span].state == TM_STATE_NEW) {
            if (act_ns < low_ns)
                act_ns = low_ns;
            put(walk, act_ns, high_ns, t, false, false);
            high_ns = act_ns;
            t = e.waker;
        } else {
            put(walk, act_ns > begin_ns ? act_ns : begin_ns, high_ns, t, false, false);
            if (act_ns > begin_ns && !walk->comes_back) {
                high_ns = act_ns;
                t = e.waker;
                continue;
            }
            if (act_ns > begin_ns) {
                walk->waits[t] = true;
                explain(walk, e.waker, begin_ns, act_ns);
                walk->waits[t] = false;
            }
            high_ns = begin_ns;
        }
    }
}

/* A stretch behind an unexplained block is where it would be if that were short. */
static bool is_unexplained(const char *why)
{
    return why && strcmp(why, "behind an unexplained block") != 0;
}

/* The model's path, the latest first; and that it tiles. */
static bool read_path(struct trial *trial, const tm_table *table, int64_t end_ns,
                      struct stretches *path)
{
    const int64_t *start = tm_table_int64(table, "start_ns");
    const int64_t *end = tm_table_int64(table, "end_ns");
    size_t rows = tm_table_row_count(table);
    int64_t at_ns = 0;

    for (size_t row = 0; row < rows; row++) {
        if (start[row] != at_ns || end[row] <= start[row])
            return false;
        at_ns = end[row];
    }
    for (size_t row = rows; row-- > 0;) {
        path->items =
            grown(path->items, path->count, &path->capacity, sizeof(*path->items));
        path->items[path->count++] = (struct stretch){
            start[row] + trial->origin_ns, end[row] + trial->origin_ns,
            thread_of(trial->w, tm_table_uint64(table, "thread_id")[row]),
            is_unexplained(tm_table_string(table, "unexplained", row)), false};
    }
    return at_ns + trial->origin_ns == end_ns;
}

/* Compare both from the end on, and report the first instant at which they differ. */
static void compare(struct trial *trial, int t, const struct stretches *truth,
                    const struct stretches *path)
{
    struct score *score = trial->score;
    size_t i = 0, j = 0;

    while (i < truth->count && j < path->count) {
        const struct stretch *true_one = &truth->items[i], *stated = &path->items[j];
        int64_t high_ns =
            true_one->end_ns < stated->end_ns ? true_one->end_ns : stated->end_ns;
        int64_t low_ns = true_one->start_ns > stated->start_ns ? true_one->start_ns
                                                               : stated->start_ns;
        uint64_t length = (uint64_t)(high_ns - low_ns);

        score->path_ns += length;
        if (true_one->skipped) {
            score->path_unexplained_ns += stated->unexplained ? length : 0;
        } else if (true_one->thread != stated->thread ||
                   true_one->unexplained != stated->unexplained) {
            wrong(trial,
                  "the path to T%d just before %" PRId64 " is T%d%s, and said to be "
                  "T%d%s",
                  t, high_ns, true_one->thread,
                  true_one->unexplained ? ", unexplained," : "", stated->thread,
                  stated->unexplained ? ", unexplained" : "");
            return;
        } else {
            score->path_compared_ns += length;
        }
        i += true_one->start_ns == low_ns;
        j += stated->start_ns == low_ns;
    }
}

static void judge_path_to(struct walk *walk, const tm_model *model, int t, bool full)
{
    struct trial *trial = walk->trial;
    const struct thread *th = &trial->w->threads[t];
    tm_path_options options = {.size = sizeof(options),
                               .thread = th->id,
                               .walk = walk->comes_back ? TM_PATH_WAITED_FOR
                                                        : TM_PATH_DECIDED};
    const struct span *last =
        th->span_count > 0 ? &th->spans[th->span_count - 1] : NULL;
    bool ended = last && last->state == TM_STATE_DEAD;
    /* One that ended with the first event has no path, whatever else was seen. */
    bool at_once = ended && last->start_ns == trial->origin_ns;
    int64_t end_ns = (full && ended) || at_once ? last->start_ns : trial->end_ns;
    struct stretches path = {0};
    tm_table *table;
    int rc = tm_path_list(&table, model, &options);

    if (rc == TM_ENOTFOUND)
        return;
    if (rc != TM_OK) {
        wrong(trial, "no path to T%d: %s", t, tm_error_text());
        return;
    }
    /* Snapshots without enters are dumps, which show no wake-ups: no path. */
    if (tm_model_run(model)->kinds >> TM_EVENT_SNAPSHOT & 1 &&
        !(tm_model_run(model)->kinds >> TM_EVENT_CONTENDED_ENTER & 1)) {
        if (tm_table_row_count(table) > 0)
            wrong(trial, "dumps have a path to T%d", t);
        tm_table_free(table);
        return;
    }
    if (!full && tm_table_row_count(table) > 0) /* an end that was not seen */
        end_ns = tm_table_int64(table, "end_ns")[tm_table_row_count(table) - 1] +
                 trial->origin_ns;
    if (!read_path(trial, table, end_ns, &path)) {
        wrong(trial, "the path to T%d does not tile up to %" PRId64, t, end_ns);
    } else if (full) {
        walk->path.count = 0;
        walk->stated = &path;
        explain(walk, t, trial->origin_ns, end_ns);
        compare(trial, t, &walk->path, &path);
    }
    free(path.items);
    tm_table_free(table);
}

void judge_paths(struct trial *trial, const tm_model *model)
{
    struct walk walk = {.trial = trial};
    tm_table *links;

    if (tm_interaction_list(&links, model, NULL) != TM_OK) {
        wrong(trial, "no interactions: %s", tm_error_text());
        return;
    }
    walk.links = links;
    for (int question = 0; question < 2; question++) {
        walk.comes_back = question;
        for (int t = 0; t < trial->w->thread_count; t++)
            judge_path_to(&walk, model, t, trial->w->config.full);
    }
    free(walk.path.items);
    tm_table_free(links);
}
