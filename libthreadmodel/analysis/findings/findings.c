/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings: every detector has its say, then they are ranked. There are a few dozen
 * at most; what costs is the detectors' one or two passes over the run. A detector
 * that tells of a cause comes before those that would tell of a part of it again.
 */
#include "analysis/findings/finding.h"
#include "analysis/findings/findings_classes.h"
#include "analysis/findings/findings_dumps.h"
#include "analysis/findings/findings_event_loops.h"
#include "analysis/findings/findings_gain.h"
#include "analysis/findings/findings_io.h"
#include "analysis/findings/findings_joins.h"
#include "analysis/findings/findings_kinds.h"
#include "analysis/findings/findings_locks.h"
#include "analysis/findings/findings_notify.h"
#include "analysis/findings/findings_parks.h"
#include "analysis/findings/findings_path.h"
#include "analysis/findings/findings_processors.h"
#include "analysis/findings/findings_resources.h"
#include "analysis/findings/findings_samples.h"
#include "analysis/findings/findings_scope.h"
#include "analysis/findings/findings_stragglers.h"
#include "analysis/findings/findings_stuck.h"
#include "analysis/findings/findings_threads.h"
#include "analysis/findings/findings_unended.h"
#include "analysis/findings/findings_virtual.h"
#include "analysis/findings/findings_waits.h"
#include "analysis/findings/findings_workers.h"

#include <string.h>

#include "analysis/listing/caveats.h"
#include "analysis/whatif/ranking.h"
#include "base/error.h"
#include "base/saturate.h"
#include "base/sized.h"
#include "base/sort.h"
#include "model/entities/object.h"
#include "model/entities/thread.h"
#include "table/builder.h"
#include "table/tables.h"

/* For a part of the run, those detectors are asked that add up times, and cut these to
 * the part. The others judge the run as it ended, or totals that are counted for the
 * whole of it. */
enum { OF_RUN, OF_PARTS };

static const struct detector {
    int (*find)(tm__findings *);
    int is_of_parts;
} detectors[] = {
    {tm__find_deadlocks, OF_PARTS},   {tm__find_standstill, OF_PARTS},
    {tm__find_class_work, OF_PARTS},  {tm__find_resources, OF_PARTS},
    {tm__find_locks, OF_PARTS},       {tm__find_notifies, OF_PARTS},
    {tm__find_pinned, OF_RUN},        {tm__find_event_loops, OF_PARTS},
    {tm__find_io, OF_PARTS},          {tm__find_workers, OF_PARTS},
    {tm__find_stragglers, OF_RUN},    {tm__find_joins, OF_RUN},
    {tm__find_path_sleeps, OF_PARTS}, {tm__find_waits, OF_PARTS},
    {tm__find_unended, OF_RUN},       {tm__find_inversions, OF_RUN},
    {tm__find_samples, OF_RUN},       {tm__find_in_dumps, OF_RUN},
    {tm__find_processors, OF_RUN},    {tm__find_parks, OF_PARTS},
};

enum { TITLE_WORDS = 12 };

/* ---- one finding a cause ---- */

static int64_t weight_of(const tm__finding *it)
{
    return it->explains ? tm__product(it->impact_ns, 4) : it->impact_ns;
}

/* Threads that wait at one place for one class do so for one cause: for a resource
 * without an owner, and then for the monitor that they waited on. The finding with more
 * impact is reported, or the one that explains at least a quarter of it. */
static int is_part_of(const tm__finding *part, const tm__finding *whole)
{
    return part != whole && part->blocked_place != TM__NONE &&
           part->blocked_place == whole->blocked_place &&
           part->class_name == whole->class_name &&
           weight_of(part) < weight_of(whole) &&
           (part->suspected || !whole->suspected) && !part->stands && !part->is_on_path;
}

static void drop_where(tm__findings *findings, tm__finding *item)
{
    tm__free(&findings->memory, item->long_where, item->long_where_bytes);
}

/* A detector may find more than the data supports. Such a finding is not reported, and
 * hides nothing.
 */
static int detect(tm__findings *findings, const struct detector *detector)
{
    uint32_t kept = findings->items_count;
    int rc;

    if (findings->is_part && !detector->is_of_parts)
        return TM_OK;
    rc = detector->find(findings);

    for (uint32_t i = kept; i < findings->items_count; i++)
        if (tm__is_looked_for(findings, findings->items[i].kind))
            findings->items[kept++] = findings->items[i];
        else
            drop_where(findings, &findings->items[i]);
    findings->items_count = kept;
    return rc;
}

