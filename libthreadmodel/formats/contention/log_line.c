/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines to numbers. Nothing is believed: a line either is what the dialect says to its
 * last byte, or is wrong and says why.
 */
#include "formats/contention/log_line.h"

#include <string.h>

#include "base/error.h"
#include "formats/decimal.h"

enum { HASH_DIGITS = 8, ADDRESS_DIGITS = 16, SECOND_NS = 1000000000 };

static int digit_of(char letter)
{
    if (letter >= '0' && letter <= '9')
        return letter - '0';
    if (letter >= 'A' && letter <= 'F')
        return letter - 'A' + 10;
    if (letter >= 'a' && letter <= 'f')
        return letter - 'a' + 10;
    return -1;
}

const char *tm__log_hex(const char *at, const char *end, int digits, uint64_t *value)
{
    const char *start = at;

    *value = 0;
    while (at < end && at - start < digits && digit_of(*at) >= 0)
        *value = *value << 4 | (uint64_t)digit_of(*at++);
    return at == start || (at < end && digit_of(*at) >= 0) ? NULL : at;
}

static int is_digit(const char *at, const char *end)
{
    return at < end && *at >= '0' && *at <= '9';
}

static const char *hash(const char *at, const char *end, uint32_t *value)
{
    const char *after;
    uint64_t number;

    after = tm__log_hex(at, end, HASH_DIGITS, &number);
    *value = (uint32_t)number;
    return after && after - at == HASH_DIGITS ? after : NULL;
}

/* A location is at most a method's length; -1 is written as wide as the writer has it.
 */
static int64_t location_of(uint64_t value, size_t digits)
{
    if (value == UINT64_MAX || (digits == 8 && value == UINT32_MAX))
        return -1;
    return value <= INT64_MAX ? (int64_t)value : -1;
}

/* ",method,location" */
static const char *frame(const char *at, const char *end, tm_frame *out)
{
    const char *location;
    uint64_t value;

    if (at == end || *at != ',')
        return NULL;
    at = tm__log_hex(at + 1, end, ADDRESS_DIGITS, &out->method);
    if (!at || at == end || *at != ',')
        return NULL;
    location = at + 1;
    at = tm__log_hex(location, end, ADDRESS_DIGITS, &value);
    if (!at)
        return NULL;
    out->location = location_of(value, (size_t)(at - location));
    return at;
}

/* "2,METHOD,LOCATION,METHOD,LOCATION" up to the line's end. @return 1, 0, TM_ENOMEM */
static int stack(tm__log_record *record, const char *at, const char *end)
{
    uint64_t depth = 0;

    if (!is_digit(at, end))
        return 0;
    for (; is_digit(at, end); at++) {
        depth = depth * 10 + (uint64_t)(*at - '0');
        /* A frame takes four bytes at least. */
        if (depth > (uint64_t)(end - at) / 4 + 1)
            return 0;
    }
    if (tm__reserve(record->memory, &record->frames, &record->frame_capacity,
                    (size_t)depth, sizeof(*record->frames)) < 0)
        return tm__failure();
    for (uint64_t i = 0; i < depth && at; i++) {
        record->frames[i] = (tm_frame){0};
        at = frame(at, end, &record->frames[i]);
    }
    record->frame_count = (uint32_t)depth;
    record->has_stack = at == end;
    return record->has_stack;
}

static const char *after_comma(const char *at, const char *end)
{
    return at < end && *at == ',' ? at + 1 : NULL;
}

/* Fields of a kind whose text holds no comma. @return what follows; NULL: wrong */
static const char *plain_field(tm__log_record *record, int field, const char *at,
                               const char *end)
{
    switch (field) {
    case TM__LOG_TIME: return tm__decimal_read(at, end, SECOND_NS, &record->time_ns);
    case TM__LOG_THREAD: return hash(at, end, &record->thread);
    case TM__LOG_OBJECT: return hash(at, end, &record->object);
    case TM__LOG_OWNER: return hash(at, end, &record->owner);
    case TM__LOG_TARGET: return hash(at, end, &record->target);
    default: {
        const char *comma = memchr(at, ',', (size_t)(end - at));

        return comma ? comma : end;
    }
    }
}

