/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread's lines, some dozens, into what JSON dumps fill by members. Its name may
 * hold anything, so the first line is read from its end: the last quote behind which
 * there is nothing but what the JVM writes there ends the name.
 */
#include "formats/plain/plain_thread.h"

#include <string.h>

#include "base/error.h"
#include "formats/dump/dump_time.h"

/* "BLOCKED 2026-11-20T19:12:47.168888646Z" */
static int read_state(tm__slice text, tm__slice *state)
{
    size_t end = tm__slice_find(text, " ");
    int64_t time_ns;

    for (size_t i = 0; i < end; i++)
        if (text.bytes[i] != '_' && (text.bytes[i] < 'A' || text.bytes[i] > 'Z'))
            return 0;
    *state = (tm__slice){text.bytes, end};
    return end > 0 && tm__dump_time(tm__slice_from(text, end + 1), &time_ns);
}

/* The text after the name. */
static int read_rest(tm__slice rest, tm__plain_header *header)
{
    static const char word[] = " virtual";

    header->state = (tm__slice){rest.bytes, 0};
    header->is_virtual = tm__slice_begins(rest, word);
    if (header->is_virtual)
        rest = tm__slice_from(rest, sizeof(word) - 1);
    if (rest.length == 0)
        return 1;
    return rest.bytes[0] == ' ' && read_state(tm__slice_from(rest, 1), &header->state);
}

int tm__plain_header_read(tm__slice line, tm__plain_header *header)
{
    tm__slice text = tm__slice_from(line, 1);

    if (!tm__slice_begins(line, "#") || !tm__slice_number(&text, 10, &header->id) ||
        header->id == 0 || !tm__slice_begins(text, " \""))
        return 0;
    text = tm__slice_from(text, 2);
    for (size_t end = text.length; end > 0; end--) {
        if (text.bytes[end - 1] != '"' || !read_rest(tm__slice_from(text, end), header))
            continue;
        header->name = (tm__slice){text.bytes, end - 1};
        return 1;
    }
    return 0;
}

int tm__plain_thread_start(tm__snapshot *thread, const tm__plain_header *header)
{
    tm__snapshot_start(thread);
    thread->id = header->id;
    thread->is_virtual = header->is_virtual;
    if (tm__snapshot_set(thread, &thread->name, header->name) < 0 ||
        (header->state.length > 0 &&
         tm__snapshot_set(thread, &thread->state, header->state) < 0))
        return tm__failure();
    return TM_OK;
}

/* "waiting to lock <Account@604501ab>" */
static int read_lock(tm__snapshot *thread, tm__slice line)
{
    enum { LOCKED, WANTED, WAITING, PARKING, KINDS };
    static const char *const kinds[KINDS] = {"locked <", "waiting to lock <",
                                             "waiting on <", "parking to wait for <"};
    int kind = LOCKED;
    size_t end;

    while (kind < KINDS && !tm__slice_begins(line, kinds[kind]))
        kind++;
    /* One that the compiler eliminated: nobody can wait for it. */
    if (kind == KINDS)
        return tm__slice_is(line, "lock is eliminated") ? TM_OK : TM_EDAMAGED;
    line = tm__slice_from(line, strlen(kinds[kind]));
    end = tm__slice_find(line, ">");
    if (end == line.length)
        return TM_EDAMAGED;
    line.length = end;
    switch (kind) {
    case LOCKED:
        if (tm__snapshot_lock(thread, line) < 0)
            return tm__failure();
        tm__snapshot_depth(thread, thread->frame_count ? thread->frame_count - 1 : 0);
        return TM_OK;
    case WANTED: return tm__snapshot_object(thread, line, 0, &thread->blocked_on);
    case WAITING: return tm__snapshot_object(thread, line, 0, &thread->waiting_on);
    default: return tm__snapshot_object(thread, line, 1, &thread->blocker);
    }
}

int tm__plain_thread_line(tm__snapshot *thread, tm__slice line)
{
    static const char lock[] = "    - ", frame[] = "    at ", old_frame[] = "      ";

    if (tm__slice_begins(line, lock))
        return read_lock(thread, tm__slice_from(line, sizeof(lock) - 1));
    if (tm__slice_begins(line, frame))
        return tm__snapshot_frame(thread, tm__slice_from(line, sizeof(frame) - 1));
    if (tm__slice_begins(line, old_frame))
        return tm__snapshot_frame(thread, tm__slice_from(line, sizeof(old_frame) - 1));
    return TM_MORE;
}
