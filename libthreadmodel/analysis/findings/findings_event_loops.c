/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about event loops that are blocked by a handler. */
#include "analysis/findings/blocked_part.h"
#include "analysis/findings/finding.h"
#include "analysis/findings/finding_text.h"
#include "analysis/findings/findings_event_loops.h"
#include "analysis/findings/findings_scope.h"
#include "analysis/findings/findings_gain.h"
#include "analysis/findings/tally.h"
#include "analysis/findings/where.h"
#include "base/error.h"
#include "base/saturate.h"
#include "roles/method_roles.h"
#include "model/entities/methods.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"

enum { LOOP_BLOCKS = 5, PART_OF_RUN = 10 };

static int is_in_event_loop(const tm_model *model, uint32_t stack)
{
    const tm__stack *it = stack == TM__NONE ? NULL : &model->entities.stacks[stack];

    for (uint32_t f = 0; it && f < it->frame_count; f++) {
        uint32_t method = model->entities.frames[it->frame_first + f].method;

        if (method != TM__NONE &&
            model->entities.methods[method].role & TM__ROLE_DISPATCHES)
            return 1;
    }
    return 0;
}

/** Event loops that are stopped in one place. */
typedef struct loops {
    const tm__tally *tally; ///< by (place, thread, state)
    const tm__tally_item *first;
    uint32_t count;
    int64_t total_ns;
    int64_t times;
} loops;

static int is_blocked(const tm__findings *findings, const tm__tally_item *item)
{
    return item->count >= LOOP_BLOCKS &&
           item->total_ns >= findings->run_ns / PART_OF_RUN;
}

/* All loops that are stopped there. */
static loops gather(const tm__findings *findings, const tm__tally *tally,
                    uint32_t first)
{
    loops all = {.tally = tally, .first = &tally->items[first]};

    for (uint32_t i = 0; i < tally->items_count; i++) {
        const tm__tally_item *item = &tally->items[i];

        if (item->a != all.first->a || item->c != all.first->c ||
            !is_blocked(findings, item))
            continue;
        all.count++;
        all.total_ns = tm__sum(all.total_ns, item->total_ns);
        all.times += item->count;
        if (item->total_ns > all.first->total_ns)
            all.first = item;
    }
    return all;
}

static int is_chosen(const void *context, uint32_t thread)
{
    const loops *all = context;

    for (uint32_t i = 0; i < all->tally->items_count; i++) {
        const tm__tally_item *item = &all->tally->items[i];

        if (item->b == thread && item->a == all->first->a && item->c == all->first->c)
            return 1;
    }
    return 0;
}

static int emit_loops(tm__findings *findings, const loops *all)
{
    const tm__tally_item *item = all->first;
    tm__finding *finding =
        tm__finding_new(findings, "event_loop_blocked", "timeline", all->total_ns);
    int is_one = all->count == 1;
    tm__facts facts = TM__NO_FACTS;

    if (!finding)
        return tm__failure();
    finding->place = item->a;
    finding->thread = item->b;
    finding->bound_ns = item->total_ns;
    finding->is_saturated = 1;
    tm__ask_without_sleeps(finding, findings, (int)item->c, item->a);
    finding->inner_method = findings->places.items[item->a].method;
    tm__where_caller(finding, findings, "method", item->a, 1);
    if (is_one)
        tm__where_thread(finding, "thread_id", findings->model, item->b);
    else if (tm__where_threads(finding, findings, is_chosen, all) < 0)
        return tm__failure();
    facts.thread = item->b;
    facts.of = all->count;
    facts.others = all->count - 1;
    facts.state = tm__state_words(item->c);
    facts.place = item->a;
    facts.count = (uint64_t)all->times;
    facts.total_ns = all->total_ns;
    facts.share = tm__percent(all->total_ns / all->count, findings->run_ns);
    facts.period = tm__period_name(findings);
    tm__finding_add(finding, findings,
                    is_one ? TM__TEXT_LOOP_TITLE : TM__TEXT_LOOPS_TITLE, &facts);
    tm__finding_add(finding, findings,
                    is_one ? TM__TEXT_LOOP_WAITS : TM__TEXT_LOOPS_WAIT, &facts);
    tm__finding_add(finding, findings,
                    is_one ? TM__TEXT_LOOP_HOLDS : TM__TEXT_LOOPS_HOLD, &facts);
    tm__finding_add(finding, findings, TM__TEXT_LOOP_ADVICE, &facts);
    return TM_OK;
}

/* The first of the loops that are stopped in one place stands for all. */
static int is_first(const tm__findings *findings, const tm__tally *tally,
                    uint32_t number)
{
    for (uint32_t i = 0; i < number; i++)
        if (tally->items[i].a == tally->items[number].a &&
            tally->items[i].c == tally->items[number].c &&
            is_blocked(findings, &tally->items[i]))
            return 0;
    return 1;
}

static int report(tm__findings *findings, const tm__tally *tally)
{
    tm__top top = {.count = 0};
    int rc = TM_OK;

    for (uint32_t i = 0; i < tally->items_count; i++) {
        const tm__tally_item *item = &tally->items[i];

        if (is_blocked(findings, item) && is_first(findings, tally, i) &&
            !tm__is_covered(findings, findings->places.items[item->a].method))
            tm__top_add(&top, gather(findings, tally, i).total_ns, i);
    }
    for (uint32_t i = 0; rc == TM_OK && i < top.count; i++) {
        loops all = gather(findings, tally, top.numbers[i]);

        rc = emit_loops(findings, &all);
    }
    return rc;
}

int tm__find_event_loops(tm__findings *findings)
{
    const tm_model *model = findings->model;
    size_t bytes = (size_t)model->entities.stacks_count + 1;
    uint8_t *in_loop = tm__zalloc(&findings->memory, bytes);
    tm__tally tally = {.items_count = 0};
    int rc = in_loop ? TM_OK : tm__failure();

    for (uint32_t i = 0; rc == TM_OK && i < model->entities.stacks_count; i++)
        in_loop[i] = (uint8_t)is_in_event_loop(model, i);
    for (uint32_t t = 0; rc == TM_OK && t < model->entities.threads_count; t++) {
        const tm__thread *thread = &model->entities.threads[t];

        for (uint32_t i = 0; rc == TM_OK && i < thread->interval_count; i++) {
            uint32_t stack = thread->intervals[i].stack;
            tm__blocked_part at;

            if (stack == TM__NONE || !in_loop[stack] ||
                !tm__blocked_part_at(findings, thread, i, &at) || at.is_idle ||
                at.place == TM__NONE)
                continue;
            if (!tm__tally_add(&tally, &findings->memory, at.place, t,
                               (uint32_t)at.state, at.to_ns - at.from_ns, t))
                rc = tm__failure();
        }
    }
    if (rc == TM_OK)
        rc = report(findings, &tally);
    tm__free(&findings->memory, in_loop, bytes);
    tm__tally_free(&tally, &findings->memory);
    return rc;
}
