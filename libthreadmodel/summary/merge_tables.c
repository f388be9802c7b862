/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many tables as one: all rows are sorted by their keys, and each run of equal keys
 * becomes a row. A few hundred rows a table and up to thousands of tables at once are
 * expected. The sort keeps the order of tables, so that a run is counted once a row.
 */
#include <threadmodel/summary.h>

#include <string.h>

#include "base/error.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "summary/merge_tables.h"
#include "summary/rules.h"
#include "table/builder.h"
#include "table/table.h"

/* A row of the input. */
typedef struct row_ref {
    uint32_t table;
    uint32_t row;
} row_ref;

typedef struct merge_state {
    const tm_table *const *tables;
    size_t table_count;
    const tm__merge_rules *rules;
    size_t width; ///< columns of the result: those of the rules, rows and runs
    int *columns; ///< width numbers a table, as tm_table_column() has them
    row_ref *rows;
    size_t row_count;
    tm__column_spec *specs; ///< of the result; a name of NULL: no table has it
    tm__memory memory;
} merge_state;

const tm__merge_rules *tm__merge_find(const char *table)
{
    for (size_t i = 0; i < tm__merge_table_count; i++)
        if (strcmp(tm__merge_tables[i].table, table) == 0)
            return &tm__merge_tables[i];
    tm__fail(TM_EINVAL, "table %.100s cannot be merged", table);
    return NULL;
}

const tm__merge_rule *tm__merge_rule_at(const tm__merge_rules *rules, size_t column)
{
    static const tm__merge_rule counts[] = {
        {TM__ROWS, TM__MERGE_SUM, TM_TYPE_INT64},
        {TM__RUNS, TM__MERGE_SUM, TM_TYPE_INT64},
    };

    return column < rules->count ? &rules->rules[column]
                                 : &counts[column - rules->count];
}

static int column_of(const merge_state *m, row_ref at, size_t column)
{
    return m->columns[at.table * m->width + column];
}

static int compare_cells(const merge_state *m, row_ref a, row_ref b, size_t column)
{
    const tm_table *left = m->tables[a.table], *right = m->tables[b.table];
    int left_column = column_of(m, a, column), right_column = column_of(m, b, column);
    int left_null = tm_table_cell_is_null(left, left_column, a.row);
    int right_null = tm_table_cell_is_null(right, right_column, b.row);
    int64_t x, y;

    if (left_null || right_null)
        return right_null - left_null;
    if (m->rules->rules[column].type == TM_TYPE_STRING)
        return strcmp(tm_table_cell_string(left, left_column, a.row),
                      tm_table_cell_string(right, right_column, b.row));
    if (m->rules->rules[column].type == TM_TYPE_DOUBLE) {
        double p = tm_table_cell_double(left, left_column, a.row);
        double q = tm_table_cell_double(right, right_column, b.row);

        /* By their bits, which also puts what is not a number somewhere. */
        memcpy(&x, &p, sizeof(x));
        memcpy(&y, &q, sizeof(y));
    } else {
        x = tm_table_cell_int64(left, left_column, a.row);
        y = tm_table_cell_int64(right, right_column, b.row);
    }
    return (x > y) - (x < y);
}

static int compare_rows(const void *payload, uint32_t left, uint32_t right)
{
    const merge_state *m = payload;
    int order = 0;

    for (size_t i = 0; i < m->rules->count && order == 0; i++)
        if (m->rules->rules[i].merge == TM__MERGE_KEY)
            order = compare_cells(m, m->rows[left], m->rows[right], i);
    return order;
}

/* The beginning of the first key that is a string, since most differ there. */
static int64_t sort_key(const void *payload, uint32_t number)
{
    const merge_state *m = payload;
    row_ref at = m->rows[number];
    uint64_t key = 0;
    const char *text;

    if (m->rules->rules[0].merge != TM__MERGE_KEY ||
        m->rules->rules[0].type != TM_TYPE_STRING)
        return 0;
    text = tm_table_cell_string(m->tables[at.table], column_of(m, at, 0), at.row);
    if (!text)
        return -1;
    for (int shift = 56; shift >= 0 && *text; shift -= 8)
        key |= (uint64_t)(unsigned char)*text++ << shift;
    return (int64_t)(key >> 1);
}

