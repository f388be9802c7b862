/* SPDX-License-Identifier: Apache-2.0 */
/* Names as the VM has them, in modified UTF-8 and as signatures, become what people
 * read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "trace/modified_utf8.h"

static void classes_go_by_the_name_that_people_write(void **state)
{
    static const char *const NAMES[][2] = {
        {"Ljava/util/HashMap;", "java.util.HashMap"},
        {"LDemo;", "Demo"},
        {"I", "int"},
        {"[I", "int[]"},
        {"[[Z", "boolean[][]"},
        {"B", "byte"},
        {"C", "char"},
        {"D", "double"},
        {"F", "float"},
        {"J", "long"},
        {"S", "short"},
        {"V", "V"},
        {"LNoEnd", "NoEnd"},
        {"[Ljava/util/Map$Entry;", "java.util.Map$Entry[]"},
        {"La/B$$Lambda.0x00007f12;", "a.B$$Lambda/0x00007f12"},
        {"L\xc3\x84/\xc3\xb6;", "\xc3\x84.\xc3\xb6"},
        {"L;", ""},
        {"", ""},
        {"[", "[]"},
    };
    char name[64];

    (void)state;
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(*NAMES); i++) {
        tm__text_class(name, sizeof(name), NAMES[i][0], strlen(NAMES[i][0]));
        assert_string_equal(name, NAMES[i][1]);
    }
    tm__text_class(name, 8, "[Ljava/lang/String;", 19);
    assert_string_equal(name, "java.la");
}

static void names_become_utf8(void **state)
{
    static const char *const NAMES[][2] = {
        {"worker-1", "worker-1"},
        {"\xe2\x82\xac", "\xe2\x82\xac"},
        {"\xc3\xa9", "\xc3\xa9"},
        {"", ""},
        /* Two surrogates of three bytes are one character of four. */
        {"a\xed\xa0\xbd\xed\xb8\x80z", "a\xf0\x9f\x98\x80z"},
        {"\xed\xa0\xbd", "\xef\xbf\xbd"},
        {"\xed\xb8\x80", "\xef\xbf\xbd"},
        {"\xed\xa0\xbd"
         "z",
         "\xef\xbf\xbdz"},
        {"\xed\xa0\xbd\xe2\x82\xac", "\xef\xbf\xbd\xe2\x82\xac"},
        {"\xed\xa0\xbd\xff", "\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xc3", "\xef\xbf\xbd"},
        {"\xc3z", "\xef\xbf\xbdz"},
        {"\xe2z\xac", "\xef\xbf\xbdz\xef\xbf\xbd"},
        {"\xe2\x82z", "\xef\xbf\xbd\xef\xbf\xbdz"},
        {"a\xc0\x80z", "a\xef\xbf\xbdz"},
        {"a\xff\xfez", "a\xef\xbf\xbd\xef\xbf\xbdz"},
        {"a\xe2\x82", "a\xef\xbf\xbd\xef\xbf\xbd"},
    };
    char name[64];

    (void)state;
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(*NAMES); i++) {
        tm__text_utf8(name, sizeof(name), NAMES[i][0], strlen(NAMES[i][0]));
        assert_string_equal(name, NAMES[i][1]);
    }
    /* A text that does not fit is cut between two characters. */
    tm__text_utf8(name, 4, "ab\xe2\x82\xac", 5);
    assert_string_equal(name, "ab");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_go_by_the_name_that_people_write),
        cmocka_unit_test(names_become_utf8),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
