/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting of an answer's rows: by key, then by comparison, else as they came. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/sort.h"

enum { MAX_COUNT = 4000 };

/* Many and few are sorted in different ways. */
static tm__sortable items[MAX_COUNT], spare[MAX_COUNT];
static int64_t given[MAX_COUNT];

/* The payload is a modulus: numbers that leave the same rest are equal. */
static int by_rest(const void *payload, uint32_t left, uint32_t right)
{
    uint32_t modulus = *(const uint32_t *)payload;

    return (int)(left % modulus) - (int)(right % modulus);
}

/* Sort given[] by key, then by what a number leaves. */
static void check_given(size_t count, uint32_t modulus)
{
    uint8_t seen[MAX_COUNT] = {0};

    for (size_t i = 0; i < count; i++)
        items[i] = (tm__sortable){given[i], (uint32_t)i};
    tm__sort(items, spare, count, by_rest, &modulus);
    for (size_t i = 0; i < count; i++) {
        uint32_t number = items[i].number;

        assert_int_equal(items[i].key, given[number]);
        assert_int_equal(seen[number], 0);
        seen[number] = 1;
        if (i == 0 || items[i - 1].key < items[i].key)
            continue;
        assert_int_equal(items[i - 1].key, items[i].key);
        if (items[i - 1].number % modulus == number % modulus)
            assert_true(items[i - 1].number < number);
        else
            assert_true(items[i - 1].number % modulus < number % modulus);
    }
}

static void check(size_t count, int64_t keys, uint32_t modulus)
{
    for (size_t i = 0; i < count; i++)
        given[i] = (int64_t)(i * 7919 % (size_t)keys) - 2;
    check_given(count, modulus);
}

static void rows_go_by_key_then_comparison_then_as_they_came(void **state)
{
    (void)state;
    for (size_t count = 0; count <= MAX_COUNT; count += count < 70 ? 1 : 93)
        for (int64_t keys = 1; keys <= 1000; keys *= 10)
            for (uint32_t modulus = 1; modulus <= 9; modulus += 4)
                check(count, keys, modulus);
}

/* Each thread's rows rise, but for some that come late, and threads follow one another.
 */
static void stretches_that_nearly_rise_are_put_in_order(void **state)
{
    static const int64_t late[] = {0, 1, 7, 8, 9, 40, 1000};

    (void)state;
    for (size_t stretches = 1; stretches <= 11; stretches++)
        for (size_t l = 0; l < sizeof(late) / sizeof(*late); l++)
            for (uint32_t modulus = 1; modulus <= 9; modulus += 4) {
                size_t length = MAX_COUNT / stretches;

                for (size_t i = 0; i < MAX_COUNT; i++)
                    given[i] = (int64_t)(i % length) / 2 - (i % 23 ? 0 : late[l]);
                check_given(MAX_COUNT, modulus);
            }
}

static void keys_of_any_size_compare_right(void **state)
{
    static const int64_t keys[] = {INT64_MAX, 0, INT64_MIN, -1, INT64_MIN + 1};
    uint32_t modulus = 1;

    (void)state;
    for (uint32_t i = 0; i < 5; i++)
        items[i] = (tm__sortable){keys[i], i};
    tm__sort(items, spare, 5, by_rest, &modulus);
    assert_int_equal(items[0].number, 2);
    assert_int_equal(items[1].number, 4);
    assert_int_equal(items[2].number, 3);
    assert_int_equal(items[3].number, 1);
    assert_int_equal(items[4].number, 0);
    for (uint32_t i = 0; i < MAX_COUNT; i++)
        items[i] = (tm__sortable){keys[i % 5], i};
    tm__sort(items, spare, MAX_COUNT, by_rest, &modulus);
    for (uint32_t i = 1; i < MAX_COUNT; i++) {
        assert_true(items[i - 1].key <= items[i].key);
        if (items[i - 1].key == items[i].key)
            assert_true(items[i - 1].number < items[i].number);
        assert_int_equal(items[i].key, keys[items[i].number % 5]);
    }
}

static int64_t group_of(const void *payload, uint32_t number)
{
    return (int64_t)(number % *(const uint32_t *)payload) - 1;
}

static int64_t given_of(const void *payload, uint32_t number)
{
    (void)payload;
    return given[number];
}

static void rows_go_by_group_then_key_then_as_they_came(void **state)
{
    uint32_t groups = 5;
    tm__memory memory;

    (void)state;
    tm__memory_init(&memory, NULL);
    for (size_t count = 0; count <= MAX_COUNT; count += 97) {
        tm__sortable *order;

        for (size_t i = 0; i < count; i++)
            given[i] = (int64_t)(i * 7919 % 100) - 2;
        order = tm__sorted_within_new(&memory, count, group_of, given_of, &groups);
        assert_non_null(order);
        for (size_t i = 1; i < count; i++) {
            uint32_t l = order[i - 1].number, r = order[i].number;

            assert_true(group_of(&groups, l) <= group_of(&groups, r));
            if (l % groups != r % groups)
                continue;
            assert_true(given[l] < given[r] || (given[l] == given[r] && l < r));
        }
        tm__sorted_free(&memory, order, count);
    }
    assert_int_equal(memory.used_bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_go_by_key_then_comparison_then_as_they_came),
        cmocka_unit_test(stretches_that_nearly_rise_are_put_in_order),
        cmocka_unit_test(keys_of_any_size_compare_right),
        cmocka_unit_test(rows_go_by_group_then_key_then_as_they_came),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
