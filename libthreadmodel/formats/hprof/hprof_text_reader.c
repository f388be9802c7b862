/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HPROF as text, line by line. Most lines of a file are of tables that say nothing of
 * threads, a heap dump as text above all, and are passed over up to the line that ends
 * them.
 */
#include "formats/dump/dump.h"
#include "formats/hprof/hprof_text_reader.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "formats/dump/dump_emit.h"
#include "formats/hprof/hprof_monitors.h"
#include "formats/hprof/profile.h"
#include "formats/lines.h"

enum { CALL_LINES = 1 << 15 };

typedef struct reader {
    tm__input *input;
    tm__lines lines;
    enum { TOP, TRACE, MONITOR_DUMP, MONITOR_TIME, SAMPLES, OTHER_TABLE } section;
    enum { READING, EMITTING, CONCLUDING, DONE } state;
    tm__slice table_end; ///< of the table that is passed over
    int is_over;
    uint64_t tables; ///< that were passed over
    tm__notes notes;
    tm__dump dump;
    tm__profile profile;
} reader;

static int probe(const uint8_t *bytes, size_t length)
{
    static const char name[] = "JAVA PROFILE 1.0.", created[] = ", created ";
    tm__slice text = {(const char *)bytes, length};

    return length > 18 + sizeof(created) &&
           memcmp(bytes, name, sizeof(name) - 1) == 0 &&
           tm__slice_begins(tm__slice_from(text, 18), created);
}

/* Tables of other matters, and the line that ends each. */
static const struct {
    const char *begin;
    const char *end;
} tables[] = {
    {"HEAP DUMP BEGIN", "HEAP DUMP END"},
    {"SITES BEGIN", "SITES END"},
    {"CPU TIME (ms) BEGIN", "CPU TIME (ms) END"},
};

static int read_top(reader *self, tm__slice line)
{
    static const struct {
        const char *begin;
        int (*read_next)(tm__profile *profile, tm__slice rest);
        int section;
    } lines[] = {
        {"THREAD START ", tm__profile_thread_start, TOP},
        {"THREAD END ", tm__profile_thread_end, TOP},
        {"TRACE ", tm__profile_trace_start, TRACE},
        {"SLEEP: ", tm__profile_sleep, TOP},
        {"MONITOR TIME BEGIN ", tm__profile_table_start, MONITOR_TIME},
    };
    int rc = TM_OK;

    for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
        if (!tm__slice_begins(line, lines[i].begin))
            continue;
        rc = lines[i].read_next(&self->profile,
                                tm__slice_from(line, strlen(lines[i].begin)));
        if (rc == TM_OK)
            self->section = lines[i].section;
        return rc;
    }
    if (tm__slice_begins(line, "WAIT: "))
        return tm__profile_wait(&self->profile, line, 0);
    if (tm__slice_begins(line, "WAITED: "))
        return tm__profile_wait(&self->profile, line, 1);
    if (tm__slice_begins(line, "EXIT: ")) {
        self->profile.exits++;
    } else if (tm__slice_begins(line, "MONITOR DUMP BEGIN")) {
        rc = tm__profile_dump_start(&self->profile);
        self->section = MONITOR_DUMP;
    } else if (tm__slice_begins(line, "CPU SAMPLES BEGIN")) {
        self->section = SAMPLES;
    } else if (tm__slice_begins(line, "Written by ")) {
        self->profile.is_ours =
            tm__slice_find(line, ", in the form of HPROF.") < line.length;
    }
    for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
        if (tm__slice_begins(line, tables[i].begin)) {
            self->section = OTHER_TABLE;
            self->table_end = (tm__slice){tables[i].end, strlen(tables[i].end)};
            self->tables++;
        }
    return rc;
}

static int read_in_dump(reader *self, tm__slice line)
{
    int rc;

    if (!tm__slice_begins(line, "MONITOR DUMP END"))
        return tm__profile_dump_line(&self->profile, line);
    rc = tm__profile_dump_end(&self->profile, 1);
    if (rc == TM_OK)
        self->section = TOP;
    return rc;
}

