/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a table while it is built. The bit that says "not null" is set when its
 * memory is made, so that only a null writes it. */
#include "table/table_room.h"

#include <string.h>

#include "base/error.h"
#include "table/table.h"

static int is_there(const tm__column_spec *column, uint32_t keys)
{
    return (!column->keys || column->keys & keys) && !(column->without & keys);
}

tm_table *tm__table_new(const tm__table_spec *spec, uint32_t keys,
                        const tm_allocator *hook)
{
    tm__memory memory;
    tm_table *table;
    size_t count = 0;

    tm__memory_init(&memory, hook);
    table = tm__zalloc(&memory, sizeof(*table));
    if (!table)
        return NULL;
    for (size_t i = 0; i < spec->count; i++)
        count += (size_t)is_there(&spec->columns[i], keys);
    table->columns = tm__zalloc(&memory, count * sizeof(*table->columns));
    if (!table->columns) {
        tm__free(&memory, table, sizeof(*table));
        return NULL;
    }
    atomic_init(&table->holders, 1);
    table->memory = memory;
    table->name = spec->name;
    tm__strings_init(&table->caveats, &table->memory);
    for (size_t i = 0; i < spec->count; i++) {
        tm__column *column = &table->columns[table->column_count];

        if (!is_there(&spec->columns[i], keys))
            continue;
        column->name = spec->columns[i].name;
        column->type = spec->columns[i].type;
        table->column_count++;
    }
    return table;
}

int tm__column_grow_validity(tm__column *column, tm__memory *memory, uint32_t rows)
{
    size_t old_bytes = tm__bitmap_bytes(column->validity_capacity);
    size_t bytes = tm__bitmap_bytes(rows);
    uint8_t *validity = tm__resize(memory, column->validity, old_bytes, bytes);

    if (!validity)
        return TM_ENOMEM;
    memset(validity + old_bytes, 0xff, bytes - old_bytes);
    column->validity = validity;
    column->validity_capacity = rows;
    return TM_OK;
}

int tm__column_grow(tm__column *column, tm__memory *memory, uint32_t rows)
{
    size_t old_bytes = tm__column_bytes(column->type, column->capacity);
    size_t bytes = tm__column_bytes(column->type, rows);
    void *values;

    if (column->validity && tm__column_grow_validity(column, memory, rows) < 0)
        return tm__failure();
    values = tm__resize(memory, column->values, old_bytes, bytes);
    if (!values)
        return TM_ENOMEM;
    column->values = values;
    column->capacity = rows;
    return TM_OK;
}

size_t tm__rows_bytes(const tm_table *table, size_t rows)
{
    size_t bytes = 0;

    for (size_t i = 0; i < table->column_count; i++) {
        const tm__column *column = &table->columns[i];

        if (!column->blank)
            bytes += tm__column_bytes(column->type, (uint32_t)rows) +
                     (column->validity ? tm__bitmap_bytes((uint32_t)rows) : 0);
    }
    return bytes;
}
