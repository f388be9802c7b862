/* SPDX-License-Identifier: Apache-2.0 */
/* Hidden classes and lambdas: names that two runs have in common. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ident/lambda_name.h"
#include "model/entities/hidden_class_name.h"

static void address_and_serial_number_are_left_out(void **state)
{
    static const char *const NAMES[][2] = {
        {"a.B$$Lambda/0x00007f3a5c000c28", "a.B$$Lambda"},
        {"a.B$$Lambda$14/0x0000000800c03000", "a.B$$Lambda"},
        {"a.B$$Lambda$14+0x0000000800c03000", "a.B$$Lambda"},
        {"a.B$$Lambda.0x00007f3a5c000c28/1234", "a.B$$Lambda"},
        {"a.B$$Lambda$1/1057941451", "a.B$$Lambda"},
        {"a.B$$Lambda$1.1057941451", "a.B$$Lambda"},
        {"a.B$$Lambda(C::run).943010986", "a.B$$Lambda(C::run)"},
        {"a.B.1057941451", "a.B.1057941451"},
        {"a.B$$Lambda(lambda$run$0)/0xDEF", "a.B$$Lambda(lambda$run$0)"},
        {"a.B$$Lambda(C::run)/0x1", "a.B$$Lambda(C::run)"},
        {"java.lang.invoke.LambdaForm$MH/0x00007f",
         "java.lang.invoke.LambdaForm$MH/hidden"},
        {"a.B/0x1", "a.B/hidden"},
        /* These are not hidden classes. */
        {"a.B$$Lambda", "a.B$$Lambda"},
        {"a.B$$Lambda$1", "a.B$$Lambda$1"},
        {"a.B$1", "a.B$1"},
        {"a.B0x12", "a.B0x12"},
        {"a.B/", "a.B/"},
        {"/0x1", "/0x1"},
        {"0x1", "0x1"},
        {"/1", "/1"},
        {"", ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(*NAMES); i++) {
        const char *suffix;
        size_t bytes = tm__hidden_name(NAMES[i][0], &suffix);
        char name[128];

        snprintf(name, sizeof(name), "%.*s%s", (int)bytes, NAMES[i][0], suffix);
        assert_string_equal(name, NAMES[i][1]);
    }
}

/* Constants of a class that calls Object.<init>, Integer.valueOf and two more. */
static const unsigned char
    CONSTANTS[] =
        {
            1,   0,   16,  'j', 'a', 'v', 'a', '/', 'l', 'a', 'n', 'g',
            '/', 'O', 'b', 'j', 'e', 'c', 't', 7,   0,   1, /* 2 Object */
            1,   0,   6,   '<', 'i', 'n', 'i', 't', '>', 1,   0,   3,
            '(', ')', 'V', 12,  0,   3,   0,   4, /* 5 <init>()V */
            10,  0,   2,   0,   5,                /* 6 Object.<init> */
            1,   0,   17,  'j', 'a', 'v', 'a', '/', 'l', 'a', 'n', 'g',
            '/', 'I', 'n', 't', 'e', 'g', 'e', 'r', 7,   0,   7, /* 8 Integer */
            1,   0,   7,   'v', 'a', 'l', 'u', 'e', 'O', 'f', 12,  0,
            9,   0,   4,                                /* 10 valueOf */
            10,  0,   8,   0,   10,                     /* 11 Integer.valueOf */
            5,   0,   0,   0,   0,   0,   0,   0,   1,  /* 12, 13 a long */
            1,   0,   3,   'a', '/', 'B', 7,   0,   14, /* 15 a/B */
            1,   0,   3,   'r', 'u', 'n', 12,  0,   16,  0,   4, /* 17 run */
            11,  0,   15,  0,   17, /* 18 a/B.run, of an interface */
};
enum { CONSTANT_COUNT = 19 };
static const char SIGNATURE[] = "Lx/Y$$Lambda$7.0x00007f;";

static void a_lambda_is_named_after_the_one_method_that_it_calls(void **state)
{
    char name[64];

    (void)state;
    assert_true(tm__lambda_is(SIGNATURE));
    assert_false(tm__lambda_is("Lx/Y;"));
    assert_int_equal(tm__lambda_signature(name, sizeof(name), SIGNATURE, CONSTANTS,
                                          sizeof(CONSTANTS), CONSTANT_COUNT),
                     0);
    assert_string_equal(name, "Lx/Y$$Lambda(B::run).0x00007f;");
    /* A method of its own class. */
    assert_int_equal(tm__lambda_signature(name, sizeof(name), "La/B$$Lambda.0x1;",
                                          CONSTANTS, sizeof(CONSTANTS), CONSTANT_COUNT),
                     0);
    assert_string_equal(name, "La/B$$Lambda(run).0x1;");
    /* No room, no address, and nothing but boxing and a constructor. */
    assert_int_equal(tm__lambda_signature(name, 20, SIGNATURE, CONSTANTS,
                                          sizeof(CONSTANTS), CONSTANT_COUNT),
                     -1);
    assert_int_equal(tm__lambda_signature(name, sizeof(name), "La/B$$Lambda;",
                                          CONSTANTS, sizeof(CONSTANTS), CONSTANT_COUNT),
                     -1);
    assert_int_equal(tm__lambda_signature(name, sizeof(name), SIGNATURE, CONSTANTS,
                                          sizeof(CONSTANTS), 18),
                     -1);
}

static void a_lambda_of_two_methods_is_not_named_after_either(void **state)
{
    static const unsigned char MORE[] = {1, 0, 2,  'g', 'o', 12, 0, 19,
                                         0, 4, 10, 0,   15,  0,  20};
    unsigned char both[sizeof(CONSTANTS) + sizeof(MORE)];
    char name[64];

    (void)state;
    memcpy(both, CONSTANTS, sizeof(CONSTANTS));
    memcpy(both + sizeof(CONSTANTS), MORE, sizeof(MORE));
    assert_int_equal(tm__lambda_signature(name, sizeof(name), SIGNATURE, both,
                                          sizeof(both), CONSTANT_COUNT + 3),
                     -1);
}

static void constants_that_are_cut_or_changed_anywhere_harm_nobody(void **state)
{
    char name[64];

    (void)state;
    for (size_t bytes = 0; bytes < sizeof(CONSTANTS); bytes++) {
        unsigned char *cut = malloc(bytes + 1);

        memcpy(cut, CONSTANTS, bytes);
        assert_int_equal(tm__lambda_signature(name, sizeof(name), SIGNATURE, cut, bytes,
                                              CONSTANT_COUNT),
                         -1);
        free(cut);
    }
    for (size_t at = 0; at < sizeof(CONSTANTS); at++)
        for (int value = 0; value < 256; value++) {
            unsigned char *changed = malloc(sizeof(CONSTANTS));

            memcpy(changed, CONSTANTS, sizeof(CONSTANTS));
            changed[at] = (unsigned char)value;
            tm__lambda_signature(name, sizeof(name), SIGNATURE, changed,
                                 sizeof(CONSTANTS), CONSTANT_COUNT);
            free(changed);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(address_and_serial_number_are_left_out),
        cmocka_unit_test(a_lambda_is_named_after_the_one_method_that_it_calls),
        cmocka_unit_test(a_lambda_of_two_methods_is_not_named_after_either),
        cmocka_unit_test(constants_that_are_cut_or_changed_anywhere_harm_nobody),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
