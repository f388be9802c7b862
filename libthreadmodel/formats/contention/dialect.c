/* SPDX-License-Identifier: Apache-2.0 */
/* The table of a contention log's lines: its default, and changes to it. */
#include "formats/contention/dialect.h"

#include <string.h>

#include "base/error.h"

static const char default_table[] = "thread_start=ThreadStarted,time,thread,name\n"
                                    "thread_end=ThreadEnded,time,thread\n"
                                    "thread_start_called="
                                    "ThreadStart,time,thread,target,stack\n"
                                    "contended_enter=MonitorContendedEnter,"
                                    "time,thread,object,owner,stack\n"
                                    "contended_entered=MonitorContendedEntered,"
                                    "time,thread,object,owner,stack\n"
                                    "wait=ObjectWaitEnter,time,thread,object,stack\n"
                                    "waited=ObjectWaitExit,time,thread,object,stack\n"
                                    "notify=ObjectNotify,time,thread,object,stack\n"
                                    "notify_all="
                                    "ObjectNotifyAll,time,thread,object,stack\n"
                                    "sleep=ThreadSleepEnter,time,thread,stack\n"
                                    "slept=ThreadSleepExit,time,thread,stack\n"
                                    "join=ThreadJoinEnter,time,thread,target,stack\n"
                                    "joined=ThreadJoinExit,time,thread,target,stack\n";

static const char *const field_names[] = {
    [TM__LOG_TIME] = "time",   [TM__LOG_THREAD] = "thread", [TM__LOG_OBJECT] = "object",
    [TM__LOG_OWNER] = "owner", [TM__LOG_TARGET] = "target", [TM__LOG_NAME] = "name",
    [TM__LOG_STACK] = "stack", [TM__LOG_SKIP] = "-",
};

#define BIT(field) (1u << (field))

/* The fields that a line of a kind needs besides time, thread and its word; 0: no such
 * line. */
static unsigned needed_fields(int kind)
{
    unsigned always = BIT(TM__LOG_WORD) | BIT(TM__LOG_TIME) | BIT(TM__LOG_THREAD);

    switch (kind) {
    case TM_EVENT_CONTENDED_ENTER:
    case TM_EVENT_CONTENDED_ENTERED:
    case TM_EVENT_WAIT:
    case TM_EVENT_WAITED:
    case TM_EVENT_NOTIFY:
    case TM_EVENT_NOTIFY_ALL: return always | BIT(TM__LOG_OBJECT);
    case TM_EVENT_THREAD_START_CALLED:
    case TM_EVENT_INTERRUPT_CALLED:
    case TM_EVENT_JOIN:
    case TM_EVENT_JOINED: return always | BIT(TM__LOG_TARGET);
    case TM_EVENT_THREAD_START:
    case TM_EVENT_THREAD_END:
    case TM_EVENT_INTERRUPTED:
    case TM_EVENT_SLEEP:
    case TM_EVENT_SLEPT: return always;
    default: return 0;
    }
}

static int is_word(const char *word, size_t length, const char *other)
{
    return strlen(other) == length && memcmp(word, other, length) == 0;
}

static int kind_of(const char *name, size_t length)
{
    for (int kind = 1; kind < TM_EVENT_KIND_END; kind++)
        if (is_word(name, length, tm_event_kind_name(kind)) && needed_fields(kind))
            return kind;
    return 0;
}

static int field_of(const char *name, size_t length)
{
    for (int field = TM__LOG_TIME; field <= TM__LOG_SKIP; field++)
        if (is_word(name, length, field_names[field]))
            return field;
    return TM__LOG_WORD;
}

static int wrong(const char *entry, size_t length, const char *why)
{
    return tm__fail(TM_EINVAL, "dialect: \"%.*s\": %s", (int)length, entry, why);
}

