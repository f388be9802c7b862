/* SPDX-License-Identifier: Apache-2.0 */
/* The question behind the name of an expected table. */
#include <string.h>

#include "scenario.h"

static int list_monitors(tm_table **out, const tm_model *model, uint32_t keys)
{
    tm_statistics_options options = {.size = sizeof(options), .keys = keys};

    return tm_statistics_list(out, model, &options);
}

static int list_timeline(tm_table **out, const tm_model *model)
{
    return tm_timeline_list(out, model, NULL);
}

static int list_interactions(tm_table **out, const tm_model *model)
{
    return tm_interaction_list(out, model, NULL);
}

static int list_threads(tm_table **out, const tm_model *model)
{
    return tm_thread_list(out, model, NULL);
}

static int list_classes(tm_table **out, const tm_model *model)
{
    return list_monitors(out, model, TM_STATISTICS_BY_CLASS);
}

static int list_callers(tm_table **out, const tm_model *model)
{
    return list_monitors(out, model, TM_STATISTICS_BY_CLASS | TM_STATISTICS_BY_CALLER);
}

static int list_objects(tm_table **out, const tm_model *model)
{
    return list_monitors(out, model, TM_STATISTICS_BY_OBJECT);
}

static int list_context(tm_table **out, const tm_model *model)
{
    return tm_context_list(out, model, NULL);
}

static int list_blame(tm_table **out, const tm_model *model)
{
    return tm_blame_list(out, model, NULL);
}

static int list_resource_blame(tm_table **out, const tm_model *model)
{
    tm_blame_options options = {.size = sizeof(options), .of = TM_BLAME_OF_RESOURCES};

    return tm_blame_list(out, model, &options);
}

static int list_holds(tm_table **out, const tm_model *model)
{
    return tm_hold_list(out, model, NULL);
}

static int list_hold_times(tm_table **out, const tm_model *model)
{
    return tm_hold_group(out, model, NULL);
}

static int list_resources(tm_table **out, const tm_model *model)
{
    return tm_resource_list(out, model, NULL);
}

static int list_resource_uses(tm_table **out, const tm_model *model)
{
    return tm_resource_use_list(out, model, NULL);
}

static int list_units(tm_table **out, const tm_model *model)
{
    return tm_unit_list(out, model, NULL, NULL);
}

static int list_unit_kinds(tm_table **out, const tm_model *model)
{
    return tm_unit_kind_list(out, model, NULL, NULL);
}

static int list_unit_parts(tm_table **out, const tm_model *model)
{
    return tm_unit_part_list(out, model, NULL, NULL);
}

static int list_causes(tm_table **out, const tm_model *model)
{
    return tm_cause_list(out, model, NULL, NULL);
}

static int list_thread_causes(tm_table **out, const tm_model *model)
{
    tm_cause_options options = {.size = sizeof(options), .flags = TM_CAUSES_THREADS};

    return tm_cause_list(out, model, NULL, &options);
}

static int list_blockers(tm_table **out, const tm_model *model)
{
    return tm_blocker_list(out, model, NULL);
}

static const struct {
    const char *name;
    int (*ask)(tm_table **out, const tm_model *model);
} tables[] = {
    {"timeline", list_timeline},
    {"interactions", list_interactions},
    {"deadlocks", tm_deadlock_list},
    {"threads", list_threads},
    {"locks", list_classes},
    {"callers", list_callers},
    {"objects", list_objects},
    {"context", list_context},
    {"context_totals", tm_context_sum},
    {"diagnostics", tm_diagnostic_list},
    {"blame", list_blame},
    {"resource_blame", list_resource_blame},
    {"blockers", list_blockers},
    {"holds", list_holds},
    {"hold_times", list_hold_times},
    {"resources", list_resources},
    {"resource_uses", list_resource_uses},
    {"units", list_units},
    {"unit_kinds", list_unit_kinds},
    {"unit_parts", list_unit_parts},
    {"causes", list_causes},
    {"thread_causes", list_thread_causes},
    {"lock_order", tm_lock_order_list},
    {"findings", tm_finding_list},
    {"verdict", tm_verdict_list},
    {"verdict_members", tm_verdict_member_list},
};

/* "waited_for" and "to THREAD" of a title. */
static int list_path(tm_table **out, const tm_model *model, scenario *s,
                     const scenario_line *title)
{
    tm_path_options options = {.size = sizeof(options)};

    for (size_t i = 2; i < title->count; i++) {
        if (!strcmp(title->words[i], "waited_for"))
            options.walk = TM_PATH_WAITED_FOR;
        if (!strcmp(title->words[i], "to") && i + 1 < title->count)
            options.thread = scenario_id_of(&s->threads, title->words[i + 1]);
    }
    return tm_path_list(out, model, &options);
}

/* The explanation of the run's longest block, or with "to THREAD" of that thread's. */
static int list_explanation(tm_table **out, const tm_model *model, scenario *s,
                            const scenario_line *title)
{
    tm_explain_options options = {.size = sizeof(options)};

    for (size_t i = 2; i + 1 < title->count; i++)
        if (!strcmp(title->words[i], "to"))
            options.thread = scenario_id_of(&s->threads, title->words[i + 1]);
    return tm_explanation_list(out, model, &options);
}

/* A ranking of locks, or with "method M" the run without what M does. */
static int list_whatif(tm_table **out, const tm_model *model,
                       const scenario_line *title)
{
    tm_whatif_options options = {.size = sizeof(options), .change = TM_WHATIF_METHOD};

    for (size_t i = 2; i + 1 < title->count; i++)
        if (!strcmp(title->words[i], "method")) {
            options.method = title->words[i + 1];
            return tm_whatif_predict(out, model, &options);
        }
    return tm_whatif_rank(out, model, NULL);
}

int scenario_ask(tm_table **out, const tm_model *model, scenario *s,
                 const scenario_line *title)
{
    *out = NULL;
    if (!strcmp(title->words[1], "critical_path"))
        return list_path(out, model, s, title);
    if (!strcmp(title->words[1], "explanation"))
        return list_explanation(out, model, s, title);
    if (!strcmp(title->words[1], "whatif"))
        return list_whatif(out, model, title);
    for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
        if (!strcmp(tables[i].name, title->words[1]))
            return tables[i].ask(out, model);
    return TM_ENOTFOUND;
}
