/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8: what is valid stays, the rest becomes U+FFFD as Unicode recommends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/utf8.h"

#define R "\xef\xbf\xbd"

static void check_repair(const char *text, size_t bytes, const char *expected)
{
    char out[256];
    size_t written = tm__utf8_repair(out, text, bytes);

    assert_true(written <= 3 * bytes);
    assert_int_equal(tm__utf8_repair(NULL, text, bytes), written);
    assert_int_equal(written, strlen(expected));
    assert_memory_equal(out, expected, written);
    assert_int_equal(tm__utf8_valid_bytes(out, written), written);
}

/* Every code point, encoded here by hand, is valid; every surrogate is not. */
static void every_character_is_valid_but_surrogates(void **state)
{
    (void)state;
    for (unsigned c = 1; c <= 0x10ffff; c++) {
        char text[5] = {0};
        size_t bytes;

        if (c < 0x80) {
            bytes = 1;
            text[0] = (char)c;
        } else if (c < 0x800) {
            bytes = 2;
            text[0] = (char)(0xc0 | c >> 6);
        } else if (c < 0x10000) {
            bytes = 3;
            text[0] = (char)(0xe0 | c >> 12);
        } else {
            bytes = 4;
            text[0] = (char)(0xf0 | c >> 18);
        }
        for (size_t i = 1; i < bytes; i++)
            text[i] = (char)(0x80 | (c >> 6 * (bytes - 1 - i) & 0x3f));
        assert_int_equal(tm__utf8_valid_bytes(text, bytes),
                         c >= 0xd800 && c <= 0xdfff ? 0 : bytes);
        if (bytes > 1)
            assert_int_equal(tm__utf8_valid_bytes(text, bytes - 1), 0);
    }
}

static void valid_text_is_left_alone(void **state)
{
    static const char text[] = "main \xc3\xa9\xe2\x82\xac\xf0\x9f\x90\x98 worker-17";

    (void)state;
    check_repair(text, strlen(text), text);
    check_repair("", 0, "");
}

/* The examples of the Unicode standard, section 3.9, tables 3-8 to 3-11. */
static void broken_runs_become_one_replacement_each(void **state)
{
    (void)state;
    check_repair("\xc0\xaf\xe0\x80\xbf\xf0\x81\x82\x41", 9, R R R R R R R R "A");
    check_repair("\xed\xa0\x80\xed\xbf\xbf\xed\xaf\x41", 9, R R R R R R R R "A");
    check_repair("\xf4\x91\x92\x93\xff\x41\x80\xbf\x42", 9, R R R R R "A" R R "B");
    check_repair("\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41", 9, R R R R "A");
}

static void a_character_cut_at_the_end_is_one_replacement(void **state)
{
    (void)state;
    check_repair("abcdefgh\xf0\x9f\x90", 11, "abcdefgh" R);
    check_repair("\xe2", 1, R);
    check_repair("pool-\xff", 6, "pool-" R);
}

static void damage_is_found_at_any_place_in_long_ascii(void **state)
{
    char text[64];

    (void)state;
    for (size_t length = 1; length <= sizeof(text); length++) {
        for (size_t at = 0; at < length; at++) {
            memset(text, 'x', sizeof(text));
            text[at] = '\x80';
            assert_int_equal(tm__utf8_valid_bytes(text, length), at);
        }
    }
}

static void text_is_cut_between_characters(void **state)
{
    (void)state;
    assert_int_equal(tm__utf8_cut("abc", 3), 3);
    assert_int_equal(tm__utf8_cut("abc", 2), 2);
    assert_int_equal(tm__utf8_cut("a\xe2\x82\xac"
                                  "b",
                                  4),
                     4);
    assert_int_equal(tm__utf8_cut("a\xe2\x82\xac"
                                  "b",
                                  3),
                     1);
    assert_int_equal(tm__utf8_cut("\xe2\x82\xac", 2), 0);
    assert_int_equal(tm__utf8_cut("", 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_character_is_valid_but_surrogates),
        cmocka_unit_test(valid_text_is_left_alone),
        cmocka_unit_test(broken_runs_become_one_replacement_each),
        cmocka_unit_test(a_character_cut_at_the_end_is_one_replacement),
        cmocka_unit_test(damage_is_found_at_any_place_in_long_ascii),
        cmocka_unit_test(text_is_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
