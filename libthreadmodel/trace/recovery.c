/* SPDX-License-Identifier: Apache-2.0 */
/*
 * After damage. A header that survived may lie about where its block ends, when
 * bytes were lost from the middle of the file, so the search for the next one begins
 * right behind it. Someone may have nested headers by the thousand to make that
 * search quadratic: after a few bad ones within one claimed range, the range is
 * skipped.
 */
#include "trace/recovery.h"

#include <stdio.h>
#include <string.h>

#include "base/grouped.h"

enum { MOST_TRIES = 8 };

uint64_t tm__gap_add(tm__gap *gap, uint64_t offset, const tm__block_header *header)
{
    uint64_t end;

    if (!gap->is_open)
        *gap = (tm__gap){.is_open = 1, .from = offset};
    if (!header)
        return offset + 1;
    if (offset >= gap->reach)
        gap->tries = 0;
    end = offset + TM__BLOCK_HEADER_BYTES + header->packed_bytes;
    if (end > gap->reach)
        gap->reach = end;
    gap->blocks++;
    if (header->events > 0) {
        if (gap->events == 0 || header->first_ns < gap->first_ns)
            gap->first_ns = header->first_ns;
        if (gap->events == 0 || header->last_ns > gap->last_ns)
            gap->last_ns = header->last_ns;
        gap->events += header->events;
    }
    return ++gap->tries < MOST_TRIES ? offset + TM__BLOCK_HEADER_BYTES : gap->reach;
}

static double seconds(const tm__trace_loss *loss, int64_t time_ns)
{
    return ((double)time_ns - (double)loss->origin_ns) / 1e9;
}

int tm__loss_is_none(const tm__trace_loss *loss)
{
    const tm__leftover *left = loss->leftover;

    return left && left->state == TM__LEFTOVER_RECOVERED && left->missing <= 0 &&
           left->damaged_bytes == 0 && left->damaged_rings == 0;
}

/* The end of a recording whose rings tell what became of it. @return 0: they do not */
static int rings_sentence(const tm__trace_loss *loss, char *text, size_t bytes)
{
    const tm__leftover *left = loss->leftover;
    unsigned long long end = loss->from;
    int length;

    if (left->state == TM__LEFTOVER_RUNNING) {
        snprintf(text, bytes,
                 "the file ends at byte %llu: the recording is still going on", end);
        return 1;
    }
    if (left->state != TM__LEFTOVER_RECOVERED)
        return 0;
    length =
        snprintf(text, bytes,
                 "the file ends at byte %llu without its end marker: the recording "
                 "was killed, and %llu more events were recovered from its rings%s",
                 end, (unsigned long long)tm__leftover_events(left),
                 tm__loss_is_none(loss) ? ": nothing is missing" : "");
    if (left->missing > 0 && length > 0 && (size_t)length < bytes)
        length += snprintf(text + length, bytes - (size_t)length,
                           "; %llu events between are missing",
                           (unsigned long long)left->missing);
    if (left->damaged_bytes + left->damaged_rings > 0 && length > 0 &&
        (size_t)length < bytes)
        snprintf(text + length, bytes - (size_t)length,
                 "; %llu bytes and %u whole rings of these are damaged",
                 (unsigned long long)left->damaged_bytes, left->damaged_rings);
    return 1;
}

/* Why rings that are there were not used. */
static const char *refusal(const tm__leftover *left)
{
    switch (left ? left->state : TM__LEFTOVER_NONE) {
    case TM__LEFTOVER_FOREIGN:
        return "; the rings beside it are of another run and were not used";
    case TM__LEFTOVER_DAMAGED:
        return "; the rings beside it are damaged, or cannot be read, and were not "
               "used";
    case TM__LEFTOVER_NEWER:
        return "; the rings beside it are of a newer release and were not used";
    case TM__LEFTOVER_REVERSED:
        return "; the rings beside it are of a machine with another byte order, and "
               "can "
               "be used on such a one";
    default: return "";
    }
}

