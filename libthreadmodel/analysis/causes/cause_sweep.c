/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The windows of a node, thread by thread and from one of their edges to the next:
 * between two edges each instant counts equally often.
 *
 *     windows   |----------|
 *                   |-----------|
 *     weight    | 1 | 2    | 1  |
 */
#include "analysis/causes/cause_activity.h"
#include "analysis/causes/cause_nodes.h"
#include "analysis/causes/cause_state.h"
#include "analysis/causes/cause_sweep.h"
#include "base/error.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"

/* Parts of intervals that one answer looks at: some seconds of work. The rest of the
 * time has the cause `not_followed`. */
#define STEPS_MAX (UINT64_C(1) << 26)

typedef struct sweep {
    tm__causes *causes;
    uint32_t node;
    tm__cause_window *windows;
    uint32_t count;
    uint32_t near; ///< intervals[] of the thread, from which on it is looked for
} sweep;

static int64_t thread_of(const void *payload, uint32_t number)
{
    return ((const tm__cause_window *)payload)[number].thread;
}

static int64_t from_of(const void *payload, uint32_t number)
{
    return ((const tm__cause_window *)payload)[number].from_ns;
}

static int64_t to_of(const void *payload, uint32_t number)
{
    return ((const tm__cause_window *)payload)[number].to_ns;
}

/* A stretch of a thread's time of one weight: interval by interval. */
static int divide(sweep *s, const tm__cause_part *stretch)
{
    const tm__thread *thread = &s->causes->model->entities.threads[stretch->thread];
    tm__cause_part part = *stretch;
    int rc = TM_OK;

    s->near = part.interval = tm__interval_near(thread, stretch->from_ns, s->near);
    while (rc == TM_OK && part.from_ns < stretch->to_ns) {
        uint32_t after = part.interval == TM__NONE ? 0 : part.interval + 1;

        part.to_ns = stretch->to_ns;
        if (after < thread->interval_count &&
            thread->intervals[after].start_ns < part.to_ns)
            part.to_ns = thread->intervals[after].start_ns;
        if (part.interval != TM__NONE &&
            thread->intervals[part.interval].start_ns == part.from_ns &&
            !(thread->intervals[part.interval].flags & TM__INTERVAL_CONTINUES))
            part.begins = stretch->weight;
        else if (part.from_ns != stretch->from_ns)
            part.begins = 0;
        s->causes->steps++;
        if (part.to_ns > part.from_ns) {
            s->near = part.interval;
            rc = tm__cause_activity(s->causes, s->node, &part);
        }
        part.from_ns = part.to_ns;
        part.interval = after;
    }
    return rc;
}

static int divide_all(sweep *s, const tm__sortable *starts, const tm__sortable *ends)
{
    tm__cause_part stretch = {.thread = TM__NONE};
    uint32_t next = 0;
    int rc = TM_OK;

    for (uint32_t i = 0; rc == TM_OK && i < s->count; i++) {
        const tm__cause_window *ending = &s->windows[ends[i].number];

        if (ending->thread != stretch.thread) {
            stretch = (tm__cause_part){.thread = ending->thread, .from_ns = INT64_MIN};
            s->near = TM__NONE;
        }
        /* All that begin before this one ends, each at its own instant. */
        while (rc == TM_OK && next < s->count) {
            const tm__cause_window *it = &s->windows[starts[next].number];

            if (it->thread != ending->thread || it->from_ns >= ending->to_ns)
                break;
            if (stretch.weight && it->from_ns > stretch.from_ns) {
                stretch.to_ns = it->from_ns;
                rc = divide(s, &stretch);
            }
            if (it->from_ns > stretch.from_ns)
                stretch.begins = 0;
            stretch.from_ns = it->from_ns;
            stretch.weight += it->weight;
            stretch.begins += it->begins;
            next++;
        }
        if (rc == TM_OK && ending->to_ns > stretch.from_ns) {
            stretch.to_ns = ending->to_ns;
            rc = divide(s, &stretch);
            stretch.begins = 0;
            stretch.from_ns = ending->to_ns;
        }
        stretch.weight -= ending->weight;
    }
    return rc;
}

/* The time that is not divided further stays whole. */
static int stop(tm__causes *c, uint32_t node)
{
    tm__cause_label label = {TM__CAUSE_NOT_FOLLOWED, TM__NONE, TM__NONE};
    uint32_t child = tm__cause_node_of(c, node, label);

    if (child == TM__NONE)
        return tm__failure();
    c->nodes[child].total_ns = c->nodes[node].total_ns;
    c->nodes[child].count = c->nodes[node].count;
    return TM_OK;
}

static int sweep_node(tm__causes *c, uint32_t node)
{
    tm__cause_node *it = &c->nodes[node];
    sweep s = {.causes = c,
               .node = node,
               .windows = it->windows,
               .count = it->windows_count,
               .near = TM__NONE};
    uint32_t capacity = it->windows_capacity;
    tm__sortable *starts, *ends;
    int rc;

    it->windows = NULL;
    it->windows_count = it->windows_capacity = 0;
    if (it->depth >= c->depth || c->steps >= STEPS_MAX) {
        rc = stop(c, node);
    } else {
        starts =
            tm__sorted_within_new(c->memory, s.count, thread_of, from_of, s.windows);
        ends = tm__sorted_within_new(c->memory, s.count, thread_of, to_of, s.windows);
        rc = starts && ends ? divide_all(&s, starts, ends) : TM_ENOMEM;
        tm__sorted_free(c->memory, starts, s.count);
        tm__sorted_free(c->memory, ends, s.count);
    }
    tm__free(c->memory, s.windows, capacity * sizeof(*s.windows));
    return rc;
}

int tm__causes_sweep(tm__causes *c)
{
    int rc = TM_OK;

    while (rc == TM_OK && c->pending_count)
        rc = sweep_node(c, c->pending[--c->pending_count]);
    return rc;
}
