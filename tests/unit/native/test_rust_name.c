/* SPDX-License-Identifier: Apache-2.0 */
/* Names of Rust's second mangling, by the examples of its RFC and by rustc's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "names/rust_name.h"

static void names_are_as_in_the_source(void **state)
{
    static const struct {
        const char *mangled, *name;
    } cases[] = {
        {"_RNvNtNtCsjrHSEGnQ3l9_3std6thread9functions5sleep",
         "std::thread::functions::sleep"},
        {"_RNvCs15kBYyAo9fc_7mycrate7example", "mycrate::example"},
        {"_RINvNtC3std3mem8align_ofjE", "std::mem::align_of"},
        {"_RNCNvCsgStHSCytQ6I_7mycrate4main0B3_", "mycrate::main::{closure#0}"},
        {"_RNCNvC7mycrate4mains_0B2_", "mycrate::main::{closure#1}"},
        {"_RNvXs_C7mycrateNtB4_4PoolNtNtC4core3ops4Drop4drop",
         "<mycrate::Pool as core::ops::Drop>::drop"},
        {"_RNvMC7mycrateNtB2_4Pool3run", "<mycrate::Pool>::run"},
        {"_RNvMC7mycrateINtB2_4PoolmE3run", "<mycrate::Pool>::run"},
        {"_RNvMC7mycrateTmhE3run", "<(u32, u8)>::run"},
        {"_RNvC6_123foo3bar", "123foo::bar"},
    };
    char name[256];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        assert_int_equal(tm__rust_name(cases[i].mangled, name, sizeof(name)), 1);
        assert_string_equal(name, cases[i].name);
    }
}

static void what_is_not_of_it_is_left_alone(void **state)
{
    static const char *const others[] = {
        "main",
        "_ZN4core3ptr4drop17h0123456789abcdefE",
        "_R",
        "_RN",
        "_RNv",
        "_RNvC",
        "_RNvC9foo",
        "_RB_",
        "_RNvB_3foo",
        "_RINvC3std3memjjjj",
        "_RNvC99999999999999999999999foo3bar",
        "_Rust_main",
    };
    char name[64] = "kept";

    (void)state;
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        assert_int_equal(tm__rust_name(others[i], name, sizeof(name)), 0);
}

static void any_prefix_and_any_room_is_safe(void **state)
{
    static const char whole[] =
        "_RNvXs_C7mycrateINtB4_4PoolRDNtC4core4Displayp6OutputmEL_"
        "EFUKCmEuNtC4core4Drop4drop";
    char part[sizeof(whole)];

    (void)state;
    for (size_t length = 0; length < sizeof(whole); length++) {
        memcpy(part, whole, length);
        part[length] = 0;
        for (size_t room = 0; room < 40; room++) {
            char *name = malloc(room + 1);

            assert_non_null(name);
            if (tm__rust_name(part, name, room))
                assert_true(strlen(name) < room);
            free(name);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_as_in_the_source),
        cmocka_unit_test(what_is_not_of_it_is_left_alone),
        cmocka_unit_test(any_prefix_and_any_room_is_safe),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