static int read_line(reader *self, tm__slice line)
{
    if (self->section == TRACE) {
        if (tm__slice_begins(line, "\t"))
            return tm__profile_trace_frame(&self->profile, tm__slice_from(line, 1));
        self->section = TOP;
    }
    switch (self->section) {
    case MONITOR_DUMP: return read_in_dump(self, line);
    case MONITOR_TIME:
        if (!tm__slice_begins(line, "MONITOR TIME END"))
            return tm__profile_table_row(&self->profile, line);
        break;
    case SAMPLES:
        if (!tm__slice_begins(line, "CPU SAMPLES END"))
            return tm__profile_sample(&self->profile, line);
        break;
    case OTHER_TABLE:
        if (line.length < self->table_end.length ||
            memcmp(line.bytes, self->table_end.bytes, self->table_end.length) != 0)
            return TM_OK;
        break;
    default: return read_top(self, line);
    }
    self->section = TOP;
    return TM_OK;
}

/* A record that is open at the end of the file is truncated. */
static int end_of_file(reader *self)
{
    int rc = TM_OK;

    if (self->profile.in_dump)
        rc = tm__profile_dump_end(&self->profile, 0);
    if (rc == TM_OK && self->section > TRACE)
        rc = tm__notes_damage(&self->notes, "the table that ends at byte %llu is cut",
                              (unsigned long long)self->lines.offset);
    if (rc == TM_OK)
        self->is_over = 1;
    return rc;
}

/* @return TM_MORE; TM_OK: the file is over */
static int next_line(reader *self)
{
    tm__lines before = self->lines;
    int rc = tm__lines_next(&self->lines);

    if (rc == TM_OK)
        rc = end_of_file(self);
    if (rc != TM_MORE)
        return rc;
    rc = read_line(self, (tm__slice){self->lines.text, self->lines.length});
    if (rc == TM_EDAMAGED)
        rc = tm__notes_damage(&self->notes,
                              "the line at byte %llu is not as HPROF "
                              "writes it",
                              (unsigned long long)self->lines.start);
    if (rc == TM_OK && self->lines.is_too_long) {
        rc = tm__lines_skip(&self->lines);
        rc = rc < 0 ? rc : TM_OK;
    }
    /* Where there was no memory, or is more of it to be emitted: the same line again.
     */
    if (rc != TM_OK)
        self->lines = before;
    return rc < 0 ? rc : TM_MORE;
}

static int read_lines(reader *self)
{
    int rc = TM_MORE;

    for (int i = 0; i < CALL_LINES && rc == TM_MORE && !tm__dump_is_full(&self->dump);
         i++)
        rc = next_line(self);
    if (rc < 0)
        return rc;
    self->state = EMITTING;
    return TM_MORE;
}

static int emit(reader *self, const tm_sink *sink)
{
    static const int kinds[] = {TM_EVENT_THREAD_START,
                                TM_EVENT_THREAD_END,
                                TM_EVENT_WAIT,
                                TM_EVENT_WAITED,
                                TM_EVENT_SLEEP,
                                TM_EVENT_CPU_SAMPLE,
                                TM_EVENT_SNAPSHOT,
                                TM_EVENT_HELD,
                                TM_EVENT_CONTENDED_ENTER,
                                TM_EVENT_SLEPT,
                                TM_EVENT_CONTENDED_ENTERED};
    tm_run run = {.size = sizeof(run),
                  .producer = "HPROF agent, as text",
                  .end_ns = self->profile.now_ns,
                  .policy = TM_POLICY_REPORTED};
    int rc;

    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        run.kinds |= UINT64_C(1) << kinds[i];
    rc = sink->run(sink->payload, &run);
    if (rc >= 0)
        rc = tm__dump_emit(&self->dump, sink);
    if (rc < 0)
        return rc;
    self->state = self->is_over ? CONCLUDING : READING;
    return TM_MORE;
}

