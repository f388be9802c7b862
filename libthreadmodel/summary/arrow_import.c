/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stored summary, back from Arrow. It is copied: a summary has some hundred rows, and
 * what is copied cannot be released under a table.
 */
#include <threadmodel/summary.h>

#include <string.h>

#include "base/error.h"
#include "summary/merge_tables.h"
#include "summary/rules.h"
#include "table/builder.h"

/* A column that is read: its array, and where a row's text is put together. */
typedef struct source_column {
    const struct ArrowSchema *schema;
    const struct ArrowArray *array;
    const tm__merge_rule *rule;
} source_column;

typedef struct text_buffer {
    tm__memory memory;
    char *bytes;
    uint32_t capacity;
} text_buffer;

static int bit(const void *bits, int64_t index)
{
    return ((const uint8_t *)bits)[index / 8] >> index % 8 & 1;
}

static int is_null(const struct ArrowArray *array, int64_t index)
{
    return array->buffers[0] && !bit(array->buffers[0], index);
}

/* Put text `index` of an array of "u". */
static int put_text(tm__builder *builder, text_buffer *buffer,
                    const struct ArrowArray *texts, int64_t index)
{
    const int32_t *offsets = texts->buffers[1];
    int64_t at = texts->offset + index;
    int32_t from, to;

    if (is_null(texts, at)) {
        tm__put_null(builder);
        return TM_OK;
    }
    from = offsets[at];
    to = offsets[at + 1];
    if (from < 0 || to < from)
        return tm__fail(TM_EINVAL, "Arrow array: text %lld ends before it begins",
                        (long long)index);
    if (tm__reserve(&buffer->memory, &buffer->bytes, &buffer->capacity,
                    (size_t)(to - from) + 1, 1) < 0)
        return tm__failure();
    if (to > from)
        memcpy(buffer->bytes, (const char *)texts->buffers[2] + from,
               (size_t)(to - from));
    buffer->bytes[to - from] = '\0';
    tm__put_text(builder, buffer->bytes);
    return TM_OK;
}

static int put_string(tm__builder *builder, text_buffer *buffer,
                      const source_column *column, int64_t row)
{
    const struct ArrowArray *array = column->array;
    int32_t code;

    if (!array->dictionary)
        return put_text(builder, buffer, array, row);
    code = ((const int32_t *)array->buffers[1])[array->offset + row];
    if (code < 0 || code >= array->dictionary->length)
        return tm__fail(TM_EINVAL, "Arrow array: column %s has no text of code %d",
                        column->rule->column, (int)code);
    return put_text(builder, buffer, array->dictionary, code);
}

static int put_cell(tm__builder *builder, text_buffer *buffer,
                    const source_column *column, int64_t row)
{
    const struct ArrowArray *array = column->array;
    int64_t at = array->offset + row;
    const void *values = array->buffers[1];

    if (is_null(array, at)) {
        tm__put_null(builder);
        return TM_OK;
    }
    switch (column->rule->type) {
    case TM_TYPE_STRING: return put_string(builder, buffer, column, row);
    case TM_TYPE_BOOL: tm__put_bool(builder, bit(values, at)); break;
    case TM_TYPE_DOUBLE: tm__put_double(builder, ((const double *)values)[at]); break;
    case TM_TYPE_INT32: tm__put_int32(builder, ((const int32_t *)values)[at]); break;
    default: tm__put_int64(builder, ((const int64_t *)values)[at]);
    }
    return TM_OK;
}

static const char *format_of(int type)
{
    switch (type) {
    case TM_TYPE_INT32: return "i";
    case TM_TYPE_DOUBLE: return "g";
    case TM_TYPE_BOOL: return "b";
    case TM_TYPE_STRING: return "u";
    default: return "l";
    }
}

static int is_format(const struct ArrowSchema *schema, const struct ArrowArray *array,
                     int type)
{
    const char *format = schema->format;
    int64_t buffers = 2;

    if (!schema->dictionary != !array->dictionary)
        return 0;
    if (type == TM_TYPE_STRING && schema->dictionary) {
        if (strcmp(format, "i") != 0 || array->dictionary->n_buffers != 3 ||
            !array->dictionary->buffers[1])
            return 0;
        format = schema->dictionary->format;
    } else if (schema->dictionary) {
        return 0;
    } else if (type == TM_TYPE_STRING) {
        buffers = 3;
    }
    return strcmp(format, format_of(type)) == 0 && array->n_buffers == buffers &&
           (array->buffers[1] || array->length == 0);
}

static int find_column(source_column *column, const tm__merge_rule *rule,
                       const struct ArrowSchema *schema, const struct ArrowArray *array)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        if (strcmp(schema->children[i]->name, rule->column) != 0)
            continue;
        *column = (source_column){schema->children[i], array->children[i], rule};
        if (!is_format(column->schema, column->array, rule->type))
            return tm__fail(TM_EINVAL, "Arrow array: column %s is of another type",
                            rule->column);
        if (array->offset < 0 || column->array->offset < 0 ||
            column->array->length < array->offset ||
            column->array->length - array->offset < array->length)
            return tm__fail(TM_EINVAL, "Arrow array: column %s is too short",
                            rule->column);
        return 1;
    }
    return 0;
}

static int put_rows(tm__builder *builder, const source_column *columns, size_t count,
                    const struct ArrowArray *array, const tm_allocator *hook)
{
    text_buffer buffer = {.bytes = NULL};
    int status = TM_OK;

    tm__memory_init(&buffer.memory, hook);
    for (int64_t row = 0; row < array->length && status == TM_OK; row++)
        for (size_t i = 0; i < count && status == TM_OK; i++)
            status = put_cell(builder, &buffer, &columns[i], array->offset + row);
    tm__free(&buffer.memory, buffer.bytes, buffer.capacity);
    return status;
}

int tm_summary_import(tm_table **out, const char *name,
                      const struct ArrowSchema *schema, const struct ArrowArray *array,
                      const tm_allocator *allocator)
{
    const tm__merge_rules *rules;
    source_column columns[TM__MOST_RULES];
    tm__column_spec specs[TM__MOST_RULES];
    tm__builder builder;
    size_t count = 0;
    int status = TM_OK;

    TM__CHECK(out);
    *out = NULL;
    TM__CHECK(name && schema && array);
    rules = tm__merge_find(name);
    if (!rules)
        return TM_EINVAL;
    if (strcmp(schema->format, "+s") != 0 || array->n_children != schema->n_children)
        return tm__fail(TM_EINVAL, "Arrow array: not a struct array of its schema");
    for (size_t i = 0; i < rules->count + 2 && status >= 0; i++) {
        const tm__merge_rule *rule = tm__merge_rule_at(rules, i);

        status = find_column(&columns[count], rule, schema, array);
        if (status > 0)
            specs[count++] = (tm__column_spec){rule->column, rule->type, 0, 0};
    }
    if (status < 0)
        return status;
    tm__builder_start(&builder, &(tm__table_spec){rules->table, specs, count}, 0,
                      allocator);
    status = put_rows(&builder, columns, count, array, allocator);
    return tm__builder_close(&builder, out, status);
}
