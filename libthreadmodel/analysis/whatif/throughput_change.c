/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/whatif/throughput_change.h"

#include "analysis/units/unit_walk.h"
#include "analysis/whatif/asked_delays.h"
#include "analysis/whatif/request_claims.h"
#include "analysis/whatif/throughput_holds.h"
#include "base/histogram.h"
#include "base/sort.h"

int tm__changes_open(tm__changes_asked *q, const tm__load *load,
                     const tm__candidates *all, const tm__candidate *it,
                     tm__memory *memory)
{
    *q = (tm__changes_asked){.load = load, .all = all, .it = it};
    if (it->method == TM__NONE || all->options->change != TM_WHATIF_HOLDS)
        return TM_OK;
    q->shares = tm__hold_shares_new(all, it, memory);
    return q->shares ? TM_OK : TM_ENOMEM;
}

/* The share of a block that is for what is asked about: of the class, the objects, and
 * of the time in which owners of these got them where it is asked. */
static double share_of_lock(const tm__changes_asked *q, const tm__interval *at)
{
    const tm_model *model = q->all->model;
    uint32_t class_index;

    if (!tm__is_lock_block(at))
        return 0;
    class_index = model->entities.objects[at->object].class_index;
    if (q->it->class_name != TM__NONE &&
        (class_index == TM__NONE ||
         model->entities.classes[class_index].name != q->it->class_name))
        return 0;
    if (q->all->groups && q->all->groups[at->object] != q->it->group)
        return 0;
    return q->shares ? q->shares[at->object] : 1;
}

static void add_part(const tm__changes_asked *q, uint32_t thread,
                     const tm__unit_part *part, tm__unit_change *sum)
{
    const tm__candidates *all = q->all;
    const tm__interval *at;
    double ns = (double)(part->end_ns - part->start_ns);
    uint32_t wait;

    if (all->options->change == TM_WHATIF_PROCESSORS) {
        sum->queued_ns += part->state == TM_STATE_RUNNABLE ? ns : 0;
        return;
    }
    if (part->interval == TM__NONE || !tm__is_stopped(part->state))
        return;
    at = &all->model->entities.threads[thread].intervals[part->interval];
    if (tm__is_of_delays(all->options->change)) {
        sum->done_ns += ns * tm__asked_delay_share(&all->delays, all->model, thread,
                                                   part->interval);
    } else if (all->options->change == TM_WHATIF_HOLDS ||
               (all->groups && tm__is_lock_block(at))) {
        sum->queued_ns += ns * share_of_lock(q, at);
    } else if (all->served.roles &&
               (wait = tm__wait_at(&all->resources, thread, part->interval)) !=
                   TM__NONE &&
               all->served.roles[wait] != TM__WAIT_OTHER) {
        double service_ns = (double)all->served.service_ns[wait];

        if (all->served.roles[wait] != TM__WAIT_SERVED)
            service_ns = 0;
        service_ns = service_ns > ns ? ns : service_ns;
        sum->served_ns += service_ns;
        sum->queued_ns += ns - service_ns;
    }
}

tm__unit_change tm__change_of_unit(const tm__changes_asked *q, const tm__unit *unit)
{
    tm__unit_change sum = {0};

    for (uint32_t i = 0; i < unit->span_count; i++) {
        const tm__unit_span *span = &q->load->units.spans[unit->span_first + i];
        tm__unit_walk walk;
        tm__unit_part part;

        tm__unit_walk_start(&walk, q->all->model, span);
        while (tm__unit_walk_next(&walk, &part))
            add_part(q, span->thread, &part, &sum);
    }
    return sum;
}