static int caveat_tables(reader *self)
{
    const tm__profile *profile = &self->profile;
    int rc = TM_OK;

    if (profile->rows && profile->is_ours)
        rc = tm__notes_caveat(
            &self->notes,
            "Tables MONITOR TIME contain only sums: %lld ms are shown, in threads of "
            "their own, each contention as long as the mean of its row.",
            (long long)(profile->tables_ns / 1000000));
    else if (profile->rows)
        rc = tm__notes_caveat(
            &self->notes,
            "Tables MONITOR TIME: HPROF prints its totals a million times too small "
            "(its clock counts milliseconds, not nanoseconds) and none under 1,000 s. "
            "What is shown is %lld s, in threads of their own, each contention as long "
            "as the mean of its row; the numbers of hits of later tables include those "
            "of earlier ones.",
            (long long)(profile->tables_ns / 1000000000));
    if (rc == TM_OK && profile->left_out)
        rc =
            tm__notes_caveat(&self->notes,
                             "%llu samples and contentions were left out: their traces "
                             "name no thread (thread=y does), or there are too many.",
                             (unsigned long long)profile->left_out);
    if (rc == TM_OK && profile->exits)
        rc = tm__notes_caveat(&self->notes, "%llu lines EXIT were left out.",
                              (unsigned long long)profile->exits);
    if (rc == TM_OK && profile->strangers)
        rc = tm__notes_caveat(&self->notes,
                              "%llu lines are about threads that HPROF did not know.",
                              (unsigned long long)profile->strangers);
    if (rc == TM_OK && self->tables)
        rc = tm__notes_caveat(&self->notes,
                              "%llu tables of heaps, sites and times are not about "
                              "threads and were left out.",
                              (unsigned long long)self->tables);
    return rc;
}

static int conclude(reader *self)
{
    int rc = tm__notes_caveat(
        &self->notes,
        "HPROF writes no times: those shown are the least that the order of the lines "
        "and the durations of waits, in whole milliseconds, allow.");

    if (rc == TM_OK)
        rc = tm__notes_caveat(&self->notes,
                              "HPROF names monitors by their class: all of a class are "
                              "shown as one, but in monitor dumps.");
    if (rc == TM_OK)
        rc = caveat_tables(self);
    if (rc == TM_OK)
        self->state = DONE;
    return rc < 0 ? rc : TM_MORE;
}

static void reader_close(void *payload)
{
    reader *self = payload;

    tm__profile_free(&self->profile);
    tm__dump_free(&self->dump);
    tm__notes_free(&self->notes);
}

static int reader_open(void *payload, tm__memory *memory, tm__input *input,
                       const tm_source_options *options)
{
    static const tm__dump_nature nature = {
        .is_one_instant = 1, .reports_monitors = 1, .shows_all_virtual = 1};
    reader *self = payload;

    (void)options;
    self->input = input;
    self->lines = (tm__lines){.input = input};
    tm__notes_init(&self->notes, memory);
    tm__profile_init(&self->profile, memory, &self->dump);
    return tm__dump_init(&self->dump, memory, &self->notes, nature);
}

static int reader_read(void *payload, const tm_sink *sink)
{
    reader *self = payload;

    switch (self->state) {
    case READING: return read_lines(self);
    case EMITTING: return emit(self, sink);
    case CONCLUDING: return conclude(self);
    case DONE: break;
    }
    return tm__notes_conclude(&self->notes, sink, self->input->path);
}

static uint64_t reader_position(const void *payload)
{
    const reader *self = payload;

    return self->lines.offset;
}

const tm__format tm__format_hprof_text = {
    .name = "hprof-text",
    .reader_bytes = sizeof(reader),
    .probe = probe,
    .open = reader_open,
    .read = reader_read,
    .position = reader_position,
    .close = reader_close,
};
