/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread's name is written as it is: it may hold quotes, and what looks like the
 * rest of such a line. So the name ends at the last quote behind which the line goes
 * on as a writer of dumps writes it.
 */
#include "formats/jstack/android.h"
#include "formats/jstack/header.h"
#include "formats/jstack/parse.h"

#include <string.h>
#include <threadmodel/definition.h>
#include <threadmodel/model.h>

/* A greater number is an address. */
enum { MOST_NUMBER = 1 << 20 };

static int number_after(tm__slice word, const char *key, uint64_t *number)
{
    unsigned base = 10;

    if (!tm__slice_begins(word, key))
        return 0;
    word = tm__slice_from(word, strlen(key));
    if (tm__slice_begins(word, "0x")) {
        word = tm__slice_from(word, 2);
        base = 16;
    }
    return tm__slice_number(&word, base, number);
}

/* An address behind a key: HP's JVM writes it without 0x. Another number there is
 * decimal, and identifies the thread as well. */
static int address_after(tm__slice word, const char *key, uint64_t *number)
{
    tm__slice hex = tm__slice_from(word, strlen(key));
    size_t decimals = 0;

    if (!number_after(word, key, number))
        return 0;
    while (decimals < hex.length && hex.bytes[decimals] >= '0' &&
           hex.bytes[decimals] <= '9')
        decimals++;
    if (decimals < hex.length && hex.bytes[decimals] >= 'a' &&
        hex.bytes[decimals] <= 'f')
        tm__slice_number(&hex, 16, number);
    return 1;
}

/* "49.35ms" or "2.19s" behind a key in ns; -1: it is neither. */
static int64_t time_after(tm__slice word, const char *key)
{
    uint64_t whole, part = 0;
    int64_t scale = 1;
    size_t digits;

    word = tm__slice_from(word, strlen(key));
    if (!tm__slice_number(&word, 10, &whole) || whole > UINT32_MAX)
        return -1;
    if (tm__slice_begins(word, ".")) {
        word = tm__slice_from(word, 1);
        digits = word.length;
        if (!tm__slice_number(&word, 10, &part) || digits - word.length > 6)
            return -1;
        for (digits -= word.length; digits > 0; digits--)
            scale *= 10;
    }
    if (tm__slice_is(word, "ms"))
        return (int64_t)(whole * 1000000) + (int64_t)part * (1000000 / scale);
    if (tm__slice_is(word, "s"))
        return (int64_t)(whole * 1000000000) + (int64_t)part * (1000000000 / scale);
    return -1;
}

/* Measures of the thread, which may stand between its name and its tid. */
static int is_measure(tm__slice word)
{
    static const char *const keys[] = {
        "os_prio=",         "cpu=", "elapsed=", "allocated=", "Group=", "group=",
        "defined_classes=", "idx=", "(0x"};

    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
        if (tm__slice_begins(word, keys[i]))
            return 1;
    return 0;
}

/* Java's states as they stand alone. */
static int is_java_state(tm__slice word)
{
    static const char *const states[] = {"NEW",           "RUNNABLE", "BLOCKED",
                                         "TIMED_WAITING", "WAITING",  "TERMINATED"};

    for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++)
        if (tm__slice_is(word, states[i]))
            return 1;
    return 0;
}

/* " owned by "x" Id=13", behind the object. */
static void read_owner(tm__slice rest, tm__jstack_thread *thread)
{
    size_t by = tm__slice_find(rest, "owned by \""), end;

    if (by == rest.length)
        return;
    rest = tm__slice_from(rest, by + strlen("owned by \""));
    for (end = rest.length; end > 0 && rest.bytes[end - 1] != '"'; end--)
        ;
    if (end == 0)
        return;
    thread->owner = (tm__slice){rest.bytes, end - 1};
    rest = tm__slice_from(rest, end);
    rest = tm__slice_from(rest, tm__slice_find(rest, "=") + 1);
    tm__slice_number(&rest, 10, &thread->owner_id);
}

/* Behind "Id=12": "BLOCKED on C@1b owned by ...", or measures. */
static int read_info(tm__slice rest, tm__jstack_thread *thread,
                     tm__jstack_heading *heading)
{
    while (rest.length > 0) {
        tm__slice word = tm__slice_word(&rest);

        if (is_java_state(word)) {
            thread->state = word;
            if (tm__slice_begins(rest, "on ")) {
                tm__slice_word(&rest);
                heading->on = tm__slice_word(&rest);
                if (tm__slice_begins(heading->on, "lock="))
                    heading->on = tm__slice_from(heading->on, strlen("lock="));
            }
            read_owner(rest, thread);
            heading->is_certain = heading->has_nid = 1;
            return 1;
        }
        if (tm__slice_begins(word, "state=")) {
            thread->state = tm__slice_from(word, strlen("state="));
            heading->has_hashes = 1;
            heading->is_certain = heading->has_nid = 1;
            return is_java_state(thread->state);
        }
        /* Tomcat's Diagnostics gives the state on the next line. */
        if (tm__slice_begins(word, "cpu=") && tm__slice_begins(rest, "ns")) {
            heading->has_nid = 1;
            return 1;
        }
        if (!is_measure(word) && !tm__slice_is(word, "daemon") &&
            !tm__slice_is(word, "in"))
            return 0;
    }
    return 0;
}

