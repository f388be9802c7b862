/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/timeline/processor_time.h"

#include "base/saturate.h"
#include "model/entities/reports.h"
#include "model/entities/thread.h"
#include "model/intervals/cpu.h"
#include "model/intervals/interval.h"

int64_t tm__seen_ns(const tm_model *model, uint32_t number, int state)
{
    const tm__thread *thread = &model->entities.threads[number];
    int64_t sum_ns = 0;

    for (uint32_t i = 0; i < thread->interval_count; i++)
        if (thread->intervals[i].state == state)
            sum_ns = tm__sum(sum_ns, tm__interval_end_ns(model, thread, i) -
                                         thread->intervals[i].start_ns);
    return sum_ns;
}

/* A thread that no event shows to do anything may wait in a way that is not recorded,
 * as the VM's own threads do, and the recorder's. */
static int is_seen(const tm__thread *thread)
{
    return !(thread->flags & TM_THREAD_AGENT) &&
           (thread->interval_first || thread->interval_count > 1 ||
            thread->start_ns != INT64_MIN);
}

/* Where switches are known, a thread that runs is on a processor. */
int64_t tm__had_processor_ns(const tm_model *model, uint32_t thread)
{
    int64_t counted_ns = tm__cpu_time_ns(&model->intervals, thread);

    return counted_ns < 0 && tm__model_reports(model, TM_EVENT_ON_CPU) &&
                   is_seen(&model->entities.threads[thread])
               ? tm__seen_ns(model, thread, TM_STATE_RUNNING)
               : counted_ns;
}

int64_t tm__lacked_processor_ns(const tm_model *model, uint32_t thread)
{
    int64_t counted_ns = tm__cpu_wait_ns(&model->intervals, thread);
    int64_t seen = tm__model_reports(model, TM_EVENT_ON_CPU) ||
                           tm__model_reports(model, TM_EVENT_RUNNABLE)
                       ? tm__seen_ns(model, thread, TM_STATE_RUNNABLE)
                       : -1;

    return counted_ns > seen ? counted_ns : seen;
}
