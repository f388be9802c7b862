/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings about single waits: outliers among many alike, and waits that always time
 * out.
 */
#include <string.h>

#include "analysis/findings/finding.h"
#include "analysis/findings/finding_text.h"
#include "analysis/findings/findings_waits.h"
#include "analysis/findings/findings_scope.h"
#include "analysis/findings/where.h"
#include "analysis/timeline/blocking.h"
#include "base/error.h"
#include "base/histogram.h"
#include "model/entities/object.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/intervals/interaction.h"
#include "model/intervals/interval.h"
#include "model/intervals/lost_events.h"

/** Waits of one class at one place. */
typedef struct group {
    uint32_t class_name;
    uint32_t place;
    uint32_t thread;   ///< of the longest wait
    uint32_t notifier; ///< that ended it, or TM__NONE
    uint32_t ended;
    uint32_t timed_out;
    uint32_t left;     ///< after which the thread did something else
    uint32_t notified; ///< for a condition that ended waits, at whichever place
    int64_t longest_ns;
    int64_t longest_start_ns;
    uint32_t longest_stack;
    int is_timed_out; ///< the longest wait is
    tm__histogram durations;
} group;

typedef struct waits {
    tm__findings *findings;
    tm__triple_map by_place; ///< (class name, place, 0): group + 1
    tm__triple_map notified; ///< (objects[], 0, 0): a condition that ended a wait
    TM__ARRAY(group, groups);
} waits;

static group *group_of(waits *w, uint32_t class_name, uint32_t place)
{
    tm__memory *memory = &w->findings->memory;
    uint32_t *value = tm__triple_map_at(&w->by_place, memory, class_name, place, 0);

    if (!value)
        return NULL;
    if (*value == 0) {
        if (tm__reserve(memory, &w->groups, &w->groups_capacity,
                        (size_t)w->groups_count + 1, sizeof(*w->groups)) < 0)
            return NULL;
        w->groups[w->groups_count++] = (group){.class_name = class_name,
                                               .place = place,
                                               .thread = TM__NONE,
                                               .notifier = TM__NONE};
        *value = w->groups_count;
    }
    return &w->groups[*value - 1];
}

/* The interval after a wait and the re-entry that belongs to it. */
static uint32_t after_wait(const tm__thread *thread, uint32_t wait)
{
    uint32_t after = wait + 1;

    while (after < thread->interval_count &&
           (thread->intervals[after].state == TM_STATE_REENTERING ||
            thread->intervals[after].flags & TM__INTERVAL_CONTINUES))
        after++;
    return after;
}

/* @return the thread that ended a wait before which interval, or TM__NONE */
static uint32_t notifier_of(const tm_model *model, const tm__thread *thread,
                            uint32_t after)
{
    uint32_t cause = thread->intervals[after].cause;

    return cause == TM__NONE ? TM__NONE : tm__row(model, cause)->from_thread;
}

/* Whether a thread did something else after a wait than to wait at the same place
 * again: what it did came late if the wait was for that. An end is nothing else. */
static int went_on(const waits *w, const tm__thread *thread, uint32_t wait)
{
    const tm__callers *places = &w->findings->places;
    uint32_t next = after_wait(thread, wait);

    while (next < thread->interval_count &&
           !tm__is_stopped(thread->intervals[next].state))
        next++;
    if (next == thread->interval_count)
        return thread->end_ns == INT64_MIN;
    return thread->intervals[next].state != TM_STATE_WAITING ||
           tm__caller_of(places, thread->intervals[next].stack) !=
               tm__caller_of(places, thread->intervals[wait].stack);
}

static int note_wait(waits *w, uint32_t thread, uint32_t index)
{
    const tm_model *model = w->findings->model;
    const tm__thread *it = &model->entities.threads[thread];
    const tm__interval *wait = &it->intervals[index];
    uint32_t place = tm__caller_of(&w->findings->places, wait->stack);
    int64_t start_ns = wait->start_ns, end_ns = tm__interval_end_ns(model, it, index);
    int64_t length_ns;
    group *found;

    if (!tm__in_scope(w->findings, &start_ns, &end_ns))
        return TM_OK;
    length_ns = end_ns - start_ns;
    /* Where events were lost it may be two waits, or its notify is missing. */
    if (tm__caller_is_library(&w->findings->places, place) ||
        tm__lost_between(&model->intervals, start_ns, end_ns))
        return TM_OK;
    /* A wait that still goes on is not an outlier: standstill.c judges it. */
    if (index + 1 == it->interval_count)
        return TM_OK;
    found = group_of(w, tm__class_name_of_object(model, wait->object), place);
    if (!found)
        return tm__failure();
    found->ended++;
    found->timed_out += (wait->flags & TM__INTERVAL_TIMED_OUT) != 0;
    found->left += went_on(w, it, index) != 0;
    found->notified += tm__triple_map_find(&w->notified, wait->object, 0, 0) != NULL;
    if (length_ns > found->longest_ns) {
        found->longest_ns = length_ns;
        found->longest_start_ns = wait->start_ns;
        found->longest_stack = wait->stack;
        found->is_timed_out = (wait->flags & TM__INTERVAL_TIMED_OUT) != 0;
        found->thread = thread;
        found->notifier = notifier_of(model, it, index + 1);
    }
    return tm__histogram_add(&found->durations, &w->findings->memory, length_ns);
}

