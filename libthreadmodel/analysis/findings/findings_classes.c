/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classes that are loaded and initialised, apart from the program's own locks: the VM
 * has a lock for each class name that is loaded, and one for each class that is
 * initialised. Both are taken once.
 */
#include "analysis/findings/finding.h"
#include "analysis/findings/finding_text.h"
#include "analysis/findings/findings_classes.h"
#include "analysis/findings/findings_scope.h"
#include "analysis/findings/findings_gain.h"
#include "analysis/findings/tally.h"
#include "analysis/findings/where.h"
#include "base/error.h"
#include "roles/method_roles.h"
#include "model/entities/methods.h"
#include "model/entities/object.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"

enum { PART_OF_RUN = 20 };

static uint8_t work_of_method(uint16_t role)
{
    if (role & TM__ROLE_INITIALISES)
        return TM__CLASS_INITIALISATION;
    return role & TM__ROLE_LOADS ? TM__CLASS_LOADING : TM__NO_CLASS_WORK;
}

int tm__class_work_open(tm__findings *findings)
{
    const tm_model *model = findings->model;

    findings->class_work =
        tm__zalloc(&findings->memory, (size_t)model->entities.stacks_count + 1);
    if (!findings->class_work)
        return tm__failure();
    for (uint32_t i = 0; i < model->entities.stacks_count; i++) {
        const tm__stack *stack = &model->entities.stacks[i];

        for (uint32_t f = 0; f < stack->frame_count && !findings->class_work[i]; f++) {
            uint32_t method = model->entities.frames[stack->frame_first + f].method;

            if (method != TM__NONE)
                findings->class_work[i] =
                    work_of_method(model->entities.methods[method].role);
        }
    }
    return TM_OK;
}

void tm__class_work_close(tm__findings *findings)
{
    tm__free(&findings->memory, findings->class_work,
             (size_t)findings->model->entities.stacks_count + 1);
}

int tm__class_work_of(const tm__findings *findings, uint32_t stack)
{
    return stack == TM__NONE ? TM__NO_CLASS_WORK : findings->class_work[stack];
}

static int is_init_lock(const tm_model *model, uint32_t object)
{
    const char *name = tm__strings_get(&model->entities.strings,
                                       tm__class_name_of_object(model, object));

    return name && tm__is_initialisation_lock(name);
}

int tm__is_class_work(const tm__findings *findings, uint32_t object, uint32_t stack)
{
    return tm__class_work_of(findings, stack) == TM__CLASS_LOADING ||
           is_init_lock(findings->model, object);
}

/* ---- the finding ---- */

/* The subject of a tally, as its last key; the first is the class that is initialised,
 * or TM__NONE, the second a thread or a place. */
enum { IN_INITIALISER, INITIALISER_AT, BLOCKED, BLOCKED_THREAD, BLOCKED_AT };

/* strings: the class whose <clinit> is on a stack, the outermost */
static uint32_t initialised(const tm_model *model, uint32_t stack)
{
    const tm__stack *it = &model->entities.stacks[stack];

    for (uint32_t f = it->frame_count; f > 0; f--) {
        uint32_t method = model->entities.frames[it->frame_first + f - 1].method;
        uint32_t class_index;

        if (method == TM__NONE ||
            !(model->entities.methods[method].role & TM__ROLE_INITIALISES))
            continue;
        class_index = model->entities.methods[method].class_index;
        return class_index == TM__NONE ? TM__NONE
                                       : model->entities.classes[class_index].name;
    }
    return TM__NONE;
}

static const int blocked_states[] = {TM_STATE_SLEEPING,   TM_STATE_BLOCKED,
                                     TM_STATE_REENTERING, TM_STATE_WAITING,
                                     TM_STATE_PARKED,     TM_STATE_JOINING};
enum { BLOCKED_STATES = sizeof(blocked_states) / sizeof(*blocked_states) };

static int is_blocked(int state)
{
    for (uint32_t i = 0; i < BLOCKED_STATES; i++)
        if (state == blocked_states[i])
            return 1;
    return 0;
}

/* The kind of finding that an interval belongs to: IN_INITIALISER, BLOCKED, or neither,
 * -1. */
static int kind_of(const tm__findings *findings, const tm__interval *it)
{
    uint32_t place = tm__caller_of(&findings->places, it->stack);

    if (!is_blocked(it->state) || tm__caller_is_idle(&findings->places, place))
        return -1;
    if (tm__class_work_of(findings, it->stack) == TM__CLASS_INITIALISATION)
        return IN_INITIALISER;
    return tm__is_class_work(findings, it->object, it->stack) ? BLOCKED : -1;
}