static const char *how(const tm__trace_loss *loss)
{
    if (loss->is_oversized)
        return loss->is_end ? "unpack to more than a trace of this size may, and the "
                              "end is missing"
                            : "unpack to more than a trace of this size may";
    return loss->is_end ? "are cut or damaged, and the end is missing" : "are damaged";
}

void tm__loss_sentence(const tm__trace_loss *loss, char *text, size_t bytes)
{
    unsigned long long from = loss->from, to = loss->to;
    char blocks[32] = "";
    int length;

    if (loss->leftover && rings_sentence(loss, text, bytes))
        return;
    if (loss->is_tail) {
        snprintf(text, bytes,
                 from == to ? "the file is cut at byte %llu, after the end marker: "
                              "nothing is missing"
                            : "bytes %llu to %llu come after the end of the trace and "
                              "were not read",
                 from, to);
        return;
    }
    if (loss->is_end && from == to)
        length = snprintf(text, bytes,
                          "the file ends at byte %llu without its end marker: the "
                          "recording was killed, is still going on, or was cut%s",
                          from, refusal(loss->leftover));
    else if (from == to)
        length = snprintf(text, bytes, "blocks are missing at byte %llu", from);
    else
        length = snprintf(text, bytes, "bytes %llu to %llu %s", from, to, how(loss));
    if (length < 0 || (size_t)length >= bytes)
        return;
    text += length;
    bytes -= (size_t)length;
    if (loss->blocks > 0)
        snprintf(blocks, sizeof(blocks), "%u block%s, ", loss->blocks,
                 loss->blocks == 1 ? "" : "s");
    if (loss->events > 0)
        snprintf(text, bytes, ": %s%s event%s between %.3f s and %.3f s are missing",
                 blocks, tm__group_digits(loss->events).text,
                 loss->events == 1 ? "" : "s", seconds(loss, loss->first_ns),
                 seconds(loss, loss->last_ns));
    else if (loss->is_counted)
        snprintf(text, bytes, ": no events are missing, but names may be");
    else if (!loss->is_end)
        snprintf(text, bytes, ": an unknown number of events is missing");
}

void tm__loss_owe(tm__loss_report *report, const tm__trace_loss *loss,
                  int64_t origin_ns)
{
    report->loss = *loss;
    report->loss.origin_ns = origin_ns;
    report->due = TM__LOSS_SENTENCE;
}

int tm__loss_report_emit(tm__loss_report *report, const tm_sink *sink)
{
    const tm__trace_loss *loss = &report->loss;
    char text[sizeof(report->first)];

    if (report->due == TM__LOSS_SENTENCE) {
        int rc;

        tm__loss_sentence(loss, text, sizeof(text));
        if (!tm__loss_is_none(loss) && report->count++ == 0)
            memcpy(report->first, text, sizeof(text));
        report->due = TM__LOSS_EVENT;
        rc = sink->caveat(sink->payload, text);
        if (rc < 0)
            return rc;
    }
    if (report->due == TM__LOSS_EVENT) {
        tm_event lost = {.time_ns = loss->last_ns,
                         .object = (uint64_t)loss->first_ns,
                         .value = (int64_t)loss->events,
                         .kind = TM_EVENT_LOST};

        report->due = TM__LOSS_NOTHING;
        if (loss->events > 0)
            return sink->events(sink->payload, &lost, 1);
    }
    return TM_OK;
}

size_t tm__header_find(const uint8_t *bytes, size_t length, int *found)
{
    size_t at = 0;

    *found = 0;
    while (at < length) {
        const uint8_t *magic = memchr(bytes + at, TM__BLOCK_MAGIC, length - at);
        tm__block_header header;

        if (!magic)
            return length;
        at = (size_t)(magic - bytes);
        if (length - at < TM__BLOCK_HEADER_BYTES)
            return at;
        if (tm__block_header_get(&header, magic)) {
            *found = 1;
            return at;
        }
        at++;
    }
    return at;
}
