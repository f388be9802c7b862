/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A name may hold anything, so the line is read from its end: the last quote behind
 * which there is nothing but what the JVM writes there ends the name.
 */
#include "formats/plain/header.h"

#include <string.h>

#include "formats/dump/time.h"

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

/* What stands behind the name. */
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
