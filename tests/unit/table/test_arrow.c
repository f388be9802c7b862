/* SPDX-License-Identifier: Apache-2.0 */
/* Tables through the Arrow C interfaces, read and released as a consumer would. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <threadmodel/arrow.h>

#include "base/error.h"
#include "support/scarce.h"
#include "table/builder.h"

static const tm__column_spec columns[] = {
    {"count", TM_TYPE_INT64, 0, 0},
    {"open", TM_TYPE_BOOL, 0, 0},
    {"name", TM_TYPE_STRING, 0, 0},
};

static int make_table(tm_table **out, int rows, const tm_allocator *hook)
{
    tm__builder builder;

    tm__builder_start(&builder, &(tm__table_spec){"sample", columns, 3}, 0, hook);
    for (int i = 0; i < rows; i++) {
        tm__put_int64(&builder, i * 10);
        tm__put_bool(&builder, i % 2);
        tm__put_string(&builder, i % 3 == 0 ? "ab" : i % 3 == 1 ? "xyz" : NULL);
    }
    return tm__builder_finish(&builder, out);
}

static void columns_are_shared_not_copied(void **state)
{
    tm_table *table;
    struct ArrowArray array, *name;

    (void)state;
    assert_int_equal(make_table(&table, 9, NULL), TM_OK);
    assert_int_equal(tm_table_export_arrow(NULL, &array, table), TM_OK);
    assert_int_equal(array.length, 9);
    assert_int_equal(array.n_children, 3);
    assert_int_equal(array.n_buffers, 1);
    assert_null(array.buffers[0]);
    assert_ptr_equal(array.children[0]->buffers[1], tm_table_int64(table, "count"));
    assert_null(array.children[0]->buffers[0]);
    assert_int_equal(array.children[0]->null_count, 0);
    assert_ptr_equal(array.children[1]->buffers[1], tm_table_bool(table, "open"));
    name = array.children[2];
    assert_int_equal(name->null_count, 3);
    assert_ptr_equal(name->buffers[0], tm_table_validity(table, "name"));
    assert_ptr_equal(name->buffers[1], tm_table_codes(table, "name"));
    array.release(&array);
    assert_null(array.release);
    tm_table_free(table);
}

static void strings_are_a_dictionary_without_gaps(void **state)
{
    static const int32_t offsets[] = {0, 2, 5};
    tm_table *table;
    struct ArrowArray array, *texts;

    (void)state;
    assert_int_equal(make_table(&table, 5, NULL), TM_OK);
    assert_int_equal(tm_table_export_arrow(NULL, &array, table), TM_OK);
    texts = array.children[2]->dictionary;
    assert_int_equal(texts->length, 2);
    assert_int_equal(texts->n_buffers, 3);
    assert_memory_equal(texts->buffers[1], offsets, sizeof(offsets));
    assert_memory_equal(texts->buffers[2], "abxyz", 5);
    assert_null(array.children[0]->dictionary);
    array.release(&array);
    tm_table_free(table);
}

static void the_schema_names_columns_and_formats(void **state)
{
    static const char *const formats[] = {"l", "b", "i"};
    tm_table *table;
    struct ArrowSchema schema;

    (void)state;
    assert_int_equal(make_table(&table, 1, NULL), TM_OK);
    assert_int_equal(tm_table_export_arrow(&schema, NULL, table), TM_OK);
    tm_table_free(table);
    assert_string_equal(schema.format, "+s");
    assert_int_equal(schema.n_children, 3);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(schema.children[i]->name, columns[i].name);
        assert_string_equal(schema.children[i]->format, formats[i]);
        assert_int_equal(schema.children[i]->flags, ARROW_FLAG_NULLABLE);
    }
    assert_null(schema.children[0]->dictionary);
    assert_string_equal(schema.children[2]->dictionary->format, "u");
    schema.release(&schema);
    assert_null(schema.release);
}

static void an_empty_table_is_an_array_of_length_zero(void **state)
{
    tm_table *table;
    struct ArrowArray array, *texts;

    (void)state;
    assert_int_equal(make_table(&table, 0, NULL), TM_OK);
    assert_int_equal(tm_table_export_arrow(NULL, &array, table), TM_OK);
    tm_table_free(table);
    assert_int_equal(array.length, 0);
    assert_non_null(array.children[0]->buffers[1]);
    texts = array.children[2]->dictionary;
    assert_int_equal(texts->length, 0);
    assert_int_equal(((const int32_t *)texts->buffers[1])[0], 0);
    array.release(&array);
}

/* Move a struct as the specification says: copy it, and clear the original. */
static struct ArrowArray moved(struct ArrowArray *from)
{
    struct ArrowArray to = *from;

    from->release = NULL;
    return to;
}

static void children_outlive_their_parent_and_the_table(void **state)
{
    struct scarce scarce;
    tm_allocator hook = scarce_hook(&scarce, SIZE_MAX);
    tm_table *table;
    struct ArrowArray array, root, count, name, texts;

    (void)state;
    assert_int_equal(make_table(&table, 9, &hook), TM_OK);
    assert_int_equal(tm_table_export_arrow(NULL, &array, table), TM_OK);
    tm_table_free(table);
    root = moved(&array);
    count = moved(root.children[0]);
    name = moved(root.children[2]);
    root.release(&root);
    assert_int_equal(((const int64_t *)count.buffers[1])[8], 80);
    texts = moved(name.dictionary);
    assert_int_equal(((const int32_t *)name.buffers[1])[2], -1);
    name.release(&name);
    assert_true(scarce.live_blocks > 0);
    assert_memory_equal(texts.buffers[2], "abxyz", 5);
    count.release(&count);
    assert_memory_equal(texts.buffers[2], "abxyz", 5);
    texts.release(&texts);
    assert_int_equal(scarce.live_blocks, 0);
}