static int64_t whole(const tm_table *table, int column, size_t row)
{
    uint64_t value;

    if (tm_table_column_type(table, (size_t)column) != TM_TYPE_UINT64)
        return tm_table_cell_int64(table, column, row);
    value = tm_table_cell_uint64(table, column, row);
    return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

static int64_t merged(int merge, int64_t sum, int64_t value)
{
    if (merge == TM__MERGE_MIN)
        return value < sum ? value : sum;
    if (merge == TM__MERGE_MAX)
        return value > sum ? value : sum;
    if (merge == TM__MERGE_SIGNED)
        /* A sum that stopped at two limits would depend on its order. */
        return (int64_t)((uint64_t)sum + (uint64_t)value);
    return tm__sum(sum, value);
}

/* A cell of the result: `count` rows of equal keys, from `first` on. */
static void put_number(const merge_state *m, tm__builder *builder,
                       const tm__sortable *first, size_t count, size_t column)
{
    int merge = m->rules->rules[column].merge, is_known = 0;
    int64_t result = 0;

    for (size_t i = 0; i < count; i++) {
        row_ref at = m->rows[first[i].number];
        const tm_table *table = m->tables[at.table];
        int from = column_of(m, at, column);
        int64_t value;

        if (tm_table_cell_is_null(table, from, at.row))
            continue;
        value = whole(table, from, at.row);
        /* With numbers below 0 a sum that stops at a limit depends on its order. */
        if (merge == TM__MERGE_SUM && value < 0)
            value = 0;
        result = is_known ? merged(merge, result, value) : value;
        is_known = 1;
    }
    if (is_known)
        tm__put_int64(builder, result);
    else
        tm__put_null(builder);
}

static void put_key(const merge_state *m, tm__builder *builder, row_ref at,
                    size_t column)
{
    const tm_table *table = m->tables[at.table];
    int from = column_of(m, at, column);

    if (tm_table_cell_is_null(table, from, at.row)) {
        tm__put_null(builder);
        return;
    }
    switch (m->rules->rules[column].type) {
    case TM_TYPE_STRING:
        /* Lent by the input, so the address of a text is its own until we are done. */
        tm__put_string(builder, tm_table_cell_string(table, from, at.row));
        break;
    case TM_TYPE_DOUBLE:
        tm__put_double(builder, tm_table_cell_double(table, from, at.row));
        break;
    case TM_TYPE_BOOL:
        tm__put_bool(builder, tm_table_cell_int64(table, from, at.row) != 0);
        break;
    case TM_TYPE_INT64:
        tm__put_int64(builder, tm_table_cell_int64(table, from, at.row));
        break;
    default: tm__put_int32(builder, (int32_t)tm_table_cell_int64(table, from, at.row));
    }
}

/* How many rows of answers, and runs, the rows of equal keys stand for. */
static void put_counts(const merge_state *m, tm__builder *builder,
                       const tm__sortable *first, size_t count)
{
    size_t rows_column = m->width - 2, runs_column = m->width - 1;
    size_t last = m->table_count;
    int64_t rows = 0, runs = 0;

    for (size_t i = 0; i < count; i++) {
        row_ref at = m->rows[first[i].number];
        const tm_table *table = m->tables[at.table];
        int64_t more_rows = 1, more_runs = at.table != last;

        if (column_of(m, at, runs_column) >= 0) {
            more_rows = whole(table, column_of(m, at, rows_column), at.row);
            more_runs = whole(table, column_of(m, at, runs_column), at.row);
        }
        last = at.table;
        rows = tm__sum(rows, more_rows > 0 ? more_rows : 0);
        runs = tm__sum(runs, more_runs > 0 ? more_runs : 0);
    }
    tm__put_int64(builder, rows);
    tm__put_int64(builder, runs);
}

static void put_group(const merge_state *m, tm__builder *builder,
                      const tm__sortable *first, size_t count)
{
    for (size_t i = 0; i < m->rules->count; i++) {
        if (!m->specs[i].name)
            continue;
        if (m->rules->rules[i].merge == TM__MERGE_KEY)
            put_key(m, builder, m->rows[first->number], i);
        else
            put_number(m, builder, first, count, i);
    }
    put_counts(m, builder, first, count);
}

static int is_of_type(int have, const tm__merge_rule *rule)
{
    if (rule->merge == TM__MERGE_KEY)
        return have == rule->type;
    return have == TM_TYPE_INT32 || have == TM_TYPE_INT64 || have == TM_TYPE_UINT64;
}

/* Find the columns that each table has, and so those of the result. */
static int find_columns(merge_state *m)
{
    for (size_t t = 0; t < m->table_count; t++) {
        for (size_t i = 0; i < m->width; i++) {
            const tm__merge_rule *rule = tm__merge_rule_at(m->rules, i);
            int column = tm_table_column(m->tables[t], rule->column);

            m->columns[t * m->width + i] = column;
            if (i >= m->rules->count || column >= 0)
                m->specs[i] = (tm__column_spec){rule->column, rule->type, 0, 0};
            if (column >= 0 &&
                !is_of_type(tm_table_column_type(m->tables[t], (size_t)column), rule))
                return tm__fail(TM_EINVAL, "table %s: column %s is of another type",
                                m->rules->table, rule->column);
        }
    }
    return TM_OK;
}

static void number_rows(merge_state *m)
{
    size_t next = 0;

    for (size_t t = 0; t < m->table_count; t++)
        for (size_t row = 0; row < m->tables[t]->row_count; row++)
            m->rows[next++] = (row_ref){(uint32_t)t, (uint32_t)row};
}

/* Columns that no table has are left out of the builder's, not of m->specs. */
static int start(const merge_state *m, tm__builder *builder)
{
    size_t bytes = m->width * sizeof(tm__column_spec), count = 0;
    tm__memory memory = m->memory;
    tm__column_spec *there = tm__zalloc(&memory, bytes);

    if (!there)
        return TM_ENOMEM;
    for (size_t i = 0; i < m->width; i++)
        if (m->specs[i].name)
            there[count++] = m->specs[i];
    tm__builder_start(builder, &(tm__table_spec){m->rules->table, there, count}, 0,
                      &m->memory.hook);
    tm__free(&memory, there, bytes);
    return TM_OK;
}

static int put_groups(merge_state *m, tm_table **out)
{
    tm__sortable *order =
        tm__sorted_new(&m->memory, m->row_count, sort_key, compare_rows, m);
    tm__builder builder;
    int status;

    if (!order)
        return TM_ENOMEM;
    status = start(m, &builder);
    if (status == TM_OK) {
        for (size_t from = 0, to; from < m->row_count; from = to) {
            for (to = from + 1; to < m->row_count; to++)
                if (order[to].key != order[from].key ||
                    compare_rows(m, order[from].number, order[to].number) != 0)
                    break;
            put_group(m, &builder, order + from, to - from);
        }
        status = tm__builder_finish(&builder, out);
    }
    tm__sorted_free(&m->memory, order, m->row_count);
    return status;
}

static int check_tables(merge_state *m)
{
    for (size_t t = 0; t < m->table_count; t++) {
        TM__CHECK(m->tables[t]);
        if (strcmp(m->tables[t]->name, m->tables[0]->name) != 0)
            return tm__fail(TM_EINVAL, "table %s does not merge with table %s",
                            m->tables[t]->name, m->tables[0]->name);
        m->row_count += m->tables[t]->row_count;
    }
    if (m->row_count > UINT32_MAX || m->table_count > UINT32_MAX / m->width)
        return tm__fail(TM_ELIMIT, "table %s: %zu rows are too many for one merge",
                        m->rules->table, m->row_count);
    return TM_OK;
}

int tm_summary_merge(tm_table **out, const tm_table *const *tables, size_t count)
{
    merge_state m = {.tables = tables, .table_count = count};
    size_t column_bytes, row_bytes, spec_bytes;
    int status;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(tables && count > 0 && tables[0]);
    m.rules = tm__merge_find(tables[0]->name);
    if (!m.rules)
        return TM_EINVAL;
    m.width = m.rules->count + 2;
    status = check_tables(&m);
    if (status < 0)
        return status;
    tm__memory_init(&m.memory, &tables[0]->memory.hook);
    column_bytes = count * m.width * sizeof(*m.columns);
    row_bytes = (m.row_count + 1) * sizeof(*m.rows);
    spec_bytes = m.width * sizeof(*m.specs);
    m.columns = tm__zalloc(&m.memory, column_bytes);
    m.rows = tm__zalloc(&m.memory, row_bytes);
    m.specs = tm__zalloc(&m.memory, spec_bytes);
    status = m.columns && m.rows && m.specs ? find_columns(&m) : TM_ENOMEM;
    if (status == TM_OK) {
        number_rows(&m);
        status = put_groups(&m, out);
    }
    tm__free(&m.memory, m.specs, spec_bytes);
    tm__free(&m.memory, m.rows, row_bytes);
    tm__free(&m.memory, m.columns, column_bytes);
    return status;
}
