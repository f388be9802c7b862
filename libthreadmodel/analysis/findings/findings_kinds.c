/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kinds of findings that a run's data supports. A kind has a set of needs, and the
 * data has a set of needs that it does not meet. A kind with an unmet need is not
 * looked for: without notifies every wait looks as if it timed out, below a threshold
 * every worker looks busy. It costs one pass over the blocking intervals.
 */
#include <string.h>

#include "analysis/findings/finding.h"
#include "analysis/findings/findings_kinds.h"
#include "analysis/listing/caveats.h"
#include "base/error.h"
#include "base/saturate.h"
#include "model/entities/object.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"
#include "table/tables.h"

enum need {
    EVENTS,
    NO_EVENTS,
    DUMPS,
    BLOCKS,
    LOCKS,
    MONITORS,
    WAITS,
    PARKS,
    SLEEPS,
    JOINS,
    STARTS,
    START_CALLS,
    NOTIFIES,
    WAKERS,
    PROCESSORS,
    IO,
    STACKS,
    OWN_STACKS,
    NESTING,
    SHORT_ONES,
    MOST_EVENTS,
    ALL_EVENTS,
    NEEDS
};

/* Where more than one event in so many was lost, sums and counts are wrong. */
enum { MOST = 100 };

/** The reason why a need is not met, and the remedy: NULL where none is necessary. Both
 * texts are in texts.def. */
static const struct {
    const char *why;
    const char *remedy;
} needs[NEEDS] = {
#define LACK(need, why, remedy) [need] = {why, remedy},
#include "analysis/findings/texts.def"
};

#define NEED(need) (UINT32_C(1) << (need))
/** The needs of every sum over blocks by a lock. */
#define OF_LOCKS (NEED(EVENTS) | NEED(LOCKS))
#define HELD (OF_LOCKS | NEED(STACKS) | NEED(MOST_EVENTS))
#define OF_NOTIFIES (NEED(EVENTS) | NEED(NOTIFIES) | NEED(WAITS) | NEED(SHORT_ONES))

/** In the order of the column `kind`. */
static const struct {
    const char *kind;
    uint32_t needs;
} kinds[] = {
    {"deadlock", NEED(BLOCKS)},
    {"stuck", 0},
    {"partly_stuck", 0},
    {"starved", 0},
    {"resource_wait", NEED(EVENTS) | NEED(WAKERS) | NEED(STACKS) | NEED(MOST_EVENTS)},
    /* Idle for less than a threshold looks busy. */
    {"executor_too_small",
     NEED(EVENTS) | NEED(PARKS) | NEED(STACKS) | NEED(SHORT_ONES) | NEED(MOST_EVENTS)},
    {"event_loop_blocked", NEED(EVENTS) | NEED(STACKS)},
    {"virtual_threads_pinned",
     NEED(EVENTS) | NEED(START_CALLS) | NEED(STACKS) | NEED(MOST_EVENTS)},
    {"hot_lock", OF_LOCKS},
    {"lock_convoy", OF_LOCKS | NEED(SHORT_ONES) | NEED(MOST_EVENTS)},
    {"oversubscribed_lock", OF_LOCKS | NEED(MOST_EVENTS)},
    {"wake_up_latency", OF_LOCKS | NEED(MOST_EVENTS)},
    {"held_while_sleeping", HELD | NEED(SLEEPS)},
    {"held_while_io", HELD | NEED(IO)},
    {"held_while_waiting", HELD | NEED(WAITS)},
    {"held_while_parked", HELD | NEED(PARKS)},
    {"held_while_blocked", HELD},
    {"notify_all_herd", OF_NOTIFIES | NEED(MOST_EVENTS)},
    {"useless_notify", OF_NOTIFIES | NEED(MOST_EVENTS)},
    {"class_initialisation", NEED(EVENTS) | NEED(STACKS) | NEED(OWN_STACKS)},
    {"class_loading", NEED(EVENTS) | NEED(MONITORS) | NEED(STACKS)},
    /* For one wait it is known whether events were lost meanwhile. */
    {"long_wait",
     NEED(EVENTS) | NEED(WAITS) | NEED(STACKS) | NEED(OWN_STACKS) | NEED(MOST_EVENTS)},
    {"unended_wait", NEED(EVENTS) | NEED(PARKS) | NEED(STACKS)},
    /* Where wakers are recorded, these are found as resources. */
    {"long_park", NEED(EVENTS) | NEED(PARKS) | NEED(STACKS) | NEED(MOST_EVENTS)},
    /* One that a notify ended may have been too short, or lost. */
    {"wait_always_times_out",
     NEED(EVENTS) | NEED(WAITS) | NEED(STACKS) | NEED(SHORT_ONES) | NEED(ALL_EVENTS)},
    {"sleep_on_critical_path", NEED(EVENTS) | NEED(SLEEPS) | NEED(STACKS)},
    {"unbalanced_join", NEED(EVENTS) | NEED(JOINS) | NEED(MOST_EVENTS)},
    {"straggler",
     NEED(EVENTS) | NEED(STARTS) | NEED(WAKERS) | NEED(STACKS) | NEED(MOST_EVENTS)},
    {"io_wait", NEED(EVENTS) | NEED(IO) | NEED(MOST_EVENTS)},
    {"too_few_processors", NEED(EVENTS) | NEED(PROCESSORS)},
    {"lock_inversion", NEED(NESTING) | NEED(OWN_STACKS)},
    {"sampled_block", NEED(NO_EVENTS) | NEED(DUMPS)},
    {"sampled_wait", NEED(NO_EVENTS) | NEED(DUMPS)},
    {"sampled_io", NEED(NO_EVENTS) | NEED(DUMPS)},
    {"sampled_processor", NEED(NO_EVENTS) | NEED(DUMPS)},
    {"blocking_thread", NEED(NO_EVENTS)},
    {"pool_starved", NEED(NO_EVENTS)},
    {"carriers_taken", NEED(NO_EVENTS)},
};

enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

/* ---- what the data has ---- */

/* For how long threads were blocked, and for how much of that there is a stack. */
typedef struct blocked_time {
    int64_t all_ns;
    int64_t bare_ns;
    int64_t sampled_ns;
} blocked_time;

static blocked_time add_up(const tm_model *model)
{
    blocked_time sums = {0};

    for (uint32_t t = 0; t < model->entities.threads_count; t++) {
        const tm__thread *thread = &model->entities.threads[t];

        for (uint32_t i = 0; i < thread->interval_count; i++) {
            const tm__interval *it = &thread->intervals[i];
            int64_t ns = tm__interval_end_ns(model, thread, i) - it->start_ns;

            if (!tm__is_stopped(it->state) || tm__interval_is_idle(it))
                continue;
            sums.all_ns = tm__sum(sums.all_ns, ns);
            if (it->stack == TM__NONE)
                sums.bare_ns = tm__sum(sums.bare_ns, ns);
            else if (it->flags & TM__INTERVAL_SAMPLED)
                sums.sampled_ns = tm__sum(sums.sampled_ns, ns);
        }
    }
    return sums;
}

static uint32_t lost_needs(const tm_model *model)
{
    uint64_t lost = model->diagnostics[TM_DIAGNOSTIC_LOST_BY_PRODUCER];

    if (!lost)
        return 0;
    return lost > model->event_count / MOST ? NEED(ALL_EVENTS) | NEED(MOST_EVENTS)
                                            : NEED(ALL_EVENTS);
}

/* Semaphores and channels are awaited as well. */
static int reports_io(const tm_model *model)
{
    for (int kind = 0; model->run.object_kinds && kind < TM_OBJECT_KIND_END; kind++)
        if (model->run.object_kinds >> kind & 1 && tm__object_is_io(kind))
            return 1;
    if (model->run.object_kinds)
        return 0;
    for (uint32_t i = 0; i < model->entities.objects_count; i++)
        if (tm__object_is_io(model->entities.objects[i].kind))
            return 1;
    return 0;
}

