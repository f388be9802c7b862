/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/whatif/candidate_counts.h"

#include "analysis/timeline/processor_time.h"
#include "analysis/whatif/candidates.h"
#include "base/saturate.h"

void tm__count_delays(tm__candidates *all, const tm__script *script)
{
    for (uint32_t i = 0; i < all->items_count; i++) {
        tm__candidate *it = &all->items[i];

        it->scaled += script->scaled;
        it->scaled_ns = tm__sum(it->scaled_ns, script->scaled_ns);
    }
}

void tm__count_served(tm__candidates *all)
{
    const tm__served *served = &all->served;

    for (uint32_t i = 0; i < all->items_count; i++) {
        tm__candidate *it = &all->items[i];

        if (all->options->change == TM_WHATIF_PERMITS) {
            it->scaled += served->waits;
            it->scaled_ns = tm__sum(it->scaled_ns, served->wait_ns);
        }
        for (uint32_t s = 0;
             all->options->change == TM_WHATIF_USES && s < served->spans_count; s++) {
            if (!tm__scope_has(&all->part, served->spans[s].start_ns))
                continue;
            it->scaled++;
            it->scaled_ns = tm__sum(it->scaled_ns, served->spans[s].end_ns -
                                                       served->spans[s].start_ns);
        }
    }
}

void tm__count_wanting(tm__candidates *all)
{
    const tm_model *model = all->model;
    tm__candidate *it;

    if (all->options->change != TM_WHATIF_PROCESSORS || !model->run.processors)
        return;
    it = all->items;
    for (uint32_t t = 0; t < model->entities.threads_count; t++) {
        int64_t ns = tm__lacked_processor_ns(model, t);

        if (ns > 0) {
            it->scaled++;
            it->scaled_ns = tm__sum(it->scaled_ns, ns);
        }
    }
}

uint32_t tm__count_sleeps(const tm__candidates *all)
{
    const tm_model *model = all->model;
    uint32_t count = 0;

    for (uint32_t t = 0; t < model->entities.threads_count; t++) {
        const tm__thread *thread = &model->entities.threads[t];

        for (uint32_t i = 0; i + 1 < thread->interval_count; i++) {
            const tm__interval *it = &thread->intervals[i];

            if (it[1].start_ns > all->path.end_ns)
                break;
            count += (it->state == TM_STATE_IO || it->stack != TM__NONE) &&
                     !(it->flags & TM__INTERVAL_CONTINUES) &&
                     tm__scope_has(&all->part, it->start_ns) &&
                     tm__asked_delay_share(&all->delays, model, t, i) > 0;
        }
    }
    return count;
}
