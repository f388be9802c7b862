/* SPDX-License-Identifier: Apache-2.0 */
/* Calls in a class file are replaced, and a file of another kind is left unchanged. The
 * class is the one that the agent has with it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "virtual/class_patch.h"
#include "virtual_class.h"

#define ACCESS "jdk/internal/access/JavaLangAccess"

static const tm__patch PATCHES[] = {
    {NULL, {ACCESS, "parkVirtualThread", "(J)V"}, {"a/B", "c", "(L" ACCESS ";J)V"}},
    {"start",
     {"java/lang/VirtualThread", "inheritScopedValueBindings",
      "(Ljdk/internal/vm/ThreadContainer;)V"},
     {"a/B", "d", "()V"}},
    {"park",
     {"java/lang/VirtualThread", "unpark", "()V"}, /* which `interrupt` calls */
     {"a/B", "e", "()V"}},
};
enum { COUNT = sizeof(PATCHES) / sizeof(*PATCHES) };

static size_t patch(unsigned char *out, const unsigned char *class, size_t bytes,
                    unsigned *found)
{
    return tm__patch_class(out, class, bytes, PATCHES, COUNT, found);
}

static void calls_in_the_named_methods_are_replaced(void **state)
{
    size_t room = sizeof(virtual_class) + tm__patch_bytes(PATCHES, COUNT);
    unsigned char *out = malloc(room), *again = malloc(2 * room);
    unsigned found[COUNT];
    size_t bytes = patch(out, virtual_class, sizeof(virtual_class), found);

    (void)state;
    assert_true(bytes > sizeof(virtual_class) && bytes <= room);
    assert_int_equal(found[0], 1);
    assert_int_equal(found[1], 1);
    assert_int_equal(found[2], 0);
    /* They are not there any more, and nothing else is lost. */
    assert_int_equal(patch(again, out, bytes, found), 0);
    assert_int_equal(found[0] + found[1] + found[2], 0);
    assert_memory_equal(out, virtual_class, 8);
    free(again);
    free(out);
}

static void a_class_that_calls_nothing_of_the_kind_is_left_alone(void **state)
{
    static const tm__patch OTHER[] = {
        {NULL, {ACCESS, "parkVirtualThread", "(I)V"}, {"a/B", "c", "()V"}}};
    unsigned char *out = malloc(sizeof(virtual_class) + tm__patch_bytes(OTHER, 1));
    unsigned found;

    (void)state;
    assert_int_equal(
        tm__patch_class(out, virtual_class, sizeof(virtual_class), OTHER, 1, &found),
        0);
    free(out);
}

static void a_class_that_is_cut_or_changed_anywhere_harms_nobody(void **state)
{
    size_t room = sizeof(virtual_class) + tm__patch_bytes(PATCHES, COUNT);
    unsigned char *out = malloc(room);
    unsigned found[COUNT];

    (void)state;
    for (size_t bytes = 0; bytes < sizeof(virtual_class); bytes++) {
        unsigned char *cut = malloc(bytes + 1);

        memcpy(cut, virtual_class, bytes);
        assert_true(patch(out, cut, bytes, found) <= room);
        for (int bit = 0; bit < 8; bit++) {
            unsigned char *changed = malloc(sizeof(virtual_class));

            memcpy(changed, virtual_class, sizeof(virtual_class));
            changed[bytes] ^= (unsigned char)(1 << bit);
            assert_true(patch(out, changed, sizeof(virtual_class), found) <= room);
            free(changed);
        }
        free(cut);
    }
    free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_in_the_named_methods_are_replaced),
        cmocka_unit_test(a_class_that_calls_nothing_of_the_kind_is_left_alone),
        cmocka_unit_test(a_class_that_is_cut_or_changed_anywhere_harms_nobody),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
