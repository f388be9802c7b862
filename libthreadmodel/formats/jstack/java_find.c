/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/jstack/java_find.h"

#include <string.h>

#include "formats/jstack/android.h"
#include "formats/jstack/header.h"
#include "formats/jstack/java_wrapped.h"

enum { MOST_QUOTES = 12 };

/* A thread's line that has no quotes. */
static size_t find_crashlytics(tm__slice line)
{
    tm__jstack_thread thread;
    size_t first = 0;

    while (first < line.length &&
           (line.bytes[first] == ' ' || line.bytes[first] == '\t'))
        first++;
    return tm__android_heading(tm__slice_from(line, first), &thread) ? first
                                                                     : line.length;
}

/* A thread's line: from which quote on? */
static size_t find_thread(tm__slice line)
{
    static const char *const words[] = {
        "id=", "Id=", "ID=", "t@", "thread=0x", " prio="};
    tm__jstack_heading heading;
    tm__jstack_thread thread;
    size_t at = 0, i = 0, count = sizeof(words) / sizeof(*words);

    while (i < count && tm__slice_find(line, words[i]) == line.length)
        i++;
    for (int tries = 0; i < count && tries < MOST_QUOTES; tries++) {
        tm__slice rest = tm__slice_from(line, at);

        at += tm__slice_find(rest, "\"");
        if (at >= line.length)
            break;
        if (tm__jstack_header(tm__slice_from(line, at), &thread, &heading, 0) &&
            (heading.has_nid || heading.is_certain))
            return at;
        /* One that mail has wrapped. */
        if (tm__jstack_header(tm__slice_from(line, at), &thread, &heading, 1) &&
            thread.priority > 0)
            return at;
        at++;
    }
    return line.length;
}

/* "Full thread dump" with the VM or a colon behind it, not in a sentence. */
static size_t find_first(tm__slice line)
{
    size_t at = tm__slice_find(line, TM__JAVA_FIRST);
    tm__slice rest = tm__slice_from(line, at + strlen(TM__JAVA_FIRST));

    if (at == line.length)
        return at;
    return rest.length == 0 || tm__slice_find(rest, ":") < rest.length ||
                   tm__slice_find(rest, "(") < rest.length
               ? at
               : line.length;
}

size_t tm__java_find(tm__slice line)
{
    size_t at = find_first(line);

    if (at == line.length)
        at = tm__slice_find(line, "Found one Java-level deadlock");
    if (at == line.length)
        at = tm__slice_find(line, "----- pid ");
    if (at == line.length) {
        at = tm__slice_find(line, ": (state = ");
        while (at < line.length && at > 0 && line.bytes[at - 1] >= '0' &&
               line.bytes[at - 1] <= '9')
            at--;
        at = at < line.length && at >= 7 &&
                     tm__slice_begins(tm__slice_from(line, at - 7), "Thread ")
                 ? at - 7
                 : line.length;
    }
    if (at == line.length)
        at = find_crashlytics(line);
    return at < line.length ? at : find_thread(line);
}
