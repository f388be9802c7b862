/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of many runs as one: any order, any grouping, any numbers, any Arrow array. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <threadmodel/summary.h>

#include "base/error.h"
#include "support/scarce.h"
#include "table/tables.h"

struct text {
    char bytes[4096];
    size_t used;
};

static int append(void *payload, const char *bytes, size_t count)
{
    struct text *text = payload;

    assert_true(text->used + count < sizeof(text->bytes));
    memcpy(text->bytes + text->used, bytes, count);
    text->used += count;
    text->bytes[text->used] = '\0';
    return TM_OK;
}

static const char *csv(const tm_table *table, struct text *text)
{
    text->used = 0;
    assert_int_equal(tm_table_write_csv(table, append, text), TM_OK);
    return text->bytes;
}

/* Sums of one class, as a run answers with them. */
static tm_table *run_of(const char *class, int64_t count, int64_t total,
                        const tm_allocator *hook)
{
    tm__builder builder;
    tm_table *table;

    tm__builder_start(&builder, &tm__class_sums_table, 0, hook);
    for (int i = 0; i < 2; i++) {
        tm__put_string(&builder, class);
        tm__put_string(&builder, i == 0 ? "parked" : "blocked");
        tm__put_int64(&builder, count);
        tm__put_int64(&builder, total);
        if (count) {
            tm__put_int64(&builder, total / count);
            tm__put_int64(&builder, total);
        } else {
            tm__put_null(&builder);
            tm__put_null(&builder);
        }
        for (int column = 0; column < 4; column++)
            tm__put_int64(&builder, 7);
    }
    assert_int_equal(tm__builder_finish(&builder, &table), TM_OK);
    return table;
}

static tm_table *merged(const tm_table *a, const tm_table *b, const tm_table *c)
{
    const tm_table *tables[] = {a, b, c};
    tm_table *out;

    assert_int_equal(tm_summary_merge(&out, tables, c ? 3 : b ? 2 : 1), TM_OK);
    return out;
}

static void keys_group_and_the_rest_adds_up(void **state)
{
    tm_table *a = run_of("b.B", 2, 10, NULL), *b = run_of("b.B", 3, 60, NULL),
             *c = run_of(NULL, 0, 0, NULL), *out = merged(a, b, c);
    struct text text;

    (void)state;
    assert_string_equal(csv(out, &text),
                        "class,state,count,total_ns,min_ns,max_ns,rows,runs\r\n"
                        ",blocked,0,0,,,1,1\r\n"
                        ",parked,0,0,,,1,1\r\n"
                        "b.B,blocked,5,70,5,60,2,2\r\n"
                        "b.B,parked,5,70,5,60,2,2\r\n");
    tm_table_free(a);
    tm_table_free(b);
    tm_table_free(c);
    tm_table_free(out);
}

static void any_order_and_any_grouping_make_the_same(void **state)
{
    tm_table *a = run_of("x", 1, INT64_MAX, NULL), *b = run_of("y", 2, 8, NULL),
             *c = run_of("x", 3, 9, NULL), *whole = merged(a, b, c),
             *left = merged(a, b, NULL), *right = merged(c, b, NULL), *one, *other;
    struct text text, again;

    (void)state;
    one = merged(left, c, NULL);
    other = merged(right, a, NULL);
    assert_string_equal(csv(one, &text), csv(whole, &again));
    assert_string_equal(csv(other, &text), again.bytes);
    tm_table_free(one);
    one = merged(whole, NULL, NULL);
    assert_string_equal(csv(one, &text), again.bytes);
    tm_table_free(a);
    tm_table_free(b);
    tm_table_free(c);
    tm_table_free(whole);
    tm_table_free(left);
    tm_table_free(right);
    tm_table_free(one);
    tm_table_free(other);
}

static tm_table *gain_of(int64_t gain_ns)
{
    static const tm__column_spec columns[] = {{"change", TM_TYPE_STRING, 0, 0},
                                              {"gain_ns", TM_TYPE_INT64, 0, 0}};
    tm__builder builder;
    tm_table *table;

    tm__builder_start(&builder, &(tm__table_spec){"whatif", columns, 2}, 0, NULL);
    tm__put_string(&builder, "sleeps");
    tm__put_int64(&builder, gain_ns);
    assert_int_equal(tm__builder_finish(&builder, &table), TM_OK);
    return table;
}