/* One field more. @return what is wrong with it; NULL: nothing */
static const char *add_field(tm__log_line *line, unsigned *seen, const char *name,
                             size_t length)
{
    int field = field_of(name, length);

    if (line->field_count == TM__LOG_FIELDS)
        return "too many fields";
    if (length == 0)
        return "an empty field";
    if (field != TM__LOG_SKIP && *seen & BIT(field))
        return field == TM__LOG_WORD ? "more than one word that is not a field"
                                     : "a field twice";
    if (*seen & BIT(TM__LOG_STACK))
        return "the stack is not last";
    if (field == TM__LOG_WORD) {
        if (*seen & BIT(TM__LOG_NAME))
            return "the word stands behind the name";
        if (length >= sizeof(line->word))
            return "the word is too long";
        memcpy(line->word, name, length);
    }
    *seen |= BIT(field);
    line->fields[line->field_count++] = (uint8_t)field;
    return NULL;
}

/* "wait=ObjectWaitEnter,time,thread,object,stack" */
static int set_line(tm__log_dialect *dialect, const char *entry, size_t length)
{
    const char *equals = memchr(entry, '=', length), *end = entry + length, *at;
    int kind = equals ? kind_of(entry, (size_t)(equals - entry)) : 0;
    tm__log_line line = {.field_count = 0};
    unsigned seen = 0;

    if (!equals)
        return wrong(entry, length, "not of the form kind=field,field,...");
    if (kind == 0)
        return wrong(entry, (size_t)(equals - entry), "no kind of event of this log");
    for (at = equals + 1; at < end;) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const char *stop = comma ? comma : end;
        const char *why = add_field(&line, &seen, at, (size_t)(stop - at));

        if (why)
            return wrong(entry, length, why);
        at = comma ? comma + 1 : end;
    }
    if (line.field_count > 0 && (seen & needed_fields(kind)) != needed_fields(kind))
        return wrong(entry, length,
                     "a word, time, thread, object or target is missing");
    dialect->lines[kind] = line;
    return TM_OK;
}

static int set_lines(tm__log_dialect *dialect, const char *table)
{
    int rc = TM_OK;

    while (rc == TM_OK && *table) {
        size_t length = strcspn(table, ";\n");

        if (length > 0)
            rc = set_line(dialect, table, length);
        table += length;
        table += *table != '\0';
    }
    return rc;
}

static uint32_t word_place(const tm__log_line *line)
{
    uint32_t place = 0;

    while (line->fields[place] != TM__LOG_WORD)
        place++;
    return place;
}

/* The word tells what the other fields are, so it must always stand in one place. */
static int find_word_place(tm__log_dialect *dialect)
{
    const tm__log_line *first = NULL;

    for (int kind = 1; kind < TM_EVENT_KIND_END; kind++) {
        const tm__log_line *line = &dialect->lines[kind];

        if (line->field_count == 0)
            continue;
        if (!first) {
            first = line;
            dialect->word_place = word_place(line);
        }
        if (word_place(line) != dialect->word_place)
            return tm__fail(
                TM_EINVAL, "dialect: %s is field %u of its line and %s is field %u",
                first->word, dialect->word_place + 1, line->word, word_place(line) + 1);
        if (tm__log_dialect_kind(dialect, line->word, strlen(line->word)) != kind)
            return tm__fail(TM_EINVAL, "dialect: two kinds of event are called %s",
                            line->word);
    }
    return first ? TM_OK : tm__fail(TM_EINVAL, "dialect: no lines are left");
}

int tm__log_dialect_init(tm__log_dialect *dialect, const char *changes)
{
    int rc;

    *dialect = (tm__log_dialect){.word_place = 0};
    rc = set_lines(dialect, default_table);
    if (rc == TM_OK && changes)
        rc = set_lines(dialect, changes);
    return rc == TM_OK ? find_word_place(dialect) : rc;
}

int tm__log_dialect_kind(const tm__log_dialect *dialect, const char *word,
                         size_t length)
{
    for (int kind = 1; kind < TM_EVENT_KIND_END; kind++)
        if (length > 0 && is_word(word, length, dialect->lines[kind].word))
            return kind;
    return 0;
}
