/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables as Arrow. A consumer may copy an exported struct and forget the original,
 * move a child out and release it after its parent or in another thread. So every
 * node, that is a struct, a child or a dictionary, has one block of its own that
 * holds whatever its fields point to, with the structs of what is below it, and
 * every node of an array holds the table. A parent's release passes over a child
 * that was moved away, whose `release` the consumer has cleared.
 *
 *     table ◀── struct array ── owns the structs of ──▶ column ... column
 *       ▲                                                 │ owns
 *       └───────────── each holds ────────────────────────┴──▶ dictionary
 *
 * Codes of null rows are -1, and Arrow leaves the value of a null slot open, so
 * codes are shared as they are.
 */
#include <threadmodel/arrow.h>

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "table/table.h"

static void release_schema(struct ArrowSchema *schema);
static void release_array(struct ArrowArray *array);

/* The memory that a schema node owns, followed by child_count structs. */
typedef struct schema_node {
    tm__memory memory;
    size_t bytes;
    struct ArrowSchema **child_list;
    struct ArrowSchema *children;
    struct ArrowSchema dictionary;
} schema_node;

typedef struct array_node {
    tm__memory memory;
    size_t bytes;
    tm_table *table;
    const void *buffers[3];
    struct ArrowArray **child_list;
    struct ArrowArray *children;
    struct ArrowArray dictionary;
} array_node;

typedef struct stream_state {
    tm__memory memory;
    tm_table *table;
    int is_done;
    const char *last_error;
} stream_state;

static const char *format_of(int type)
{
    switch (type) {
    case TM_TYPE_INT32: return "i";
    case TM_TYPE_INT64: return "l";
    case TM_TYPE_UINT64: return "L";
    case TM_TYPE_DOUBLE: return "g";
    case TM_TYPE_BOOL: return "b";
    default: return "i"; /* the codes of a string column */
    }
}

/* A table is read by many threads at once, so what an export allocates is counted
 * in a copy of the table's memory, not in the table's own. */
static tm__memory memory_of(const tm_table *table)
{
    tm__memory memory;

    tm__memory_init(&memory, &table->memory.hook);
    return memory;
}

static void release_schema(struct ArrowSchema *schema)
{
    schema_node *node = schema->private_data;
    tm__memory memory = node->memory;

    for (int64_t i = 0; i < schema->n_children; i++)
        if (schema->children[i]->release)
            schema->children[i]->release(schema->children[i]);
    if (schema->dictionary && schema->dictionary->release)
        schema->dictionary->release(schema->dictionary);
    schema->release = NULL;
    tm__free(&memory, node, node->bytes);
}

static schema_node *new_schema(struct ArrowSchema *schema, const tm_table *table,
                               const char *format, const char *name, size_t children)
{
    tm__memory memory = memory_of(table);
    size_t bytes = sizeof(schema_node) + children * (sizeof(struct ArrowSchema) +
                                                     sizeof(struct ArrowSchema *));
    schema_node *node = tm__zalloc(&memory, bytes);

    if (!node)
        return NULL;
    node->memory = memory;
    node->bytes = bytes;
    node->children = (struct ArrowSchema *)(node + 1);
    node->child_list = (struct ArrowSchema **)(node->children + children);
    for (size_t i = 0; i < children; i++)
        node->child_list[i] = &node->children[i];
    *schema = (struct ArrowSchema){
        .format = format,
        .name = name,
        .n_children = (int64_t)children,
        .children = children ? node->child_list : NULL,
        .release = release_schema,
        .private_data = node,
    };
    return node;
}

static int column_schema(struct ArrowSchema *schema, const tm_table *table,
                         const tm__column *column)
{
    schema_node *node =
        new_schema(schema, table, format_of(column->type), column->name, 0);

    if (!node)
        return TM_ENOMEM;
    schema->flags = ARROW_FLAG_NULLABLE;
    if (column->type != TM_TYPE_STRING)
        return TM_OK;
    if (!new_schema(&node->dictionary, table, "u", "", 0)) {
        release_schema(schema);
        return TM_ENOMEM;
    }
    schema->dictionary = &node->dictionary;
    return TM_OK;
}

static int table_schema(struct ArrowSchema *schema, const tm_table *table)
{
    schema_node *node =
        new_schema(schema, table, "+s", table->name, table->column_count);

    if (!node)
        return TM_ENOMEM;
    for (size_t i = 0; i < table->column_count; i++) {
        if (column_schema(&node->children[i], table, &table->columns[i]) < 0) {
            release_schema(schema);
            return TM_ENOMEM;
        }
    }
    return TM_OK;
}

static void release_array(struct ArrowArray *array)
{
    array_node *node = array->private_data;
    tm__memory memory = node->memory;
    tm_table *table = node->table;

    for (int64_t i = 0; i < array->n_children; i++)
        if (array->children[i]->release)
            array->children[i]->release(array->children[i]);
    if (array->dictionary && array->dictionary->release)
        array->dictionary->release(array->dictionary);
    array->release = NULL;
    tm__free(&memory, node, node->bytes);
    tm_table_free(table);
}