static void a_gain_that_is_a_loss_counts_as_one_in_any_order(void **state)
{
    tm_table *loss = gain_of(-70), *gain = gain_of(30), *most = gain_of(INT64_MAX),
             *alone = merged(loss, NULL, NULL), *both = merged(loss, gain, NULL),
             *first = merged(gain, most, NULL), *out = merged(first, loss, NULL);
    struct text text;

    (void)state;
    assert_string_equal(csv(alone, &text),
                        "change,gain_ns,rows,runs\r\nsleeps,-70,1,1\r\n");
    assert_string_equal(csv(both, &text),
                        "change,gain_ns,rows,runs\r\nsleeps,-40,2,2\r\n");
    /* Though a sum on the way is beyond 64 bits. */
    assert_string_equal(
        csv(out, &text),
        "change,gain_ns,rows,runs\r\nsleeps,9223372036854775767,3,3\r\n");
    tm_table_free(loss);
    tm_table_free(gain);
    tm_table_free(most);
    tm_table_free(alone);
    tm_table_free(both);
    tm_table_free(first);
    tm_table_free(out);
}

static void rows_of_a_run_with_equal_keys_are_one_run(void **state)
{
    tm__builder builder;
    tm_table *table, *out;
    struct text text;

    (void)state;
    tm__builder_start(&builder, &tm__caveats_table, 0, NULL);
    tm__put_string(&builder, "twice");
    tm__put_string(&builder, "twice");
    assert_int_equal(tm__builder_finish(&builder, &table), TM_OK);
    out = merged(table, table, NULL);
    assert_string_equal(csv(out, &text), "caveat,rows,runs\r\ntwice,4,2\r\n");
    tm_table_free(table);
    tm_table_free(out);
}

static void tables_that_do_not_merge_are_refused(void **state)
{
    tm_table *a = run_of("x", 1, 1, NULL), *caveats, *timeline, *out;
    const tm_table *tables[2];
    tm__builder builder;

    (void)state;
    tm__builder_start(&builder, &tm__caveats_table, 0, NULL);
    assert_int_equal(tm__builder_finish(&builder, &caveats), TM_OK);
    tm__builder_start(&builder, &tm__timeline_table, 0, NULL);
    assert_int_equal(tm__builder_finish(&builder, &timeline), TM_OK);
    tables[0] = a;
    tables[1] = caveats;
    assert_int_equal(tm_summary_merge(&out, tables, 2), TM_EINVAL);
    assert_string_equal(tm_error_text(),
                        "table caveats does not merge with table class_sums");
    tables[0] = timeline;
    assert_int_equal(tm_summary_merge(&out, tables, 1), TM_EINVAL);
    assert_string_equal(tm_error_text(), "table timeline cannot be merged");
    assert_null(out);
    tm_table_free(a);
    tm_table_free(caveats);
    tm_table_free(timeline);
}

static void a_column_of_another_type_is_refused(void **state)
{
    static const tm__column_spec columns[] = {{"caveat", TM_TYPE_INT64, 0, 0}};
    tm__builder builder;
    tm_table *table, *out;
    const tm_table *tables[1];

    (void)state;
    tm__builder_start(&builder, &(tm__table_spec){"caveats", columns, 1}, 0, NULL);
    tm__put_int64(&builder, 1);
    assert_int_equal(tm__builder_finish(&builder, &table), TM_OK);
    tables[0] = table;
    assert_int_equal(tm_summary_merge(&out, tables, 1), TM_EINVAL);
    assert_string_equal(tm_error_text(),
                        "table caveats: column caveat is of another type");
    tm_table_free(table);
}

