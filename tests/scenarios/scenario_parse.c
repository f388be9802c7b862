/* SPDX-License-Identifier: Apache-2.0 */
/* Reads scenario files: small, trusted text that is cut into words in place. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario.h"

void scenario_fail(scenario *s, int line, const char *format, ...)
{
    va_list arguments;

    s->failures++;
    printf("%s:%d: ", s->path, line);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
}

const char *scenario_value(const char *word, const char *key)
{
    size_t length = strlen(key);

    return strncmp(word, key, length) == 0 && word[length] == '=' ? word + length + 1
                                                                  : NULL;
}

/* The next word of a line, cut off in place; quotes keep blanks together and go. */
static char *next_word(char **cursor)
{
    char *from = *cursor, *to, *word;
    bool quoted = false;

    while (*from == ' ' || *from == '\t')
        from++;
    if (*from == '\0')
        return NULL;
    for (word = to = from; *from && (quoted || (*from != ' ' && *from != '\t'));
         from++) {
        if (*from == '"')
            quoted = !quoted;
        else
            *to++ = *from;
    }
    *cursor = *from ? from + 1 : from;
    *to = '\0';
    return word;
}

static void cut(scenario *s, scenario_line *line, char *text, int number)
{
    char *word;

    line->count = 0;
    line->number = number;
    while ((word = next_word(&text)) != NULL) {
        if (line->count == SCENARIO_WORDS) {
            scenario_fail(s, number, "too many words");
            return;
        }
        line->words[line->count++] = word;
    }
}

uint64_t scenario_id_of(const scenario_names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (!strcmp(names->items[i].name, name))
            return names->items[i].id;
    return 0;
}

/* Gives a name its number; 0 where the file has too many. */
uint64_t scenario_add_name(scenario *s, scenario_names *names, const char *name,
                           int line)
{
    if (names->count == SCENARIO_THINGS) {
        scenario_fail(s, line, "too many names");
        return 0;
    }
    names->items[names->count] = (scenario_name){name, names->count + 1};
    return ++names->count;
}

uint64_t scenario_number_of(scenario *s, const char *text, int line)
{
    char *end;
    uint64_t number =
        text[0] == '-' ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);

    if (*end || end == text)
        scenario_fail(s, line, "'%s' is not a number", text);
    return number;
}

uint64_t scenario_thing(scenario *s, const scenario_names *names, const char *name,
                        int line)
{
    uint64_t id;

    if (!strcmp(name, "-"))
        return 0;
    if (name[0] == '#')
        return scenario_number_of(s, name + 1, line);
    id = scenario_id_of(names, name);
    if (id == 0)
        scenario_fail(s, line, "'%s' is not defined", name);
    return id;
}

int scenario_named(const char *name, const char *(*names)(int), int end)
{
    for (int i = 0; i < end; i++)
        if (names(i) && !strcmp(names(i), name))
            return i;
    return -1;
}

static void read_word(scenario *s, tm_event *event, const char *word, int line)
{
    static const char *const flags[] = {
        "timed_out",  "by_interrupt", "reported",       "inferred", "confirmed",
        "sampled",    "paused",       "initialisation", "shared",   "not_owned",
        "owner_read", "timed",        "idle",           "voluntary"};
    const char *value;

    for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
        if (!strcmp(word, flags[i])) {
            event->flags |= (uint16_t)(1u << i);
            return;
        }
    if ((value = scenario_value(word, "peer")) != NULL)
        event->peer = scenario_thing(s, &s->threads, value, line);
    else if ((value = scenario_value(word, "value")) != NULL ||
             (value = scenario_value(word, "timeout")) != NULL)
        event->value = (int64_t)scenario_number_of(s, value, line);
    else if ((value = scenario_value(word, "owner")) != NULL)
        event->value = (int64_t)scenario_thing(s, &s->threads, value, line);
    else if ((value = scenario_value(word, "state")) != NULL)
        event->value = scenario_named(value, tm_state_name, TM_STATE_END);
    else if ((value = scenario_value(word, "stack")) != NULL)
        event->stack = (uint32_t)scenario_thing(s, &s->stacks, value, line);
    else
        event->object = scenario_thing(s, &s->objects, word, line);
}

/* A producer that reports one of a pair reports the other, also if none of it occurs.
 */
static uint64_t pair_of(int kind)
{
    static const uint8_t pairs[][2] = {
        {TM_EVENT_CONTENDED_ENTER, TM_EVENT_CONTENDED_ENTERED},
        {TM_EVENT_WAIT, TM_EVENT_WAITED},
        {TM_EVENT_NOTIFY, TM_EVENT_NOTIFY_ALL},
        {TM_EVENT_SLEEP, TM_EVENT_SLEPT},
        {TM_EVENT_JOIN, TM_EVENT_JOINED},
        {TM_EVENT_PARK, TM_EVENT_UNPARKED},
        {TM_EVENT_ACQUIRED, TM_EVENT_RELEASED},
        {TM_EVENT_AWAIT, TM_EVENT_AWAITED},
        {TM_EVENT_RUNNABLE, TM_EVENT_ON_CPU},
    };

    for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
        if (kind == pairs[i][0] || kind == pairs[i][1])
            return UINT64_C(1) << pairs[i][0] | UINT64_C(1) << pairs[i][1];
    return UINT64_C(1) << kind;
}

