/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk along the critical path, backward from its end. It looks at every
 * interval of a thread once at most, however often the path comes back to the
 * thread, since the window's upper end, `time_ns`, never rises.
 *
 *     A  ═════════╗         ╔═══════╗                  hs: the blocking interval begins
 *                hs·········│e      ║                  w: B wakes A, e: A goes on
 *     B  ────────╚══════════w───────║──────
 *                                   ║
 *     C  ───────────────────────────╚═══════ end       ═ path, ─ not
 *
 * The chain that decided the end stays with B before hs: had A come earlier, it would
 * have been blocked for longer. Time from w to e is A's.
 *
 * What the end's thread waited for at each moment is another question: the walk comes
 * back to A at hs, and what A did before made it arrive there. A blocking interval
 * within B's part is crossed in the same way, and ends with both beginnings, so that
 * there is a stack of threads to come back to; one whose end hangs on a thread that is
 * in that stack would explain itself, and explains nothing.
 */
#include "analysis/path/path.h"
#include "analysis/path/path_end.h"
#include "analysis/path/path_reentry.h"
#include "analysis/path/path_walk.h"
#include "analysis/path/path_why.h"
#include "base/error.h"
#include "base/search.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"

/* Add what the thread did in [start_ns, time_ns), and stand at its beginning. */
static void add(tm__walk *w, uint32_t interval, int state, int64_t start_ns, int why)
{
    tm__path *path = w->path;

    if (start_ns >= w->time_ns)
        return;
    if (tm__reserve(&path->memory, &path->segments, &path->segments_capacity,
                    (size_t)path->segments_count + 1, sizeof(*path->segments)) < 0) {
        w->failed = 1;
        return;
    }
    path->segments[path->segments_count++] = (tm__segment){.start_ns = start_ns,
                                                           .thread = w->thread,
                                                           .interval = interval,
                                                           .left_by = w->leaving,
                                                           .state = (uint8_t)state,
                                                           .why = (uint8_t)why};
    w->time_ns = start_ns;
    w->leaving = TM__NONE;
    w->step++;
}

/* Say of the segment that begins here how the path came to it. */
static void came(tm__walk *w, int via, int provenance)
{
    tm__segment *last;

    if (!w->path->segments_count)
        return;
    last = &w->path->segments[w->path->segments_count - 1];
    if (last->via != TM__VIA_NOTHING || last->why || last->start_ns != w->time_ns ||
        (via != TM__VIA_MEANWHILE && last->thread != w->thread))
        return;
    last->via = (uint8_t)via;
    last->provenance = (uint8_t)provenance;
}

/* Go over to the thread of a wake-up edge; the waiting one is come back to at floor_ns.
 */
static void cross(tm__walk *w, const tm__wakeup_edge *edge, int64_t floor_ns)
{
    tm__path *path = w->path;

    came(w, edge->kind, edge->provenance);
    w->cursors[w->thread].crossed = w->step;
    if (w->comes_back && floor_ns != INT64_MIN) {
        if (tm__reserve(&path->memory, &w->frames, &w->frames_capacity,
                        (size_t)w->frames_count + 1, sizeof(*w->frames)) < 0) {
            w->failed = 1;
            return;
        }
        w->frames[w->frames_count++] = (tm__walk_frame){floor_ns, w->thread};
        w->cursors[w->thread].waits = 1;
        w->floor_ns = floor_ns;
    }
    w->thread = edge->from;
    w->leaving = edge->row;
}

static int can_cross(const tm__walk *w, const tm__wakeup_edge *edge)
{
    const tm__walk_cursor *here = &w->cursors[w->thread];

    /* A thread that was crossed at this very instant has been asked already. */
    return edge->from != TM__NONE && edge->from != w->thread && !here->waits &&
           here->crossed != w->step;
}

/* The instant at which the from-thread acted, or time_ns when that is still to come.
 * Where it is not known, it is as late as can be. */
static int64_t wakeup_ns(tm__walk *w, const tm__wakeup_edge *edge, int at_end)
{
    if (edge->from_ns == INT64_MIN)
        return at_end ? tm__walk_last_able_ns(w, edge->from, w->time_ns) : w->time_ns;
    return edge->from_ns < w->time_ns ? edge->from_ns : w->time_ns;
}

/* Stay with the thread in an interval that begins at or below lowest_ns. */
static void stay(tm__walk *w, uint32_t interval, int64_t lowest_ns, int why)
{
    const tm__interval *it = &w->model->entities.threads[w->thread].intervals[interval];

    add(w, interval, it->state, it->start_ns > lowest_ns ? it->start_ns : lowest_ns,
        why);
}

