/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts of findings, filled in:
 *
 *     {threads} {was|were} blocked {times}, {total}[ in all, {mean} on average].
 *
 * A name in braces is a fact. Of two words in braces the first follows one, the second
 * any other number: the last that the text has named, or else that of threads. The
 * content of brackets is left out where a fact in it has no value.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "analysis/findings/finding_text.h"
#include "analysis/findings/card_names.h"
#include "base/duration.h"
#include "base/grouped.h"
#include "model/entities/methods.h"
#include "model/entities/thread.h"

enum { SAME_PART = TM__PARTS };

/* A larger number has no decimals. */
#define MANY 100

static const struct {
    const char *text;
    uint8_t part; ///< enum tm__part, or SAME_PART
} texts[TM__TEXTS] = {
#define TITLE TM__TITLE
#define WAITS TM__WAITS
#define HOLDS TM__HOLDS
#define GAIN TM__GAIN
#define ADVICE TM__ADVICE
#define CAVEAT TM__CAVEAT
#define SAME SAME_PART
#define TEXT(name, part, when, text) [TM__TEXT_##name] = {text, part},
#include "analysis/findings/texts.def"
#undef TITLE
#undef WAITS
#undef HOLDS
#undef GAIN
#undef ADVICE
#undef CAVEAT
#undef SAME
};

enum sort {
    COUNT,
    TIMES,
    THREADS,
    DURATION,
    PERCENT,
    NUMBER,
    THREAD,
    PLACE,
    FRAME,
    METHOD,
    CLASS,
    STRING
};

#define FACT(name, member, sort)                                                       \
    {                                                                                  \
        name, offsetof(tm__facts, member), sort                                        \
    }
static const struct field {
    const char *name;
    size_t offset;
    enum sort sort;
} fields[] = {
    FACT("threads", threads, THREADS),
    FACT("count", count, COUNT),
    FACT("times", count, TIMES),
    FACT("of", of, COUNT),
    FACT("others", others, COUNT),
    FACT("most", most, COUNT),
    FACT("total", total_ns, DURATION),
    FACT("mean", mean_ns, DURATION),
    FACT("median", median_ns, DURATION),
    FACT("longest", longest_ns, DURATION),
    FACT("span", span_ns, DURATION),
    FACT("low", low_ns, DURATION),
    FACT("high", high_ns, DURATION),
    FACT("share", share, PERCENT),
    FACT("other_share", other_share, PERCENT),
    FACT("average", average, NUMBER),
    FACT("other_average", other_average, NUMBER),
    FACT("rate_low", rate_low, NUMBER),
    FACT("rate_high", rate_high, NUMBER),
    FACT("thread", thread, THREAD),
    FACT("other_thread", other_thread, THREAD),
    FACT("place", place, PLACE),
    FACT("other_place", other_place, PLACE),
    FACT("frame", frame, FRAME),
    FACT("other_frame", other_frame, FRAME),
    FACT("method", method, METHOD),
    FACT("other_method", other_method, METHOD),
    FACT("class", class_name, CLASS),
    FACT("name", name, STRING),
    FACT("other_name", other_name, STRING),
    FACT("state", state, STRING),
    FACT("period", period, STRING),
};

/** A text that is being filled in. */
typedef struct saying {
    tm__finding *finding;
    const tm__findings *findings;
    const tm__facts *facts;
    uint64_t number; ///< the last that was named
} saying;

static uint64_t count_of(const saying *s, const struct field *it)
{
    return *(const uint64_t *)((const char *)s->facts + it->offset);
}

static int64_t time_of(const saying *s, const struct field *it)
{
    return *(const int64_t *)((const char *)s->facts + it->offset);
}

static int percent_of(const saying *s, const struct field *it)
{
    return *(const int *)((const char *)s->facts + it->offset);
}

static double average_of(const saying *s, const struct field *it)
{
    return *(const double *)((const char *)s->facts + it->offset);
}

static uint32_t index_of(const saying *s, const struct field *it)
{
    return *(const uint32_t *)((const char *)s->facts + it->offset);
}

static const char *string_of(const saying *s, const struct field *it)
{
    return *(const char *const *)((const char *)s->facts + it->offset);
}