/* A condition has one meaning, so what is notified of it at one place is meant for the
 * waits at every other. A monitor may have several. */
static int find_notified(waits *w)
{
    const tm_model *model = w->findings->model;

    for (uint32_t i = 0; i < model->intervals.interactions_count; i++) {
        const tm__interaction *row = &model->intervals.interactions[i];
        uint32_t *value;

        if (row->effect != TM__EFFECT_WOKE || row->object == TM__NONE ||
            (row->kind != TM_INTERACTION_NOTIFY &&
             row->kind != TM_INTERACTION_NOTIFY_ALL) ||
            model->entities.objects[row->object].kind != TM_OBJECT_KIND_CONDITION)
            continue;
        value =
            tm__triple_map_at(&w->notified, &w->findings->memory, row->object, 0, 0);
        if (!value)
            return tm__failure();
        *value = 1;
    }
    return TM_OK;
}

static int gather(waits *w)
{
    const tm_model *model = w->findings->model;

    if (find_notified(w) < 0)
        return tm__failure();
    for (uint32_t t = 0; t < model->entities.threads_count; t++) {
        const tm__thread *thread = &model->entities.threads[t];

        for (uint32_t i = 0; i < thread->interval_count;) {
            if (thread->intervals[i].state != TM_STATE_WAITING) {
                i++;
                continue;
            }
            if (note_wait(w, t, i) < 0)
                return tm__failure();
            i = after_wait(thread, i);
        }
    }
    return TM_OK;
}

/* Whether another thread waited at the same place for half as long in the midst of the
 * longest wait: as workers do when there is no work, and then no wait is an outlier. */
static int has_company(const waits *w, const group *it)
{
    const tm_model *model = w->findings->model;
    int64_t middle_ns = it->longest_start_ns + it->longest_ns / 2;

    for (uint32_t t = 0; t < model->entities.threads_count; t++) {
        const tm__thread *thread = &model->entities.threads[t];
        uint32_t index = tm__interval_at(thread, middle_ns);
        const tm__interval *wait;

        if (t == it->thread || index == TM__NONE)
            continue;
        wait = &thread->intervals[index];
        if (wait->state == TM_STATE_WAITING &&
            tm__interval_end_ns(model, thread, index) - wait->start_ns >=
                it->longest_ns / 2 &&
            tm__caller_of(&w->findings->places, wait->stack) == it->place &&
            tm__class_name_of_object(model, wait->object) == it->class_name)
            return 1;
    }
    return 0;
}

/* Whether the wait is usual for its calls: most others with them are as long, or no
 * other has them. Interpreters wait at one place for all that their programs do. */
static int is_as_long_as_its_like(const waits *w, const group *it)
{
    const tm_model *model = w->findings->model;
    uint32_t count = 0, shorter = 0;

    for (uint32_t t = 0; t < model->entities.threads_count; t++) {
        const tm__thread *thread = &model->entities.threads[t];

        for (uint32_t i = 0; i + 1 < thread->interval_count; i++) {
            if (thread->intervals[i].state != TM_STATE_WAITING ||
                thread->intervals[i].stack != it->longest_stack)
                continue;
            count++;
            shorter +=
                tm__interval_end_ns(model, thread, i) - thread->intervals[i].start_ns <=
                it->longest_ns / 20;
        }
    }
    return 2 * shorter < count;
}

static int is_outlier(const waits *w, const group *it)
{
    int64_t median_ns = tm__histogram_quantile(&it->durations, 0.5);

    return it->ended >= 20 && it->longest_ns / 20 >= median_ns &&
           it->longest_ns >= 100000000 && it->longest_ns >= w->findings->run_ns / 20 &&
           !is_as_long_as_its_like(w, it) && !has_company(w, it);
}

/* A thread that only ever waits there again does so by the clock. */
static int always_times_out(const waits *w, const group *it)
{
    return it->ended >= 5 && it->timed_out == it->ended && it->left && !it->notified &&
           it->durations.total > 0 && it->durations.total >= w->findings->run_ns / 100;
}

