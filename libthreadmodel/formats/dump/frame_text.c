/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two spellings: jstack's `Class.method(module@version/Source.java:12)` and that of
 * StackTraceElement, `loader/module@version/Class.method(Source.java:12)`. A hidden
 * class has a slash in its own name: `Scene$$Lambda/0x00007f1200001000`, before JDK 21
 * `Scene$$Lambda$14/0x00007f...`, and on JDK 8 with a decimal number.
 */
#include "formats/dump/frame_text.h"

#include <string.h>

tm__slice tm__slice_from(tm__slice slice, size_t first)
{
    if (first > slice.length)
        first = slice.length;
    if (first == 0)
        return slice;
    return (tm__slice){slice.bytes + first, slice.length - first};
}

static int is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

tm__slice tm__slice_trim(tm__slice slice)
{
    while (slice.length > 0 && is_blank(slice.bytes[slice.length - 1]))
        slice.length--;
    while (slice.length > 0 && is_blank(slice.bytes[0])) {
        slice.bytes++;
        slice.length--;
    }
    return slice;
}

tm__slice tm__slice_word(tm__slice *text)
{
    tm__slice word = {text->bytes, 0};
    size_t at = 0;

    if (text->length == 0)
        return word;
    while (at < text->length && is_blank(text->bytes[at]))
        at++;
    word.bytes = text->bytes + at;
    while (at < text->length && !is_blank(text->bytes[at]))
        at++;
    word.length = (size_t)(text->bytes + at - word.bytes);
    while (at < text->length && is_blank(text->bytes[at]))
        at++;
    *text = tm__slice_from(*text, at);
    return word;
}

int tm__slice_same(tm__slice a, tm__slice b)
{
    return a.length == b.length &&
           (a.length == 0 || memcmp(a.bytes, b.bytes, a.length) == 0);
}

size_t tm__slice_find(tm__slice slice, const char *text)
{
    size_t length = strlen(text);

    for (size_t i = 0; i + length <= slice.length; i++) {
        const char *at = memchr(slice.bytes + i, text[0], slice.length - i);

        if (!at || slice.length - (size_t)(at - slice.bytes) < length)
            break;
        i = (size_t)(at - slice.bytes);
        if (memcmp(at, text, length) == 0)
            return i;
    }
    return slice.length;
}

static unsigned digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'f')
        return (unsigned)(c - 'a') + 10;
    if (c >= 'A' && c <= 'F')
        return (unsigned)(c - 'A') + 10;
    return 16;
}

int tm__slice_number(tm__slice *slice, unsigned base, uint64_t *number)
{
    uint64_t value = 0;
    size_t at = 0;

    while (at < slice->length && digit_of(slice->bytes[at]) < base) {
        if (value > (UINT64_MAX - digit_of(slice->bytes[at])) / base)
            return 0;
        value = value * base + digit_of(slice->bytes[at++]);
    }
    if (at == 0)
        return 0;
    *slice = tm__slice_from(*slice, at);
    *number = value;
    return 1;
}

/* The last place of a character before `end`; `end` itself: nowhere. */
static size_t find_last(tm__slice text, char wanted, size_t end)
{
    for (size_t i = end; i > 0; i--)
        if (text.bytes[i - 1] == wanted)
            return i - 1;
    return end;
}

/* Whether what stands behind the last slash is the number of a hidden class. */
static int is_hidden_number(tm__slice text)
{
    uint64_t number;

    if (tm__slice_begins(text, "0x"))
        text = tm__slice_from(text, 2);
    return tm__slice_number(&text, 16, &number) && text.length == 0;
}

static tm__slice strip_module(tm__slice name)
{
    size_t slash = find_last(name, '/', name.length), before;

    if (slash == name.length)
        return name;
    if (!is_hidden_number(tm__slice_from(name, slash + 1)))
        return tm__slice_from(name, slash + 1);
    before = find_last(name, '/', slash);
    return before == slash ? name : tm__slice_from(name, before + 1);
}

static void split_place(tm__frame_parts *parts, tm__slice place)
{
    size_t slash = find_last(place, '/', place.length), colon;
    uint64_t line = 0;

    if (slash < place.length)
        place = tm__slice_from(place, slash + 1);
    if (tm__slice_is(place, "Native Method")) {
        parts->is_native = 1;
        return;
    }
    if (tm__slice_is(place, "Unknown Source"))
        return;
    colon = find_last(place, ':', place.length);
    if (colon < place.length) {
        tm__slice digits = tm__slice_from(place, colon + 1);

        if (tm__slice_number(&digits, 10, &line) && digits.length == 0 &&
            line <= INT32_MAX)
            parts->line = (int32_t)line;
        place.length = colon;
    }
    parts->source = place;
}

tm__frame_parts tm__frame_split(tm__slice text)
{
    tm__frame_parts parts = {0};
    size_t open, dot;

    if (text.length == 0 || text.bytes[text.length - 1] != ')')
        return parts;
    open = find_last(text, '(', text.length);
    dot = find_last(text, '.', open);
    if (open == text.length || dot == open)
        return parts;
    split_place(&parts, (tm__slice){text.bytes + open + 1, text.length - open - 2});
    parts.method = (tm__slice){text.bytes + dot + 1, open - dot - 1};
    /* Android writes "run (Thread.java:919)". */
    if (tm__slice_ends(parts.method, " "))
        parts.method.length--;
    parts.class_name = strip_module((tm__slice){text.bytes, dot});
    return parts;
}