/* @return the field of a name of so many bytes; NULL: no field has it */
static const struct field *field_of(const char *name, size_t bytes)
{
    for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
        if (strlen(fields[i].name) == bytes && memcmp(fields[i].name, name, bytes) == 0)
            return &fields[i];
    return NULL;
}

static int has_value(const saying *s, const struct field *it)
{
    switch (it->sort) {
    case COUNT:
    case TIMES:
    case THREADS: return count_of(s, it) != 0;
    case DURATION: return time_of(s, it) != 0;
    case PERCENT: return percent_of(s, it) != 0;
    case NUMBER: return average_of(s, it) != 0;
    case STRING: return string_of(s, it) != NULL;
    default: return index_of(s, it) != TM__NONE;
    }
}

/* ---- facts ---- */

static void add(const saying *s, const char *text, size_t bytes)
{
    tm__finding *finding = s->finding;
    size_t *length = &finding->lengths[finding->part];
    size_t room = TM__PART_BYTES - 1 - *length;

    bytes = bytes < room ? bytes : room;
    memcpy(finding->texts[finding->part] + *length, text, bytes);
    *length += bytes;
    finding->texts[finding->part][*length] = '\0';
}

static void add_text(const saying *s, const char *text, size_t most)
{
    add(s, text, strnlen(text, most));
}

/* "Account.transfer" of demo.Account.transfer: the column has it whole. */
static void add_method(const saying *s, uint32_t method)
{
    const char *name = tm__strings_get(&s->findings->model->entities.strings, method);

    add_text(s, name ? tm__short_name(name) : "an unknown method", 150);
}

/* Titles have no lines. */
static void add_line(const saying *s, int64_t line)
{
    char text[24];

    if (line <= 0 || s->finding->part == TM__TITLE)
        return;
    snprintf(text, sizeof(text), ":%" PRId64, line);
    add_text(s, text, sizeof(text));
}

static void add_place(const saying *s, uint32_t place)
{
    const tm__caller *it = place == TM__NONE ? NULL : &s->findings->places.items[place];

    add_method(s, it ? it->method : TM__NONE);
    add_line(s, it ? it->line : 0);
}

static void add_frame(const saying *s, uint32_t frame)
{
    const tm_model *model = s->findings->model;
    const tm__frame *it = frame == TM__NONE ? NULL : &model->entities.frames[frame];
    int has_name = it && it->method != TM__NONE;

    add_method(s, has_name ? model->entities.methods[it->method].full_name : TM__NONE);
    add_line(s, it ? tm__frame_line(&model->entities, it) : 0);
}

static void add_thread(const saying *s, uint32_t thread)
{
    const tm_model *model = s->findings->model;
    const char *name = tm__thread_name(&model->entities, thread);
    char text[32] = "an unknown thread";

    if (thread != TM__NONE)
        snprintf(text, sizeof(text), "thread %" PRIu64,
                 model->entities.threads[thread].id);
    add_text(s, thread != TM__NONE && name && *name ? name : text, 100);
}

/* Where threads wait, if a text names two places it is the other one. */
static uint32_t waiting_method(const tm__facts *facts, const tm__findings *findings)
{
    const tm__entities *all = &findings->model->entities;
    uint32_t place = facts->other_place != TM__NONE ? facts->other_place : facts->place;
    uint32_t frame = facts->other_frame != TM__NONE ? facts->other_frame : facts->frame;
    uint32_t method = frame == TM__NONE ? TM__NONE : all->frames[frame].method;

    if (place != TM__NONE)
        return findings->places.items[place].method;
    return method == TM__NONE ? TM__NONE : all->methods[method].full_name;
}

static void add_class(const saying *s, uint32_t class_name)
{
    tm__object_name name = tm__class_name_of(s->findings, class_name,
                                             waiting_method(s->facts, s->findings));

    add_text(s, name.text, sizeof(name.text));
}

