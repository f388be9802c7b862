/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Switches of the kernel that are emitted: absences of 20 us or more. The absences that
 * the thread has recorded as waits itself are known when all events are in order.
 *
 *     thread    ── call ──────────────── returns ───────────────────
 *     kernel          out ········· in ───────── out ·········· in ─
 *                     dropped                    OFF_CPU        ON_CPU
 */
#include "recorder/kernel_switches.h"

#include <stdio.h>
#include <string.h>

#include "layout/ticks.h"
#include "recorder/gather_records.h"
#include "switches/switch_rings.h"

enum { SLOTS_MOST = 4 * TM__RINGS_MOST };

static int is_wanted, refused;
static int64_t start_ns, stopped_ns; /* of the records */
static uint32_t slots[SLOTS_MOST]; /* a reader's index and 1, by the kernel's number */
static uint32_t slot_mask;
static int64_t until_ns; /* no later record is in this round: of another processor
                          * there may be an earlier one that was not read yet */

static const char IN_NAMESPACE[] =
    "When threads had a processor is not recorded: the process has another namespace "
    "of processes. Running includes waits for a processor and for what is not "
    "recorded.";

void tm__kernel_switches_open(uint32_t launcher)
{
    is_wanted = launcher != 0;
    start_ns = (int64_t)tm__monotonic_ns();
    refused = is_wanted ? tm__switch_rings_open(launcher, 0) : 0;
}

uint64_t tm__kernel_switches_kinds(void)
{
    return tm__switch_rings_are_open()
               ? UINT64_C(1) << TM_EVENT_ON_CPU | UINT64_C(1) << TM_EVENT_OFF_CPU
               : 0;
}

void tm__kernel_switches_describe(tm__image *image, int has_switches)
{
    char text[400];

    if (!is_wanted)
        return;
    if (!refused) {
        if (!has_switches)
            TM__IMAGE_DEFINE(image, caveat, IN_NAMESPACE);
        return;
    }
    tm__switch_rings_put_refusal(
        text, sizeof(text), refused,
        "Running includes waits for a processor and for what is "
        "not recorded.");
    TM__IMAGE_DEFINE(image, caveat, text);
}

void tm__kernel_switches_begin_round(void)
{
    if (!tm__switch_rings_are_open())
        return;
    until_ns = (int64_t)tm__monotonic_ns();
    tm__switch_rings_begin_round();
}

/* ---- threads by the kernel's numbers ---- */

static uint32_t slot_of(uint32_t os_id)
{
    return (uint32_t)((os_id * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & slot_mask;
}

/* A number is its latest thread's: of the program that another one replaced in its
 * process, or of a thread that ended, there may be more to read. */
static void list(const tm__readers *readers)
{
    uint32_t wanted = 64;

    while (wanted < 2 * readers->end)
        wanted *= 2;
    slot_mask = wanted - 1;
    memset(slots, 0, wanted * sizeof(*slots));
    for (uint32_t i = 0; i < readers->end; i++) {
        const tm__ring_reader *reader = &readers->all[i];
        uint32_t at;

        /* In another namespace its number may be that of another thread here. */
        if (!reader->image || !reader->os_id || !reader->image->has_switches)
            continue;
        at = slot_of(reader->os_id);
        while (slots[at] && readers->all[slots[at] - 1].os_id != reader->os_id)
            at = (at + 1) & slot_mask;
        if (!slots[at] || readers->all[slots[at] - 1].thread < reader->thread)
            slots[at] = i + 1;
    }
}

static tm__ring_reader *find(const tm__readers *readers, uint32_t os_id)
{
    for (uint32_t at = slot_of(os_id); slots[at]; at = (at + 1) & slot_mask)
        if (readers->all[slots[at] - 1].os_id == os_id)
            return &readers->all[slots[at] - 1];
    return NULL;
}

/* ---- items ---- */

static void add(tm__ring_reader *reader, const tm__tick_clock *clock, int kind,
                int64_t time_ns)
{
    uint64_t time = tm__tick_clock_instant(clock, time_ns);
    uint64_t horizon = reader->image->horizon;
    tm__item *item = tm__gather_item(reader, kind, time > horizon ? time : horizon);

    if (item && kind == TM_EVENT_OFF_CPU && !reader->processor.is_preempted)
        item->event.flags = TM_EVENT_VOLUNTARY;
}

static void take(tm__ring_reader *reader, const tm__tick_clock *clock,
                 const tm__switch *it)
{
    tm__absence *of = &reader->processor;

    if (it->is_out) {
        *of = (tm__absence){.out_ns = it->time_ns, .is_preempted = it->is_preempted};
        return;
    }
    if (of->out_ns && !of->is_reported &&
        it->time_ns - of->out_ns >= TM__SWITCH_SHORT_NS) {
        add(reader, clock, TM_EVENT_OFF_CPU, of->out_ns);
        of->is_reported = 1;
    }
    if (of->is_reported)
        add(reader, clock, TM_EVENT_ON_CPU, it->time_ns);
    *of = (tm__absence){0};
}

/* No record will say that a thread is back: from the stop on that is not known. */
static void stop(const tm__readers *readers, const tm__tick_clock *clock)
{
    tm__switch_rings_stop();
    stopped_ns = until_ns;
    for (uint32_t i = 0; i < readers->end; i++) {
        tm__ring_reader *reader = &readers->all[i];

        if (reader->image && reader->processor.is_reported)
            add(reader, clock, TM_EVENT_ON_CPU, until_ns);
        reader->processor = (tm__absence){0};
    }
}

void tm__kernel_switches_gather(const tm__readers *readers, const tm__tick_clock *clock)
{
    tm__switch it;

    if (!tm__switch_rings_are_open() || stopped_ns)
        return;
    list(readers);
    while (tm__switch_rings_next(&it, until_ns)) {
        tm__ring_reader *reader = find(readers, it.os_id);

        if (reader)
            take(reader, clock, &it);
    }
    for (uint32_t i = 0; i < readers->end; i++) {
        tm__ring_reader *reader = &readers->all[i];
        tm__absence *of = &reader->processor;

        if (!reader->image || !of->out_ns || of->is_reported ||
            until_ns - of->out_ns < TM__SWITCH_SHORT_NS)
            continue;
        add(reader, clock, TM_EVENT_OFF_CPU, of->out_ns);
        of->is_reported = 1;
    }
    if (tm__switch_rings_cost_too_much(until_ns, 0.01))
        stop(readers, clock);
}

void tm__kernel_switches_report(tm__image *image)
{
    char text[240];

    if (stopped_ns) {
        snprintf(text, sizeof(text),
                 "When threads had a processor is recorded for the first %.1f s alone: "
                 "they switch so often that it took 1 %% of the processors. From then "
                 "on running includes waits for a processor and for what is not "
                 "recorded.",
                 (double)(stopped_ns - start_ns) / 1e9);
        TM__IMAGE_DEFINE(image, caveat, text);
    }
    if (tm__switch_rings_put_losses(text, sizeof(text)))
        TM__IMAGE_DEFINE(image, caveat, text);
}
