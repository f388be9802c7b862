/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The switches of the kernel that no other event shows. A thread that waits for a lock
 * has left its processor: its own events show that, so nothing is reported until it
 * continues. The rest is preemption, and absences that nothing else explains: waits in
 * native code.
 *
 *     park ──── unparked ──── out ·· in ───── out ──────────── in
 *       out   in               short          OFF_CPU          ON_CPU
 *
 * Absences shorter than 20 us are left out, as the writer alone would cause thousands.
 */
#include "writer/switches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <threadmodel/error.h>

#include "ring/recording_state.h"
#include "rings/clock.h"
#include "switches/switch_rings.h"
#include "vm/options.h"
#include "writer/os_threads.h"

static const int64_t NOT_OUT = INT64_MIN;
static const double MOST = 0.01;

static const uint64_t BEGINS = TM__KIND(CONTENDED_ENTER) | TM__KIND(WAIT) |
                               TM__KIND(SLEEP) | TM__KIND(JOIN) | TM__KIND(PARK) |
                               TM__KIND(AWAIT) | TM__KIND(THREAD_END);
static const uint64_t ENDS = TM__KIND(CONTENDED_ENTERED) | TM__KIND(WAITED) |
                             TM__KIND(SLEPT) | TM__KIND(JOINED) | TM__KIND(UNPARKED) |
                             TM__KIND(AWAITED) | TM__KIND(LOST);

/** A thread that left its processor, and has not been away for long yet. */
typedef struct absence {
    tm__buffer *buffer;
    int64_t out_ns;
} absence;

/* The last switches of threads without a buffer as yet; the number of a thread gives
 * its place. */
enum { STRAYS = 4096 };
static tm__switch strays[STRAYS];

static uint64_t known_sum; /* of the threads that are found by number */
static absence *absences;  /* a ring of the oldest on */
static size_t absence_first, absence_count, absence_capacity;
static size_t left_at;     /* number of the next thread that was not ended then */
static int64_t stopped_ns; /* since when none is made; 0: they are */

static int64_t merged_ns;  /* all before is in the trace */
static int64_t resumed_ns; /* when the last pause ended; 0: there was no pause */
static int refused;        /* error number */
static int is_wanted, began_late;
static uint32_t own_os_id;

void tm__switches_open(int is_late)
{
    is_wanted = tm__the_options.switches != 0;
    began_late = is_late;
    refused = is_wanted ? tm__switch_rings_open(0, is_late) : 0;
}

/* Emit the caveats of threads that ran before recording began. */
static int emit_late(void)
{
    const tm_sink *sink = tm__the_recording.sink;
    uint64_t missed = tm__switch_rings_missed();
    char text[240];
    int rc = sink->caveat(
        sink->payload,
        "Switches of a thread that ran before recording began are recorded only from "
        "its first other event on: until then it seems to run.");

    if (rc < 0 || !missed)
        return rc;
    snprintf(text, sizeof(text),
             "Switches of %llu threads that ran before recording began are not "
             "recorded: too many descriptors would be needed.",
             (unsigned long long)missed);
    return sink->caveat(sink->payload, text);
}

int tm__switches_emit_facts(void)
{
    const tm_sink *sink = tm__the_recording.sink;
    char text[400];

    own_os_id = (uint32_t)syscall(SYS_gettid);
    if (!is_wanted)
        return TM_OK;
    if (tm__switch_rings_are_open()) {
        atomic_fetch_or(&tm__the_recording.kinds, TM__KIND(ON_CPU) | TM__KIND(OFF_CPU));
        return began_late ? emit_late() : TM_OK;
    }
    tm__switch_rings_put_refusal(
        text, sizeof(text), refused,
        "The scheduler's counters are recorded, and running includes waits in native "
        "code.");
    return sink->caveat(sink->payload, text);
}

static void push(tm__buffer *buffer, int64_t out_ns);

/* A switch before recording began, or in a pause, counts as one at its beginning or
 * end.
 */
static int64_t recorded_ns(const tm__switch *it)
{
    int64_t start_ns = resumed_ns ? resumed_ns : tm__the_recording.start_ns;

    return it->time_ns > start_ns ? it->time_ns : start_ns;
}

