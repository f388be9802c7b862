/* SPDX-License-Identifier: Apache-2.0 */
/* Asks a model what a scenario expects, and tells the differences. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario.h"

/* An answer as text: the rows that the scenario keeps, of the columns it names. */
typedef struct answer {
    char *cells; ///< row_count * column_count cells of CELL bytes
    size_t row_count, column_count;
} answer;

enum { CELL = 512 };

static char *cell(const answer *a, size_t row, size_t column)
{
    return a->cells + (row * a->column_count + column) * CELL;
}

static bool has_column(const tm_table *table, const char *name)
{
    for (size_t i = 0; i < tm_table_column_count(table); i++)
        if (!strcmp(tm_table_column_name(table, i), name))
            return true;
    return false;
}

static void print_value(char *out, const tm_table *table, const char *column,
                        size_t row)
{
    const char *text;

    if (tm_table_is_null(table, column, row))
        snprintf(out, CELL, "-");
    else if (tm_table_int32(table, column))
        snprintf(out, CELL, "%" PRId32, tm_table_int32(table, column)[row]);
    else if (tm_table_int64(table, column))
        snprintf(out, CELL, "%" PRId64, tm_table_int64(table, column)[row]);
    else if (tm_table_uint64(table, column))
        snprintf(out, CELL, "%" PRIu64, tm_table_uint64(table, column)[row]);
    else if (tm_table_double(table, column))
        snprintf(out, CELL, "%g", tm_table_double(table, column)[row]);
    else if (tm_table_bool(table, column))
        snprintf(out, CELL, "%s",
                 tm_table_bool(table, column)[row / 8] >> row % 8 & 1 ? "true"
                                                                      : "false");
    else if ((text = tm_table_string(table, column, row)) != NULL)
        snprintf(out, CELL, "%s", text);
}

