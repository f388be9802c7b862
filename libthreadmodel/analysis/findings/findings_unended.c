/* SPDX-License-Identifier: Apache-2.0 */
/* Workers that wait within their tasks, and none has gone on: a card a place. */
#include "analysis/findings/findings_unended.h"

#include "analysis/findings/finding_text.h"
#include "analysis/findings/where.h"
#include "base/error.h"
#include "model/entities/entity_names.h"

static int say(tm__findings *f, const tm__unended_group *group)
{
    int is_io = group->object != TM__NONE;
    tm__finding *finding =
        tm__finding_new(f, "unended_wait", "timeline", group->total_ns);
    tm__facts facts = TM__NO_FACTS;

    if (!finding)
        return tm__failure();
    finding->bound_ns = group->longest_ns;
    if (is_io) {
        facts.name = tm__label(&f->labels, f->model, group->object);
        tm__where_text(finding, "state", tm_state_name(TM_STATE_IO));
    } else {
        tm__where_class(finding, f->model, group->class_name);
    }
    finding->class_name = group->class_name;
    finding->place = finding->blocked_place = tm__caller_of(&f->places, group->stack);
    finding->thread = group->thread;
    tm__where_caller(finding, f, "method", finding->place, 0);
    facts.threads = group->threads;
    facts.others = group->threads - 1;
    facts.thread = group->thread;
    facts.place = finding->place;
    facts.class_name = is_io ? TM__NONE : group->class_name;
    facts.longest_ns = group->longest_ns;
    tm__finding_add(finding, f,
                    is_io ? TM__TEXT_UNENDED_IO_TITLE : TM__TEXT_UNENDED_TITLE, &facts);
    tm__finding_add(finding, f, TM__TEXT_UNENDED_WAITS, &facts);
    if (group->ended) {
        facts.count = group->ended;
        facts.longest_ns = group->usual_ns;
        tm__finding_add(finding, f, TM__TEXT_UNENDED_USUAL, &facts);
    }
    tm__finding_add(finding, f,
                    is_io ? TM__TEXT_UNENDED_IO_ADVICE : TM__TEXT_UNENDED_ADVICE,
                    &facts);
    return TM_OK;
}

int tm__find_unended(tm__findings *findings)
{
    const tm__unended *unended = &findings->unended;
    tm__top top = {.count = 0};
    int rc = TM_OK;

    for (uint32_t i = 0; i < unended->groups_count; i++)
        if (tm__unended_counts(&unended->groups[i]))
            tm__top_add(&top, unended->groups[i].total_ns, i);
    for (uint32_t i = 0; i < top.count && rc == TM_OK; i++)
        rc = say(findings, &unended->groups[top.numbers[i]]);
    return rc;
}
