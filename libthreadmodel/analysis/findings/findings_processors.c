/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A finding about processors: threads that could run and had none. The scheduler counts
 * for how long, and some producers report each switch; either way such time is no
 * work, and in a thread's timeline it may look like that.
 */
#include "analysis/findings/findings.h"
#include "base/saturate.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/intervals/cpu.h"
#include "model/intervals/interval.h"

enum {
    PART_OF_RUN = 10,    ///< that one thread waited
    ALL_PART_OF_RUN = 2, ///< that all waited: half a thread on average
    THREAD_PART_OF_RUN = 100
};

typedef struct processors {
    tm__findings *findings;
    int64_t waited_ns;
    int64_t ran_ns; ///< of those that it is known of
    int64_t bound_ns;
    int64_t most_ran_ns;
    uint32_t thread; ///< that waited longest
    uint32_t ran;    ///< that ran longest
    uint32_t threads;
} processors;

static int64_t waited_ns(const tm_model *model, uint32_t number)
{
    const tm__thread *thread = &model->entities.threads[number];
    int64_t counted_ns = tm__cpu_wait_ns(model, number), seen_ns = 0;

    for (uint32_t i = 0; i < thread->interval_count; i++)
        if (thread->intervals[i].state == TM_STATE_RUNNABLE)
            seen_ns = tm__sum(seen_ns, tm__interval_end_ns(model, thread, i) -
                                           thread->intervals[i].start_ns);
    return counted_ns > seen_ns ? counted_ns : seen_ns;
}

/* Less is what every thread waits now and then. */
static int counts(const processors *p, uint32_t thread, int64_t ns)
{
    return !(p->findings->model->entities.threads[thread].flags & TM_THREAD_AGENT) &&
           ns > 0 && ns >= p->findings->run_ns / THREAD_PART_OF_RUN;
}

static void gather(processors *p)
{
    const tm_model *model = p->findings->model;

    for (uint32_t t = 0; t < model->entities.threads_count; t++) {
        int64_t ns = waited_ns(model, t), ran_ns = tm__cpu_time_ns(model, t);

        if (ran_ns > 0)
            p->ran_ns = tm__sum(p->ran_ns, ran_ns);
        if (ran_ns > p->most_ran_ns) {
            p->most_ran_ns = ran_ns;
            p->ran = t;
        }
        if (!counts(p, t, ns))
            continue;
        p->threads++;
        p->waited_ns = tm__sum(p->waited_ns, ns);
        if (ns > p->bound_ns) {
            p->bound_ns = ns;
            p->thread = t;
        }
    }
}

static int waited(const void *context, uint32_t thread)
{
    const processors *p = context;

    return counts(p, thread, waited_ns(p->findings->model, thread));
}

static int emit(const processors *p)
{
    tm__findings *findings = p->findings;
    int64_t run_ns = findings->run_ns;
    uint64_t had = findings->model->run.processors;
    double used = (double)p->ran_ns / (double)run_ns;
    /* A program that had less than half of them has lost them to somebody else. */
    int is_of_others = p->ran_ns > 0 && used < (had ? (double)had / 2 : 1.0);
    tm__finding *finding =
        tm__finding_new(findings, "too_few_processors", "threads", p->waited_ns);

    if (!finding || tm__where_threads(finding, findings, waited, p) < 0)
        return TM_ENOMEM;
    finding->bound_ns = p->bound_ns;
    finding->thread = p->thread;
    finding->minor = is_of_others;
    tm__finding_write_threads(finding, p->threads);
    tm__finding_write(finding, p->threads == 1 ? " waits for a processor"
                                               : " wait for processors");
    tm__part(finding, TM__WAITS);
    tm__finding_write_threads(finding, p->threads);
    tm__finding_write(finding, " could run and had no processor for ");
    tm__finding_write_duration(finding, p->waited_ns);
    tm__finding_write(finding, " in all, %.1f on average; ",
                      (double)p->waited_ns / (double)run_ns);
    tm__finding_write_thread(finding, findings->model, p->thread);
    tm__finding_write(finding, " for ");
    tm__finding_write_duration(finding, p->bound_ns);
    tm__finding_write(finding, ".");
    tm__part(finding, TM__HOLDS);
    if (p->ran_ns > 0 && had)
        tm__finding_write(finding,
                          "The program's threads had %.1f of %llu processors on "
                          "average.",
                          used, (unsigned long long)had);
    else if (p->ran_ns > 0)
        tm__finding_write(
            finding, "The program's threads had %.1f processors on average.", used);
    if (p->ran != TM__NONE) {
        tm__finding_write(finding, " ");
        tm__finding_write_thread(finding, findings->model, p->ran);
        tm__finding_write(finding, " had one longest, for ");
        tm__finding_write_duration(finding, p->most_ran_ns);
        tm__finding_write(finding, ".");
    }
    tm__part(finding, TM__ADVICE);
    tm__finding_write(finding,
                      is_of_others
                          ? "Other programs, or a limit on this one, had the "
                            "processors: record it where it has them."
                          : "Let no more threads compute than there are processors, or "
                            "give the program more.");
    if (tm__model_reports(findings->model, TM_EVENT_RUNNABLE))
        return TM_OK;
    tm__part(finding, TM__CAVEAT);
    tm__finding_write(finding, "The scheduler counts how long, and not when: in "
                               "timelines this time is part of other states.");
    return TM_OK;
}

int tm__find_processors(tm__findings *findings)
{
    processors p = {.findings = findings, .thread = TM__NONE, .ran = TM__NONE};

    gather(&p);
    if (!p.threads || p.bound_ns < findings->run_ns / PART_OF_RUN ||
        p.waited_ns < findings->run_ns / ALL_PART_OF_RUN)
        return TM_OK;
    return emit(&p);
}