/* Behind "tid=": Android's state, or HotSpot's nid. */
static int read_tid(tm__slice word, tm__slice rest, tm__jstack_thread *thread,
                    tm__jstack_heading *heading)
{
    uint64_t number;
    tm__slice next = rest, first = tm__slice_word(&next);

    /* With a quote behind it, it is a part of the name. */
    if (!address_after(word, "tid=", &number) || tm__slice_ends(word, "\""))
        return 0;
    if (!tm__slice_begins(word, "tid=0x") && tm__android_state(rest, thread)) {
        thread->id = number;
        heading->is_certain = heading->has_nid = heading->has_number = 1;
        return 1;
    }
    /* An IDE knows none. */
    if (number == 0 && !heading->has_number) {
        heading->has_nid = 1;
        heading->is_certain = tm__slice_begins(rest, "nid=0x0");
        return heading->is_certain;
    }
    /* At the end of its line it may be cut. */
    thread->address = first.length > 0 ? number : 0;
    if (!heading->has_number)
        thread->id = number | UINT64_C(1) << 63;
    if (tm__slice_begins(first, "nid=")) {
        number_after(first, "nid=", &thread->os_id);
        heading->has_nid = 1;
        rest = next;
        /* HP-UX has numbers of its own for the kernel's threads. */
        first = tm__slice_word(&next);
        if (number_after(first, "lwp_id=", &thread->os_id))
            rest = next;
    }
    /* Geode's "tid=0x16 owned by "x" tid=0x15". */
    if (tm__slice_begins(rest, "owned by \"") && number < MOST_NUMBER) {
        read_owner(rest, thread);
        if (tm__slice_find(rest, "tid=0x") < rest.length) {
            rest = tm__slice_from(rest, tm__slice_find(rest, "tid=0x") + 6);
            if (tm__slice_number(&rest, 16, &thread->owner_id))
                thread->owner_id |= UINT64_C(1) << 63;
        }
        heading->is_certain = heading->has_nid = 1;
        return 1;
    }
    /* A carrier of JDK 21 has none. */
    if (tm__slice_begins(first, "[0x"))
        heading->has_nid = 1;
    heading->tail = rest;
    return 1;
}

/* Read the part behind the name, up to the tid, without which it is no such line. */
static int read_rest(tm__slice rest, tm__jstack_thread *thread,
                     tm__jstack_heading *heading, int is_cut)
{
    uint64_t number;

    while (rest.length > 0) {
        tm__slice word = tm__slice_word(&rest);

        if (tm__slice_begins(word, "tid="))
            return read_tid(word, rest, thread, heading);
        if ((number_after(word, "Id=", &number) || number_after(word, "ID=", &number) ||
             number_after(word, "id=", &number)) &&
            !heading->has_number) {
            thread->id = number;
            heading->has_number = 1;
            return read_info(rest, thread, heading);
        }
        if (number_after(word, "#", &number) && !heading->has_number) {
            thread->id = number;
            heading->has_number = 1;
        } else if (number_after(word, "[", &number)) {
            thread->os_id = number;
        } else if (tm__slice_is(word, "daemon")) {
            thread->flags |= TM_THREAD_DAEMON;
        } else if (number_after(word, "prio=", &number)) {
            thread->priority = number < INT32_MAX ? (int32_t)number : 0;
        } else if (tm__slice_is(word, "-") && tm__slice_begins(rest, "Thread t@")) {
            tm__slice_word(&rest);
            heading->is_certain = heading->has_nid = heading->has_number = 1;
            return number_after(rest, "t@", &thread->id);
        } else if (number_after(word, "sysTid=", &thread->os_id)) {
            /* Android: a thread that does not run Java. */
            thread->id = thread->os_id | UINT64_C(1) << 62;
            heading->is_certain = heading->has_nid = heading->has_number = 1;
            return tm__android_state(TM__SLICE("Native"), thread);
        } else if (number_after(word, "thread=", &thread->address) &&
                   heading->has_number) {
            return read_info(rest, thread, heading);
        } else if (!is_measure(word)) {
            break;
        }
        if (tm__slice_begins(word, "elapsed="))
            thread->elapsed_ns = time_after(word, "elapsed=");
        if (tm__slice_begins(word, "cpu="))
            thread->cpu_ns = time_after(word, "cpu=");
    }
    return is_cut && (heading->has_number || thread->priority);
}

int tm__jstack_header(tm__slice line, tm__jstack_thread *thread,
                      tm__jstack_heading *heading, int is_cut)
{
    if (line.length < 3 || line.bytes[0] != '"')
        return 0;
    for (size_t end = line.length - 1; end > 0; end--) {
        if (line.bytes[end] != '"')
            continue;
        *thread = (tm__jstack_thread){.elapsed_ns = -1, .cpu_ns = -1};
        *heading = (tm__jstack_heading){0};
        if (read_rest(tm__slice_from(line, end + 1), thread, heading, is_cut)) {
            thread->name = (tm__slice){line.bytes + 1, end - 1};
            /* The last quotes are those of an owner. */
            if (tm__slice_find(thread->name, "\" tid=0x") < thread->name.length &&
                tm__slice_find(thread->name, " owned by \"") < thread->name.length)
                continue;
            if (thread->id == 0 && !heading->has_number)
                thread->id = tm__jstack_hash(thread->name) | UINT64_C(1) << 63;
            return 1;
        }
    }
    return 0;
}
