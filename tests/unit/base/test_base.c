/* SPDX-License-Identifier: Apache-2.0 */
/* The ground that every layer stands on: memory, maps, strings, errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/duration.h"
#include "base/error.h"
#include "base/map.h"
#include "base/scale.h"
#include "base/strings.h"

/* Fails the n-th allocation and all after it. */
struct scarce {
    size_t calls_left;
};

static void *scarce_resize(void *payload, void *block, size_t bytes)
{
    struct scarce *scarce = payload;

    if (bytes == 0) {
        free(block);
        return NULL;
    }
    if (scarce->calls_left == 0)
        return NULL;
    scarce->calls_left--;
    return realloc(block, bytes);
}

static void map_finds_what_was_put_and_nothing_else(void **state)
{
    tm__memory memory;
    tm__map map;

    (void)state;
    tm__memory_init(&memory, NULL);
    tm__map_init(&map, &memory);
    for (uint32_t i = 0; i < 10000; i++)
        assert_int_equal(tm__map_put(&map, UINT64_MAX - i * UINT64_C(4096), i), TM_OK);
    for (uint32_t i = 0; i < 10000; i++)
        assert_int_equal(tm__map_find(&map, UINT64_MAX - i * UINT64_C(4096)), i);
    assert_int_equal(tm__map_find(&map, 1), TM__NONE);
    assert_int_equal(tm__map_find(&map, UINT64_MAX - 1), TM__NONE);
    tm__map_clear(&map);
    assert_int_equal(memory.used_bytes, 0);
}

static void strings_are_stored_once_and_stay_where_they_are(void **state)
{
    tm__memory memory;
    tm__strings strings;
    uint32_t first, again, other, cut;
    const char *address;

    (void)state;
    tm__memory_init(&memory, NULL);
    tm__strings_init(&strings, &memory);
    assert_int_equal(tm__strings_intern(&strings, &first, "java.lang.Object"), TM_OK);
    address = tm__strings_get(&strings, first);
    for (int i = 0; i < 1000; i++) {
        char text[32] = {0};
        memset(text, 'a' + i % 26, 1 + (size_t)i % 30);
        assert_int_equal(tm__strings_intern(&strings, &other, text), TM_OK);
        assert_string_equal(tm__strings_get(&strings, other), text);
    }
    assert_int_equal(tm__strings_intern(&strings, &again, "java.lang.Object"), TM_OK);
    assert_int_equal(again, first);
    assert_ptr_equal(tm__strings_get(&strings, again), address);
    assert_int_equal(tm__strings_intern_bytes(&strings, &cut, "java.lang.Object", 9),
                     TM_OK);
    assert_string_equal(tm__strings_get(&strings, cut), "java.lang");
    assert_int_equal(tm__strings_intern(&strings, &other, NULL), TM_OK);
    assert_null(tm__strings_get(&strings, other));
    tm__strings_clear(&strings);
    assert_int_equal(memory.used_bytes, 0);
}

static void running_out_of_memory_anywhere_leaves_maps_and_strings_usable(void **state)
{
    (void)state;
    for (size_t allowed = 0; allowed < 40; allowed++) {
        struct scarce scarce = {allowed};
        tm_allocator hook = {scarce_resize, &scarce};
        tm__memory memory;
        tm__map map;
        tm__strings strings;
        uint32_t index, stored = 0;

        tm__memory_init(&memory, &hook);
        tm__map_init(&map, &memory);
        tm__strings_init(&strings, &memory);
        for (uint32_t i = 0; i < 2000; i++) {
            char text[16];
            snprintf(text, sizeof(text), "%u", i);
            if (tm__map_put(&map, i + 1, i) == TM_OK)
                stored++;
            else
                assert_int_equal(tm__map_find(&map, i + 1), TM__NONE);
            if (tm__strings_intern(&strings, &index, text) == TM_OK)
                assert_string_equal(tm__strings_get(&strings, index), text);
        }
        for (uint32_t i = 0; i < stored; i++)
            assert_int_equal(tm__map_find(&map, i + 1), i);
        tm__strings_clear(&strings);
        tm__map_clear(&map);
        assert_int_equal(memory.used_bytes, 0);
    }
}

static void error_text_is_one_line_and_bounded(void **state)
{
    char path[2000];

    (void)state;
    memset(path, 'x', sizeof(path) - 1);
    path[sizeof(path) - 1] = '\0';
    assert_int_equal(tm__fail(TM_EIO, "%s: no such file", path), TM_EIO);
    assert_true(strlen(tm_error_text()) < 600);
    assert_int_equal(tm__fail(TM_EINVAL, "stack %d is not defined", 81), TM_EINVAL);
    assert_string_equal(tm_error_text(), "stack 81 is not defined");
    assert_string_equal(tm_error_name(TM_EDAMAGED), "TM_EDAMAGED");
    assert_string_equal(tm_error_name(-12345), "unknown error");
}

static void durations_are_written_as_people_do(void **state)
{
    static const struct {
        int64_t time_ns;
        const char *text;
    } TIMES[] = {
        {0, "0 ns"},
        {999, "999 ns"},
        {1000, "1.00 us"},
        {1234, "1.23 us"},
        {9996, "10.0 us"},
        {99960, "100 us"},
        {999499, "999 us"},
        {999500, "1.00 ms"},
        {1500000000, "1.50 s"},
        {INT64_C(7200000000000), "7200 s"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(TIMES) / sizeof(*TIMES); i++)
        assert_string_equal(tm__duration_of(TIMES[i].time_ns).text, TIMES[i].text);
}

static void a_product_of_128_bits_is_divided_the_same_with_and_without_them(
    void **state)
{
    const uint64_t values[] = {0,
                               1,
                               2,
                               999999999,
                               UINT32_MAX,
                               UINT64_C(1) << 32,
                               UINT64_C(1000000000000000000),
                               INT64_MAX,
                               UINT64_C(1) << 63,
                               UINT64_MAX - 1,
                               UINT64_MAX};
    const size_t count = sizeof(values) / sizeof(*values);

    (void)state;
    assert_int_equal(tm__scale_by_bits(3, 5, 1, 8), 2);
    assert_int_equal(tm__scale_by_bits(UINT64_MAX - 1, UINT64_MAX, 0, UINT64_MAX),
                     UINT64_MAX - 1);
    for (size_t a = 0; a < count; a++)
        for (size_t b = 0; b < count; b++)
            for (size_t c = 0; c < count; c++)
                /* A number less than c, times b, is less than b times c: it fits. */
                if (values[a] < values[c])
                    assert_int_equal(
                        tm__scale_by_bits(values[a], values[b], values[c] / 2,
                                          values[c]),
                        tm__scale(values[a], values[b], values[c] / 2, values[c]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(map_finds_what_was_put_and_nothing_else),
        cmocka_unit_test(strings_are_stored_once_and_stay_where_they_are),
        cmocka_unit_test(running_out_of_memory_anywhere_leaves_maps_and_strings_usable),
        cmocka_unit_test(error_text_is_one_line_and_bounded),
        cmocka_unit_test(durations_are_written_as_people_do),
        cmocka_unit_test(
            a_product_of_128_bits_is_divided_the_same_with_and_without_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
