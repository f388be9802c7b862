/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings about notifies, from one pass over the interactions: herds that one
 * notifyAll wakes to little use, and notifies that no thread waited for.
 */
#include <inttypes.h>

#include "analysis/findings/finding.h"
#include "analysis/findings/finding_text.h"
#include "analysis/findings/findings_notify.h"
#include "analysis/findings/findings_scope.h"
#include "analysis/findings/where.h"
#include "base/error.h"
#include "base/saturate.h"
#include "model/entities/object.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/intervals/interaction.h"
#include "model/intervals/interval.h"

enum { BACK_NS = 100000 }; ///< who waits again so soon had nothing to do
#define NO_GROUP UINT32_MAX

/** Notifies of one class at one place. */
typedef struct site {
    uint32_t class_name;
    uint32_t place;
    uint32_t thread;  ///< that called it last
    uint32_t group;   ///< of the notify that was counted last
    uint32_t calls;   ///< that woke somebody, or nobody
    uint32_t useless; ///< that woke nobody
    uint32_t all;     ///< notifyAlls that woke somebody
    uint32_t woken;   ///< by notifyAll
    uint32_t back;    ///< of these, waited again at once
    int64_t back_ns;  ///< time for which those queued for the monitor
    uint32_t threads; ///< that were woken
    uint32_t waiting; ///< place where the last that was woken had waited, or TM__NONE
} site;

typedef struct notifies {
    tm__findings *findings;
    tm__triple_map by_place; ///< (class name, place, 0): site + 1
    tm__triple_map woken;    ///< (site, thread, 0): 1
    TM__ARRAY(site, sites);
} notifies;

static site *site_of(notifies *n, const tm__interaction *row)
{
    tm__memory *memory = &n->findings->memory;
    uint32_t class_name = tm__class_name_of_object(n->findings->model, row->object);
    uint32_t place = tm__caller_of(&n->findings->places, row->from_stack);
    uint32_t *value = tm__triple_map_at(&n->by_place, memory, class_name, place, 0);

    if (!value)
        return NULL;
    if (*value == 0) {
        if (tm__reserve(memory, &n->sites, &n->sites_capacity,
                        (size_t)n->sites_count + 1, sizeof(*n->sites)) < 0)
            return NULL;
        n->sites[n->sites_count++] = (site){.class_name = class_name,
                                            .place = place,
                                            .group = NO_GROUP,
                                            .waiting = TM__NONE};
        *value = n->sites_count;
    }
    return &n->sites[*value - 1];
}

/* Whether who was woken waits again, at the same place, as soon as it has the monitor;
 * and for how long it had queued for that. */
static int went_back(const tm__findings *findings, const tm__interaction *row,
                     int64_t *queued_ns)
{
    const tm_model *model = findings->model;
    const tm__thread *thread;
    const tm__interval *it;
    uint32_t index;

    *queued_ns = 0;
    if (row->to_thread == TM__NONE || row->to_interval == TM__NONE)
        return 0;
    thread = &model->entities.threads[row->to_thread];
    if (row->to_interval < thread->interval_first)
        return 0;
    index = row->to_interval - thread->interval_first;
    if (index + 2 >= thread->interval_count)
        return 0;
    it = &thread->intervals[index];
    if (it->state == TM_STATE_REENTERING) {
        int64_t from_ns = it->start_ns, to_ns = it[1].start_ns;

        if (tm__in_scope(findings, &from_ns, &to_ns))
            *queued_ns = to_ns - from_ns;
    }
    return it[1].state == TM_STATE_RUNNING && it[2].state == TM_STATE_WAITING &&
           it[2].object == it->object && it[2].stack == it->stack &&
           it[2].start_ns - it[1].start_ns <= BACK_NS;
}

static int add_notify(notifies *n, uint32_t number)
{
    const tm_model *model = n->findings->model;
    const tm__interaction *row = tm__row(model, number);
    int64_t from_ns = row->from_ns, to_ns = row->from_ns;
    uint32_t *seen;
    int64_t queued_ns;
    site *it;

    if (!tm__in_scope(n->findings, &from_ns, &to_ns) ||
        (row->kind != TM_INTERACTION_NOTIFY &&
         row->kind != TM_INTERACTION_NOTIFY_ALL) ||
        row->effect == TM__EFFECT_VOID || row->object == TM__NONE)
        return TM_OK;
    it = site_of(n, row);
    if (!it)
        return tm__failure();
    /* A condition is signalled whether or not a thread waits: that is how it is used,
     * and costs no call into the kernel. */
    if (row->effect == TM__EFFECT_USELESS &&
        model->entities.objects[row->object].kind == TM_OBJECT_KIND_CONDITION)
        return TM_OK;
    if (row->effect == TM__EFFECT_USELESS) {
        it->calls++;
        it->useless++;
        it->thread = row->from_thread;
        return TM_OK;
    }
    if (row->kind != TM_INTERACTION_NOTIFY_ALL || row->group == TM__NONE ||
        row->group != it->group) {
        it->calls++;
        it->all += row->kind == TM_INTERACTION_NOTIFY_ALL;
        it->group = row->group;
        it->thread = row->from_thread;
    }
    if (row->kind != TM_INTERACTION_NOTIFY_ALL)
        return TM_OK;
    seen = tm__triple_map_at(&n->woken, &n->findings->memory, (uint32_t)(it - n->sites),
                             row->to_thread, 0);
    if (!seen)
        return tm__failure();
    it->threads += *seen == 0;
    *seen = 1;
    it->woken++;
    it->waiting = tm__caller_of(&n->findings->places, row->to_stack);
    if (went_back(n->findings, row, &queued_ns)) {
        it->back++;
        it->back_ns = tm__sum(it->back_ns, queued_ns);
    }
    return TM_OK;
}