static void what_arrow_stores_comes_back(void **state)
{
    tm_table *a = run_of("x", 0, 8, NULL), *b = run_of("a.\xc3\xa4", 2, 9, NULL),
             *whole = merged(a, b, NULL), *back, *again;
    struct ArrowSchema schema;
    struct ArrowArray array;
    struct text text, other;

    (void)state;
    assert_int_equal(tm_table_export_arrow(&schema, &array, whole), TM_OK);
    assert_int_equal(tm_summary_import(&back, "class_sums", &schema, &array, NULL),
                     TM_OK);
    again = merged(back, NULL, NULL);
    assert_string_equal(csv(again, &text), csv(whole, &other));
    tm_table_free(again);
    tm_table_free(back);
    /* The second row and what follows. */
    array.offset = 1;
    array.length = 2;
    assert_int_equal(tm_summary_import(&back, "class_sums", &schema, &array, NULL),
                     TM_OK);
    assert_int_equal(tm_table_row_count(back), 2);
    assert_string_equal(tm_table_string(back, "class", 0), "a.\xc3\xa4");
    assert_string_equal(tm_table_string(back, "class", 1), "x");
    tm_table_free(back);
    array.release(&array);
    schema.release(&schema);
    tm_table_free(a);
    tm_table_free(b);
    tm_table_free(whole);
}

static void an_array_that_contradicts_itself_is_refused(void **state)
{
    static const int32_t codes[] = {0, 9, 0, 1};
    tm_table *a = run_of("x", 1, 8, NULL), *whole = merged(a, NULL, NULL), *out;
    struct ArrowSchema schema;
    struct ArrowArray array;
    const void *kept;
    const char *format;

    (void)state;
    assert_int_equal(tm_table_export_arrow(&schema, &array, whole), TM_OK);
    kept = array.children[1]->buffers[1];
    array.children[1]->buffers[1] = codes;
    assert_int_equal(tm_summary_import(&out, "class_sums", &schema, &array, NULL),
                     TM_EINVAL);
    assert_string_equal(tm_error_text(),
                        "Arrow array: column state has no text of code 9");
    array.children[1]->buffers[1] = kept;
    array.length = 3;
    assert_int_equal(tm_summary_import(&out, "class_sums", &schema, &array, NULL),
                     TM_EINVAL);
    assert_string_equal(tm_error_text(), "Arrow array: column class is too short");
    array.length = 2;
    format = schema.children[2]->format;
    schema.children[2]->format = "g";
    assert_int_equal(tm_summary_import(&out, "class_sums", &schema, &array, NULL),
                     TM_EINVAL);
    assert_string_equal(tm_error_text(),
                        "Arrow array: column count is of another type");
    schema.children[2]->format = format;
    assert_int_equal(tm_summary_import(&out, "timeline", &schema, &array, NULL),
                     TM_EINVAL);
    assert_null(out);
    array.release(&array);
    schema.release(&schema);
    tm_table_free(a);
    tm_table_free(whole);
}

static void memory_that_runs_out_leaves_nothing_behind(void **state)
{
    int is_done = 0;

    (void)state;
    for (size_t calls = 0; !is_done; calls++) {
        struct scarce scarce = {.calls_left = SIZE_MAX};
        tm_allocator hook = {scarce_resize, &scarce};
        tm_table *a = run_of("x", 1, 8, &hook), *b = run_of("y", 2, 9, &hook), *out;
        const tm_table *tables[] = {a, b};
        struct ArrowSchema schema;
        struct ArrowArray array;
        int status;

        assert_int_equal(tm_table_export_arrow(&schema, &array, a), TM_OK);
        scarce.calls_left = calls;
        status = tm_summary_merge(&out, tables, 2);
        tm_table_free(out);
        if (status == TM_OK) {
            status = tm_summary_import(&out, "class_sums", &schema, &array, &hook);
            tm_table_free(out);
        }
        is_done = status == TM_OK;
        if (!is_done)
            assert_int_equal(status, TM_ENOMEM);
        scarce.calls_left = SIZE_MAX;
        array.release(&array);
        schema.release(&schema);
        tm_table_free(a);
        tm_table_free(b);
        assert_int_equal(scarce.live_blocks, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_group_and_the_rest_adds_up),
        cmocka_unit_test(any_order_and_any_grouping_make_the_same),
        cmocka_unit_test(a_gain_that_is_a_loss_counts_as_one_in_any_order),
        cmocka_unit_test(rows_of_a_run_with_equal_keys_are_one_run),
        cmocka_unit_test(tables_that_do_not_merge_are_refused),
        cmocka_unit_test(a_column_of_another_type_is_refused),
        cmocka_unit_test(what_arrow_stores_comes_back),
        cmocka_unit_test(an_array_that_contradicts_itself_is_refused),
        cmocka_unit_test(memory_that_runs_out_leaves_nothing_behind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
