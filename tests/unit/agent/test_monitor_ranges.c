/* SPDX-License-Identifier: Apache-2.0 */
/* Where bytecode enters and exits monitors: as javac writes it, and damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ident/monitor_ranges.h"

enum { MAX = 4 };

/* synchronized (a) { if (b) return; run(); } run(); */
static const unsigned char one[] = {
    0x2a, 0x59, 0x4d, 0xc2, /*  0 aload_0, dup, astore_2, monitorenter */
    0x1b, 0x99, 0x00, 0x06, /*  4 iload_1, ifeq 11 */
    0x2c, 0xc3, 0xb1,       /*  8 aload_2, monitorexit, return */
    0xb8, 0x00, 0x07, 0x2c,
    0xc3,             /* 11 invokestatic, aload_2, monitorexit */
    0xa7, 0x00, 0x08, /* 16 goto 24 */
    0x4e, 0x2c, 0xc3, 0x2d,
    0xbf,                   /* 19 astore_3, aload_2, monitorexit, aload_3, athrow */
    0xb8, 0x00, 0x07, 0xb1, /* 24 invokestatic, return */
};

/* synchronized (a) { synchronized (b) { } } synchronized (c) { }, variables 4 to 5 */
static const unsigned char three[] = {
    0x2a, 0x59, 0x3a, 0x04, 0xc2,       /*  0 dup, astore 4, monitorenter */
    0x2b, 0x59, 0x3a, 0x05, 0xc2,       /*  5 dup, astore 5, monitorenter */
    0x19, 0x05, 0xc3, 0x19, 0x04, 0xc3, /* 10 exit 5, exit 4 */
    0x2c, 0x59, 0x3a, 0x04, 0xc2,       /* 16 dup, astore 4, monitorenter */
    0x19, 0x04, 0xc3, 0xb1,             /* 21 exit 4, return */
};

/* switch of one case, with padding; then as above */
static const unsigned char switched[] = {
    0x1b, 0xaa, 0,    0, /*  0 iload_1, tableswitch */
    0,    0,    0,    23,   0, 0,  0,    1,    0,    0,
    0,    1,    0,    0,    0, 23, 0xc4, 0x19, 0x01, 0x00, /* 20 wide aload 256 */
    0x2a, 0x59, 0x4d, 0xc2, /* 24 aload_0, dup, astore_2, monitorenter */
    0x2c, 0xc3, 0xb1,       /* 28 aload_2, monitorexit, return */
};

static void the_last_exit_of_a_variable_ends_its_range(void **state)
{
    tm__code_range ranges[MAX];

    (void)state;
    assert_int_equal(tm__monitor_ranges(one, sizeof(one), ranges, MAX), 1);
    assert_int_equal(ranges[0].enter, 3);
    assert_int_equal(ranges[0].end, 22);
    assert_int_equal(tm__monitor_ranges(three, sizeof(three), ranges, MAX), 3);
    assert_int_equal(ranges[0].enter, 4);
    assert_int_equal(ranges[0].end, 16);
    assert_int_equal(ranges[1].enter, 9);
    assert_int_equal(ranges[1].end, 13);
    assert_int_equal(ranges[2].enter, 20);
    assert_int_equal(ranges[2].end, 24);
    assert_int_equal(tm__monitor_ranges(switched, sizeof(switched), ranges, MAX), 1);
    assert_int_equal(ranges[0].enter, 27);
    assert_int_equal(ranges[0].end, 30);
}

static void code_of_another_form_is_not_known(void **state)
{
    static const unsigned char called[] = {0xb8, 0, 7, 0xc2, 0x2a, 0xc3, 0xb1};
    static const unsigned char never_left[] = {0x2a, 0xc2, 0xb1};
    static const unsigned char never_entered[] = {0x2a, 0xc3, 0xb1};
    static const unsigned char no_opcode[] = {0x2a, 0xcb, 0xb1};
    tm__code_range ranges[MAX];

    (void)state;
    assert_int_equal(tm__monitor_ranges(called, sizeof(called), ranges, MAX), -1);
    assert_int_equal(tm__monitor_ranges(never_left, 3, ranges, MAX), -1);
    assert_int_equal(tm__monitor_ranges(never_entered, 3, ranges, MAX), -1);
    assert_int_equal(tm__monitor_ranges(no_opcode, 3, ranges, MAX), -1);
    assert_int_equal(tm__monitor_ranges(three, sizeof(three), ranges, 2), -1);
    assert_int_equal(tm__monitor_ranges(no_opcode, 0, ranges, MAX), 0);
}

/* A copy as long as it may be read, so that a sanitizer sees a byte too many. */
static void damaged_code_is_read_to_its_end_at_most(void **state)
{
    static const struct {
        const unsigned char *code;
        size_t size;
    } all[] = {
        {one, sizeof(one)}, {three, sizeof(three)}, {switched, sizeof(switched)}};

    (void)state;
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        for (size_t size = 1; size <= all[i].size; size++)
            for (size_t at = 0; at < size; at++)
                for (int byte = 0; byte < 256; byte++) {
                    unsigned char *copy = malloc(size);
                    tm__code_range ranges[MAX];

                    assert_non_null(copy);
                    memcpy(copy, all[i].code, size);
                    copy[at] = (unsigned char)byte;
                    assert_in_range(tm__monitor_ranges(copy, size, ranges, MAX) + 1, 0,
                                    MAX + 1);
                    free(copy);
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_exit_of_a_variable_ends_its_range),
        cmocka_unit_test(code_of_another_form_is_not_known),
        cmocka_unit_test(damaged_code_is_read_to_its_end_at_most),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
