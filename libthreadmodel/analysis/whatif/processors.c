/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Known about a run are its processors, how long each thread had one and how long it
 * waited for one, as the scheduler counts, and at each instant how many threads run;
 * but not which of these have a processor then.
 *
 *     running    2  ··· 6 ··· 3 ·· 1      four processors: where six run, each does
 *     pace       1     4/6    1    1      two thirds of its work
 *
 * A thread that has a processor or waits for one wants it; the rest of the time that
 * threads ran they were in native code. A program whose threads had less than they
 * wanted, and less than all processors, had to share these with other processes.
 *
 * Where the producer reports switches instead of counts, it is known at each instant
 * how many threads have a processor. Those that have it while more want one than there
 * are show how many the program had; where fewer do, a thread waits for its wake-up.
 */
#include "analysis/whatif/processors.h"

#include "analysis/timeline/time_merge.h"
#include "analysis/timeline/wakeup_edge.h"
#include "base/error.h"
#include "base/saturate.h"
#include "base/search.h"
#include "model/entities/reports.h"
#include "model/intervals/cpu.h"
#include "model/intervals/interval.h"

/* The scheduler counts in turns, and is asked before the run's end. */
#define TOLERANCE 1.1

enum { HALVINGS = 30 };

/** A stretch of time in which the same number of threads ran. */
typedef struct stretch {
    int64_t from_ns, to_ns;
    uint32_t running;
    uint32_t on_processor; ///< of these, where switches are reported
} stretch;

typedef int (*stretch_fn)(tm__processors *it, const stretch *at, void *context);

static int runs(const tm__thread *thread, uint32_t interval)
{
    return tm__takes_processor(thread) &&
           !tm__is_inert(thread->intervals[interval].state) &&
           thread->intervals[interval].state != TM_STATE_NATIVE;
}

static int is_on_processor(const tm__thread *thread, uint32_t interval)
{
    return runs(thread, interval) &&
           thread->intervals[interval].state == TM_STATE_RUNNING;
}

static int for_stretches(tm__processors *it, const tm_model *model, int64_t now_ns,
                         stretch_fn call, void *context)
{
    tm__time_merge merge;
    tm__time_merge_point point;
    stretch at = {.from_ns = now_ns};
    int rc = tm__time_merge_open_intervals(&merge, model, it->memory);

    if (rc == TM_OK)
        tm__time_merge_start(&merge, 0);
    while (rc == TM_OK && tm__time_merge_next(&merge, &point)) {
        const tm__thread *thread = &model->entities.threads[point.thread];

        if (point.time_ns > at.from_ns) {
            at.to_ns = point.time_ns;
            rc = call(it, &at, context);
            at.from_ns = point.time_ns;
        }
        at.running += runs(thread, point.number);
        at.on_processor += is_on_processor(thread, point.number);
        if (point.number > 0) {
            at.running -= runs(thread, point.number - 1);
            at.on_processor -= is_on_processor(thread, point.number - 1);
        }
    }
    if (rc == TM_OK && model->last_ns > at.from_ns) {
        at.to_ns = model->last_ns;
        rc = call(it, &at, context);
    }
    tm__time_merge_close(&merge);
    return rc;
}

/* @param context  int64_t of each number of threads: for how long so many ran */
static int sum_up(tm__processors *it, const stretch *at, void *context)
{
    int64_t *running_ns = (int64_t *)context + at->running;

    (void)it;
    *running_ns = tm__sum(*running_ns, at->to_ns - at->from_ns);
    return TM_OK;
}

/** The time in which more threads wanted a processor than there are. */
typedef struct shortage {
    uint32_t processors;
    double length_ns;
    double had_ns; ///< by all threads
} shortage;

static int add_shortage(tm__processors *it, const stretch *at, void *context)
{
    shortage *sum = context;
    double ns = (double)at->to_ns - (double)at->from_ns;

    (void)it;
    if (at->running > sum->processors) {
        sum->length_ns += ns;
        sum->had_ns += ns * at->on_processor;
    }
    return TM_OK;
}

static int note_pace(tm__processors *it, const stretch *at, void *context)
{
    tm__pace *last = it->paces_count ? &it->paces[it->paces_count - 1] : NULL;
    tm__pace next = {at->from_ns, 0,
                     at->running <= it->most ? 1 : it->most / at->running};

    (void)context;
    if (last && last->share == next.share)
        return TM_OK;
    if (last)
        next.done_ns =
            last->done_ns + (double)(at->from_ns - last->from_ns) * last->share;
    if (tm__reserve(it->memory, &it->paces, &it->paces_capacity,
                    (size_t)it->paces_count + 1, sizeof(next)) < 0)
        return tm__failure();
    it->paces[it->paces_count++] = next;
    return TM_OK;
}

