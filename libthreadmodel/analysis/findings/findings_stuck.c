/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that cannot go on, one card for all of them; circles of owners have their
 * own.
 */
#include <string.h>

#include "analysis/findings/finding.h"
#include "analysis/findings/finding_text.h"
#include "analysis/findings/findings_stuck.h"
#include "analysis/findings/where.h"
#include "analysis/waits/graph_of_waits.h"
#include "analysis/waits/standstill.h"
#include "analysis/waits/wait_advice.h"
#include "analysis/waits/wait_members.h"
#include "analysis/waits/wait_order.h"
#include "analysis/waits/wait_text.h"
#include "base/error.h"
#include "base/saturate.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"

/* So many are described: no more would fit a card. */
enum { DESCRIBED = 3 };

static const char *kind_of(const tm__standstill *found)
{
    return found->kind == TM__STANDSTILL_WHOLE     ? "stuck"
           : found->kind == TM__STANDSTILL_STARVED ? "starved"
                                                   : "partly_stuck";
}

/* A card about a circle of owners says it all. */
static int is_a_deadlock(const tm__wait_case *it)
{
    for (uint32_t i = 0; i < it->count; i++)
        if (it->model->entities.threads[it->order[i]].deadlock == TM__NONE)
            return 0;
    return 1;
}

static void write_members(tm__finding *finding, const tm__findings *findings,
                          tm__wait_case *it, const tm__standstill *found)
{
    tm__words words = {.length = 0};
    tm__facts facts = TM__NO_FACTS;

    if (found->kind == TM__STANDSTILL_WHOLE && found->since_ns != INT64_MIN) {
        facts.total_ns = found->since_ns - tm__model_origin_ns(it->model);
        tm__finding_add(finding, findings, TM__TEXT_STUCK_SINCE, &facts);
    }
    tm__write_members(&words, it, DESCRIBED);
    if (words.length)
        words.bytes[words.length - 1] = '\0';
    facts.name = words.bytes;
    tm__finding_add(finding, findings, TM__TEXT_STUCK_MEMBERS, &facts);
}

static int report(tm__findings *findings, tm__wait_case *it,
                  const tm__standstill *found)
{
    const tm_model *model = findings->model;
    const tm__wait_node *first = &it->graph->nodes[found->first];
    int64_t impact_ns = 0, bound_ns = 0;
    tm__words advice = {.length = 0};
    tm__facts facts = TM__NO_FACTS;
    tm__finding *finding;

    for (uint32_t i = 0; i < it->count; i++) {
        int64_t ns = it->graph->at_ns - it->graph->nodes[it->order[i]].since_ns;

        impact_ns = tm__sum(impact_ns, ns);
        bound_ns = ns > bound_ns ? ns : bound_ns;
    }
    finding = tm__finding_new(findings, kind_of(found), "timeline", impact_ns);
    if (!finding)
        return tm__failure();
    finding->bound_ns = bound_ns;
    finding->suspected = found->suspected;
    finding->stands = 1;
    finding->thread = found->first;
    finding->class_name = tm__class_name_of_object(model, first->object);
    finding->place = tm__caller_of(&findings->places, first->stack);
    finding->blocked_place = finding->place;
    tm__where_thread(finding, "thread_id", model, found->first);
    tm__where_number(finding, "start_ns", first->since_ns - tm__model_origin_ns(model));
    facts.threads = it->count;
    tm__finding_add(finding, findings,
                    found->kind == TM__STANDSTILL_WHOLE ? TM__TEXT_STUCK_TITLE
                                                        : TM__TEXT_PARTLY_STUCK_TITLE,
                    &facts);
    write_members(finding, findings, it, found);
    tm__write_wait_advice(&advice, it);
    facts.name = advice.bytes;
    tm__finding_add(finding, findings, TM__TEXT_STUCK_ADVICE, &facts);
    if (found->suspected)
        tm__finding_add_plain(finding, findings,
                              first->want == TM__WANT_UNKNOWN
                                  ? TM__TEXT_STUCK_SUSPECTED_IN_DUMPS
                                  : TM__TEXT_STUCK_SUSPECTED);
    return TM_OK;
}

/* Waits that no thread will end are not counted among waits that take long. */
static int note_members(tm__findings *findings, const tm__wait_case *it)
{
    findings->stands_still =
        tm__resize(&findings->memory, NULL, 0, findings->model->entities.threads_count);
    if (!findings->stands_still)
        return tm__failure();
    memset(findings->stands_still, 0, findings->model->entities.threads_count);
    for (uint32_t i = 0; i < it->count; i++)
        findings->stands_still[it->order[i]] = 1;
    return TM_OK;
}

int tm__find_standstill(tm__findings *findings)
{
    tm__wait_graph graph;
    tm__standstill found;
    tm__wait_case members = {
        .model = findings->model, .graph = &graph, .labels = &findings->labels};
    uint32_t *order = NULL;
    int rc = tm__wait_graph_open(&graph, findings->model, findings->scope.to_ns,
                                 &findings->memory);

    if (rc == TM_OK)
        rc = tm__standstill_find(&found, &graph);
    if (rc == TM_OK)
        rc = tm__wait_order(&graph, &order, &members.count);
    members.order = order;
    if (rc == TM_OK && members.count)
        rc = note_members(findings, &members);
    if (rc == TM_OK && members.count && !is_a_deadlock(&members))
        rc = report(findings, &members, &found);
    if (rc == TM_OK && !tm__model_is_of_dumps(findings->model))
        rc = tm__unended_find(&findings->unended, &graph, findings->scope.from_ns);
    tm__free(&findings->memory, order, (size_t)members.count * sizeof(*order));
    tm__wait_graph_close(&graph);
    return rc;
}

int tm__stands_still(const tm__findings *findings, uint32_t thread)
{
    return findings->stands_still && findings->stands_still[thread];
}

void tm__findings_stuck_close(tm__findings *findings)
{
    tm__free(&findings->memory, findings->stands_still,
             findings->model->entities.threads_count);
    tm__unended_close(&findings->unended);
}
