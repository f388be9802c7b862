/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows in another order: answers are built in the order in which they are found
 * and sorted at the end. Column by column, so that each is one gather; strings
 * move by code, and their texts are neither read nor compared.
 */
#include <string.h>

#include "base/error.h"
#include "base/map.h"
#include "table/builder.h"
#include "table/table.h"

/* Codes are given anew by first use, and a text that no row uses is left behind. */
static int gather_strings(tm__column *to, const tm__column *from, tm__memory *memory,
                          const uint32_t *order, size_t count)
{
    const int32_t *codes = from->values;
    size_t renamed_bytes = from->dictionary.count * sizeof(int32_t);
    int32_t *renamed;
    int status = TM_OK;

    if (renamed_bytes == 0) {
        memset(to->values, 0xff, count * sizeof(int32_t));
        return TM_OK;
    }
    renamed = tm__resize(memory, NULL, 0, renamed_bytes);
    if (!renamed)
        return TM_ENOMEM;
    memset(renamed, 0xff, renamed_bytes);
    for (size_t i = 0; i < count && status >= 0; i++) {
        int32_t code = codes[order[i]];

        if (code >= 0 && renamed[code] < 0)
            status = renamed[code] = tm__dictionary_append(
                &to->dictionary, memory, tm__dictionary_text(&from->dictionary, code),
                tm__dictionary_length(&from->dictionary, code));
        ((int32_t *)to->values)[i] = code < 0 ? -1 : renamed[code];
    }
    tm__free(memory, renamed, renamed_bytes);
    return status < 0 ? status : TM_OK;
}

static void gather_bits(uint8_t *to, const uint8_t *from, const uint32_t *order,
                        size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(from[order[i] / 8] >> order[i] % 8 & 1))
            to[i / 8] &= (uint8_t) ~(1u << i % 8);
}

static int gather_column(tm__column *to, const tm__column *from, tm__memory *memory,
                         const uint32_t *order, size_t count)
{
    size_t bytes = tm__bitmap_bytes(count);

    if (from->validity) {
        to->validity = tm__resize(memory, NULL, 0, bytes);
        if (!to->validity)
            return TM_ENOMEM;
        to->validity_capacity = (uint32_t)count;
        memset(to->validity, 0xff, bytes);
        gather_bits(to->validity, from->validity, order, count);
        for (size_t i = 0; i < count; i++)
            to->null_count += (size_t)tm__column_is_null(to, i);
    }
    switch (from->type) {
    case TM_TYPE_STRING: return gather_strings(to, from, memory, order, count);
    case TM_TYPE_BOOL:
        memset(to->values, 0xff, bytes);
        gather_bits(to->values, from->values, order, count);
        break;
    case TM_TYPE_INT32:
        for (size_t i = 0; i < count; i++)
            ((int32_t *)to->values)[i] = ((const int32_t *)from->values)[order[i]];
        break;
    default:
        for (size_t i = 0; i < count; i++)
            ((uint64_t *)to->values)[i] = ((const uint64_t *)from->values)[order[i]];
    }
    return TM_OK;
}

/* A table of the same columns without rows, with room for some. */
static void start_like(tm__builder *builder, const tm_table *table, size_t rows)
{
    tm__memory memory;
    tm__column_spec *columns;
    size_t bytes = table->column_count * sizeof(*columns);

    tm__memory_init(&memory, &table->memory.hook);
    columns = tm__resize(&memory, NULL, 0, bytes);
    if (!columns) {
        *builder = (tm__builder){.failed = TM_ENOMEM};
        return;
    }
    for (size_t i = 0; i < table->column_count; i++)
        columns[i] = (tm__column_spec){table->columns[i].name, table->columns[i].type};
    tm__builder_start(builder, table->name, columns, table->column_count, &memory.hook);
    tm__free(&memory, columns, bytes);
    tm__builder_expect(builder, rows);
}

int tm__table_reorder(tm_table **out, const tm_table *table, const uint32_t *order,
                      size_t count)
{
    tm__builder builder;
    int status = TM_OK;

    *out = NULL;
    start_like(&builder, table, count);
    for (size_t i = 0; i < table->limits.count; i++)
        tm__builder_limit(&builder, tm_table_limit(table, i));
    if (builder.failed)
        return builder.failed;
    for (size_t i = 0; count > 0 && status >= 0 && i < table->column_count; i++)
        status = gather_column(&builder.table->columns[i], &table->columns[i],
                               &builder.table->memory, order, count);
    if (status < 0) {
        tm__builder_abandon(&builder);
        return status;
    }
    builder.table->row_count = count;
    return tm__builder_finish(&builder, out);
}