/* The segment that was added last is the time that a wake-up took. */
static void note_latency(tm__walk *w)
{
    if (w->path->segments_count)
        w->path->segments[w->path->segments_count - 1].is_latency = 1;
}

/* Before its start there is nothing of a thread to come back to. */
static void go_to_starter(tm__walk *w, uint32_t interval, const tm__wakeup_edge *edge)
{
    int64_t when_ns = wakeup_ns(w, edge, 1);

    add(w, interval, TM_STATE_NEW, when_ns > w->floor_ns ? when_ns : w->floor_ns,
        TM__WHY_EXPLAINED);
    if (w->time_ns > w->floor_ns)
        cross(w, edge, INT64_MIN);
}

/* Nobody wakes who joins a thread that has ended before. */
static int joins_the_dead(const tm_model *model, const tm__interval *join)
{
    return join->state == TM_STATE_JOINING && join->peer != TM__NONE &&
           model->entities.threads[join->peer].end_ns != INT64_MIN &&
           model->entities.threads[join->peer].end_ns <= join->start_ns;
}

/* The thread was blocked, or not begun, just before time_ns. */
static void pass_blocking(tm__walk *w, uint32_t interval)
{
    const tm__thread *thread = &w->model->entities.threads[w->thread];
    const tm__walk_cursor *at = &w->cursors[w->thread];
    int64_t begin_ns, when_ns;
    tm__wakeup_edge edge;
    int at_end;

    tm__walk_find_blocking(w, interval);
    edge = tm__wakeup_edge_out(w->model, w->thread, at->first, at->end);
    tm__path_reentry(w->model, w->thread, at->first, at->end, &edge);
    at_end = at->end < thread->interval_count &&
             thread->intervals[at->end].start_ns == w->time_ns;
    begin_ns = thread->intervals[at->first].start_ns;
    if (!can_cross(w, &edge)) {
        int known = edge.kind == TM_INTERACTION_TIMEOUT || edge.from == w->thread ||
                    (tm__is_delay(thread->intervals[interval].state) &&
                     !(thread->intervals[interval].flags & TM__INTERVAL_INTERRUPTED)) ||
                    joins_the_dead(w->model, &thread->intervals[at->first]);

        if (known && at_end && edge.kind)
            came(w, edge.kind, edge.provenance);
        stay(w, interval, w->floor_ns,
             known ? TM__WHY_EXPLAINED
                   : tm__path_why(w->model, w->thread, at->first, at->end));
        return;
    }
    if (begin_ns < w->floor_ns)
        begin_ns = w->floor_ns;
    when_ns = wakeup_ns(w, &edge, at_end);
    if (thread->intervals[interval].state == TM_STATE_NEW) {
        go_to_starter(w, interval, &edge);
        return;
    }
    if (when_ns >= w->time_ns) {
        cross(w, &edge, begin_ns);
        return;
    }
    /* From the wake-up on, or all of it where that came before: on its way. */
    if (at_end && when_ns <= begin_ns &&
        thread->intervals[at->first].state != TM_STATE_REENTERING)
        came(w, edge.kind, edge.provenance);
    stay(w, interval, when_ns > begin_ns ? when_ns : begin_ns, TM__WHY_EXPLAINED);
    /* A notified thread waits for the notifier to exit, whose release is not known. */
    if (edge.kind == TM_INTERACTION_HANDOFF ||
        thread->intervals[at->first].state != TM_STATE_REENTERING)
        note_latency(w);
}

/* The thread's interval has begun at time_ns; a start has no blocking interval before
 * it. */
static void pass_start(tm__walk *w, uint32_t interval)
{
    tm__wakeup_edge edge = tm__wakeup_edge_to(w->model, w->thread, interval);
    const tm__interval *intervals = w->model->entities.threads[w->thread].intervals;

    if (edge.kind == TM_INTERACTION_START && can_cross(w, &edge) &&
        (interval == 0 || !tm__is_inert(intervals[interval - 1].state)))
        go_to_starter(w, interval, &edge);
}

static void come_back(tm__walk *w)
{
    uint32_t thread = w->frames[--w->frames_count].thread;

    if (w->path->segments_count &&
        w->path->segments[w->path->segments_count - 1].thread != thread)
        came(w, TM__VIA_MEANWHILE, TM_PROVENANCE_UNKNOWN);
    w->thread = thread;
    w->leaving = TM__NONE;
    w->cursors[w->thread].waits = 0;
    w->floor_ns =
        w->frames_count ? w->frames[w->frames_count - 1].floor_ns : w->path->begin_ns;
}