static uint32_t unreported(const tm_model *model)
{
    static const struct {
        enum need need;
        int any_of[4]; ///< kinds of events; one of them suffices
    } reports[] = {
        {BLOCKS, {TM_EVENT_CONTENDED_ENTER, TM_EVENT_PARK, TM_EVENT_JOIN}},
        {LOCKS, {TM_EVENT_CONTENDED_ENTER, TM_EVENT_PARK}},
        {MONITORS, {TM_EVENT_CONTENDED_ENTER}},
        {WAITS, {TM_EVENT_WAIT, TM_EVENT_AWAIT}},
        {PARKS, {TM_EVENT_PARK, TM_EVENT_AWAIT}},
        {SLEEPS, {TM_EVENT_SLEEP}},
        {JOINS, {TM_EVENT_JOIN, TM_EVENT_WAIT}}, /* for a thread's object */
        {STARTS, {TM_EVENT_THREAD_START_CALLED, TM_EVENT_THREAD_START}},
        {START_CALLS, {TM_EVENT_THREAD_START_CALLED}},
        {NOTIFIES, {TM_EVENT_NOTIFY, TM_EVENT_NOTIFY_ALL}},
        {WAKERS,
         {TM_EVENT_NOTIFY, TM_EVENT_NOTIFY_ALL, TM_EVENT_UNPARK_CALLED, TM_EVENT_POST}},
        {PROCESSORS, {TM_EVENT_CPU_WAIT, TM_EVENT_RUNNABLE, TM_EVENT_ON_CPU}},
        {NESTING, {TM_EVENT_HELD, TM_EVENT_ACQUIRED}},
    };
    uint32_t unmet = 0;

    for (size_t i = 0; i < sizeof(reports) / sizeof(*reports); i++) {
        int any = 0;

        for (size_t k = 0; k < 4 && reports[i].any_of[k]; k++)
            any |= tm__model_reports(model, reports[i].any_of[k]);
        if (!any)
            unmet |= NEED(reports[i].need);
    }
    if (!reports_io(model))
        unmet |= NEED(IO);
    /* Such a producer names who woke a thread beside the end of its wait. */
    if (model->run.policy == TM_POLICY_REPORTED)
        unmet &= ~NEED(WAKERS);
    return unmet;
}

uint32_t tm__unmet_needs(const tm_model *model)
{
    uint32_t unmet = unreported(model) | lost_needs(model);
    blocked_time sums;

    /* It is known what dumps lack, and nothing else is required of a run that has only
     * these. */
    if (tm__model_is_of_dumps(model))
        return model->replay.dumps_count < 2 ? NEED(EVENTS) | NEED(DUMPS)
                                             : NEED(EVENTS);
    sums = add_up(model);
    if (sums.bare_ns > sums.all_ns / 2)
        unmet |= NEED(STACKS);
    else
        unmet &= ~NEED(NESTING);
    if (sums.sampled_ns > (sums.all_ns - sums.bare_ns) / 2)
        unmet |= NEED(OWN_STACKS);
    if (model->run.threshold_ns > 0)
        unmet |= NEED(SHORT_ONES);
    return unmet | NEED(NO_EVENTS);
}

/* ---- the kinds ---- */

/* @return what a kind lacks; a dump's or an event's whole nature is said alone */
static uint32_t lacks(uint32_t unmet, size_t kind)
{
    uint32_t missing = kinds[kind].needs & unmet;
    uint32_t nature = missing & (NEED(EVENTS) | NEED(NO_EVENTS));

    return nature ? nature : missing;
}

int tm__is_looked_for(const tm__findings *findings, const char *kind)
{
    for (size_t i = 0; i < KINDS; i++)
        if (strcmp(kinds[i].kind, kind) == 0)
            return !lacks(findings->unmet, i);
    return 1;
}

/* The sentences of all that is missing, one after the other. */
static void put_sentences(tm__builder *builder, uint32_t missing, int is_remedy)
{
    char text[NEEDS * 96];
    size_t length = 0;

    for (int need = 0; need < NEEDS; need++) {
        const char *sentence = is_remedy ? needs[need].remedy : needs[need].why;

        if (!(missing & NEED(need)) || !sentence)
            continue;
        if (length)
            text[length++] = ' ';
        memcpy(text + length, sentence, strlen(sentence));
        length += strlen(sentence);
    }
    text[length] = '\0';
    if (length)
        tm__put_text(builder, text);
    else
        tm__put_null(builder);
}

int tm_finding_kind_list(tm_table **out, const tm_model *model)
{
    tm__builder builder;
    uint32_t unmet;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    unmet = tm__unmet_needs(model);
    tm__builder_start(&builder, &tm__finding_kinds_table, 0, &model->memory.hook);
    tm__model_put_caveats(model, &builder);
    for (size_t i = 0; model->event_count && i < KINDS; i++) {
        uint32_t missing = lacks(unmet, i);

        tm__put_string(&builder, kinds[i].kind);
        tm__put_bool(&builder, !missing);
        put_sentences(&builder, missing, 0);
        put_sentences(&builder, missing, 1);
    }
    return tm__builder_finish(&builder, out);
}
