/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far apart the writer's rounds are. To wake up, to look at all rings and to ask
 * the VM take the same time however little was written, and more on a busy machine. So
 * a round that took 0.2 ms is followed by the next after 40 ms: it takes a
 * two-hundredth of a processor, between two bounds. A ring that is half full wakes the
 * writer before, and so does what may be a deadlock.
 */
#include "session/pace.h"

#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "blocked/catch_up.h"
#include "blocked/long_blocked.h"
#include "capture/cpu_sampler.h"
#include "ring/recording_state.h"
#include "ring/schedstat.h"
#include "rings/clock.h"
#include "writer/run_facts.h"

static const int64_t LEAST_NS = INT64_C(25000000), MOST_NS = INT64_C(80000000);
static const int64_t THRIFTY_NS = INT64_C(90000000);
enum { PART = 200 };
/* A shorter time may be a moment of a busy machine. */
static const int64_t STOPPED_LEAST_NS = INT64_C(500000000);

static int64_t due_ns;
static int64_t used_ns; /* processor time of the writer by the last round's end */
static tm__schedstat_file counts = TM__SCHEDSTAT_CLOSED;

void tm__pace_begin(void)
{
    tm__schedstat_open(&counts);
    used_ns = tm__clock_ns(CLOCK_THREAD_CPUTIME_ID);
    due_ns = tm__now_ns();
}

void tm__pace_end(void)
{
    tm__schedstat_close(&counts);
}

int tm__pace_is_due(void)
{
    return tm__now_ns() >= due_ns;
}

void tm__pace_next(void)
{
    int64_t now_ns = tm__clock_ns(CLOCK_THREAD_CPUTIME_ID);
    int64_t pause_ns = (now_ns - used_ns) * PART;

    used_ns = now_ns;
    if (pause_ns > MOST_NS)
        pause_ns = MOST_NS;
    if (pause_ns < LEAST_NS)
        pause_ns = LEAST_NS;
    if (tm__is_left_out(TM__LEFT_OUT_EVENTS))
        pause_ns = THRIFTY_NS;
    due_ns = tm__now_ns() + pause_ns;
}

/* How long to wait: for the next round, or until a question is due. */
static int pause_ms(void)
{
    int64_t now_ns = tm__now_ns(), until_ns = due_ns, left_ns;

    /* Activities that the budget leaves out do not set the pace. */
    if (!tm__is_left_out(TM__LEFT_OUT_STACKS)) {
        if (tm__long_blocked_due_ns(now_ns) < until_ns)
            until_ns = tm__long_blocked_due_ns(now_ns);
        if (tm__cpu_sampler_due_ns() < until_ns)
            until_ns = tm__cpu_sampler_due_ns();
    }
    if (tm__catch_up_due_ns() < until_ns)
        until_ns = tm__catch_up_due_ns();
    left_ns = until_ns - now_ns;
    return left_ns > 0 ? (int)(left_ns / 1000000) + 1 : 1;
}

/* How far the clock that also counts while the machine is suspended is ahead. */
static int64_t suspended_ns(void)
{
    int64_t all_ns = tm__clock_ns(CLOCK_BOOTTIME);

    return all_ns < 0 ? 0 : all_ns - tm__now_ns();
}

/* A wait that lasts much longer than it may, of a thread that was not kept from running
 * by others, was the time of a stopped process or machine. */
int tm__pace_wait(int wake_fd)
{
    struct pollfd wake = {.fd = wake_fd, .events = POLLIN};
    int64_t began_ns = tm__now_ns(), suspended = suspended_ns(), over_ns;
    int at_most_ms = pause_ms();
    tm__schedstat before, after;
    int has_counts = tm__schedstat_reread(&counts, &before) == 0;
    int woken = poll(&wake, 1, at_most_ms) > 0;

    suspended = suspended_ns() - suspended;
    over_ns = tm__now_ns() - began_ns - (int64_t)at_most_ms * 1000000;
    if (suspended > STOPPED_LEAST_NS)
        tm__run_facts_note_stopped(suspended);
    if (over_ns > STOPPED_LEAST_NS && has_counts &&
        tm__schedstat_reread(&counts, &after) == 0) {
        over_ns -= after.waited_ns - before.waited_ns;
        if (over_ns > STOPPED_LEAST_NS)
            tm__run_facts_note_stopped(over_ns);
    }
    return woken;
}
