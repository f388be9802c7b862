/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Some rows of a table as a table of their own: the first ten, every hundredth, those
 * that a caller chose. Few rows are gathered of many, so they are copied, and a string
 * column's dictionary holds only what they name; sharing the whole would keep it alive.
 */
#include <string.h>

#include "base/error.h"
#include "table/builder.h"
#include "table/table.h"

static void put_value(tm__builder *builder, const tm__column *column, size_t row)
{
    if (column->blank) {
        tm__pass_blank(builder, 1);
        return;
    }
    if (tm__column_is_null(column, row)) {
        tm__put_null(builder);
        return;
    }
    switch (column->type) {
    case TM_TYPE_INT32:
        tm__put_int32(builder, ((const int32_t *)column->values)[row]);
        break;
    case TM_TYPE_INT64:
        tm__put_int64(builder, ((const int64_t *)column->values)[row]);
        break;
    case TM_TYPE_UINT64:
        tm__put_uint64(builder, ((const uint64_t *)column->values)[row]);
        break;
    case TM_TYPE_DOUBLE:
        tm__put_double(builder, ((const double *)column->values)[row]);
        break;
    case TM_TYPE_BOOL:
        tm__put_bool(builder,
                     ((const uint8_t *)column->values)[row / 8] >> row % 8 & 1);
        break;
    default:
        /* Lent by the dictionary: the address of a text is its own until we are done.
         */
        tm__put_string(builder,
                       tm__dictionary_text(&column->dictionary,
                                           ((const int32_t *)column->values)[row]));
    }
}

static int start(tm__builder *builder, const tm_table *table)
{
    tm__memory memory;
    tm__column_spec *specs;
    size_t bytes = table->column_count * sizeof(*specs);

    tm__memory_init(&memory, &table->memory.hook);
    specs = tm__zalloc(&memory, bytes);
    if (!specs)
        return TM_ENOMEM;
    for (size_t i = 0; i < table->column_count; i++)
        specs[i] = (tm__column_spec){.name = table->columns[i].name,
                                     .type = table->columns[i].type};
    tm__builder_start(builder,
                      &(tm__table_spec){table->name, specs, table->column_count}, 0,
                      &table->memory.hook);
    tm__free(&memory, specs, bytes);
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i].blank)
            tm__builder_blank(builder, i, table->columns[i].blank != TM__ALL_ZERO);
    for (size_t i = 0; i < table->caveats.count; i++)
        tm__builder_caveat(builder, tm__strings_get(&table->caveats, (uint32_t)i));
    return TM_OK;
}

int tm_table_gather(tm_table **out, const tm_table *table, const uint64_t *rows,
                    size_t count)
{
    tm__builder builder;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(table);
    TM__CHECK(rows || count == 0);
    for (size_t i = 0; i < count; i++)
        if (rows[i] >= table->row_count)
            return tm__fail(TM_EINVAL,
                            "table %s: row %llu is out of range: it has %zu rows",
                            table->name, (unsigned long long)rows[i], table->row_count);
    if (start(&builder, table) < 0)
        return tm__failure();
    tm__builder_expect(&builder, count);
    for (size_t i = 0; i < count; i++)
        for (size_t column = 0; column < table->column_count; column++)
            put_value(&builder, &table->columns[column], (size_t)rows[i]);
    return tm__builder_finish(&builder, out);
}