static int note(tm__findings *findings, tm__tally *tally, uint32_t thread,
                uint32_t index)
{
    const tm_model *model = findings->model;
    const tm__interval *it = &model->entities.threads[thread].intervals[index];
    uint32_t place = tm__caller_of(&findings->places, it->stack);
    int64_t from_ns = it->start_ns, ns,
            to_ns = tm__interval_end_ns(model, &model->entities.threads[thread], index);
    tm__memory *memory = &findings->memory;
    int kind = kind_of(findings, it);

    if (!tm__in_scope(findings, &from_ns, &to_ns))
        return TM_OK;
    ns = to_ns - from_ns;
    if (kind == IN_INITIALISER) {
        uint32_t class_name = initialised(model, it->stack);

        return tm__tally_add(tally, memory, class_name, 0, IN_INITIALISER, ns,
                             thread) &&
                       tm__tally_add(tally, memory, class_name, place, INITIALISER_AT,
                                     ns, thread)
                   ? TM_OK
                   : tm__failure();
    }
    if (kind != BLOCKED)
        return TM_OK;
    return tm__tally_add(tally, memory, 0, 0, BLOCKED, ns, thread) &&
                   tm__tally_add(tally, memory, 0, thread, BLOCKED_THREAD, ns,
                                 thread) &&
                   tm__tally_add(tally, memory, 0, place, BLOCKED_AT, ns, thread)
               ? TM_OK
               : tm__failure();
}

/* The intervals that a finding adds up, a few: those of its kind, and of the class if
 * it is about an initialiser. */
static int where_intervals(tm__findings *findings, tm__finding *finding, int kind,
                           uint32_t class_name, const tm__tally_item *all)
{
    const tm_model *model = findings->model;
    size_t bytes = (size_t)all->count * sizeof(uint64_t);
    uint64_t *starts = tm__zalloc(&findings->memory, bytes);
    uint64_t *ids = tm__zalloc(&findings->memory, bytes);
    int64_t origin_ns = tm__model_origin_ns(model);
    uint32_t count = 0, threads = 0;
    int rc = starts && ids ? TM_OK : tm__failure();

    for (uint32_t t = 0; rc == TM_OK && t < model->entities.threads_count; t++) {
        const tm__thread *thread = &model->entities.threads[t];
        uint32_t before = count;

        for (uint32_t i = 0; i < thread->interval_count; i++) {
            const tm__interval *it = &thread->intervals[i];
            int64_t from_ns = it->start_ns,
                    to_ns = tm__interval_end_ns(model, thread, i);

            if (kind_of(findings, it) == kind &&
                tm__in_scope(findings, &from_ns, &to_ns) &&
                (kind == BLOCKED || initialised(model, it->stack) == class_name))
                starts[count++] = (uint64_t)(it->start_ns - origin_ns);
        }
        if (count > before)
            ids[threads++] = thread->id;
    }
    tm__where_states(finding, blocked_states, BLOCKED_STATES);
    if (rc == TM_OK)
        rc = tm__where_in(finding, findings, "thread_id", ids, threads);
    if (rc == TM_OK)
        rc = tm__where_in(finding, findings, "start_ns", starts, count);
    tm__free(&findings->memory, starts, bytes);
    tm__free(&findings->memory, ids, bytes);
    return rc;
}

static int emit_initialiser(tm__findings *findings, const tm__tally *tally,
                            const tm__tally_item *item)
{
    const tm__tally_item *at = tm__tally_top(tally, item->a, INITIALISER_AT);
    tm__finding *finding =
        tm__finding_new(findings, "class_initialisation", "timeline", item->total_ns);
    tm__facts facts = TM__NO_FACTS;

    if (!finding ||
        where_intervals(findings, finding, IN_INITIALISER, item->a, item) < 0)
        return tm__failure();
    finding->class_name = item->a;
    finding->place = at->b;
    finding->blocked_place = at->b;
    finding->thread = item->worst_thread;
    if (at->b != TM__NONE)
        finding->inner_method = findings->places.items[at->b].method;
    tm__ask_without_sleeps(finding, findings, TM_STATE_SLEEPING, at->b);
    facts.class_name = item->a;
    facts.total_ns = item->total_ns;
    facts.thread = item->worst_thread;
    facts.place = at->b;
    facts.longest_ns = at->total_ns;
    facts.share = tm__percent(at->total_ns, findings->run_ns);
    facts.period = tm__period_name(findings);
    tm__finding_add(finding, findings, TM__TEXT_INITIALISER_TITLE, &facts);
    tm__finding_add(finding, findings, TM__TEXT_INITIALISER_WAITS, &facts);
    tm__finding_add(finding, findings, TM__TEXT_INITIALISER_HOLDS, &facts);
    tm__finding_add(finding, findings, TM__TEXT_INITIALISER_ADVICE, &facts);
    tm__finding_add(finding, findings, TM__TEXT_INITIALISER_CAVEAT, &facts);
    return TM_OK;
}

