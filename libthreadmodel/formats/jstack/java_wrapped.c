/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/jstack/java_wrapped.h"

#include <string.h>

#include "formats/jstack/header.h"
#include "formats/jstack/java_locks.h"
#include "formats/jstack/dump_threads.h"

enum { NAME_LINES = 16, NAME_LINES_BYTES = 4096, WRAPPED_LINES = 6, WRAP_COLUMN = 55 };

/* "2026-11-28 01:20:50,001 INFO ..." */
static int is_of_log(tm__slice line)
{
    static const char form[] = "0000-00-00";

    if (line.length < sizeof(form))
        return 0;
    for (size_t i = 0; i < sizeof(form) - 1; i++)
        if (form[i] == '0' ? line.bytes[i] < '0' || line.bytes[i] > '9'
                           : line.bytes[i] != '-' && line.bytes[i] != '/')
            return 0;
    return 1;
}

/* Whether no line that goes on can be followed by this one. */
static int is_fresh(tm__slice line)
{
    static const char *const beginnings[] = {"\"",
                                             "at ",
                                             "- ",
                                             "* ",
                                             TM__JAVA_STATE,
                                             TM__JAVA_FIRST,
                                             "JNI glob",
                                             "Found ",
                                             "Locked ownable",
                                             "Carrying virtual",
                                             "Mounted virtual",
                                             "Number of",
                                             "| ",
                                             "===",
                                             "Java stack info",
                                             "waiting for ",
                                             "owned by "};

    for (size_t i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++)
        if (tm__slice_begins(line, beginnings[i]))
            return 1;
    return line.length == 0 || is_of_log(line);
}

static tm__slice pending_text(const tm__jstack_parser *self)
{
    return (tm__slice){self->pending, self->pending_length};
}

int tm__java_pend(tm__jstack_parser *self, enum tm__java_pending kind, tm__slice line)
{
    if (line.length > NAME_LINES_BYTES)
        return TM__LINE_OTHER;
    memcpy(self->pending, line.bytes, line.length);
    self->pending_length = line.length;
    self->pending_kind = kind;
    self->names_count = 0;
    return TM_OK;
}

int tm__java_is_whole_frame(tm__slice text)
{
    size_t open = tm__slice_find(text, "(");

    return open < text.length &&
           open + tm__slice_find(tm__slice_from(text, open), ")") < text.length;
}

int tm__java_flush(tm__jstack_parser *self, int is_cut)
{
    tm__slice text = pending_text(self);
    tm__jstack_heading heading;
    tm__jstack_thread thread;
    int rc = TM_OK;

    switch ((enum tm__java_pending)self->pending_kind) {
    case TM__PENDING_HEADER:
        if (tm__jstack_header(text, &thread, &heading, is_cut))
            rc = tm__java_begin_thread(self, &thread, &heading);
        break;
    case TM__PENDING_FRAME:
        text = tm__slice_trim(tm__slice_from(text, 2));
        if (text.length > 0 && !tm__java_is_whole_frame(text)) {
            /* Cut: the method is known where its parenthesis is. */
            size_t open = tm__slice_find(text, "(");

            if (open < text.length) {
                memcpy(self->pending + (text.bytes - self->pending) + open,
                       "(Unknown Source)", 16);
                text.length = open + 16;
            }
        }
        if (text.length > 0)
            rc = tm__java_read_frame(self, text);
        break;
    case TM__PENDING_LOCK:
        rc = tm__java_read_lock(self, tm__slice_trim(tm__slice_from(text, 1)));
        break;
    default: break;
    }
    if (rc < 0 || rc == TM__LINE_NEXT)
        return rc;
    self->pending_kind = TM__PENDING_NOTHING;
    return TM_OK;
}

static void append(tm__jstack_parser *self, const char *between, tm__slice line)
{
    size_t length = strlen(between);

    memcpy(self->pending + self->pending_length, between, length);
    self->pending_length += length;
    memcpy(self->pending + self->pending_length, line.bytes, line.length);
    self->pending_length += line.length;
}

static int is_word_end(tm__slice text)
{
    static const char *const ends[] = {
        ">",       "(a",     " to",     " lock",  " for",    " on",    " in", " the",
        "waiting", "locked", "parking", "Native", "Unknown", "wait()", "by"};

    for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
        if (tm__slice_ends(text, ends[i]))
            return 1;
    return tm__slice_is(text, "at") || tm__slice_is(text, "-");
}

/* Join a header: with a blank, or where that makes none, without. */
static int join_header(tm__jstack_parser *self, tm__slice line)
{
    /* A name with a line feed in it, or one that was wrapped. */
    size_t before = self->pending_length;
    const char *const between[] = {before < WRAP_COLUMN ? "\n" : " ", " ", ""};
    tm__jstack_heading heading;
    tm__jstack_thread thread;
    int is_named = tm__jstack_header(pending_text(self), &thread, &heading, 1);

    for (int i = is_named; i < 3; i++) {
        append(self, between[i], line);
        if (tm__jstack_header(pending_text(self), &thread, &heading, 0) &&
            heading.has_nid)
            return 1;
        self->pending_length = before;
    }
    append(self, between[is_named], line);
    return tm__jstack_header(pending_text(self), &thread, &heading, 0);
}

int tm__java_go_on(tm__jstack_parser *self, tm__slice line)
{
    int is_header = self->pending_kind == TM__PENDING_HEADER, is_whole = 0, rc;
    size_t before = self->pending_length;
    tm__slice text;

    if (is_fresh(line) ||
        self->pending_length + line.length + 2 > NAME_LINES_BYTES + 64 ||
        ++self->names_count > (is_header ? NAME_LINES : WRAPPED_LINES))
        return TM__LINE_OTHER;
    if (is_header) {
        is_whole = join_header(self, line);
    } else {
        append(self, is_word_end(pending_text(self)) ? " " : "", line);
        text = pending_text(self);
        is_whole = self->pending_kind == TM__PENDING_FRAME
                       ? tm__java_is_whole_frame(text)
                       : tm__jstack_is_whole_lock(tm__slice_from(text, 2));
    }
    rc = is_whole ? tm__java_flush(self, 0) : TM_OK;
    if (rc != TM_OK) {
        self->pending_length = before;
        self->names_count--;
        self->is_carried = rc == TM__LINE_NEXT;
    }
    return rc;
}
