/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings about queues for one object: convoys, which never drain, and crowds, which
 * more threads only make longer.
 */
#include "analysis/findings/findings_queues.h"

#include "base/saturate.h"

int tm__queues_open(tm__queues *queues, tm__findings *findings)
{
    *queues = (tm__queues){.findings = findings};
    queues->items =
        tm__zalloc(&findings->memory, ((size_t)findings->model->objects_count + 1) *
                                          sizeof(*queues->items));
    return queues->items ? TM_OK : TM_ENOMEM;
}

int tm__queue_note(tm__queues *queues, const tm__share *share)
{
    tm__queue *it = &queues->items[share->object];
    uint32_t *value;

    if (share->is_first) {
        if (!it->blocks || share->start_ns < it->first_ns)
            it->first_ns = share->start_ns;
        it->blocks++;
        it->total_ns = tm__sum(it->total_ns, share->end_ns - share->start_ns);
        if (share->queued > it->most)
            it->most = share->queued;
        if (it->blocks == 1 || share->end_ns - share->start_ns > it->longest_ns) {
            it->longest_ns = share->end_ns - share->start_ns;
            it->place = tm__caller_of(&queues->findings->places, share->stack);
        }
        value = tm__triple_map_at(&queues->seen, &queues->findings->memory,
                                  share->object, share->thread, 0);
        if (!value)
            return TM_ENOMEM;
        it->threads += *value == 0;
        *value = 1;
    }
    if (share->is_last) {
        it->last_ns = share->end_ns > it->last_ns ? share->end_ns : it->last_ns;
        it->contended_handoffs += share->queued > 1;
    }
    return TM_OK;
}

static tm__finding *queue_finding(const tm__queues *queues, uint32_t object,
                                  const char *kind, const char *words)
{
    tm__findings *findings = queues->findings;
    uint32_t class_name = tm__class_name_of_object(findings->model, object);
    tm__finding *finding =
        tm__finding_new(findings, kind, "blame", queues->items[object].total_ns);

    if (!finding)
        return NULL;
    finding->class_name = class_name;
    finding->place = queues->items[object].place;
    tm__where_text(finding, "object",
                   tm__label(&findings->labels, findings->model, object));
    tm__finding_write(finding, "%s %s: ", words,
                      tm__label(&findings->labels, findings->model, object));
    return finding;
}

/* A block spans as many handoffs as there are of them in its time. */
static int is_convoy(const tm__queues *queues, const tm__queue *it)
{
    return it->blocks >= 100 && it->threads >= 3 && it->blocks >= 10 * it->threads &&
           (uint64_t)it->contended_handoffs * 10 >= (uint64_t)it->blocks * 8 &&
           it->total_ns / 3 >= it->last_ns - it->first_ns &&
           it->total_ns >= queues->findings->run_ns / 100;
}

static int report_convoy(const tm__queues *queues, uint32_t object)
{
    const tm__queue *it = &queues->items[object];
    tm__finding *finding =
        queue_finding(queues, object, "lock_convoy", "Lock convoy at");

    if (!finding)
        return TM_ENOMEM;
    tm__finding_write(finding, "%u threads queued for it %u times, for ", it->threads,
                      it->blocks);
    tm__finding_write_duration(finding, it->total_ns / it->blocks);
    tm__finding_write(finding, " each, though it changed hands every ");
    tm__finding_write_duration(finding, (it->last_ns - it->first_ns) / it->blocks);
    tm__finding_write(finding, "; at %d %% of the handoffs others still queued.",
                      tm__percent(it->contended_handoffs, it->blocks));
    if (finding->place != TM__NONE) {
        tm__finding_write(finding, " They queue in ");
        tm__finding_write_caller(finding, queues->findings, finding->place);
        tm__finding_write(finding, ": take it less often, or for more work at once.");
    }
    return TM_OK;
}

static int is_oversubscribed(const tm__queues *queues, const tm__queue *it)
{
    int64_t span_ns = it->last_ns - it->first_ns;

    return it->blocks >= 5 && it->most >= 4 && span_ns > 0 &&
           it->total_ns / 2 >= span_ns && span_ns >= queues->findings->run_ns / 10;
}

static int report_oversubscribed(const tm__queues *queues, uint32_t object)
{
    const tm__queue *it = &queues->items[object];
    int64_t span_ns = it->last_ns - it->first_ns;
    tm__finding *finding =
        queue_finding(queues, object, "oversubscribed_lock", "Oversubscribed lock");

    if (!finding)
        return TM_ENOMEM;
    tm__finding_write(finding, "on average %.1f threads queued for it for ",
                      (double)it->total_ns / (double)span_ns);
    tm__finding_write_duration(finding, span_ns);
    tm__finding_write(finding, ", %u at once at most", it->most);
    if (finding->place != TM__NONE) {
        tm__finding_write(finding, ", in ");
        tm__finding_write_caller(finding, queues->findings, finding->place);
    }
    tm__finding_write(finding, ": more threads cannot make this faster.");
    return TM_OK;
}

int tm__queues_report(const tm__queues *queues)
{
    tm__top convoys = {.count = 0}, crowds = {.count = 0};
    int rc = TM_OK;

    for (uint32_t i = 0; i < queues->findings->model->objects_count; i++) {
        const tm__queue *it = &queues->items[i];

        if (is_convoy(queues, it))
            tm__top_add(&convoys, it->total_ns, i);
        if (is_oversubscribed(queues, it))
            tm__top_add(&crowds, it->total_ns, i);
    }
    for (uint32_t i = 0; rc == TM_OK && i < convoys.count; i++)
        rc = report_convoy(queues, convoys.numbers[i]);
    for (uint32_t i = 0; rc == TM_OK && i < crowds.count; i++)
        rc = report_oversubscribed(queues, crowds.numbers[i]);
    return rc;
}

void tm__queues_close(tm__queues *queues)
{
    tm__memory *memory = &queues->findings->memory;

    tm__free(memory, queues->items,
             ((size_t)queues->findings->model->objects_count + 1) *
                 sizeof(*queues->items));
    tm__triple_map_free(&queues->seen, memory);
}
