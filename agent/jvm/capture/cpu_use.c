/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For how long threads were on processors, and how long they could run and had none:
 * the scheduler's own counts, since a thread was first met. The writer reads those of
 * all threads once a second, less often where there are many, and each thread reads its
 * own as it ends. A thread that neither ran nor waited since has nothing new to tell.
 */
#include "capture/cpu_use.h"

#include "capture/event_report.h"

#include <stdatomic.h>

#include "rings/clock.h"
#include "ring/recording_state.h"
#include "ring/schedstat.h"

static const int64_t EVERY_NS = INT64_C(1000000000);
/* Two thousandths of one processor at most: to read takes up to 9 us. */
static const int64_t FOR_EACH_NS = INT64_C(5000000);
static const int64_t WORTH_NS = INT64_C(1000000);

static int64_t due_ns;

static void put(tm__buffer *own, const tm__buffer *of, uint16_t kind, int64_t value_ns)
{
    tm__record *record = tm__thread_ring_reserve(&own->ring, 0);

    if (!record) {
        tm__buffer_lose(own, tm__now_ns());
        return;
    }
    record->kind = kind;
    record->event.fact = (tm_event){
        .thread = of->thread, .time_ns = tm__now_ns(), .value = value_ns, .kind = kind};
    tm__thread_ring_commit(&own->ring, record, 0);
}

/* The thread is the one that the buffer was of: another may have it by now. */
static void read_one(tm__buffer *own, tm__buffer *of)
{
    uint64_t os_id = of->os_id;
    tm__schedstat now;

    if (tm__schedstat_read(&now, os_id) != 0)
        return;
    now.ran_ns -= of->use_base.ran_ns;
    now.waited_ns -= of->use_base.waited_ns;
    if (of->use_of != os_id) {
        of->use_of = os_id;
        of->use = (tm__schedstat){0};
    }
    if (now.ran_ns < of->use.ran_ns + WORTH_NS &&
        now.waited_ns < of->use.waited_ns + WORTH_NS)
        return;
    of->use = now;
    put(own, of, TM_EVENT_CPU_TIME, now.ran_ns);
    put(own, of, TM_EVENT_CPU_WAIT, now.waited_ns);
}

void tm__cpu_use_round(tm__buffer *own, int at_end)
{
    int64_t now_ns = tm__now_ns(), threads = 0;

    if (!at_end && now_ns < due_ns)
        return;
    if (own->has_use_base)
        atomic_fetch_or(&tm__the_recording.kinds,
                        TM__KIND(CPU_TIME) | TM__KIND(CPU_WAIT));
    for (tm__buffer *b = tm__buffer_first(); b; b = tm__buffer_next(b))
        if (atomic_load(&b->listed) && b != own && b->thread_weak && b->os_id &&
            b->has_use_base && !atomic_load(&b->orphan)) {
            read_one(own, b);
            threads++;
        }
    due_ns =
        now_ns + (threads * FOR_EACH_NS > EVERY_NS ? threads * FOR_EACH_NS : EVERY_NS);
}

void tm__cpu_use_of_ending(tm__event_report *report)
{
    const tm__buffer *buffer = report->buffer;
    tm__schedstat now;

    if (!buffer->has_use_base || tm__schedstat_read(&now, 0) != 0)
        return;
    tm__event_report_add(report, TM__NO_STACK,
                         (tm_event){.kind = TM_EVENT_CPU_TIME,
                                    .value = now.ran_ns - buffer->use_base.ran_ns});
    tm__event_report_add(
        report, TM__NO_STACK,
        (tm_event){.kind = TM_EVENT_CPU_WAIT,
                   .value = now.waited_ns - buffer->use_base.waited_ns});
}