static void add_event(scenario *s, const scenario_line *line)
{
    tm_event event = {0};
    int kind;

    if (line->count < 3 || s->event_count == SCENARIO_EVENTS) {
        scenario_fail(s, line->number, "not an event, or too many");
        return;
    }
    event.time_ns = (int64_t)scenario_number_of(s, line->words[0], line->number);
    event.thread = scenario_thing(s, &s->threads, line->words[1], line->number);
    kind = scenario_named(line->words[2], tm_event_kind_name, TM_EVENT_KIND_END);
    if (kind < 0)
        kind = (int)scenario_number_of(s, line->words[2], line->number);
    else if (s->kinds_seen)
        s->run.kinds |= pair_of(kind);
    event.kind = (uint16_t)kind;
    for (size_t i = 3; i < line->count; i++)
        read_word(s, &event, line->words[i], line->number);
    s->events[s->event_count++] = event;
}

static int policy_of(scenario *s, const char *name, int line)
{
    static const char *const policies[] = {"unknown", "hotspot", "tptp", "reported"};

    for (int i = 0; i < 4; i++)
        if (!strcmp(name, policies[i]))
            return i;
    scenario_fail(s, line, "'%s' is not a policy", name);
    return 0;
}

static void read_kinds(scenario *s, const char *list, int line)
{
    char name[40];
    int used;

    for (; sscanf(list, "%39[^,]%n", name, &used) == 1;
         list += used + (list[used] == ',')) {
        int kind = scenario_named(name, tm_event_kind_name, TM_EVENT_KIND_END);

        if (!strcmp(name, "seen"))
            s->kinds_seen = true;
        else if (kind < 0)
            scenario_fail(s, line, "'%s' is not a kind of event", name);
        else
            s->run.kinds |= UINT64_C(1) << kind;
    }
}

static void read_run(scenario *s, const scenario_line *line)
{
    for (size_t i = 1; i < line->count; i++) {
        const char *word = line->words[i], *value;

        if ((value = scenario_value(word, "policy")) != NULL)
            s->run.policy = policy_of(s, value, line->number);
        else if ((value = scenario_value(word, "force")) != NULL)
            s->forced_policy = policy_of(s, value, line->number);
        else if ((value = scenario_value(word, "kinds")) != NULL)
            read_kinds(s, value, line->number);
        else if ((value = scenario_value(word, "start")) != NULL)
            s->run.start_ns = (int64_t)scenario_number_of(s, value, line->number);
        else if ((value = scenario_value(word, "end")) != NULL)
            s->run.end_ns = (int64_t)scenario_number_of(s, value, line->number);
        else
            scenario_fail(s, line->number, "what is '%s'?", word);
    }
}

static void read_row(scenario *s, const scenario_line *line)
{
    scenario_table *table = &s->tables[s->table_count - 1];

    if (table->columns.count == 0)
        table->columns = *line;
    else if (line->count != table->columns.count || table->row_count == SCENARIO_ROWS)
        scenario_fail(s, line->number, "%zu values for %zu columns, or too many rows",
                      line->count, table->columns.count);
    else
        table->rows[table->row_count++] = *line;
}

static void read_line(scenario *s, char *text, int number, const char **section)
{
    scenario_line line;
    bool opens = *text != ' ' && *text != '\t';

    if (*text == '\0' || *text == '#' || (!opens && !strcmp(*section, "drawing:")))
        return;
    cut(s, &line, text, number);
    if (line.count == 0 || line.words[0][0] == '#')
        return;
    if (opens) {
        *section = line.words[0];
        if (!strcmp(*section, "run:")) {
            read_run(s, &line);
        } else if (!strcmp(*section, "expect") && s->table_count < SCENARIO_TABLES) {
            char *last = (char *)line.words[line.count - 1];

            last[strcspn(last, ":")] = '\0';
            s->tables[s->table_count++].title = line;
        } else if (strcmp(*section, "title:") && strcmp(*section, "drawing:") &&
                   strcmp(*section, "define:") && strcmp(*section, "events:")) {
            scenario_fail(s, number, "'%s' is not a section", *section);
        }
    } else if (!strcmp(*section, "define:")) {
        scenario_define(s, &line);
    } else if (!strcmp(*section, "events:")) {
        add_event(s, &line);
    } else if (!strcmp(*section, "expect")) {
        read_row(s, &line);
    }
}

static char *contents(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 16);

    if (file && text && fread(text, 1, (1 << 16) - 1, file) > 0 && !ferror(file)) {
        fclose(file);
        return text;
    }
    if (file)
        fclose(file);
    free(text);
    return NULL;
}

scenario *scenario_open(const char *path)
{
    scenario *s = calloc(1, sizeof(*s));
    const char *section = "";
    int number = 0;

    if (!s)
        exit(2);
    s->path = path;
    s->run.size = sizeof(s->run);
    s->text = contents(path);
    if (!s->text) {
        scenario_fail(s, 0, "cannot be read");
        return s;
    }
    for (char *line = s->text, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        read_line(s, line, ++number, &section);
    }
    if (s->table_count == 0)
        scenario_fail(s, number, "expects nothing");
    return s;
}

void scenario_close(scenario *s)
{
    /* The class part of a method's name was copied, and its class may own it. */
    for (size_t i = 0; i < s->methods.count; i++)
        free((char *)s->method_list[i].name - strlen(s->methods.items[i].name) +
             strlen(s->method_list[i].name));
    for (size_t i = 0; i < SCENARIO_THINGS; i++)
        free((char *)s->labels[i]);
    free(s->text);
    free(s);
}
