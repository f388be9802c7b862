/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about event loops that are blocked by a handler. */
#include "analysis/findings/blocked_part.h"
#include "analysis/findings/findings.h"
#include "analysis/findings/finding_text.h"
#include "model/entities/method_roles.h"
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

static int emit_loop(tm__findings *findings, const tm__tally_item *item)
{
    tm__finding *finding =
        tm__finding_new(findings, "event_loop_blocked", "timeline", item->total_ns);
    tm__facts facts = TM__NO_FACTS;

    if (!finding)
        return TM_ENOMEM;
    finding->place = item->a;
    finding->thread = item->b;
    tm__ask_without_sleeps(finding, findings, (int)item->c, item->a);
    finding->inner_method = findings->places.items[item->a].method;
    tm__where_thread(finding, "thread_id", findings->model, item->b);
    tm__where_caller(finding, findings, "method", item->a, 1);
    facts.thread = item->b;
    facts.state = tm__state_words(item->c);
    facts.place = item->a;
    facts.count = (uint64_t)item->count;
    facts.total_ns = item->total_ns;
    facts.share = tm__percent(item->total_ns, findings->run_ns);
    tm__finding_add(finding, findings, TM__TEXT_LOOP_TITLE, &facts);
    tm__finding_add(finding, findings, TM__TEXT_LOOP_WAITS, &facts);
    tm__finding_add(finding, findings, TM__TEXT_LOOP_HOLDS, &facts);
    tm__finding_add(finding, findings, TM__TEXT_LOOP_ADVICE, &facts);
    return TM_OK;
}

int tm__find_event_loops(tm__findings *findings)
{
    const tm_model *model = findings->model;
    size_t bytes = (size_t)model->entities.stacks_count + 1;
    uint8_t *in_loop = tm__zalloc(&findings->memory, bytes);
    tm__tally tally = {.items_count = 0};
    tm__top top = {.count = 0};
    int rc = in_loop ? TM_OK : TM_ENOMEM;

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
                rc = TM_ENOMEM;
        }
    }
    for (uint32_t i = 0; rc == TM_OK && i < tally.items_count; i++) {
        const tm__tally_item *item = &tally.items[i];

        if (item->count >= LOOP_BLOCKS &&
            item->total_ns >= findings->run_ns / PART_OF_RUN &&
            !tm__is_covered(findings, findings->places.items[item->a].method))
            tm__top_add(&top, item->total_ns, i);
    }
    for (uint32_t i = 0; rc == TM_OK && i < top.count; i++)
        rc = emit_loop(findings, &tally.items[top.numbers[i]]);
    tm__free(&findings->memory, in_loop, bytes);
    tm__tally_free(&tally, &findings->memory);
    return rc;
}
