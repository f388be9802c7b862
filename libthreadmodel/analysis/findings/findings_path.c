/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings about the critical path: sleeps that the run was longer by. There are some
 * hundred thousand segments and a handful of places to sleep at.
 */
#include "analysis/findings/findings.h"
#include "analysis/path/path.h"

/* What a tally is about, as its last key. */
enum { WHOLE, BY_THREAD };

typedef struct sleeps {
    tm__findings *findings;
    tm__tally tally;      ///< (place, 0, WHOLE), (place, thread, BY_THREAD)
    tm__triple_map slept; ///< (thread, interval, 0): 1
    tm__triple_map count; ///< (place, 0, 0): sleeps
} sleeps;

/* A sleep may lie on the path in several segments. */
static int count_sleep(sleeps *s, const tm__segment *segment, uint32_t place)
{
    tm__memory *memory = &s->findings->memory;
    uint32_t *seen =
        tm__triple_map_at(&s->slept, memory, segment->thread, segment->interval, 0);
    uint32_t *count;

    if (!seen)
        return TM_ENOMEM;
    if (*seen)
        return TM_OK;
    *seen = 1;
    count = tm__triple_map_at(&s->count, memory, place, 0, 0);
    if (!count)
        return TM_ENOMEM;
    ++*count;
    return TM_OK;
}

static int gather(sleeps *s, const tm__path *path)
{
    tm__memory *memory = &s->findings->memory;

    for (uint32_t i = 0; i < path->segments_count; i++) {
        const tm__segment *it = &path->segments[i];
        int64_t length_ns = tm__segment_end_ns(path, i) - it->start_ns;
        uint32_t object, stack, place;

        if (it->state != TM_STATE_SLEEPING || it->interval == TM__NONE)
            continue;
        tm__segment_subject(s->findings->model, it, &object, &stack);
        place = tm__caller_of(&s->findings->places, stack);
        if (place == TM__NONE || tm__caller_is_library(&s->findings->places, place))
            continue;
        if (!tm__tally_add(&s->tally, memory, place, 0, WHOLE, length_ns, it->thread) ||
            !tm__tally_add(&s->tally, memory, place, it->thread, BY_THREAD, length_ns,
                           it->thread) ||
            count_sleep(s, it, place) < 0)
            return TM_ENOMEM;
    }
    return TM_OK;
}

static int report_sleeps(const sleeps *s, const tm__tally_item *item)
{
    tm__findings *findings = s->findings;
    const tm__tally_item *most = tm__tally_top(&s->tally, item->a, BY_THREAD);
    uint32_t count = *tm__triple_map_find(&s->count, item->a, 0, 0);
    uint32_t threads = 0;
    tm__finding *finding = tm__finding_new(findings, "sleep_on_critical_path",
                                           "critical_path", item->total_ns);

    if (!finding)
        return TM_ENOMEM;
    for (uint32_t i = 0; i < s->tally.items_count; i++)
        threads += s->tally.items[i].a == item->a && s->tally.items[i].c == BY_THREAD;
    finding->place = item->a;
    finding->thread = most->b;
    tm__where_text(finding, "state", "sleeping");
    tm__where_caller(finding, findings, "method", item->a, 1);
    tm__finding_write_thread(finding, findings->model, most->b);
    if (threads > 1)
        tm__finding_write(finding, " and %u other%s", threads - 1,
                          threads > 2 ? "s" : "");
    if (count == 1)
        tm__finding_write(finding, " slept once in ");
    else
        tm__finding_write(finding, " slept %u times in ", count);
    tm__finding_write_caller(finding, findings, item->a);
    tm__finding_write(finding, " on the critical path, for ");
    tm__finding_write_duration(finding, item->total_ns);
    tm__finding_write(
        finding,
        " in all, %d %% of the run's length. The run is longer by that: wait for an "
        "event instead, or, where the sleep stands for a disk or a server, make "
        "that answer sooner.",
        tm__percent(item->total_ns, findings->run_ns));
    return TM_OK;
}

/* A sleep within a lock or a use of a resource is told as a part of that. */
static int is_reported(const tm__findings *findings, uint32_t place)
{
    for (uint32_t i = 0; i < findings->items_count; i++)
        if (findings->items[i].inner_method != TM__NONE &&
            findings->items[i].inner_method == findings->places.items[place].method)
            return 1;
    return 0;
}

static int report(const sleeps *s)
{
    tm__top top = {.count = 0};
    int rc = TM_OK;

    for (uint32_t i = 0; i < s->tally.items_count; i++) {
        const tm__tally_item *item = &s->tally.items[i];

        if (item->c == WHOLE && item->total_ns > 0 &&
            item->total_ns >= s->findings->run_ns / 20 &&
            !is_reported(s->findings, item->a))
            tm__top_add(&top, item->total_ns, i);
    }
    for (uint32_t i = 0; rc == TM_OK && i < top.count; i++)
        rc = report_sleeps(s, &s->tally.items[top.numbers[i]]);
    return rc;
}

int tm__find_path_sleeps(tm__findings *findings)
{
    static const tm_path_options whole_run = {.size = sizeof(whole_run)};
    sleeps s = {.findings = findings};
    tm__path path;
    int rc = tm__path_walk(&path, findings->model, &whole_run);

    if (rc == TM_OK)
        rc = gather(&s, &path);
    if (rc == TM_OK)
        rc = report(&s);
    tm__tally_free(&s.tally, &findings->memory);
    tm__triple_map_free(&s.slept, &findings->memory);
    tm__triple_map_free(&s.count, &findings->memory);
    tm__path_free(&path);
    return rc;
}
