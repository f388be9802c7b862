/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two tables about monitors. A dump is an instant: each monitor in it is an object
 * of its own. A table of times has totals by place and class, and no instants at all.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/saturate.h"
#include "formats/dump/dump.h"
#include "formats/dump/dump_emit.h"
#include "formats/dump/dump_names.h"
#include "formats/hprof/hprof_monitors.h"
#include "formats/hprof/profile.h"

enum { PAIRS = 1 << 17 };
/* HPROF takes its clock of milliseconds for one of nanoseconds: each millisecond that
 * it prints as the total is a million of them. */
#define MS_NS INT64_C(1000000)
#define PRINTED_MS_NS (1000000 * MS_NS)
/* Objects of dumps, and threads of tables, have numbers of their own. */
#define OWN_NUMBERS (UINT64_C(1) << 62)

int tm__profile_dump_start(tm__profile *profile)
{
    tm__dump_begin(profile->dump, profile->now_ns);
    profile->now_ns = profile->dump->time_ns;
    tm__map_clear(&profile->seen_map);
    profile->seen_count = profile->seen_read = profile->hold_count = 0;
    profile->monitor = 0;
    profile->in_dump = 1;
    return TM_OK;
}

static int seen_at(tm__profile *profile, uint64_t thread, tm__profile_seen **found)
{
    uint32_t index = tm__map_find(&profile->seen_map, thread);

    if (index == TM__NONE) {
        index = profile->seen_count;
        if (tm__reserve(profile->memory, &profile->seen, &profile->seen_capacity,
                        (size_t)index + 1, sizeof(*profile->seen)) < 0 ||
            tm__map_put(&profile->seen_map, thread, index) < 0)
            return tm__failure();
        profile->seen[index] = (tm__profile_seen){.thread = thread, .hold = TM__NONE};
        profile->seen_count++;
    }
    *found = &profile->seen[index];
    return TM_OK;
}

/* "S|intr|native|CW" */
static int state_of(tm__slice status)
{
    static const struct {
        const char *text;
        int state;
    } states[] = {{"ZO", TM_STATE_DEAD},     {"NS", TM_STATE_NEW},
                  {"SL", TM_STATE_SLEEPING}, {"MW", TM_STATE_BLOCKED},
                  {"CW", TM_STATE_WAITING},  {"R", TM_STATE_RUNNING}};
    size_t bar;

    while ((bar = tm__slice_find(status, "|")) < status.length)
        status = tm__slice_from(status, bar + 1);
    for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++)
        if (tm__slice_is(status, states[i].text))
            return states[i].state;
    return TM_STATE_UNKNOWN;
}

/* "THREAD 200001, trace 300010, status: CW" */
static int dump_thread(tm__profile *profile, tm__slice line)
{
    static const char key[] = "status: ";
    size_t at = tm__slice_find(line, key);
    uint64_t id, trace = 0;
    tm__profile_seen *seen;

    if (!tm__profile_number(line, "THREAD ", 10, &id) || id == 0)
        return TM_EDAMAGED;
    if (seen_at(profile, id, &seen) < 0)
        return tm__failure();
    tm__profile_number(line, "trace ", 10, &trace);
    seen->trace = trace < UINT32_MAX ? (uint32_t)trace : 0;
    seen->state = state_of(tm__slice_from(line, at + sizeof(key) - 1));
    return TM_OK;
}

/* "MONITOR Ljava/lang/Object;" or "... unowned" */
static int dump_monitor(tm__profile *profile, tm__slice name)
{
    tm_object object = {.size = sizeof(object),
                        .id = OWN_NUMBERS + profile->monitors + 1};
    uint32_t class_id;

    name.length = tm__slice_find(name, " ");
    if (name.length == 0)
        return TM_EDAMAGED;
    if (tm__profile_class(profile, name, &class_id) < 0)
        return tm__failure();
    object.class_id = class_id;
    if (tm__dump_object(profile->dump, &object) < 0)
        return tm__failure();
    profile->monitors++;
    profile->monitor = object.id;
    return TM_OK;
}