static array_node *new_array(struct ArrowArray *array, const tm_table *table,
                             size_t length, size_t buffers, size_t children)
{
    tm__memory memory = memory_of(table);
    size_t bytes = sizeof(array_node) +
                   children * (sizeof(struct ArrowArray) + sizeof(struct ArrowArray *));
    array_node *node = tm__zalloc(&memory, bytes);

    if (!node)
        return NULL;
    node->memory = memory;
    node->bytes = bytes;
    node->table = (tm_table *)tm__table_hold(table);
    node->children = (struct ArrowArray *)(node + 1);
    node->child_list = (struct ArrowArray **)(node->children + children);
    for (size_t i = 0; i < children; i++)
        node->child_list[i] = &node->children[i];
    *array = (struct ArrowArray){
        .length = (int64_t)length,
        .n_buffers = (int64_t)buffers,
        .n_children = (int64_t)children,
        .buffers = node->buffers,
        .children = children ? node->child_list : NULL,
        .release = release_array,
        .private_data = node,
    };
    return node;
}

static int column_array(struct ArrowArray *array, const tm_table *table,
                        const tm__column *column)
{
    const tm__dictionary *dictionary = &column->dictionary;
    array_node *node = new_array(array, table, table->row_count, 2, 0);
    array_node *texts;

    if (!node)
        return tm__failure();
    array->null_count = (int64_t)column->null_count;
    node->buffers[0] = column->null_count ? column->validity : NULL;
    node->buffers[1] = tm__column_values(column);
    if (column->type != TM_TYPE_STRING)
        return TM_OK;
    texts = new_array(&node->dictionary, table, dictionary->count, 3, 0);
    if (!texts) {
        release_array(array);
        return TM_ENOMEM;
    }
    texts->buffers[1] = dictionary->offsets;
    /* A dictionary of no bytes still points somewhere: not all consumers take NULL. */
    texts->buffers[2] =
        dictionary->bytes ? dictionary->bytes : (const char *)dictionary->offsets;
    array->dictionary = &node->dictionary;
    return TM_OK;
}

static int table_array(struct ArrowArray *array, const tm_table *table)
{
    array_node *node =
        new_array(array, table, table->row_count, 1, table->column_count);

    if (!node)
        return TM_ENOMEM;
    for (size_t i = 0; i < table->column_count; i++) {
        if (column_array(&node->children[i], table, &table->columns[i]) < 0) {
            release_array(array);
            return TM_ENOMEM;
        }
    }
    return TM_OK;
}

int tm_table_export_arrow(struct ArrowSchema *schema, struct ArrowArray *array,
                          const tm_table *table)
{
    struct ArrowSchema made_schema;
    struct ArrowArray made_array;

    TM__CHECK(table);
    if (schema && table_schema(&made_schema, table) < 0)
        return tm__failure();
    if (array && table_array(&made_array, table) < 0) {
        if (schema)
            release_schema(&made_schema);
        return TM_ENOMEM;
    }
    if (schema)
        *schema = made_schema;
    if (array)
        *array = made_array;
    return TM_OK;
}

static int stream_result(stream_state *state, int status)
{
    state->last_error = status < 0 ? "no memory" : NULL;
    return status < 0 ? ENOMEM : 0;
}

static int stream_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    stream_state *state = stream->private_data;

    return stream_result(state, tm_table_export_arrow(out, NULL, state->table));
}

static int stream_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    stream_state *state = stream->private_data;
    int status;

    if (state->is_done) {
        *out = (struct ArrowArray){.release = NULL};
        return stream_result(state, TM_OK);
    }
    status = tm_table_export_arrow(NULL, out, state->table);
    state->is_done = status == TM_OK;
    return stream_result(state, status);
}

static const char *stream_error(struct ArrowArrayStream *stream)
{
    return ((stream_state *)stream->private_data)->last_error;
}

static void release_stream(struct ArrowArrayStream *stream)
{
    stream_state *state = stream->private_data;
    tm__memory memory = state->memory;
    tm_table *table = state->table;

    stream->release = NULL;
    tm__free(&memory, state, sizeof(*state));
    tm_table_free(table);
}

int tm_table_export_arrow_stream(struct ArrowArrayStream *stream, const tm_table *table)
{
    tm__memory memory;
    stream_state *state;

    TM__CHECK(stream);
    TM__CHECK(table);
    memory = memory_of(table);
    state = tm__zalloc(&memory, sizeof(*state));
    if (!state)
        return TM_ENOMEM;
    state->memory = memory;
    state->table = (tm_table *)tm__table_hold(table);
    *stream = (struct ArrowArrayStream){
        .get_schema = stream_schema,
        .get_next = stream_next,
        .get_last_error = stream_error,
        .release = release_stream,
        .private_data = state,
    };
    return TM_OK;
}