static void children_may_be_released_before_their_parent(void **state)
{
    struct scarce scarce;
    tm_allocator hook = scarce_hook(&scarce, SIZE_MAX);
    tm_table *table;
    struct ArrowArray array;
    struct ArrowSchema schema, name;

    (void)state;
    assert_int_equal(make_table(&table, 9, &hook), TM_OK);
    assert_int_equal(tm_table_export_arrow(&schema, &array, table), TM_OK);
    tm_table_free(table);
    array.children[1]->release(array.children[1]);
    assert_null(array.children[1]->release);
    name = *schema.children[2];
    schema.children[2]->release = NULL;
    schema.release(&schema);
    assert_string_equal(name.dictionary->format, "u");
    name.release(&name);
    array.release(&array);
    assert_int_equal(scarce.live_blocks, 0);
}

static void a_stream_is_one_batch_and_then_ends(void **state)
{
    struct scarce scarce;
    tm_allocator hook = scarce_hook(&scarce, SIZE_MAX);
    tm_table *table;
    struct ArrowArrayStream stream, copy;
    struct ArrowSchema schema;
    struct ArrowArray batch, end;

    (void)state;
    assert_int_equal(make_table(&table, 4, &hook), TM_OK);
    assert_int_equal(tm_table_export_arrow_stream(&stream, table), TM_OK);
    tm_table_free(table);
    copy = stream;
    stream.release = NULL;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(copy.get_schema(&copy, &schema), 0);
        assert_string_equal(schema.format, "+s");
        schema.release(&schema);
    }
    assert_int_equal(copy.get_next(&copy, &batch), 0);
    assert_int_equal(copy.get_next(&copy, &end), 0);
    assert_null(end.release);
    assert_null(copy.get_last_error(&copy));
    copy.release(&copy);
    assert_null(copy.release);
    assert_int_equal(batch.length, 4);
    assert_int_equal(((const int64_t *)batch.children[0]->buffers[1])[3], 30);
    batch.release(&batch);
    assert_int_equal(scarce.live_blocks, 0);
}

static void running_out_of_memory_leaves_structs_untouched(void **state)
{
    int is_done = 0;

    (void)state;
    for (size_t allowed = 0; !is_done; allowed++) {
        struct scarce scarce;
        tm_allocator hook = scarce_hook(&scarce, SIZE_MAX);
        tm_table *table;
        struct ArrowSchema schema = {.n_children = 77};
        struct ArrowArray array = {.length = 77};
        int status;

        assert_int_equal(make_table(&table, 4, &hook), TM_OK);
        scarce.calls_left = allowed;
        status = tm_table_export_arrow(&schema, &array, table);
        tm_table_free(table);
        is_done = status == TM_OK;
        if (is_done) {
            schema.release(&schema);
            array.release(&array);
        } else {
            assert_int_equal(status, TM_ENOMEM);
            assert_int_equal(schema.n_children, 77);
            assert_int_equal(array.length, 77);
            assert_null(array.release);
        }
        assert_int_equal(scarce.live_blocks, 0);
    }
}

static void a_stream_goes_on_after_running_out_of_memory(void **state)
{
    int is_done = 0;

    (void)state;
    for (size_t allowed = 0; !is_done; allowed++) {
        struct scarce scarce;
        tm_allocator hook = scarce_hook(&scarce, SIZE_MAX);
        tm_table *table;
        struct ArrowArrayStream stream = {0};
        struct ArrowArray batch = {0};

        assert_int_equal(make_table(&table, 4, &hook), TM_OK);
        scarce.calls_left = allowed;
        if (tm_table_export_arrow_stream(&stream, table) == TM_OK) {
            is_done = stream.get_next(&stream, &batch) == 0;
            if (!is_done) {
                assert_non_null(stream.get_last_error(&stream));
                scarce.calls_left = SIZE_MAX;
                assert_int_equal(stream.get_next(&stream, &batch), 0);
            }
            assert_int_equal(batch.length, 4);
            batch.release(&batch);
            stream.release(&stream);
        } else {
            assert_null(stream.release);
        }
        tm_table_free(table);
        assert_int_equal(scarce.live_blocks, 0);
    }
}

static void *export_and_release(void *table)
{
    for (int i = 0; i < 2000; i++) {
        struct ArrowArray array;

        assert_int_equal(tm_table_export_arrow(NULL, &array, table), TM_OK);
        array.release(&array);
    }
    return NULL;
}

static void *release_in_pieces(void *payload)
{
    struct ArrowArray *array = payload;

    array->release(array);
    return NULL;
}

static void threads_may_export_and_release_at_once(void **state)
{
    pthread_t threads[4];
    struct ArrowArray arrays[4];
    tm_table *table;

    (void)state;
    assert_int_equal(make_table(&table, 100, NULL), TM_OK);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, export_and_release, table);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 4; i++)
        assert_int_equal(tm_table_export_arrow(NULL, &arrays[i], table), TM_OK);
    tm_table_free(table);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, release_in_pieces, &arrays[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_shared_not_copied),
        cmocka_unit_test(strings_are_a_dictionary_without_gaps),
        cmocka_unit_test(the_schema_names_columns_and_formats),
        cmocka_unit_test(an_empty_table_is_an_array_of_length_zero),
        cmocka_unit_test(children_outlive_their_parent_and_the_table),
        cmocka_unit_test(children_may_be_released_before_their_parent),
        cmocka_unit_test(a_stream_is_one_batch_and_then_ends),
        cmocka_unit_test(running_out_of_memory_leaves_structs_untouched),
        cmocka_unit_test(a_stream_goes_on_after_running_out_of_memory),
        cmocka_unit_test(threads_may_export_and_release_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