/* The fields from `first` on, each behind a comma, up to the line's end.
 * @return 1: they are there; 0: they are not; TM_ENOMEM */
static int fields_to_end(tm__log_record *record, const tm__log_line *line, int first,
                         const char *at, const char *end)
{
    for (int i = first; i < line->field_count; i++) {
        if (line->fields[i] == TM__LOG_STACK && at == end)
            return 1;
        at = after_comma(at, end);
        if (at && line->fields[i] == TM__LOG_STACK)
            return stack(record, at, end);
        at = at ? plain_field(record, line->fields[i], at, end) : NULL;
        if (!at)
            return 0;
    }
    return at == end;
}

/* A name may hold commas: it is the shortest that what is behind it allows. */
static int name_to_end(tm__log_record *record, const tm__log_line *line, int first,
                       const char *at, const char *end)
{
    const char *stop = at;

    if (line->field_count == first + 1)
        stop = end;
    for (;;) {
        int rc = fields_to_end(record, line, first + 1, stop, end);

        /* A stack may be missing, but a name is not cut short for that. */
        if (rc < 0 || (rc == 1 && (stop == end || *stop == ','))) {
            record->name = at;
            record->name_length = (size_t)(stop - at);
            return rc;
        }
        if (stop == end)
            return 0;
        stop = memchr(stop + 1, ',', (size_t)(end - stop - 1));
        if (!stop)
            stop = end;
    }
}

static const char *wrong_field(int field)
{
    switch (field) {
    case TM__LOG_TIME: return "the time is not a number of seconds";
    case TM__LOG_THREAD: return "the thread is not a hash of eight hexadecimal digits";
    case TM__LOG_OBJECT: return "the object is not a hash of eight hexadecimal digits";
    case TM__LOG_OWNER: return "the owner is not a hash of eight hexadecimal digits";
    case TM__LOG_TARGET: return "the target is not a hash of eight hexadecimal digits";
    case TM__LOG_STACK: return "the stack is not as deep as it says";
    default: return "a field is missing";
    }
}

static int read_fields(tm__log_record *record, const tm__log_line *line,
                       const char *text, const char *end, const char **why)
{
    const char *at = text;

    for (int i = 0; i < line->field_count; i++) {
        int field = line->fields[i], rc;
        const char *after;

        if (i > 0) {
            if (at == end && field == TM__LOG_STACK)
                return TM_OK;
            at = after_comma(at, end);
        }
        *why = wrong_field(field);
        if (!at)
            return TM_OK;
        if (field == TM__LOG_NAME || field == TM__LOG_STACK) {
            rc = field == TM__LOG_NAME ? name_to_end(record, line, i, at, end)
                                       : stack(record, at, end);
            if (rc == 1)
                *why = NULL;
            return rc < 0 ? rc : TM_OK;
        }
        after = plain_field(record, field, at, end);
        if (!after || (after < end && *after != ','))
            return TM_OK;
        at = after;
        *why = NULL;
    }
    if (at != end)
        *why = "there is more behind the last field";
    return TM_OK;
}

int tm__log_record_read(tm__log_record *record, const tm__log_dialect *dialect,
                        const char *text, size_t length, const char **why)
{
    const char *end = text + length, *word = text, *comma;

    *record = (tm__log_record){.memory = record->memory,
                               .frames = record->frames,
                               .frame_capacity = record->frame_capacity};
    *why = "it has too few fields to be of an event";
    for (uint32_t i = 0; i < dialect->word_place; i++) {
        comma = memchr(word, ',', (size_t)(end - word));
        if (!comma)
            return TM_OK;
        word = comma + 1;
    }
    comma = memchr(word, ',', (size_t)(end - word));
    record->kind =
        tm__log_dialect_kind(dialect, word, (size_t)((comma ? comma : end) - word));
    *why = "it names no event of the dialect";
    if (record->kind == 0)
        return TM_OK;
    *why = NULL;
    return read_fields(record, &dialect->lines[record->kind], text, end, why);
}

void tm__log_record_free(tm__log_record *record)
{
    tm__free(record->memory, record->frames,
             record->frame_capacity * sizeof(*record->frames));
}