/* For how long the notifier did what it had to do while the thread waited for it. */
static int64_t worked_ns(const tm_model *model, const group *it)
{
    const tm__thread *thread;
    int64_t to_ns = it->longest_start_ns + it->longest_ns, sum_ns = 0;

    if (it->notifier == TM__NONE)
        return 0;
    thread = &model->entities.threads[it->notifier];
    for (uint32_t i = 0; i < thread->interval_count; i++) {
        int64_t start_ns = thread->intervals[i].start_ns;
        int64_t end_ns = tm__interval_end_ns(model, thread, i);

        start_ns = start_ns > it->longest_start_ns ? start_ns : it->longest_start_ns;
        end_ns = end_ns < to_ns ? end_ns : to_ns;
        if (start_ns < end_ns && tm__is_active(thread->intervals[i].state))
            sum_ns += end_ns - start_ns;
    }
    return sum_ns;
}

static int report_outlier(waits *w, const group *it)
{
    int64_t active_ns = worked_ns(w->findings->model, it);
    tm__findings *findings = w->findings;
    int64_t median_ns = tm__histogram_quantile(&it->durations, 0.5);
    tm__finding *finding =
        tm__finding_new(findings, "long_wait", "timeline", it->longest_ns - median_ns);
    tm__facts facts = TM__NO_FACTS;

    if (!finding)
        return tm__failure();
    finding->class_name = it->class_name;
    finding->place = it->place;
    finding->thread = it->thread;
    tm__where_thread(finding, "thread_id", findings->model, it->thread);
    tm__where_number(finding, "start_ns",
                     it->longest_start_ns - tm__model_origin_ns(findings->model));
    finding->blocked_place = it->place;
    facts.longest_ns = it->longest_ns;
    facts.place = it->place;
    facts.thread = it->thread;
    facts.class_name = it->class_name;
    facts.count = it->ended;
    facts.median_ns = median_ns;
    tm__finding_add(finding, findings, TM__TEXT_LONG_WAIT_TITLE, &facts);
    tm__finding_add(finding, findings, TM__TEXT_LONG_WAIT_WAITS, &facts);
    if (active_ns >= it->longest_ns / 2) {
        finding->minor = 1;
        facts.thread = it->notifier;
        facts.share = tm__percent(active_ns, it->longest_ns);
        tm__finding_add(finding, findings, TM__TEXT_LONG_WAIT_WORK, &facts);
        return TM_OK;
    }
    tm__finding_add(finding, findings,
                    it->is_timed_out ? TM__TEXT_LONG_WAIT_TIMED_OUT
                                     : TM__TEXT_LONG_WAIT_ADVICE,
                    &facts);
    return TM_OK;
}

static int report_time_outs(waits *w, const group *it)
{
    tm__findings *findings = w->findings;
    tm__finding *finding = tm__finding_new(findings, "wait_always_times_out", "callers",
                                           it->durations.total);
    tm__facts facts = TM__NO_FACTS;

    if (!finding)
        return tm__failure();
    finding->class_name = it->class_name;
    finding->place = it->place;
    finding->thread = it->thread;
    tm__where_class(finding, findings->model, it->class_name);
    tm__where_caller(finding, findings, "method", it->place, 1);
    finding->blocked_place = it->place;
    facts.place = it->place;
    facts.count = it->ended;
    facts.class_name = it->class_name;
    facts.total_ns = it->durations.total;
    facts.thread = it->thread;
    tm__finding_add(finding, findings, TM__TEXT_TIMES_OUT_TITLE, &facts);
    tm__finding_add(finding, findings, TM__TEXT_TIMES_OUT_WAITS, &facts);
    tm__finding_add(finding, findings, TM__TEXT_TIMES_OUT_ADVICE, &facts);
    return TM_OK;
}

static int report(waits *w)
{
    tm__top outliers = {.count = 0}, time_outs = {.count = 0};
    int rc = TM_OK;

    for (uint32_t i = 0; i < w->groups_count; i++) {
        const group *it = &w->groups[i];

        if (is_outlier(w, it))
            tm__top_add(&outliers, it->longest_ns, i);
        if (always_times_out(w, it))
            tm__top_add(&time_outs, it->durations.total, i);
    }
    for (uint32_t i = 0; rc == TM_OK && i < outliers.count; i++)
        rc = report_outlier(w, &w->groups[outliers.numbers[i]]);
    for (uint32_t i = 0; rc == TM_OK && i < time_outs.count; i++)
        rc = report_time_outs(w, &w->groups[time_outs.numbers[i]]);
    return rc;
}

int tm__find_waits(tm__findings *findings)
{
    waits w = {.findings = findings};
    tm__memory *memory = &findings->memory;
    int rc = gather(&w);

    if (rc == TM_OK)
        rc = report(&w);
    for (uint32_t i = 0; i < w.groups_count; i++)
        tm__histogram_free(&w.groups[i].durations, memory);
    tm__free(memory, w.groups, w.groups_capacity * sizeof(*w.groups));
    tm__triple_map_free(&w.by_place, memory);
    tm__triple_map_free(&w.notified, memory);
    return rc;
}