static int report_herd(notifies *n, const site *it)
{
    tm__findings *findings = n->findings;
    tm__finding *finding =
        tm__finding_new(findings, "notify_all_herd", "interactions", it->back_ns);
    tm__facts facts = TM__NO_FACTS;

    if (!finding)
        return tm__failure();
    finding->class_name = it->class_name;
    finding->place = it->place;
    finding->thread = it->thread;
    tm__where_text(finding, "kind", "notify_all");
    tm__where_class(finding, findings->model, it->class_name);
    tm__where_caller(finding, findings, "from_method", it->place, 0);
    finding->blocked_place = it->waiting;
    finding->explains = 1;
    finding->bound_ns = it->threads ? it->back_ns / it->threads : it->back_ns;
    facts.class_name = it->class_name;
    facts.most = (uint64_t)((double)it->woken / it->all + 0.5);
    facts.count = it->all;
    facts.of = it->woken;
    facts.average = (double)it->woken / it->all;
    facts.others = it->back;
    facts.total_ns = it->back_ns;
    facts.place = it->waiting;
    facts.other_place = it->place;
    tm__finding_add(finding, findings, TM__TEXT_HERD_TITLE, &facts);
    tm__finding_add(finding, findings, TM__TEXT_HERD_WAITS, &facts);
    tm__finding_add(finding, findings, TM__TEXT_HERD_HOLDS, &facts);
    tm__finding_add(finding, findings, TM__TEXT_HERD_ADVICE, &facts);
    return TM_OK;
}

static int report_useless(notifies *n, const site *it)
{
    tm__findings *findings = n->findings;
    tm__finding *finding =
        tm__finding_new(findings, "useless_notify", "interactions", 0);
    tm__facts facts = TM__NO_FACTS;

    if (!finding)
        return tm__failure();
    finding->class_name = it->class_name;
    finding->place = it->place;
    finding->thread = it->thread;
    tm__where_text(finding, "effect", "useless");
    tm__where_class(finding, findings->model, it->class_name);
    tm__where_caller(finding, findings, "from_method", it->place, 0);
    finding->minor = 1;
    facts.class_name = it->class_name;
    facts.count = it->useless;
    facts.of = it->calls;
    facts.place = it->place;
    tm__finding_add(finding, findings, TM__TEXT_USELESS_TITLE, &facts);
    tm__finding_add(finding, findings, TM__TEXT_USELESS_HOLDS, &facts);
    return TM_OK;
}

static int report(notifies *n)
{
    tm__top herds = {.count = 0}, useless = {.count = 0};
    int rc = TM_OK;

    for (uint32_t i = 0; i < n->sites_count; i++) {
        const site *it = &n->sites[i];

        if (it->all >= 10 && it->woken >= 3 * it->all && it->back * 2 >= it->woken)
            tm__top_add(&herds, it->back_ns, i);
        if (it->place != TM__NONE &&
            !tm__caller_is_library(&n->findings->places, it->place) &&
            it->calls >= 100 && (uint64_t)it->useless * 10 >= (uint64_t)it->calls * 9)
            tm__top_add(&useless, it->useless, i);
    }
    for (uint32_t i = 0; rc == TM_OK && i < herds.count; i++)
        rc = report_herd(n, &n->sites[herds.numbers[i]]);
    for (uint32_t i = 0; rc == TM_OK && i < useless.count; i++)
        rc = report_useless(n, &n->sites[useless.numbers[i]]);
    return rc;
}

int tm__find_notifies(tm__findings *findings)
{
    notifies n = {.findings = findings};
    const tm_model *model = findings->model;
    int rc = TM_OK;

    for (uint32_t i = 0; rc == TM_OK && i < model->intervals.interactions_count; i++)
        rc = add_notify(&n, model->intervals.interactions_first + i);
    if (rc == TM_OK)
        rc = report(&n);
    tm__free(&findings->memory, n.sites, n.sites_capacity * sizeof(*n.sites));
    tm__triple_map_free(&n.by_place, &findings->memory);
    tm__triple_map_free(&n.woken, &findings->memory);
    return rc;
}
