/* SPDX-License-Identifier: Apache-2.0 */
/* Names of Rust's first mangling, as rustc writes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "names/rust_old_name.h"

#define HASH "::h0123456789abcdef"

static void names_are_as_in_the_source(void **state)
{
    static const struct {
        const char *demangled, *name;
    } cases[] = {
        {"rust::nap" HASH, "rust::nap"},
        {"rust::main::_$u7b$$u7b$closure$u7d$$u7d$" HASH, "rust::main::{{closure}}"},
        {"_$LT$std..sync..poison..mutex..MutexGuard$LT$T$GT$$u20$as$u20$core..ops.."
         "drop..Drop$GT$::drop" HASH,
         "<std::sync::poison::mutex::MutexGuard<T> as core::ops::drop::Drop>::drop"},
        {"core::ptr::drop_in_place$LT$$RF$$LP$u8$C$u8$RP$$GT$" HASH,
         "core::ptr::drop_in_place<&(u8,u8)>"},
        {"a::$u7$b$none$" HASH, "a::$u7$b$none$"},
        {"a$" HASH, "a$"},
    };
    char name[256];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        strcpy(name, cases[i].demangled);
        assert_int_equal(tm__rust_old_name(name), 1);
        assert_string_equal(name, cases[i].name);
    }
}

static void what_has_no_hash_is_left_alone(void **state)
{
    static const char *const others[] = {
        "", "main", "a$LT$b", "a::h0123", "a::h0123456789abcdeg", HASH};
    char name[256];

    (void)state;
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
        strcpy(name, others[i]);
        assert_int_equal(tm__rust_old_name(name), 0);
        assert_string_equal(name, others[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_as_in_the_source),
        cmocka_unit_test(what_has_no_hash_is_left_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
