/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A budget is a share of the processor time that the program takes, and of a fifth of
 * all processors where that is more, since a program that only waits takes none. The
 * cost of recording is set against it in an account. While that is below nothing,
 * stacks are left out; below what it may owe, events are, too, until all is paid. So a
 * storm is recorded for some milliseconds now and then, whole: an event that is left
 * out at random would leave the others without their causes.
 *
 *      saved ──┐
 *      0 ──────┼─ stacks off ─┐            ┌─ all on
 *      owed ───┘              └─ events off┘
 *
 * A blocking interval that was begun is recorded to its end, and what is left out is
 * counted like any loss.
 */
#include "writer/budget.h"

#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include <threadmodel/error.h>

#include "base/grouped.h"
#include "ring/buffer.h"
#include "rings/clock.h"
#include "ring/recording_state.h"
#include "vm/options.h"
#include "vm/vm.h"
#include "writer/overhead.h"
#include "writer/stack_table.h"

enum { IDLE_PART = 5 };
/* Limits of the time saved and owed, as the time of one processor in which it is
 * earned. A debt beyond the limit is forgiven: a start has costs that a whole run would
 * pay for.
 */
static const int64_t SAVED_NS = 100000000;
static const int64_t OWED_NS = 300000000, OWED_MOST_NS = INT64_C(20000000000);

static struct {
    int64_t now_ns, process_ns, cost_ns; ///< when it was set against the budget last
    double saved_ns;
    int64_t without_ns[TM__LEFT_OUT_EVENTS + 1]; ///< by what was left out
} account;

static int64_t cost_so_far_ns(void)
{
    tm_run run = {.size = sizeof(run)};

    tm__overhead_add(&run);
    return run.cost_threads_ns + run.cost_recorder_ns;
}

void tm__budget_begin(void)
{
    double share = tm__the_options.budget;

    atomic_store(&tm__the_recording.left_out, TM__LEFT_OUT_NOTHING);
    account.now_ns = tm__now_ns();
    account.process_ns = tm__clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    account.cost_ns = cost_so_far_ns();
    account.saved_ns = share * (double)SAVED_NS;
    for (int i = 0; i <= TM__LEFT_OUT_EVENTS; i++)
        account.without_ns[i] = 0;
}

/* Set what was spent since the last time against what was earned. */
static int64_t settle(double share)
{
    int64_t now_ns = tm__now_ns();
    int64_t process_ns = tm__clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    int64_t cost_ns = cost_so_far_ns();
    int64_t passed_ns = now_ns - account.now_ns;
    int64_t used_ns = process_ns - account.process_ns;
    int64_t least_ns = passed_ns * tm__the_vm.processors / IDLE_PART;

    account.saved_ns += share * (double)(used_ns > least_ns ? used_ns : least_ns) -
                        (double)(cost_ns - account.cost_ns);
    if (account.saved_ns > share * (double)SAVED_NS)
        account.saved_ns = share * (double)SAVED_NS;
    if (account.saved_ns < -share * (double)OWED_MOST_NS)
        account.saved_ns = -share * (double)OWED_MOST_NS;
    account.now_ns = now_ns;
    account.process_ns = process_ns;
    account.cost_ns = cost_ns;
    return passed_ns;
}

static int what_to_leave_out(double share, int before)
{
    if (account.saved_ns >= 0)
        return TM__LEFT_OUT_NOTHING;
    if (account.saved_ns < -share * (double)OWED_NS)
        return TM__LEFT_OUT_EVENTS;
    return before == TM__LEFT_OUT_EVENTS ? before : TM__LEFT_OUT_STACKS;
}

void tm__budget_pace(void)
{
    double share = tm__the_options.budget;
    int before = atomic_load(&tm__the_recording.left_out);

    if (share <= 0)
        return;
    account.without_ns[before] += settle(share);
    atomic_store_explicit(&tm__the_recording.left_out, what_to_leave_out(share, before),
                          memory_order_relaxed);
}

static int emit(const char *sentence)
{
    const tm_sink *sink = tm__the_recording.sink;

    return sink->caveat(sink->payload, sentence);
}

static double seconds(int64_t ns)
{
    return (double)ns / 1e9;
}

static int report_time(uint64_t left_out)
{
    char sentence[240];
    int64_t without_events_ns = account.without_ns[TM__LEFT_OUT_EVENTS];
    int64_t without_stacks_ns =
        account.without_ns[TM__LEFT_OUT_STACKS] + without_events_ns;

    if (without_stacks_ns == 0)
        return TM_OK;
    snprintf(sentence, sizeof(sentence),
             "To keep to %g %% of the processor time, %s events were left out, in "
             "%.1f s of %.1f s, and no stacks were taken in %.1f s.",
             100 * tm__the_options.budget, tm__group_digits(left_out).text,
             seconds(without_events_ns),
             seconds(account.now_ns - tm__the_recording.start_ns),
             seconds(without_stacks_ns));
    return emit(sentence);
}

static int report_memory(uint64_t threads, uint64_t stacks)
{
    char sentence[200];

    if (threads == 0 && stacks == 0)
        return TM_OK;
    snprintf(
        sentence, sizeof(sentence),
        "To keep to %llu MiB of memory, of %s threads no events were recorded, and "
        "%s times a stack was left out.",
        (unsigned long long)(tm__the_options.memory_bytes >> 20),
        tm__group_digits(threads).text, tm__group_digits(stacks).text);
    return emit(sentence);
}

int tm__budget_report(void)
{
    uint64_t left_out = 0, threads = 0;
    int rc;

    for (tm__buffer *b = tm__buffer_first(); b; b = tm__buffer_next(b)) {
        left_out += atomic_load(&b->costs.left_out);
        threads += atomic_load(&b->costs.ringless);
    }
    rc = report_time(left_out);
    return rc >= 0 ? report_memory(threads, tm__stack_table_refused()) : rc;
}
