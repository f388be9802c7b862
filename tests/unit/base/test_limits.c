/* SPDX-License-Identifier: Apache-2.0 */
/* A stated limit is TM_ELIMIT, and only memory that the hook refuses is TM_ENOMEM.
 * Lists claim to be full here, so that no test needs 2^32 items. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <threadmodel/model.h>
#include <threadmodel/sink.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/strings.h"
#include "base/triple_map.h"
#include "model/state/model.h"

enum { MOST_ITEMS = UINT32_MAX - 1 };

/* Has no memory, and keeps how much it was asked for. */
static void *refuse(void *payload, void *block, size_t bytes)
{
    size_t *asked = payload;

    (void)block;
    *asked = bytes;
    return NULL;
}

static void a_list_of_too_many_items_is_a_limit_and_asks_for_no_memory(void **state)
{
    size_t asked = 0;
    tm_allocator hook = {refuse, &asked};
    tm__memory memory;
    uint64_t *items = NULL;
    uint32_t capacity = 0;

    (void)state;
    tm__memory_init(&memory, &hook);
    assert_int_equal(
        tm__reserve(&memory, &items, &capacity, (size_t)MOST_ITEMS + 1, sizeof(*items)),
        TM_ELIMIT);
    assert_string_equal(tm_error_text(), "more than 4294967294 items of one kind");
    assert_int_equal(tm__failure(), TM_ELIMIT);
    assert_int_equal(tm__reserve_lines(&memory, &items, &capacity,
                                       (size_t)MOST_ITEMS + 1, sizeof(*items)),
                     TM_ELIMIT);
    assert_int_equal(asked, 0);
    assert_int_equal(capacity, 0);
}

static void a_list_grows_up_to_its_limit(void **state)
{
    size_t asked = 0;
    tm_allocator hook = {refuse, &asked};
    tm__memory memory;
    uint64_t *items = NULL;
    uint32_t capacity = 3000000000u; /* and half of that more is over the limit */

    (void)state;
    tm__memory_init(&memory, &hook);
    assert_int_equal(
        tm__reserve(&memory, &items, &capacity, 3000000001u, sizeof(*items)),
        TM_ENOMEM);
    assert_int_equal(tm__failure(), TM_ENOMEM);
    assert_true(asked >= 3000000001u * sizeof(*items));
    assert_true(asked <= MOST_ITEMS * sizeof(*items));
}

static void a_map_of_too_many_groups_is_a_limit(void **state)
{
    tm__memory memory;
    tm__triple_map map = {.slot_count = 1u << 31, .count = 1u << 30};

    (void)state;
    tm__memory_init(&memory, NULL);
    assert_null(tm__triple_map_at(&map, &memory, 1, 2, 3));
    assert_int_equal(tm__failure(), TM_ELIMIT);
    assert_string_equal(tm_error_text(), "more than 1073741824 groups");
}

static void a_caller_relays_the_limit_that_its_callee_reached(void **state)
{
    tm_class class_ = {.size = sizeof(class_), .id = 7, .name = "com.example.Counter"};
    tm_model *model;
    const tm_sink *sink;
    tm__strings *strings, before;

    (void)state;
    assert_int_equal(tm_model_new(&model, NULL), TM_OK);
    sink = tm_model_sink(model);
    strings = &model->entities.strings;
    before = *strings;
    strings->count = strings->capacity = MOST_ITEMS;
    assert_int_equal(sink->define_class(sink->payload, &class_), TM_ELIMIT);
    assert_string_equal(tm_error_text(), "more than 4294967294 items of one kind");
    strings->count = before.count;
    strings->capacity = before.capacity;
    assert_int_equal(sink->define_class(sink->payload, &class_), TM_OK);
    tm_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_of_too_many_items_is_a_limit_and_asks_for_no_memory),
        cmocka_unit_test(a_list_grows_up_to_its_limit),
        cmocka_unit_test(a_map_of_too_many_groups_is_a_limit),
        cmocka_unit_test(a_caller_relays_the_limit_that_its_callee_reached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
