/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queues for one object: convoys, which never drain, and those so long that more
 * threads only make them longer.
 */
#include "analysis/findings/findings_queues.h"
#include "analysis/findings/finding_text.h"
#include "base/error.h"

#include "base/saturate.h"

int tm__queues_open(tm__queues *queues, tm__findings *findings)
{
    *queues = (tm__queues){.findings = findings};
    queues->items = tm__zalloc(&findings->memory,
                               ((size_t)findings->model->entities.objects_count + 1) *
                                   sizeof(*queues->items));
    return queues->items ? TM_OK : tm__failure();
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
            return tm__failure();
        it->threads += *value == 0;
        *value = 1;
    }
    if (share->is_last) {
        it->last_ns = share->end_ns > it->last_ns ? share->end_ns : it->last_ns;
        it->contended_handoffs += share->queued > 1;
    }
    return TM_OK;
}

/* A block spans as many handoffs as there are of them in its time. */
int tm__queue_is_convoy(const tm__queues *queues, uint32_t object)
{
    const tm__queue *it = &queues->items[object];

    return it->blocks >= 100 && it->threads >= 3 && it->blocks >= 10 * it->threads &&
           (uint64_t)it->contended_handoffs * 10 >= (uint64_t)it->blocks * 8 &&
           it->total_ns / 3 >= it->last_ns - it->first_ns &&
           it->total_ns >= queues->findings->run_ns / 100;
}

int tm__queue_is_long(const tm__queues *queues, uint32_t object)
{
    const tm__queue *it = &queues->items[object];
    int64_t span_ns = it->last_ns - it->first_ns;

    return it->blocks >= 5 && it->most >= 4 && span_ns > 0 &&
           it->total_ns / 2 >= span_ns && span_ns >= queues->findings->run_ns / 10;
}

void tm__finding_add_queue(tm__finding *finding, const tm__queues *queues,
                           uint32_t object)
{
    const tm__queue *it = &queues->items[object];
    int64_t span_ns = it->last_ns - it->first_ns;
    tm__facts facts = TM__NO_FACTS;

    facts.average = (double)it->total_ns / (double)(span_ns ? span_ns : 1);
    facts.most = it->most;
    facts.span_ns = span_ns;
    if (tm__queue_is_convoy(queues, object)) {
        facts.mean_ns = span_ns / it->blocks;
        facts.share = tm__percent(it->contended_handoffs, it->blocks);
    }
    tm__finding_add(finding, queues->findings, TM__TEXT_LOCK_QUEUE, &facts);
}

void tm__queues_close(tm__queues *queues)
{
    tm__memory *memory = &queues->findings->memory;

    tm__free(memory, queues->items,
             ((size_t)queues->findings->model->entities.objects_count + 1) *
                 sizeof(*queues->items));
    tm__triple_map_free(&queues->seen, memory);
}
