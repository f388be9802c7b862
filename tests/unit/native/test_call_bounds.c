/* SPDX-License-Identifier: Apache-2.0 */
/* Sleeps and calls, and the switches within. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "recorder/call_bounds.h"

enum { MOST = 8 };

static tm__ring_reader the_reader;
static tm__item the_items[MOST];
static tm__image the_image;

static void add(int kind, uint64_t time, int flags)
{
    tm__item *item = &the_items[the_image.item_count++];

    *item = (tm__item){.time = time, .reader = &the_reader};
    item->event.kind = (uint16_t)kind;
    item->event.flags = (uint16_t)flags;
    if (kind == TM_EVENT_AWAIT || kind == TM_EVENT_AWAITED)
        item->object_kind = TM__OBJECT_ENDPOINT;
}

static int begin(void **state)
{
    (void)state;
    the_reader = (tm__ring_reader){0};
    the_image = (tm__image){.items = the_items};
    return 0;
}

static void find(size_t first)
{
    the_image.ordered_count = the_image.item_count;
    tm__call_bounds_find(&the_image, first);
}

static void is(size_t at, int kind, uint64_t time)
{
    assert_int_equal(the_items[at].event.kind, kind);
    assert_int_equal(the_items[at].time, time);
    assert_false(the_items[at].is_left_out);
}

static void a_sleep_lasts_while_its_thread_has_no_processor(void **state)
{
    (void)state;
    add(TM_EVENT_SLEEP, 10, 0);
    add(TM_EVENT_OFF_CPU, 15, TM_EVENT_VOLUNTARY);
    add(TM_EVENT_ON_CPU, 90, 0);
    add(TM_EVENT_SLEPT, 99, 0);
    find(0);
    assert_true(the_items[0].is_left_out);
    is(1, TM_EVENT_SLEEP, 15);
    is(2, TM_EVENT_SLEPT, 90);
    assert_true(the_items[3].is_left_out);
}

static void its_begin_may_have_been_emitted(void **state)
{
    (void)state;
    add(TM_EVENT_SLEEP, 10, 0);
    find(0);
    the_image.item_first++;
    the_image.items_emitted++;
    the_image.item_count = 1;
    add(TM_EVENT_OFF_CPU, 15, TM_EVENT_VOLUNTARY);
    add(TM_EVENT_ON_CPU, 90, 0);
    add(TM_EVENT_SLEPT, 99, 0);
    the_image.item_count = 3;
    find(0);
    is(0, TM_EVENT_SLEEP, 10);
    is(1, TM_EVENT_OFF_CPU, 15);
    is(2, TM_EVENT_SLEPT, 90);
    assert_true(the_items[3].is_left_out);
}

static void a_call_that_was_only_preempted_did_not_wait(void **state)
{
    (void)state;
    add(TM_EVENT_AWAIT, 10, 0);
    add(TM_EVENT_OFF_CPU, 15, 0);
    add(TM_EVENT_ON_CPU, 90, 0);
    add(TM_EVENT_AWAITED, 99, 0);
    find(0);
    assert_true(the_items[0].is_no_wait);
    is(1, TM_EVENT_OFF_CPU, 15);
    is(2, TM_EVENT_ON_CPU, 90);
    is(3, TM_EVENT_AWAITED, 99);
}

static void a_wait_for_a_lock_stays_as_it_was_recorded(void **state)
{
    (void)state;
    add(TM_EVENT_CONTENDED_ENTER, 10, 0);
    add(TM_EVENT_OFF_CPU, 15, TM_EVENT_VOLUNTARY);
    add(TM_EVENT_ON_CPU, 90, 0);
    add(TM_EVENT_CONTENDED_ENTERED, 99, 0);
    find(0);
    is(0, TM_EVENT_CONTENDED_ENTER, 10);
    is(3, TM_EVENT_CONTENDED_ENTERED, 99);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_sleep_lasts_while_its_thread_has_no_processor, begin),
        cmocka_unit_test_setup(its_begin_may_have_been_emitted, begin),
        cmocka_unit_test_setup(a_call_that_was_only_preempted_did_not_wait, begin),
        cmocka_unit_test_setup(a_wait_for_a_lock_stays_as_it_was_recorded, begin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
