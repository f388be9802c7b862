/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A finding about processors: threads that could run and had none. The scheduler counts
 * for how long, and some producers report each switch; either way such time is no
 * work, and in a thread's timeline it may look like that.
 */
#include "analysis/findings/finding.h"
#include "analysis/findings/finding_text.h"
#include "analysis/findings/findings_processors.h"
#include "analysis/findings/where.h"
#include "analysis/timeline/processor_time.h"
#include "base/error.h"
#include "base/saturate.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
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
        int64_t ns = tm__lacked_processor_ns(model, t);
        int64_t thread_ran_ns = tm__had_processor_ns(model, t);

        if (thread_ran_ns > 0)
            p->ran_ns = tm__sum(p->ran_ns, thread_ran_ns);
        /* The row of forgotten threads stands for many: none of them ran longest. */
        if (t == model->replay.others) {
            p->waited_ns = tm__sum(p->waited_ns, ns > 0 ? ns : 0);
            continue;
        }
        if (thread_ran_ns > p->most_ran_ns) {
            p->most_ran_ns = thread_ran_ns;
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

    return counts(p, thread, tm__lacked_processor_ns(p->findings->model, thread));
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
    tm__facts facts = TM__NO_FACTS;

    if (!finding || tm__where_threads(finding, findings, waited, p) < 0)
        return tm__failure();
    finding->bound_ns = p->bound_ns;
    finding->thread = p->thread;
    finding->minor = is_of_others;
    facts.threads = p->threads;
    facts.total_ns = p->waited_ns;
    facts.average = (double)p->waited_ns / (double)run_ns;
    facts.thread = p->thread;
    facts.longest_ns = p->bound_ns;
    facts.other_average = used;
    facts.of = had;
    tm__finding_add(finding, findings, TM__TEXT_PROCESSORS_TITLE, &facts);
    tm__finding_add(finding, findings, TM__TEXT_PROCESSORS_WAITS, &facts);
    if (p->ran_ns > 0)
        tm__finding_add(finding, findings, TM__TEXT_PROCESSORS_HAD, &facts);
    if (p->ran != TM__NONE) {
        facts.thread = p->ran;
        facts.total_ns = p->most_ran_ns;
        tm__finding_add(finding, findings, TM__TEXT_PROCESSORS_LONGEST, &facts);
    }
    tm__finding_add(finding, findings,
                    is_of_others ? TM__TEXT_PROCESSORS_OF_OTHERS
                                 : TM__TEXT_PROCESSORS_ADVICE,
                    &facts);
    if (!tm__model_reports(findings->model, TM_EVENT_RUNNABLE) &&
        !tm__model_reports(findings->model, TM_EVENT_ON_CPU))
        tm__finding_add(finding, findings, TM__TEXT_PROCESSORS_CAVEAT, &facts);
    return TM_OK;
}

int tm__find_processors(tm__findings *findings)
{
    processors p = {.findings = findings, .thread = TM__NONE, .ran = TM__NONE};

    gather(&p);
    /* An instant has no shares. */
    if (findings->run_ns <= 0 || !p.threads ||
        p.bound_ns < findings->run_ns / PART_OF_RUN ||
        p.waited_ns < findings->run_ns / ALL_PART_OF_RUN)
        return TM_OK;
    return emit(&p);
}