static int dump_owner(tm__profile *profile, tm__slice line)
{
    tm__profile_seen *seen;
    uint64_t id;

    if (!tm__profile_number(line, "thread ", 10, &id) || id == 0 || !profile->monitor)
        return TM_EDAMAGED;
    if (seen_at(profile, id, &seen) < 0 ||
        tm__reserve(profile->memory, &profile->holds, &profile->hold_capacity,
                    (size_t)profile->hold_count + 1, sizeof(*profile->holds)) < 0)
        return tm__failure();
    profile->holds[profile->hold_count] =
        (tm__profile_hold){profile->monitor, seen->hold};
    seen->hold = profile->hold_count++;
    return TM_OK;
}

/* "waiting to enter: thread 200002, thread 200003" */
static int dump_waiters(tm__profile *profile, tm__slice line, int state)
{
    uint64_t id;

    while (tm__profile_number(line, "thread ", 10, &id)) {
        tm__profile_seen *seen;

        line = tm__slice_from(line, tm__slice_find(line, "thread ") + 7);
        if (id == 0)
            continue;
        if (seen_at(profile, id, &seen) < 0)
            return tm__failure();
        seen->state = state;
        seen->wanted = profile->monitor;
    }
    return TM_OK;
}

int tm__profile_dump_line(tm__profile *profile, tm__slice line)
{
    while (line.length > 0 && (line.bytes[0] == ' ' || line.bytes[0] == '\t'))
        line = tm__slice_from(line, 1);
    if (tm__slice_begins(line, "THREAD "))
        return dump_thread(profile, line);
    if (tm__slice_begins(line, "MONITOR "))
        return dump_monitor(profile, tm__slice_from(line, strlen("MONITOR ")));
    if (tm__slice_begins(line, "owner: "))
        return dump_owner(profile, line);
    if (tm__slice_begins(line, "waiting to enter:"))
        return dump_waiters(profile, line, TM_STATE_BLOCKED);
    if (tm__slice_begins(line, "waiting to be notified:"))
        return dump_waiters(profile, line, TM_STATE_WAITING);
    return line.length == 0 ? TM_OK : TM_EDAMAGED;
}

static int read_seen(tm__profile *profile, const tm__profile_seen *seen)
{
    const tm__profile_trace *trace = tm__profile_find_trace(profile, seen->trace);
    tm__dump_thread to = {.thread = {.size = sizeof(tm_thread), .id = seen->thread},
                          .state = seen->state,
                          .wanted = seen->wanted};

    for (uint32_t i = seen->hold; i != TM__NONE; i = profile->holds[i].next) {
        if (tm__reserve(profile->memory, &profile->held, &profile->held_capacity,
                        (size_t)to.hold_count + 1, sizeof(*profile->held)) < 0)
            return tm__failure();
        profile->held[to.hold_count++] =
            (tm__dump_hold){profile->holds[i].object, TM__NONE};
    }
    to.holds = profile->held;
    if (trace) {
        to.frames = profile->frames + trace->first;
        to.frame_count = trace->count;
    }
    return tm__dump_read(profile->dump, &to);
}

int tm__profile_dump_end(tm__profile *profile, int is_whole)
{
    for (; profile->seen_read < profile->seen_count; profile->seen_read++)
        if (read_seen(profile, &profile->seen[profile->seen_read]) < 0)
            return tm__failure();
    if (tm__dump_end(profile->dump, is_whole) < 0)
        return tm__failure();
    profile->in_dump = 0;
    return TM_OK;
}

int tm__profile_table_start(tm__profile *profile, tm__slice rest)
{
    uint64_t printed_ms;

    if (!tm__profile_number(rest, "total = ", 10, &printed_ms))
        return TM_EDAMAGED;
    profile->contended_ns =
        tm__product(printed_ms < INT64_MAX ? (int64_t)printed_ms : INT64_MAX,
                    profile->is_ours ? MS_NS : PRINTED_MS_NS);
    profile->tables_ns = tm__sum(profile->tables_ns, profile->contended_ns);
    return TM_OK;
}