static void merge_alike(tm__findings *findings)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < findings->items_count; i++)
        for (uint32_t j = 0; j < findings->items_count && !findings->items[i].merged;
             j++)
            findings->items[i].merged =
                is_part_of(&findings->items[i], &findings->items[j]);
    for (uint32_t i = 0; i < findings->items_count; i++)
        if (findings->items[i].merged)
            drop_where(findings, &findings->items[i]);
        else
            findings->items[kept++] = findings->items[i];
    findings->items_count = kept;
}

/* ---- the answer ---- */

/* Names of threads are as long as programs like. */
static void shorten_title(tm__finding *item)
{
    char *text = item->texts[TM__TITLE];
    int words = 1;

    for (; *text; text++)
        if (*text == ' ' && ++words > TITLE_WORDS) {
            *text = '\0';
            item->lengths[TM__TITLE] = (size_t)(text - item->texts[TM__TITLE]);
            return;
        }
}

static void put_part(tm__builder *builder, const tm__finding *item, enum tm__part part)
{
    if (item->lengths[part])
        tm__put_text(builder, item->texts[part]);
    else
        tm__put_null(builder);
}

/* All parts but the title, as one text. */
static void put_whole(tm__builder *builder, const tm__finding *item)
{
    char text[TM__PARTS * TM__PART_BYTES];
    size_t length = 0;

    for (int part = TM__WAITS; part < TM__PARTS; part++) {
        if (!item->lengths[part])
            continue;
        if (length)
            text[length++] = ' ';
        memcpy(text + length, item->texts[part], item->lengths[part]);
        length += item->lengths[part];
    }
    text[length] = '\0';
    tm__put_text(builder, text);
}

static void put_gain_ns(tm__builder *builder, const tm__finding *item, int64_t ns)
{
    if (item->has_gain)
        tm__put_int64(builder, ns);
    else
        tm__put_null(builder);
}

static void put_finding(tm__builder *builder, tm__findings *findings,
                        const tm__finding *item, int32_t rank)
{
    const tm_model *model = findings->model;

    tm__put_int32(builder, rank);
    tm__put_string(builder, item->kind);
    put_part(builder, item, TM__TITLE);
    tm__put_int64(builder, item->impact_ns);
    tm__put_int64(builder, item->bound_ns);
    put_gain_ns(builder, item, item->gain_ns);
    put_gain_ns(builder, item, item->gain_low_ns);
    put_gain_ns(builder, item, item->gain_high_ns);
    tm__put_bool(builder, item->minor);
    tm__put_bool(builder, item->suspected);
    for (int part = TM__WAITS; part < TM__PARTS; part++)
        put_part(builder, item, part);
    put_whole(builder, item);
    tm__put_string(builder,
                   tm__strings_get(&model->entities.strings, item->class_name));
    tm__put_caller(builder, &findings->places, item->place);
    if (item->thread == TM__NONE)
        tm__put_null(builder);
    else
        tm__put_uint64(builder, model->entities.threads[item->thread].id);
    tm__put_string(builder, tm__thread_name(&model->entities, item->thread));
    tm__put_string(builder,
                   item->change_object == TM__NONE
                       ? NULL
                       : tm__label(&findings->labels, model, item->change_object));
    tm__put_string(builder, item->evidence);
    tm__put_text(builder, item->long_where ? item->long_where : item->where);
}

/* Deadlocks that stand come first, then what is known, what is only suspected, and what
 * gains nothing. */
static int tier_of(const tm__finding *item)
{
    return item->minor ? 3 : item->suspected ? 2 : !item->stands;
}

/* Where no gain is stated, it is at most what one thread lost. */
static int64_t worth_ns(const tm__finding *item)
{
    return item->has_gain ? item->gain_ns : item->bound_ns;
}

/* Equals keep the order of the detectors. */
static int by_worth(const void *payload, uint32_t left, uint32_t right)
{
    const tm__finding *items = payload;
    int64_t l = worth_ns(&items[left]), r = worth_ns(&items[right]);

    if (l != r)
        return l > r ? -1 : 1;
    return left < right ? -1 : left > right;
}

static int put_ranked(tm__builder *builder, tm__findings *findings)
{
    size_t bytes = findings->items_count * sizeof(tm__sortable);
    tm__sortable *order, *spare;
    int32_t rank = 0;

    if (!bytes)
        return TM_OK;
    order = tm__resize(&findings->memory, NULL, 0, bytes);
    spare = tm__resize(&findings->memory, NULL, 0, bytes);
    if (order && spare) {
        for (uint32_t i = 0; i < findings->items_count; i++)
            order[i] = (tm__sortable){tier_of(&findings->items[i]), i};
        tm__sort(order, spare, findings->items_count, by_worth, findings->items);
        for (uint32_t i = 0; i < findings->items_count; i++) {
            tm__finding *item = &findings->items[order[i].number];

            shorten_title(item);
            put_finding(builder, findings, item, ++rank);
        }
    }
    tm__free(&findings->memory, spare, bytes);
    tm__free(&findings->memory, order, bytes);
    return order && spare ? TM_OK : tm__failure();
}