/* A thread may have left its processor before it was met. */
static void recall(tm__buffer *buffer)
{
    const tm__switch *it = &strays[buffer->os_id % STRAYS];

    buffer->switches.is_known = 1;
    if (it->os_id != buffer->os_id || !it->is_out || buffer->switches.is_blocked ||
        it->time_ns < buffer->switches.begun_ns)
        return;
    buffer->switches.out_ns = recorded_ns(it);
    /* Others may have reported what it did up to now. */
    if (buffer->switches.out_ns < merged_ns)
        buffer->switches.out_ns = merged_ns;
    buffer->switches.is_preempted = it->is_preempted;
    push(buffer, buffer->switches.out_ns);
}

/* The writer has nothing to report of itself. */
static int is_of_a_thread(tm__buffer *buffer)
{
    return atomic_load(&buffer->listed) && buffer->thread_weak && buffer->os_id &&
           buffer->os_id != own_os_id;
}

/* The share of the time of all processors. */
static double share(void)
{
    double budget = tm__the_options.budget;

    return budget > 0 && budget < MOST ? budget : MOST;
}

void tm__switches_begin_round(void)
{
    uint64_t sum = 0;
    size_t count = 0;

    if (!tm__switch_rings_are_open())
        return;
    for (tm__buffer *b = tm__buffer_first(); b; b = tm__buffer_next(b))
        if (is_of_a_thread(b)) {
            sum += b->os_id * (2 * b->thread + 1) + (uint64_t)atomic_load(&b->orphan);
            count++;
        }
    if (sum != known_sum || !tm__os_threads_are_open()) {
        int is_open = tm__os_threads_open(count) == 0;

        for (tm__buffer *b = tm__buffer_first(); b && is_open; b = tm__buffer_next(b))
            if (is_of_a_thread(b)) {
                tm__os_threads_put(b);
                if (!b->switches.is_known)
                    recall(b);
            }
        known_sum = sum;
    }
    tm__switch_rings_begin_round();
    if (!stopped_ns && tm__switch_rings_cost_too_much(tm__now_ns(), share())) {
        /* Before: the kernel may do something else in between. */
        stopped_ns = tm__now_ns();
        tm__switch_rings_stop();
    }
}

/* ---- events ---- */

void tm__switches_follow(tm__buffer *buffer, const tm_event *event)
{
    if (event->thread != buffer->thread)
        return;
    buffer->switches.last_ns = event->time_ns;
    if (BEGINS >> event->kind & 1)
        buffer->switches.is_blocked = 1;
    else if (ENDS >> event->kind & 1)
        buffer->switches.is_blocked = 0;
    else
        return;
    /* An event of the thread proves that it runs; its return may have been lost. */
    buffer->switches.out_ns = NOT_OUT;
    buffer->switches.is_reported = 0;
}

static void push(tm__buffer *buffer, int64_t out_ns)
{
    if (absence_count == absence_capacity) {
        size_t wanted = absence_capacity ? 2 * absence_capacity : 64;
        absence *grown = malloc(wanted * sizeof(*grown));

        if (!grown)
            return; /* it is not reported */
        for (size_t i = 0; i < absence_count; i++)
            grown[i] = absences[(absence_first + i) % absence_capacity];
        free(absences);
        absences = grown;
        absence_first = 0;
        absence_capacity = wanted;
    }
    absences[(absence_first + absence_count++) % absence_capacity] =
        (absence){buffer, out_ns};
}

void tm__switches_resume(int64_t now_ns)
{
    resumed_ns = now_ns;
    absence_count = 0;
    for (tm__buffer *b = tm__buffer_first(); b; b = tm__buffer_next(b)) {
        b->switches.is_reported = 0;
        if (b->switches.out_ns == NOT_OUT)
            continue;
        b->switches.out_ns = now_ns;
        push(b, now_ns);
    }
}

