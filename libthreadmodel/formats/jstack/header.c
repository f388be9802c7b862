/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread's name is written as it is: it may hold quotes, and what looks like the
 * rest of such a line. So the name ends at the last quote behind which the line goes
 * on as the JVM writes it.
 */
#include "formats/jstack/header.h"

#include <string.h>
#include <threadmodel/definition.h>

static tm__slice skip_blanks(tm__slice text)
{
    while (text.length > 0 && text.bytes[0] == ' ')
        text = tm__slice_from(text, 1);
    return text;
}

/* Take the next word. */
static tm__slice next_word(tm__slice *text)
{
    tm__slice word = skip_blanks(*text);
    const char *blank = word.length ? memchr(word.bytes, ' ', word.length) : NULL;

    if (blank)
        word.length = (size_t)(blank - word.bytes);
    *text = skip_blanks(
        tm__slice_from(*text, (size_t)(word.bytes - text->bytes) + word.length));
    return word;
}

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

/* "49.35ms" or "2.19s" in ns; -1: it is neither. */
static int64_t time_of(tm__slice text)
{
    uint64_t whole, part = 0;
    int64_t scale = 1;
    size_t digits;

    if (!tm__slice_number(&text, 10, &whole) || whole > UINT32_MAX)
        return -1;
    if (tm__slice_begins(text, ".")) {
        text = tm__slice_from(text, 1);
        digits = text.length;
        if (!tm__slice_number(&text, 10, &part) || digits - text.length > 6)
            return -1;
        for (digits -= text.length; digits > 0; digits--)
            scale *= 10;
    }
    if (tm__slice_is(text, "ms"))
        return (int64_t)(whole * 1000000) + (int64_t)part * (1000000 / scale);
    if (tm__slice_is(text, "s"))
        return (int64_t)(whole * 1000000000) + (int64_t)part * (1000000000 / scale);
    return -1;
}

/* Measures of the thread, which may stand between its name and its tid. */
static int is_measure(tm__slice word, tm__jstack_thread *thread)
{
    static const char *const keys[] = {"os_prio=", "allocated=", "defined_classes="};

    if (tm__slice_begins(word, "cpu=")) {
        thread->cpu_ns = time_of(tm__slice_from(word, strlen("cpu=")));
        return 1;
    }
    if (tm__slice_begins(word, "elapsed=")) {
        thread->elapsed_ns = time_of(tm__slice_from(word, strlen("elapsed=")));
        return 1;
    }
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
        if (tm__slice_begins(word, keys[i]))
            return 1;
    return 0;
}

/* What stands behind the name, up to the tid, without which it is no such line. */
static int read_rest(tm__slice rest, tm__jstack_thread *thread, int *has_number)
{
    uint64_t number;

    *has_number = 0;
    while (rest.length > 0) {
        tm__slice word = next_word(&rest);

        if (number_after(word, "tid=", &number)) {
            if (!*has_number)
                thread->id = number | UINT64_C(1) << 63;
            number_after(next_word(&rest), "nid=", &thread->os_id);
            return 1;
        }
        if (number_after(word, "#", &number) && !*has_number) {
            thread->id = number;
            *has_number = 1;
        } else if (number_after(word, "[", &number)) {
            thread->os_id = number;
        } else if (tm__slice_is(word, "daemon")) {
            thread->flags |= TM_THREAD_DAEMON;
        } else if (number_after(word, "prio=", &number)) {
            thread->priority = number < INT32_MAX ? (int32_t)number : 0;
        } else if (!is_measure(word, thread)) {
            return 0;
        }
    }
    return 0;
}

int tm__jstack_header(tm__slice line, tm__jstack_thread *thread, int *has_number)
{
    if (line.length < 3 || line.bytes[0] != '"')
        return 0;
    for (size_t end = line.length - 1; end > 0; end--) {
        if (line.bytes[end] != '"')
            continue;
        *thread = (tm__jstack_thread){.cpu_ns = -1, .elapsed_ns = -1};
        if (read_rest(tm__slice_from(line, end + 1), thread, has_number)) {
            thread->name = (tm__slice){line.bytes + 1, end - 1};
            return 1;
        }
    }
    return 0;
}