static void add_count(saying *s, const struct field *it)
{
    char text[32];

    s->number = count_of(s, it);
    if (it->sort == TIMES && s->number == 1)
        snprintf(text, sizeof(text), "once");
    else
        snprintf(text, sizeof(text), "%" PRIu64 "%s", s->number,
                 it->sort == TIMES   ? " times"
                 : it->sort == COUNT ? ""
                 : s->number == 1    ? " thread"
                                     : " threads");
    add_text(s, text, sizeof(text));
}

static void add_duration(const saying *s, int64_t time_ns)
{
    tm__duration duration = tm__duration_of(time_ns);

    add_text(s, duration.text, sizeof(duration.text));
}

static void add_number(const saying *s, double number)
{
    tm__grouped whole = tm__group_digits((uint64_t)(number + 0.5));
    char text[32];

    snprintf(text, sizeof(text), "%.1f", number);
    add_text(s, number < MANY ? text : whole.text, sizeof(whole.text));
}

static void add_fact(saying *s, const struct field *it)
{
    char text[32];

    switch (it->sort) {
    case COUNT:
    case TIMES:
    case THREADS: add_count(s, it); return;
    case DURATION: add_duration(s, time_of(s, it)); return;
    case PERCENT: snprintf(text, sizeof(text), "%d", percent_of(s, it)); break;
    case NUMBER: add_number(s, average_of(s, it)); return;
    case THREAD: add_thread(s, index_of(s, it)); return;
    case PLACE: add_place(s, index_of(s, it)); return;
    case FRAME: add_frame(s, index_of(s, it)); return;
    case METHOD: add_method(s, index_of(s, it)); return;
    case CLASS: add_class(s, index_of(s, it)); return;
    case STRING:
        add_text(s, string_of(s, it) ? string_of(s, it) : "something unknown",
                 TM__PART_BYTES);
        return;
    }
    add_text(s, text, sizeof(text));
}

/* ---- texts ---- */

/* The content of braces: a fact, or two words. */
static void add_braces(saying *s, const char *in, size_t bytes)
{
    const char *bar = memchr(in, '|', bytes);
    const struct field *field = bar ? NULL : field_of(in, bytes);

    if (field)
        add_fact(s, field);
    else if (bar && s->number == 1)
        add(s, in, (size_t)(bar - in));
    else if (bar)
        add(s, bar + 1, bytes - (size_t)(bar + 1 - in));
}

/* Whether all facts that are named before the end of a bracket have a value. */
static int is_complete(const saying *s, const char *in, const char *end)
{
    const char *open;

    while ((open = memchr(in, '{', (size_t)(end - in)))) {
        size_t bytes = strcspn(open + 1, "}");
        const struct field *field = field_of(open + 1, bytes);

        if (field && !has_value(s, field))
            return 0;
        in = open + bytes + 2;
    }
    return 1;
}

static void fill_in(saying *s, const char *text)
{
    while (*text) {
        size_t bytes = strcspn(text, "{[]");

        add(s, text, bytes);
        text += bytes;
        if (*text == '{') {
            bytes = strcspn(text + 1, "}");
            add_braces(s, text + 1, bytes);
            text += bytes + 2;
        } else if (*text == '[') {
            const char *end = strchr(text, ']');

            text = is_complete(s, text, end) ? text + 1 : end + 1;
        } else if (*text == ']') {
            text++;
        }
    }
}

void tm__part(tm__finding *finding, enum tm__part part)
{
    finding->part = part;
}

void tm__finding_add(tm__finding *finding, const tm__findings *findings,
                     tm__card_text text, const tm__facts *facts)
{
    saying s = {finding, findings, facts, facts->threads};
    const char *words = texts[text].text;

    if (texts[text].part != SAME_PART)
        tm__part(finding, (enum tm__part)texts[text].part);
    /* Punctuation continues a sentence; a list's first item begins the part. */
    if (finding->lengths[finding->part] && !strchr(" ,;.:", *words))
        add(&s, " ", 1);
    fill_in(&s, words);
}

void tm__finding_add_plain(tm__finding *finding, const tm__findings *findings,
                           tm__card_text text)
{
    static const tm__facts none = TM__NO_FACTS;

    tm__finding_add(finding, findings, text, &none);
}

const char *tm__card_text_of(tm__card_text text)
{
    return texts[text].text;
}