/* How long threads would have had processors, if each that ran wanted a share. */
static double had_ns(const int64_t *running_ns, uint32_t threads, double processors,
                     double share)
{
    double sum_ns = 0;

    for (uint32_t i = 1; i <= threads; i++) {
        double busy = share * i < processors ? share * i : processors;

        sum_ns += busy * (double)running_ns[i];
    }
    return sum_ns;
}

/* The part of the processors that the process had, if it had as much as it could. */
static double processors_had(const int64_t *running_ns, uint32_t threads,
                             double processors, double share, double cpu_ns)
{
    double low = 0, high = processors;

    if (had_ns(running_ns, threads, processors, share) <= cpu_ns * TOLERANCE)
        return processors;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;

        if (had_ns(running_ns, threads, middle, share) <= cpu_ns)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* The sums of the scheduler's counts: a virtual thread's is its carrier's. */
static tm__cpu_use sum_of_counts(const tm_model *model)
{
    tm__cpu_use all = {0};

    for (uint32_t t = 0; t < model->entities.threads_count; t++) {
        int64_t ran_ns = tm__cpu_time_ns(&model->intervals, t);
        int64_t waited_ns = tm__cpu_wait_ns(&model->intervals, t);

        if (model->entities.threads[t].flags & TM_THREAD_AGENT)
            continue;
        all.ran_ns = tm__sum(all.ran_ns, ran_ns > 0 ? ran_ns : 0);
        all.waited_ns = tm__sum(all.waited_ns, waited_ns > 0 ? waited_ns : 0);
    }
    return all;
}

/* How many threads could run at once. @return TM_OK or TM_ENOMEM */
static int find_by_counts(tm__processors *it, const tm_model *model, int64_t begin_ns,
                          const tm__cpu_use *counts, double *most)
{
    uint32_t threads = model->entities.threads_count;
    size_t bytes = ((size_t)threads + 1) * sizeof(int64_t);
    int64_t *running_ns = tm__zalloc(it->memory, bytes);
    double cpu_ns = (double)counts->ran_ns, wait_ns = (double)counts->waited_ns;
    double all_ns, share;
    int rc;

    if (!running_ns)
        return TM_ENOMEM;
    rc = for_stretches(it, model, begin_ns, sum_up, running_ns);
    all_ns = had_ns(running_ns, threads, threads, 1);
    share = all_ns > cpu_ns + wait_ns ? (cpu_ns + wait_ns) / all_ns : 1;
    *most = processors_had(running_ns, threads, (double)model->run.processors, share,
                           cpu_ns) /
            share;
    tm__free(it->memory, running_ns, bytes);
    return rc;
}

static int find_by_switches(tm__processors *it, const tm_model *model, int64_t begin_ns,
                            double *most)
{
    uint32_t threads = model->entities.threads_count;
    shortage sum = {.processors = model->run.processors < threads
                                      ? (uint32_t)model->run.processors
                                      : threads};
    int rc = for_stretches(it, model, begin_ns, add_shortage, &sum);

    *most = sum.length_ns > 0 ? sum.had_ns / sum.length_ns : threads;
    return rc;
}

int tm__processors_find(tm__processors *it, const tm_model *model, int64_t begin_ns)
{
    tm__cpu_use counts = sum_of_counts(model);
    int has_switches = tm__model_reports(model, TM_EVENT_ON_CPU);
    double most;
    int rc;

    it->is_known = model->run.processors && (counts.ran_ns > 0 || has_switches);
    if (!it->is_known)
        return TM_OK;
    rc = counts.ran_ns > 0 ? find_by_counts(it, model, begin_ns, &counts, &most)
                           : find_by_switches(it, model, begin_ns, &most);
    if (rc < 0 || most >= model->entities.threads_count)
        return rc;
    /* Where one is not whole, two are half of that each. */
    it->most = most < 1 ? 1 : most;
    return for_stretches(it, model, begin_ns, note_pace, NULL);
}

static double done_ns(const tm__processors *it, int64_t time_ns, uint32_t *near)
{
    uint32_t after = TM__FIRST_AFTER_NEAR(it->paces, tm__pace, from_ns, *near,
                                          it->paces_count, time_ns);
    const tm__pace *pace;

    if (after == 0)
        return 0;
    *near = after - 1;
    pace = &it->paces[after - 1];
    return pace->done_ns + (double)(time_ns - pace->from_ns) * pace->share;
}

int64_t tm__processors_work_ns(const tm__processors *it, int64_t from_ns, int64_t to_ns,
                               uint32_t *near)
{
    double before_ns = done_ns(it, from_ns, near);

    /* Rounded down at each instant, pieces sum up to the whole. */
    return tm__whole(done_ns(it, to_ns, near)) - tm__whole(before_ns);
}

void tm__processors_free(tm__processors *it)
{
    tm__free(it->memory, it->paces, it->paces_capacity * sizeof(*it->paces));
    it->paces = NULL;
}
