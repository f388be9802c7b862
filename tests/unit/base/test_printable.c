/* SPDX-License-Identifier: Apache-2.0 */
/* Names of others as they are printed; the characters are those of text.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/printable.h"

/* Also of surrogates, which are not valid. */
static size_t encode(char *to, uint32_t code)
{
    if (code < 0x80) {
        *to = (char)code;
        return 1;
    }
    if (code < 0x800) {
        to[0] = (char)(0xC0 | code >> 6);
        to[1] = (char)(0x80 | (code & 0x3F));
        return 2;
    }
    if (code < 0x10000) {
        to[0] = (char)(0xE0 | code >> 12);
        to[1] = (char)(0x80 | (code >> 6 & 0x3F));
        to[2] = (char)(0x80 | (code & 0x3F));
        return 3;
    }
    to[0] = (char)(0xF0 | code >> 18);
    to[1] = (char)(0x80 | (code >> 12 & 0x3F));
    to[2] = (char)(0x80 | (code >> 6 & 0x3F));
    to[3] = (char)(0x80 | (code & 0x3F));
    return 4;
}

static void every_character_is_printed_or_replaced(void **state)
{
    static const uint32_t HARMFUL[][2] = {
        {0x1, 0x1F},      {0x7F, 0x9F},     {0x61C, 0x61C},   {0x200E, 0x200F},
        {0x2028, 0x202E}, {0x2066, 0x2069}, {0xD800, 0xDFFF},
    };
    size_t range = 0;

    (void)state;
    for (uint32_t code = 1; code <= 0x10FFFF; code++) {
        char text[8] = {'a'}, expected[8] = {'a'};
        size_t bytes = encode(text + 1, code);

        while (range < sizeof(HARMFUL) / sizeof(*HARMFUL) && code > HARMFUL[range][1])
            range++;
        text[1 + bytes] = 'b';
        if (range < sizeof(HARMFUL) / sizeof(*HARMFUL) && code >= HARMFUL[range][0])
            strcpy(expected, "a?b");
        else
            strcpy(expected, text);
        tm__printable(text);
        if (strcmp(text, expected) != 0)
            fail_msg("U+%04X", (unsigned)code);
    }
}

static void a_name_keeps_what_is_harmless(void **state)
{
    static const struct {
        const char *text;
        const char *printed;
    } NAMES[] = {
        {"", ""},
        {"pool-1-thread-2", "pool-1-thread-2"},
        {"\xc3\x84rger \xe2\x82\xac \xf0\x9f\x98\x80",
         "\xc3\x84rger \xe2\x82\xac \xf0\x9f\x98\x80"},
        {"\x1b[31mred\x1b[0m", "?[31mred?[0m"},
        {"one\ntwo\r", "one?two?"},
        {"a\xe2\x80\xa8"
         "b\xe2\x80\xa9"
         "c",
         "a?b?c"},
        {"\xe2\x80\xaegnp.exe", "?gnp.exe"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(*NAMES); i++) {
        char text[64];

        strcpy(text, NAMES[i].text);
        tm__printable(text);
        assert_string_equal(text, NAMES[i].printed);
    }
}

/* A terminal of Latin-1 obeys the byte 9B; a text that is cut reads no further. */
static void bytes_that_are_not_utf8_are_replaced(void **state)
{
    static const struct {
        const char *text;
        const char *printed;
    } NAMES[] = {
        {"\x9b[2J", "?[2J"},          {"cut\xe2\x80", "cut??"},
        {"cut\xf0", "cut?"},          {"\xc0\x8a", "??"},
        {"\xe0\x80\x9b", "???"},      {"\xf8\x88\x80\x80", "????"},
        {"\xf4\x90\x80\x80", "????"}, {"\xe2\x80\x1b", "???"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(*NAMES); i++) {
        char text[64];

        strcpy(text, NAMES[i].text);
        tm__printable(text);
        assert_string_equal(text, NAMES[i].printed);
    }
}

int main(void)
{
    static const struct CMUnitTest TESTS[] = {
        cmocka_unit_test(every_character_is_printed_or_replaced),
        cmocka_unit_test(a_name_keeps_what_is_harmless),
        cmocka_unit_test(bytes_that_are_not_utf8_are_replaced),
    };

    return cmocka_run_group_tests(TESTS, NULL, NULL);
}