static tm__slice next_word(tm__slice *row)
{
    tm__slice word;

    while (row->length > 0 && row->bytes[0] == ' ')
        *row = tm__slice_from(*row, 1);
    word = (tm__slice){row->bytes, tm__slice_find(*row, " ")};
    *row = tm__slice_from(*row, word.length);
    return word;
}

/* "12.34%" as hundredths of a percent. @return 1 */
static int hundredths(tm__slice word, uint64_t *number)
{
    uint64_t fraction = 0;

    if (!tm__slice_number(&word, 10, number) || *number > 100)
        return 0;
    if (word.length > 0 && (word.bytes[0] == '.' || word.bytes[0] == ',')) {
        word = tm__slice_from(word, 1);
        if (word.length > 2)
            word.length = 2;
        if (!tm__slice_number(&word, 10, &fraction))
            return 0;
    }
    *number = *number * 100 + fraction;
    return 1;
}

/* Contentions of a row, in a thread of its own: each of mean length, and the last ends
 * now. So they lie before all that was seen to happen, and stretch nothing of it. */
static int report_row(tm__profile *profile, const tm__profile_trace *trace,
                      uint32_t class_id, uint64_t count, int64_t total_ns)
{
    char name[64];
    tm_thread thread = {
        .size = sizeof(thread), .id = OWN_NUMBERS + profile->rows + 1, .name = name};
    tm_object object = {.size = sizeof(object),
                        .id = class_id,
                        .class_id = class_id,
                        .flags = TM_OBJECT_MAYBE_MANY};
    tm_event event = {.thread = thread.id, .object = class_id};
    uint32_t stack = 0;

    snprintf(name, sizeof(name), "(all threads: MONITOR TIME, row %u)",
             profile->rows + 1);
    if ((trace && tm__dump_stack(profile->dump, profile->frames + trace->first,
                                 trace->count, 0, &stack) < 0) ||
        tm__dump_object(profile->dump, &object) < 0 ||
        tm__dump_define(profile->dump, &thread) < 0)
        return tm__failure();
    for (; profile->within < 2 * count; profile->within++) {
        /* In quotients and remainders: the product may not fit. */
        uint64_t i = profile->within, ends = (i + 1) / 2;

        if (tm__dump_is_full(profile->dump))
            return TM_MORE;
        event.time_ns = profile->now_ns - total_ns +
                        total_ns / (int64_t)count * (int64_t)ends +
                        total_ns % (int64_t)count * (int64_t)ends / (int64_t)count;
        event.kind = i % 2 ? TM_EVENT_CONTENDED_ENTERED : TM_EVENT_CONTENDED_ENTER;
        event.stack = i % 2 ? 0 : stack;
        if (tm__dump_note(profile->dump, &event) < 0)
            return tm__failure();
    }
    profile->within = 0;
    profile->rows++;
    profile->pairs += count;
    return TM_OK;
}

/* "   1 80.00% 80.00%      12 300020 Lshop/Account; (Java)" */
int tm__profile_table_row(tm__profile *profile, tm__slice row)
{
    uint64_t rank, self, accumulated, count, trace;
    uint32_t class_id;
    tm__slice word = next_word(&row);
    int64_t total_ns;

    if (tm__slice_is(word, "rank") || word.length == 0)
        return TM_OK;
    if (!tm__slice_number(&word, 10, &rank) || !hundredths(next_word(&row), &self) ||
        !hundredths(next_word(&row), &accumulated))
        return TM_EDAMAGED;
    word = next_word(&row);
    if (!tm__slice_number(&word, 10, &count))
        return TM_EDAMAGED;
    word = next_word(&row);
    if (!tm__slice_number(&word, 10, &trace))
        return TM_EDAMAGED;
    if (tm__profile_class(profile, next_word(&row), &class_id) < 0)
        return tm__failure();
    if (count == 0 || count > PAIRS || profile->pairs + count > PAIRS) {
        profile->left_out += count;
        return TM_OK;
    }
    total_ns = tm__product(profile->contended_ns / 10000, (int64_t)self);
    return report_row(profile, tm__profile_find_trace(profile, trace), class_id, count,
                      total_ns);
}