static void go(tm__walk *w)
{
    while (w->time_ns > w->path->begin_ns && !w->failed) {
        const tm__thread *thread = &w->model->entities.threads[w->thread];
        uint32_t at;

        if (w->time_ns <= w->floor_ns) {
            come_back(w);
            continue;
        }
        at = tm__walk_locate(w, w->thread, w->time_ns);
        if (at == TM__NONE) {
            add(w, TM__NONE, TM_STATE_UNKNOWN, w->floor_ns,
                thread->start_ns != INT64_MIN ? TM__WHY_NO_STARTER : TM__WHY_BEFORE);
        } else if (tm__is_inert(thread->intervals[at].state) &&
                   thread->intervals[at].state != TM_STATE_DEAD) {
            pass_blocking(w, at);
        } else {
            int state = thread->intervals[at].state;

            stay(w, at, w->floor_ns,
                 tm__is_active(state) || state == TM_STATE_NATIVE ? TM__WHY_EXPLAINED
                 : state == TM_STATE_DEAD                         ? TM__WHY_ENDED
                                                                  : TM__WHY_UNKNOWN);
            if (w->time_ns == thread->intervals[at].start_ns &&
                w->time_ns > w->floor_ns)
                pass_start(w, at);
        }
    }
}

void tm__path_free(tm__path *path)
{
    if (!path->is_lent)
        tm__free(&path->memory, path->segments,
                 path->segments_capacity * sizeof(*path->segments));
    path->segments = NULL;
    path->segments_count = path->segments_capacity = 0;
}

static int walk_path(tm__path *path, const tm_model *model,
                     const tm_path_options *options)
{
    size_t bytes = model->entities.threads_count * sizeof(tm__walk_cursor);
    tm__walk w = {.model = model, .path = path, .leaving = TM__NONE, .step = 1};
    int rc;

    *path = (tm__path){.thread = TM__NONE, .destroyer = TM__NONE};
    tm__memory_init(&path->memory, &model->memory.hook);
    rc = tm__path_end(path, model, options);
    /* Dumps do not show who woke whom. */
    if (rc == TM_OK && tm__model_is_of_dumps(model))
        path->end_ns = path->begin_ns;
    if (rc < 0 || path->end_ns <= path->begin_ns)
        return rc;
    w.comes_back = options->walk == TM_PATH_WAITED_FOR;
    w.time_ns = path->end_ns;
    w.floor_ns = path->begin_ns;
    w.thread = path->thread;
    if (path->thread == TM__NONE) {
        add(&w, TM__NONE, TM_STATE_UNKNOWN, path->begin_ns, TM__WHY_UNKNOWN);
        return w.failed ? tm__failure() : TM_OK;
    }
    w.cursors = tm__zalloc(&path->memory, bytes);
    if (!w.cursors)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < model->entities.threads_count; i++)
        w.cursors[i].next = model->entities.threads[i].interval_count;
    go(&w);
    if (!w.comes_back)
        tm__path_doubt(path);
    tm__free(&path->memory, w.cursors, bytes);
    tm__free(&path->memory, w.frames, w.frames_capacity * sizeof(*w.frames));
    return w.failed ? tm__failure() : TM_OK;
}

/* ---- that of a whole run ---- */

/** A path that the model keeps. */
typedef struct kept_path {
    tm__memory *memory;
    tm__path path;
} kept_path;

static void drop(void *item)
{
    kept_path *kept = item;
    tm__memory *memory = kept->memory;

    memory->used_bytes -= kept->path.memory.used_bytes;
    tm__path_free(&kept->path);
    tm__free(memory, kept, sizeof(*kept));
}

static int keep(const tm_model *model, const tm_path_options *options)
{
    tm__memory *memory = &model->kept->memory;
    kept_path *kept = tm__zalloc(memory, sizeof(*kept));
    int rc;

    if (!kept)
        return TM_ENOMEM;
    kept->memory = memory;
    rc = walk_path(&kept->path, model, options);
    memory->used_bytes += kept->path.memory.used_bytes;
    if (rc < 0)
        drop(kept);
    else
        tm__keep(model->kept, TM__KEPT_PATH, kept, drop);
    return rc;
}

static int is_of_run(const tm_path_options *options)
{
    return !options->thread && !options->to_ns && !options->from_ns &&
           options->walk == TM_PATH_DECIDED;
}

int tm__path_walk(tm__path *path, const tm_model *model, const tm_path_options *options)
{
    int rc;

    if (!is_of_run(options))
        return walk_path(path, model, options);
    *path = (tm__path){.thread = TM__NONE, .destroyer = TM__NONE};
    rc = model->kept->items[TM__KEPT_PATH] ? TM_OK : keep(model, options);
    if (rc < 0)
        return rc;
    *path = ((const kept_path *)model->kept->items[TM__KEPT_PATH])->path;
    path->is_lent = 1;
    return TM_OK;
}