int tm_finding_list(tm_table **out, const tm_model *model)
{
    return tm_finding_list_part(out, model, NULL);
}

/* Find what there is, without its gains. @return TM_OK or an error; to be closed in
 * either case */
static int open_findings(tm__findings *findings, const tm_model *model,
                         const tm_selection *selection)
{
    int rc;

    *findings = (tm__findings){.model = model};
    tm__memory_init(&findings->memory, &model->memory.hook);
    findings->unmet = tm__unmet_needs(model);
    rc = tm__findings_open_scope(findings, selection);
    if (rc == TM_OK)
        rc = tm__labels_open(&findings->labels, model);
    if (rc == TM_OK)
        rc = tm__callers_open(&findings->places, model, &findings->memory, NULL);
    if (rc == TM_OK)
        rc = tm__class_work_open(findings);
    for (size_t i = 0; rc == TM_OK && i < sizeof(detectors) / sizeof(*detectors); i++)
        rc = detect(findings, &detectors[i]);
    merge_alike(findings);
    return rc;
}

static void close_findings(tm__findings *findings)
{
    const tm_model *model = findings->model;

    if (!findings->places.memory)
        return;
    for (uint32_t i = 0; i < findings->items_count; i++)
        drop_where(findings, &findings->items[i]);
    tm__free(&findings->memory, findings->items,
             findings->items_capacity * sizeof(*findings->items));
    tm__free(&findings->memory, findings->lock_group_of,
             ((size_t)model->entities.objects_count + 1) *
                 sizeof(*findings->lock_group_of));
    tm__findings_stuck_close(findings);
    tm__class_work_close(findings);
    tm__callers_close(&findings->places);
    tm__labels_close(&findings->labels);
}

int tm_finding_list_part(tm_table **out, const tm_model *model,
                         const tm_selection *selection)
{
    tm__findings findings;
    tm__builder builder;
    int rc;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    rc = open_findings(&findings, model, selection);
    tm__builder_start(&builder, &tm__findings_table, 0, &model->memory.hook);
    if (rc == TM_OK)
        rc = tm__findings_ask_gains(&findings);
    if (rc == TM_OK)
        rc = put_ranked(&builder, &findings);
    if (rc == TM_OK)
        rc = findings.labels.failed;
    if (rc == TM_OK)
        tm__findings_put_part(&findings, &builder);
    tm__model_put_caveats(model, &builder);
    close_findings(&findings);
    return tm__builder_close(&builder, out, rc);
}

/* ---- what-ifs of what was found ---- */

static int ask_changes(tm__ranking *ranking, const tm__findings *findings)
{
    const tm__load *load = &ranking->load;
    int rc = TM_OK;

    for (uint32_t i = 0; rc == TM_OK && i < findings->items_count; i++) {
        tm__gain_question question = tm__finding_question(&findings->items[i], load);

        if (strcmp(findings->items[i].kind, "too_few_processors") == 0)
            question =
                (tm__gain_question){TM_WHATIF_PROCESSORS, TM__NONE, TM__NONE, TM__NONE};
        /* Locks are ranked already, by how long they are held. */
        if (question.change != TM_WHATIF_END &&
            findings->items[i].lock_group == TM__NONE)
            rc = tm__ranking_add(ranking, &question);
    }
    return rc == TM_OK ? tm__ranking_add_methods(ranking) : rc;
}

int tm_whatif_rank(tm_table **out, const tm_model *model,
                   const tm_whatif_options *given)
{
    tm_selection part = TM_SELECTION_INIT;
    tm_whatif_options options;
    tm__findings findings;
    tm__ranking ranking;
    int rc;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(model);
    rc = TM__READ(&options, given, tm_whatif_options, class_name);
    if (rc < 0)
        return rc;
    TM__CHECK(!options.class_name && !options.method && !options.object &&
              options.change == TM_WHATIF_HOLDS);
    rc = tm__whatif_check_factor(model, options.factor);
    if (rc < 0)
        return rc;
    part.from_ns = options.from_ns;
    part.to_ns = options.to_ns;
    rc = tm__ranking_open(&ranking, model, &options);
    if (rc == TM_OK) {
        rc = open_findings(&findings, model, &part);
        if (rc == TM_OK)
            rc = ask_changes(&ranking, &findings);
        close_findings(&findings);
    }
    if (rc == TM_OK)
        rc = tm__ranking_answer(out, &ranking);
    tm__ranking_close(&ranking);
    return rc;
}