/* The last instant from which on a thread is blocked for long enough for a finding. */
static int64_t blocked_until(const tm__findings *findings)
{
    const tm_model *model = findings->model;
    int64_t until_ns = INT64_MIN;

    for (uint32_t t = 0; t < model->entities.threads_count; t++) {
        const tm__thread *thread = &model->entities.threads[t];
        int64_t left_ns = findings->run_ns / PART_OF_RUN;

        for (uint32_t i = thread->interval_count; i-- > 0 && left_ns > 0;) {
            int64_t end_ns = tm__interval_end_ns(model, thread, i);
            int64_t length_ns = end_ns - thread->intervals[i].start_ns;

            if (kind_of(findings, &thread->intervals[i]) != BLOCKED)
                continue;
            if (length_ns >= left_ns && end_ns - left_ns > until_ns)
                until_ns = end_ns - left_ns;
            left_ns -= length_ns;
        }
    }
    return until_ns;
}

static int emit_blocked(tm__findings *findings, const tm__tally *tally)
{
    const tm__tally_item *all = tm__tally_top(tally, 0, BLOCKED);
    const tm__tally_item *thread = tm__tally_top(tally, 0, BLOCKED_THREAD);
    const tm__tally_item *at = tm__tally_top(tally, 0, BLOCKED_AT);
    uint32_t threads = 0;
    tm__finding *finding;
    tm__facts facts = TM__NO_FACTS;

    if (!thread || thread->total_ns < findings->run_ns / PART_OF_RUN)
        return TM_OK;
    finding = tm__finding_new(findings, "class_loading", "timeline", all->total_ns);
    if (!finding || where_intervals(findings, finding, BLOCKED, TM__NONE, all) < 0)
        return tm__failure();
    for (uint32_t i = 0; i < tally->items_count; i++)
        threads += tally->items[i].c == BLOCKED_THREAD;
    finding->bound_ns = thread->total_ns;
    finding->has_end = 1;
    finding->until_ns = blocked_until(findings);
    finding->thread = thread->b;
    finding->place = at->b;
    finding->blocked_place = at->b;
    facts.threads = threads;
    facts.count = (uint64_t)all->count;
    facts.total_ns = all->total_ns;
    facts.place = at->b;
    tm__finding_add(finding, findings, TM__TEXT_LOADING_TITLE, &facts);
    tm__finding_add(finding, findings, TM__TEXT_LOADING_WAITS, &facts);
    tm__finding_add(finding, findings, TM__TEXT_LOADING_ADVICE, &facts);
    return TM_OK;
}

int tm__find_class_work(tm__findings *findings)
{
    const tm_model *model = findings->model;
    tm__tally tally = {.items_count = 0};
    tm__top top = {.count = 0};
    int rc = TM_OK;

    for (uint32_t t = 0; rc == TM_OK && t < model->entities.threads_count; t++)
        for (uint32_t i = 0;
             rc == TM_OK && i < model->entities.threads[t].interval_count; i++)
            rc = note(findings, &tally, t, i);
    for (uint32_t i = 0; i < tally.items_count; i++)
        if (tally.items[i].c == IN_INITIALISER && tally.items[i].a != TM__NONE &&
            tally.items[i].total_ns > 0 &&
            tally.items[i].total_ns >= findings->run_ns / PART_OF_RUN)
            tm__top_add(&top, tally.items[i].total_ns, i);
    for (uint32_t i = 0; rc == TM_OK && i < top.count; i++)
        rc = emit_initialiser(findings, &tally, &tally.items[top.numbers[i]]);
    if (rc == TM_OK)
        rc = emit_blocked(findings, &tally);
    tm__tally_free(&tally, &findings->memory);
    return rc;
}
