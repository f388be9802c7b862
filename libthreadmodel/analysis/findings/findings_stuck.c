/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that cannot go on, one card for all of them; circles of owners have their
 * own.
 */
#include "analysis/findings/findings.h"
#include "analysis/waits/wait_text.h"
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

static void write_members(tm__finding *finding, tm__wait_case *it,
                          const tm__standstill *found)
{
    tm__words words = {.length = 0};

    if (found->kind == TM__STANDSTILL_WHOLE && found->since_ns != INT64_MIN) {
        tm__finding_write(finding, "Nothing moves since ");
        tm__finding_write_duration(finding,
                                   found->since_ns - tm__model_origin_ns(it->model));
        tm__finding_write(finding, ". ");
    }
    tm__write_members(&words, it, DESCRIBED);
    if (words.length)
        words.bytes[words.length - 1] = '\0';
    tm__finding_write(finding, "%s", words.bytes);
}

static int report(tm__findings *findings, tm__wait_case *it,
                  const tm__standstill *found)
{
    const tm_model *model = findings->model;
    const tm__wait_node *first = &it->graph->nodes[found->first];
    int64_t impact_ns = 0, bound_ns = 0;
    tm__words advice = {.length = 0};
    tm__finding *finding;

    for (uint32_t i = 0; i < it->count; i++) {
        int64_t ns = it->graph->at_ns - it->graph->nodes[it->order[i]].since_ns;

        impact_ns = tm__sum(impact_ns, ns);
        bound_ns = ns > bound_ns ? ns : bound_ns;
    }
    finding = tm__finding_new(findings, kind_of(found), "timeline", impact_ns);
    if (!finding)
        return TM_ENOMEM;
    finding->bound_ns = bound_ns;
    finding->suspected = found->suspected;
    finding->stands = 1;
    finding->thread = found->first;
    finding->class_name = tm__class_name_of_object(model, first->object);
    finding->place = tm__caller_of(&findings->places, first->stack);
    finding->blocked_place = finding->place;
    tm__where_thread(finding, "thread_id", model, found->first);
    tm__where_number(finding, "start_ns", first->since_ns - tm__model_origin_ns(model));
    if (found->kind == TM__STANDSTILL_WHOLE)
        tm__finding_write(finding, "No thread can go on: ");
    tm__finding_write_threads(finding, it->count);
    tm__finding_write(finding, found->kind == TM__STANDSTILL_WHOLE
                                   ? (it->count == 1 ? " waits" : " wait")
                                   : " cannot go on");
    tm__part(finding, TM__WAITS);
    write_members(finding, it, found);
    tm__part(finding, TM__ADVICE);
    tm__write_wait_advice(&advice, it);
    tm__finding_write(finding, "%s", advice.bytes);
    tm__part(finding, TM__CAVEAT);
    if (found->suspected)
        tm__finding_write(finding, "Suspected: %s would confirm it.",
                          first->want == TM__WANT_UNKNOWN
                              ? "thread dumps some seconds apart"
                              : "a longer trace");
    return TM_OK;
}

int tm__find_standstill(tm__findings *findings)
{
    tm__wait_graph graph;
    tm__standstill found;
    tm__wait_case members = {
        .model = findings->model, .graph = &graph, .labels = &findings->labels};
    uint32_t *order = NULL;
    int rc = tm__wait_graph_open(&graph, findings->model, &findings->memory);

    if (rc == TM_OK)
        rc = tm__standstill_find(&found, &graph);
    if (rc == TM_OK)
        rc = tm__wait_order(&graph, &order, &members.count);
    members.order = order;
    if (rc == TM_OK && members.count && !is_a_deadlock(&members))
        rc = report(findings, &members, &found);
    tm__free(&findings->memory, order, (size_t)members.count * sizeof(*order));
    tm__wait_graph_close(&graph);
    return rc;
}