/* The oldest absence that has become long by a time, as an event. */
static int next_long(tm_event *event, int64_t now_ns)
{
    while (absence_count) {
        absence it = absences[absence_first];
        tm__switched *of = &it.buffer->switches;

        if (it.out_ns > now_ns - TM__SWITCH_SHORT_NS)
            return 0;
        absence_first = (absence_first + 1) % absence_capacity;
        absence_count--;
        if (of->out_ns != it.out_ns || of->is_reported)
            continue;
        of->is_reported = 1;
        *event =
            (tm_event){.time_ns = it.out_ns > of->last_ns ? it.out_ns : of->last_ns,
                       .thread = it.buffer->thread,
                       .kind = TM_EVENT_OFF_CPU,
                       .flags = of->is_preempted ? 0 : TM_EVENT_VOLUNTARY};
        return 1;
    }
    return 0;
}

/* Its number may be another thread's by now, which nobody has met yet. */
static int has_ended(tm__buffer *buffer)
{
    return buffer->switches.is_blocked && atomic_load(&buffer->orphan);
}

/* @return 1: there is an event */
static int take(tm_event *event, const tm__switch *it)
{
    tm__buffer *buffer = tm__os_thread_find(it->os_id, it->time_ns);
    tm__switched *of;

    if (!buffer || !buffer->thread || has_ended(buffer)) {
        strays[it->os_id % STRAYS] = *it;
        return 0;
    }
    of = &buffer->switches;
    if (it->is_out) {
        of->out_ns = of->is_blocked ? NOT_OUT : recorded_ns(it);
        of->is_preempted = it->is_preempted;
        of->is_reported = 0;
        if (!of->is_blocked)
            push(buffer, of->out_ns);
        return 0;
    }
    of->out_ns = NOT_OUT;
    if (!of->is_reported)
        return 0;
    of->is_reported = 0;
    *event =
        (tm_event){.time_ns = it->time_ns > of->last_ns ? it->time_ns : of->last_ns,
                   .thread = buffer->thread,
                   .kind = TM_EVENT_ON_CPU};
    return 1;
}

/* No record will say that a thread is back: from the stop on that is not known. */
static int next_left(tm_event *event)
{
    tm__buffer *buffer;

    while ((buffer = tm__os_thread_next(&left_at))) {
        if (!buffer->switches.is_reported)
            continue;
        buffer->switches.is_reported = 0;
        *event = (tm_event){.time_ns = stopped_ns > buffer->switches.last_ns
                                           ? stopped_ns
                                           : buffer->switches.last_ns,
                            .thread = buffer->thread,
                            .kind = TM_EVENT_ON_CPU};
        return 1;
    }
    return 0;
}

int tm__switches_next(tm_event *event, int64_t until_ns)
{
    int is_over = stopped_ns && until_ns > stopped_ns;
    tm__switch it;

    if (until_ns > merged_ns)
        merged_ns = until_ns;
    if (is_over)
        until_ns = stopped_ns;
    while (tm__switch_rings_peek_ns() <= until_ns) {
        if (next_long(event, tm__switch_rings_peek_ns()))
            return 1;
        if (tm__switch_rings_next(&it, until_ns) && take(event, &it))
            return 1;
    }
    if (is_over)
        return next_left(event);
    return absence_count ? next_long(event, until_ns) : 0;
}

int tm__switches_report(void)
{
    const tm_sink *sink = tm__the_recording.sink;
    char text[240];
    int rc = TM_OK;

    if (stopped_ns) {
        snprintf(
            text, sizeof(text),
            "When threads had a processor is recorded for the first %.1f s alone: "
            "they switch so often that it took %.2g %% of the processors. From then "
            "on running includes waits in native code.",
            (double)(stopped_ns - tm__the_recording.start_ns) / 1e9, 100 * share());
        rc = sink->caveat(sink->payload, text);
    }
    if (rc < 0 || !tm__switch_rings_put_losses(text, sizeof(text)))
        return rc;
    return sink->caveat(sink->payload, text);
}

void tm__switches_close(void)
{
    tm__switch_rings_close();
    tm__os_threads_close();
    free(absences);
    absences = NULL;
    absence_first = absence_count = absence_capacity = 0;
    known_sum = 0;
    merged_ns = stopped_ns = resumed_ns = 0;
    left_at = 0;
    memset(strays, 0, sizeof(strays));
}
