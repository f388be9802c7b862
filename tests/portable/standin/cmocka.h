/* SPDX-License-Identifier: Apache-2.0 */
/*
 * As much of cmocka as the C tests use, for machines that have none: a foreign C
 * library, another kind of processor, Windows. A failed check ends its test, as there.
 */
#ifndef TM_STANDIN_CMOCKA_H
#define TM_STANDIN_CMOCKA_H

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*run)(void **state);
    int (*setup)(void **state);
    int (*teardown)(void **state);
    void *state;
};

#define cmocka_unit_test(function)                                                     \
    {                                                                                  \
#function, function, NULL, NULL, NULL                                          \
    }
#define cmocka_unit_test_setup(function, before)                                       \
    {                                                                                  \
#function, function, before, NULL, NULL                                        \
    }
#define cmocka_unit_test_teardown(function, after)                                     \
    {                                                                                  \
#function, function, NULL, after, NULL                                         \
    }
#define cmocka_unit_test_prestate(function, given)                                     \
    {                                                                                  \
#function, function, NULL, NULL, given                                         \
    }

static jmp_buf standin_failed;
static int standin_is_skipped;

__attribute__((noreturn, unused)) static void standin_fail(const char *file, int line,
                                                           const char *what)
{
    printf("# %s:%d: %s\n", file, line, what);
    longjmp(standin_failed, 1);
}

__attribute__((noreturn, unused, format(printf, 3, 4))) static void standin_fail_with(
    const char *file, int line, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    printf("# %s:%d: ", file, line);
    vprintf(format, list);
    printf("\n");
    va_end(list);
    longjmp(standin_failed, 1);
}

#define STANDIN_CHECK(condition, what)                                                 \
    ((condition) ? (void)0 : standin_fail(__FILE__, __LINE__, what))

__attribute__((unused)) static void standin_equal(uint64_t left, uint64_t right,
                                                  const char *file, int line)
{
    if (left != right)
        standin_fail_with(file, line, "%" PRId64 " != %" PRId64, (int64_t)left,
                          (int64_t)right);
}

__attribute__((unused)) static void standin_same(const char *left, const char *right,
                                                 const char *file, int line)
{
    if (!left || !right || strcmp(left, right) != 0)
        standin_fail_with(file, line, "\"%s\" != \"%s\"", left ? left : "(null)",
                          right ? right : "(null)");
}

/* As there, numbers are compared as 64 bits, sign and all. */
#define assert_int_equal(left, right)                                                  \
    standin_equal((uint64_t)(left), (uint64_t)(right), __FILE__, __LINE__)
#define assert_string_equal(left, right)                                               \
    standin_same((left), (right), __FILE__, __LINE__)
#define assert_true(value) STANDIN_CHECK(value, #value)
#define assert_false(value) STANDIN_CHECK(!(value), "not " #value)
#define assert_null(value) STANDIN_CHECK(!(value), #value " is not NULL")
#define assert_non_null(value) STANDIN_CHECK(value, #value " is NULL")
#define assert_ptr_equal(left, right)                                                  \
    STANDIN_CHECK((const void *)(left) == (const void *)(right), #left " != " #right)
#define assert_ptr_not_equal(left, right)                                              \
    STANDIN_CHECK((const void *)(left) != (const void *)(right), #left " == " #right)
#define assert_memory_equal(left, right, bytes)                                        \
    STANDIN_CHECK(memcmp((left), (right), (bytes)) == 0, #left " differs "             \
                                                               "from " #right)
#define assert_in_range(value, lowest, highest)                                        \
    STANDIN_CHECK((uint64_t)(value) - (uint64_t)(lowest) <=                            \
                      (uint64_t)(highest) - (uint64_t)(lowest),                        \
                  #value " is out of range")
#define assert_float_equal(left, right, tolerance)                                     \
    STANDIN_CHECK(fabs((double)(left) - (double)(right)) <= (double)(tolerance),       \
                  #left " != " #right)
#define skip() (standin_is_skipped = 1, longjmp(standin_failed, 1))
#define fail() standin_fail(__FILE__, __LINE__, "failure")
#define fail_msg(...) standin_fail_with(__FILE__, __LINE__, __VA_ARGS__)

__attribute__((unused)) static int standin_run(const struct CMUnitTest *tests,
                                               size_t count)
{
    /* Kept over a longjmp. */
    static size_t at;
    static int failures, has_failed;
    static void *state;

    printf("1..%d\n", (int)count);
    for (at = 0; at < count; at++) {
        state = tests[at].state;
        standin_is_skipped = 0;
        if (setjmp(standin_failed) == 0) {
            has_failed = tests[at].setup && tests[at].setup(&state) != 0;
            if (!has_failed)
                tests[at].run(&state);
        } else {
            has_failed = !standin_is_skipped;
        }
        if (tests[at].teardown && tests[at].teardown(&state) != 0)
            has_failed = 1;
        failures += has_failed;
        printf("%s %d - %s%s\n", has_failed ? "not ok" : "ok", (int)at + 1,
               tests[at].name, standin_is_skipped ? " # SKIP" : "");
        fflush(stdout);
    }
    return failures;
}

__attribute__((unused)) static int standin_run_between(const struct CMUnitTest *tests,
                                                       size_t count,
                                                       int (*setup)(void **state),
                                                       int (*teardown)(void **state))
{
    void *state = NULL;
    int failures;

    if (setjmp(standin_failed) != 0 || (setup && setup(&state) != 0)) {
        printf("# what comes before the tests failed\n");
        return 1;
    }
    failures = standin_run(tests, count);
    if (teardown && teardown(&state) != 0)
        failures++;
    return failures;
}

#define cmocka_run_group_tests(tests, setup, teardown)                                 \
    standin_run_between((tests), sizeof(tests) / sizeof(*(tests)), (setup), (teardown))

#endif