/* Tables whose rows come in order. */
static bool is_ordered(const char *name)
{
    static const char *const names[] = {"timeline",    "deadlocks",  "critical_path",
                                        "whatif",      "lock_order", "findings",
                                        "explanation", "verdict",    "verdict_members"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

/* Tables of stretches of time, in which neighbours that are alike are one. */
static bool has_stretches(const char *name)
{
    return !strcmp(name, "timeline") || !strcmp(name, "critical_path");
}

/* "of", "where", "at", "to", "method" and "waited_for" of a title. */
static bool is_kept(const scenario_line *title, const tm_table *table, size_t row)
{
    bool of = false, among = false, where = false;

    for (size_t i = 2; i < title->count; i++) {
        const char *word = title->words[i], *equals = strchr(word, '=');
        char value[CELL] = "", column[CELL] = "thread";

        if (!strcmp(word, "at") || !strcmp(word, "to") || !strcmp(word, "method")) {
            i++;
        } else if (!strcmp(word, "waited_for")) {
            continue;
        } else if (!strcmp(word, "of")) {
            of = true;
        } else if (!strcmp(word, "where")) {
            where = true;
        } else if (where && equals) {
            snprintf(column, sizeof(column), "%.*s", (int)(equals - word), word);
            print_value(value, table, column, row);
            if (strcmp(value, equals + 1) != 0)
                return false;
        } else {
            print_value(value, table, has_column(table, "thread") ? "thread" : "name",
                        row);
            among = among || !strcmp(value, word);
        }
    }
    return !of || among;
}

/* Neighbours of one thread that only their times distinguish are one interval. */
static bool merges(const answer *a, const scenario_line *columns, size_t row,
                   bool adjoins)
{
    if (row == 0 || !adjoins)
        return false;
    for (size_t c = 0; c < a->column_count; c++)
        if (strcmp(columns->words[c], "start_ns") != 0 &&
            strcmp(columns->words[c], "end_ns") != 0 &&
            strcmp(columns->words[c], "open") != 0 &&
            strcmp(cell(a, row, c), cell(a, row - 1, c)) != 0)
            return false;
    return true;
}

static void merge(answer *a, const scenario_line *columns)
{
    for (size_t c = 0; c < a->column_count; c++)
        if (strcmp(columns->words[c], "start_ns") != 0)
            memcpy(cell(a, a->row_count - 1, c), cell(a, a->row_count, c), CELL);
}

static bool answer_of(scenario *s, const scenario_table *expected,
                      const tm_table *table, answer *a)
{
    const scenario_line *columns = &expected->columns;
    bool stretches = has_stretches(expected->title.words[1]);
    const uint64_t *thread = tm_table_uint64(table, "thread_id");
    uint64_t last = 0;
    int64_t last_ns = 0;

    a->row_count = 0;
    a->column_count = columns->count;
    a->cells = calloc(tm_table_row_count(table) + 1, columns->count * CELL + 1);
    if (!a->cells)
        exit(2);
    for (size_t c = 0; c < columns->count; c++)
        if (!has_column(table, columns->words[c])) {
            scenario_fail(s, columns->number, "there is no column '%s'",
                          columns->words[c]);
            return false;
        }
    for (size_t row = 0; row < tm_table_row_count(table); row++) {
        if (!is_kept(&expected->title, table, row) ||
            (stretches && tm_table_int64(table, "start_ns")[row] ==
                              tm_table_int64(table, "end_ns")[row]))
            continue;
        for (size_t c = 0; c < columns->count; c++)
            print_value(cell(a, a->row_count, c), table, columns->words[c], row);
        if (stretches && merges(a, columns, a->row_count,
                                thread[row] == last &&
                                    tm_table_int64(table, "start_ns")[row] == last_ns))
            merge(a, columns);
        else
            a->row_count++;
        if (stretches) {
            last = thread[row];
            last_ns = tm_table_int64(table, "end_ns")[row];
        }
    }
    return true;
}

/* One object, one label, and each its own. */
static bool label_matches(scenario *s, const char *name, const char *label)
{
    const char **mine = NULL;

    for (size_t i = 0; i < s->objects.count; i++) {
        if (!strcmp(s->objects.items[i].name, name))
            mine = &s->labels[i];
        else if (s->labels[i] && !strcmp(s->labels[i], label))
            return false;
    }
    if (!mine)
        return false;
    if (!*mine)
        *mine = strdup(label);
    return *mine && !strcmp(*mine, label);
}

static bool value_matches(scenario *s, const char *column, const char *want,
                          const char *have)
{
    if (!strcmp(want, "*"))
        return true;
    for (size_t length; *want; want += length + (want[length] == '|')) {
        length = strcspn(want, "|");
        if (strlen(have) == length && !strncmp(want, have, length))
            return true;
        if (!strcmp(column, "object") && strcmp(have, "-") != 0 && !want[length])
            return label_matches(s, want, have);
        if (!want[length])
            break;
    }
    return false;
}

static bool row_matches(scenario *s, const scenario_table *expected, size_t row,
                        const answer *a, size_t have)
{
    for (size_t c = 0; c < a->column_count; c++)
        if (!value_matches(s, expected->columns.words[c], expected->rows[row].words[c],
                           cell(a, have, c)))
            return false;
    return true;
}

static void show(const answer *a, const scenario_line *columns, const bool *used)
{
    for (size_t c = 0; c < a->column_count; c++)
        printf("%s%s", c ? "  " : "      ", columns->words[c]);
    putchar('\n');
    for (size_t row = 0; row < a->row_count; row++) {
        printf("    %s ", used[row] ? " " : "+");
        for (size_t c = 0; c < a->column_count; c++)
            printf("%s%s", c ? "  " : "", cell(a, row, c));
        putchar('\n');
    }
}

static void compare(scenario *s, const scenario_table *expected, const answer *a)
{
    const char *name = expected->title.words[1];
    bool ordered = is_ordered(name);
    bool *used = calloc(a->row_count + 1, sizeof(*used));
    int failures = s->failures;

    if (!used)
        exit(2);
    for (size_t row = 0; row < expected->row_count; row++) {
        size_t have = ordered ? row : 0, end = ordered ? row + 1 : a->row_count;

        while (have < end && (have >= a->row_count || used[have] ||
                              !row_matches(s, expected, row, a, have)))
            have++;
        if (have < end)
            used[have] = true;
        else
            scenario_fail(s, expected->rows[row].number, "%s: this row is not answered",
                          name);
    }
    if (s->failures == failures && a->row_count > expected->row_count)
        scenario_fail(s, expected->title.number, "%s: %zu rows more than expected",
                      name, a->row_count - expected->row_count);
    if (s->failures > failures)
        show(a, &expected->columns, used);
    free(used);
}

static void emit(scenario *s, tm_model *model, int64_t until_ns)
{
    const tm_sink *sink = tm_model_sink(model);
    size_t count = 0;

    sink->run(sink->payload, &s->run);
    for (size_t i = 0; i < s->classes.count; i++)
        sink->define_class(sink->payload, &s->class_list[i]);
    for (size_t i = 0; i < s->methods.count; i++)
        sink->define_method(sink->payload, &s->method_list[i]);
    for (size_t i = 0; i < s->stacks.count; i++)
        sink->define_stack(sink->payload, &s->stack_list[i]);
    for (size_t i = 0; i < s->threads.count; i++)
        sink->define_thread(sink->payload, &s->thread_list[i]);
    for (size_t i = 0; i < s->objects.count; i++)
        sink->define_object(sink->payload, &s->object_list[i]);
    while (count < s->event_count && s->events[count].time_ns <= until_ns)
        count++;
    if (sink->events(sink->payload, s->events, count) != TM_OK)
        scenario_fail(s, 0, "events are refused: %s", tm_error_text());
}

static void check_table(scenario *s, const scenario_table *expected)
{
    tm_model_options options = {.size = sizeof(options), .policy = s->forced_policy};
    int64_t until_ns = INT64_MAX;
    const scenario_line *title = &expected->title;
    tm_model *model;
    tm_table *table;
    answer a = {0};

    for (size_t i = 2; i + 1 < title->count; i++)
        if (!strcmp(title->words[i], "at"))
            until_ns = strtoll(title->words[i + 1], NULL, 10);
    if (tm_model_new(&model, &options) != TM_OK) {
        scenario_fail(s, title->number, "no model: %s", tm_error_text());
        return;
    }
    emit(s, model, until_ns);
    if (scenario_ask(&table, model, s, title) != TM_OK) {
        scenario_fail(s, title->number, "no answer to '%s': %s", title->words[1],
                      tm_error_text());
    } else {
        if (answer_of(s, expected, table, &a))
            compare(s, expected, &a);
        free(a.cells);
    }
    tm_table_free(table);
    tm_model_free(model);
}

void scenario_check(scenario *s)
{
    for (size_t i = 0; i < s->table_count; i++)
        check_table(s, &s->tables[i]);
}
