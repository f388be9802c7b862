/* SPDX-License-Identifier: Apache-2.0 */
/* The time that is divided: that of units, of a kind or one, or that of threads. */
#include "analysis/causes/cause_nodes.h"
#include "analysis/causes/cause_roots.h"
#include "analysis/causes/cause_state.h"

#include <string.h>

#include "analysis/units/units.h"
#include "base/error.h"
#include "base/histogram.h"
#include "model/entities/thread.h"
#include "model/intervals/interval.h"

static int add_stretch(tm__causes *c, uint32_t root, uint32_t node, uint32_t thread,
                       int64_t from_ns, int64_t to_ns)
{
    tm__cause_window window = {from_ns, to_ns, thread, 1, 1};
    tm__cause_part part = {
        .thread = thread, .weight = 1, .from_ns = from_ns, .to_ns = to_ns};

    if (root != node)
        tm__cause_add(c, root, &part);
    tm__cause_add(c, node, &part);
    return tm__cause_window_add(c, node, &window);
}

/* ---- units ---- */

/* The spans of a unit, and what is between them. */
static int add_unit(tm__causes *c, const tm__units *units, uint32_t root,
                    uint32_t number)
{
    const tm__unit *it = &units->items[number];
    tm__cause_label kind = {TM__CAUSE_KIND, units->kinds[it->kind].name, TM__NONE};
    tm__cause_label nowhere = {TM__CAUSE_ELSEWHERE, TM__NONE, TM__NONE};
    uint32_t node = tm__cause_node_of(c, root, kind);
    int provenance = it->is_stated ? TM_PROVENANCE_REPORTED : TM_PROVENANCE_INFERRED;
    tm__cause_part rest = {
        .thread = it->thread, .weight = 1, .begins = 1, .from_ns = it->start_ns};
    int64_t elsewhere_ns = tm__unit_length_ns(it);
    int rc = TM_OK;

    if (node == TM__NONE)
        return tm__failure();
    c->nodes[root].count++;
    c->nodes[node].count++;
    if (provenance < c->nodes[node].provenance)
        c->nodes[node].provenance = (uint8_t)provenance;
    for (uint32_t i = 0; rc == TM_OK && i < it->span_count; i++) {
        const tm__unit_span *span = &units->spans[it->span_first + i];
        int64_t from_ns = span->start_ns > rest.from_ns ? span->start_ns : rest.from_ns;
        int64_t to_ns = span->end_ns < it->end_ns ? span->end_ns : it->end_ns;

        if (from_ns >= to_ns)
            continue;
        elsewhere_ns -= to_ns - from_ns;
        rc = add_stretch(c, root, node, span->thread, from_ns, to_ns);
        rest.from_ns = to_ns;
    }
    if (rc < 0 || elsewhere_ns <= 0)
        return rc;
    rest.from_ns = 0;
    rest.to_ns = elsewhere_ns;
    node = tm__cause_child(c, node, nowhere, &rest);
    if (node == TM__NONE)
        return tm__failure();
    rest.begins = 0;
    tm__cause_add(c, c->nodes[node].parent, &rest);
    tm__cause_add(c, root, &rest);
    return TM_OK;
}

static int add_kind(tm__causes *c, const tm__units *units, uint32_t root,
                    const tm__unit_kind *kind, int is_slowest)
{
    uint64_t from =
        is_slowest && kind->count ? tm__quantile_rank(kind->count, 0.99) : 0;
    int rc = TM_OK;

    for (uint64_t i = from ? from - 1 : 0; rc == TM_OK && i < kind->count; i++)
        rc = add_unit(c, units, root, units->by_kind[kind->order_first + i]);
    return rc;
}

static int is_named(const tm__causes *c, const tm__unit_kind *kind, const char *name)
{
    const char *own = tm__strings_get(&c->model->entities.strings, kind->name);

    return own && strcmp(own, name) == 0;
}

static int has_main(const tm__units *units)
{
    for (uint32_t i = 0; i < units->kinds_count; i++)
        if (units->kinds[i].is_main && units->kinds[i].count)
            return 1;
    return 0;
}

static int add_kinds(tm__causes *c, const tm__units *units, uint32_t root,
                     const tm_cause_options *options)
{
    int is_main_only =
        !options->kind && options->flags & TM_CAUSES_MAIN && has_main(units);
    uint32_t found = 0;
    int rc = TM_OK;

    for (uint32_t i = 0; rc == TM_OK && i < units->kinds_count; i++) {
        const tm__unit_kind *kind = &units->kinds[i];

        if ((options->kind && !is_named(c, kind, options->kind)) ||
            (is_main_only && !kind->is_main))
            continue;
        found++;
        rc = add_kind(c, units, root, kind, options->flags & TM_CAUSES_SLOWEST);
    }
    if (rc == TM_OK && options->kind && !found)
        rc = tm__fail(TM_ENOTFOUND, "there is no unit of kind '%.200s'", options->kind);
    return rc;
}

/* ---- threads ---- */

static int add_threads(tm__causes *c, uint32_t root)
{
    const tm_model *model = c->model;
    int rc = TM_OK;

    for (uint32_t i = 0; rc == TM_OK && i < model->entities.threads_count; i++) {
        const tm__thread *it = &model->entities.threads[i];
        uint32_t first = 0;
        int64_t from_ns, to_ns = model->last_ns;

        while (first < it->interval_count && it->intervals[first].state == TM_STATE_NEW)
            first++;
        if (first == it->interval_count || (c->scope->threads && !c->scope->threads[i]))
            continue;
        from_ns = it->intervals[first].start_ns;
        if (it->intervals[it->interval_count - 1].state == TM_STATE_DEAD)
            to_ns = it->intervals[it->interval_count - 1].start_ns;
        if (from_ns < c->scope->from_ns)
            from_ns = c->scope->from_ns;
        if (to_ns > c->scope->to_ns)
            to_ns = c->scope->to_ns;
        if (from_ns >= to_ns)
            continue;
        c->nodes[root].count++;
        rc = add_stretch(c, root, root, i, from_ns, to_ns);
    }
    return rc;
}

static uint32_t root_of(tm__causes *c, uint32_t cause)
{
    return tm__cause_node_of(c, TM__NONE, (tm__cause_label){cause, TM__NONE, TM__NONE});
}

int tm__causes_root(tm__causes *c, const tm_cause_options *options)
{
    tm__units units;
    uint32_t root;
    int rc = TM_OK, is_answered = 0;

    if (!(options->flags & TM_CAUSES_THREADS)) {
        rc = tm__units_open(&units, c->model, c->scope, c->memory, c->callers,
                            (options->flags & TM_CAUSES_STATED_ONLY) != 0);
        if (rc == TM_OK && options->unit > units.items_count)
            rc = tm__fail(TM_ENOTFOUND, "there is no unit %u: the run has %u",
                          options->unit, units.items_count);
        if (rc == TM_OK && (options->unit || options->kind || units.by_kind_count)) {
            is_answered = 1;
            root = root_of(c, TM__CAUSE_UNITS);
            rc = root == TM__NONE ? tm__failure()
                 : options->unit  ? add_unit(c, &units, root, options->unit - 1)
                                  : add_kinds(c, &units, root, options);
        }
        tm__units_close(&units);
    }
    if (rc < 0 || is_answered)
        return rc;
    root = root_of(c, TM__CAUSE_THREADS);
    return root == TM__NONE ? tm__failure() : add_threads(c, root);
}
