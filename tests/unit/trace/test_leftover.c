/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rings that lie beside a trace: files made here after docs/trace-format.md, whole,
 * cut at every byte and with every byte changed. Whatever comes out of them must
 * have been put in.
 */
#include "support/rings_image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cmocka.h>

#include <threadmodel/threadmodel.h>

#include "support/recorder.h"
#include "support/scarce.h"
#include "trace/coding.h"
#include "trace/ring_layout.h"
#include "trace/ring_record.h"

static void events_of_all_rings_come_by_time_after_those_of_the_trace(void **state)
{
    static const int64_t VALUES[] = {0, 1, 10, 20, 11, 21, 12};

    (void)state;
    make_trace(RUN_ID, 2);
    make_rings();
    tm__ring_mark_set(&header()->events, 2);
    put_class(1, "[Lp/Q;");
    put_event(0, 100, 10);
    put_method(0);
    put_event(0, 300, 11);
    put_event(0, 500, 12);
    put_event(1, 200, 20);
    put_event(1, 400, 21);
    read_image();
    assert_values(7, VALUES);
    assert_string_equal(got.class_name, "p.Q[]");
    assert_int_equal(got.frame.method, METHOD);
    assert_int_equal(got.frame.location, 3);
    assert_int_equal(got.method.id, METHOD);
    assert_int_equal(got.method.class_id, 5);
    assert_string_equal(got.method_name, "run");
    assert_string_equal(got.method_signature, "(I)V");
    assert_int_equal(got.lines[0].line, 10);
    assert_int_equal(got.lines[1].location, 65535);
    assert_int_equal(got.lines[1].line, 65534);
    assert_int_equal(got.events[6].stack, got.stack);
    assert_non_null(strstr(got.caveat, "5 more events were recovered from its rings: "
                                       "nothing is missing"));
}

static void what_the_round_in_work_had_written_comes_once(void **state)
{
    static const int64_t VALUES[] = {0, 1, 2, 3, 4};

    (void)state;
    /* The last round ended with one event in the trace; of the next two are in. */
    make_trace(RUN_ID, 3);
    make_rings();
    tm__ring_mark_set(&header()->events, 1);
    tm__ring_mark_set(&header()->horizon, 1000);
    put_event(0, 2, 1);
    put_event(1, 3, 2);
    put_event(0, 4, 3);
    put_event(1, 2000, 4);
    read_image();
    assert_values(5, VALUES);
    /* More than there are in all. */
    tm__ring_mark_set(&header()->events, UINT32_MAX - 100);
    read_image();
    assert_values(5, VALUES);
}

static void the_producers_own_events_stand_for_none_of_the_rings(void **state)
{
    static const int64_t VALUES[] = {0, 1, 2, 3, 4};

    (void)state;
    /* The round in work had written three, and the second was in no ring. */
    make_trace(RUN_ID, 3);
    make_rings();
    tm__ring_mark_set(&header()->events, 0);
    tm__ring_mark_set(&header()->horizon, 1000);
    put_event(0, 1, 0);
    put_event(1, 3, 2);
    put_event(0, 4, 3);
    put_event(1, 5, 4);
    read_image();
    assert_values(5, VALUES);
}

static void room_that_is_being_handed_back_is_not_read_again(void **state)
{
    static const int64_t VALUES[] = {0, 1, 2};

    (void)state;
    make_trace(RUN_ID, 2);
    make_rings();
    put_event(0, 1, 0);
    tm__ring_mark_set(&ring(0)->next, atomic_load(&ring(0)->head));
    put_event(0, 5, 2);
    put_event(1, 2, 1);
    tm__ring_mark_set(&ring(1)->next, atomic_load(&ring(1)->head));
    tm__ring_mark_set(&header()->is_advancing, 1);
    tm__ring_mark_set(&ring(1)->tail, atomic_load(&ring(1)->head));
    read_image();
    assert_values(3, VALUES);
}

static void ring_that_wrapped_is_read_in_its_order(void **state)
{
    (void)state;
    make_trace(RUN_ID, 0);
    make_rings();
    for (int64_t i = 0; i < 5000; i++) {
        size_t bytes = tm__record_bytes(sizeof(tm__record_frame));
        uint64_t head = atomic_load(&ring(0)->head);
        size_t to_end = RING_BYTES - (head & (RING_BYTES - 1));

        if (to_end < bytes) {
            tm__record *pad = place(0, head);

            pad->bytes = 0;
            pad->kind = TM__RECORD_PAD;
            pad->check = tm__record_check(pad, sizeof(uint64_t), head);
            atomic_store(&ring(0)->head, head + to_end);
        }
        if (i == 4500)
            tm__ring_mark_set(&ring(0)->tail, atomic_load(&ring(0)->head));
        put_event(0, i, i);
    }
    read_image();
    assert_int_equal(got.event_count, 500);
    for (int64_t i = 0; i < 500; i++)
        assert_int_equal(got.events[i].value, 4500 + i);
    assert_null(strstr(got.caveat, "damaged"));
}

static void ring_that_began_again_is_read_from_its_beginning(void **state)
{
    static const int64_t VALUES[] = {7, 8};
    uint64_t head;

    (void)state;
    make_trace(RUN_ID, 0);
    make_rings();
    put_event(0, 1, 6);
    head = atomic_load(&ring(0)->head);
    tm__ring_mark_set(&ring(0)->tail, head);
    atomic_store(&ring(0)->skip_from, head);
    atomic_store(&ring(0)->skip_to, RING_BYTES);
    atomic_store(&ring(0)->head, RING_BYTES);
    put_event(0, 2, 7);
    put_event(0, 3, 8);
    read_image();
    assert_values(2, VALUES);
}

static void losses_that_were_not_reported_are(void **state)
{
    (void)state;
    make_trace(RUN_ID, 0);
    make_rings();
    put_event(0, 1, 0);
    tm__ring_mark_set(&ring(0)->lost, 40);
    /* Killed while it counted one more, and while it reported them. */
    tm__ring_mark_set(&ring(1)->lost, 3);
    atomic_store(&ring(1)->lost.value, 4);
    read_image();
    assert_int_equal(got.lost, 44);
    atomic_store(&ring(1)->lost.value, 0);
    read_image();
    assert_int_equal(got.lost, 40);
}

static void events_that_the_trace_once_had_are_missed(void **state)
{
    (void)state;
    make_trace(RUN_ID, 3);
    make_rings();
    tm__ring_mark_set(&header()->events, 10);
    put_event(0, 100, 9);
    read_image();
    assert_int_equal(got.event_count, 4);
    assert_int_equal(got.lost, 7);
    assert_non_null(strstr(got.caveat, "7 events between are missing"));
}

static void events_of_one_time_come_in_the_order_of_their_rings(void **state)
{
    static const int64_t VALUES[] = {6, 7, 8, 9};

    (void)state;
    make_trace(RUN_ID, 0);
    make_rings();
    put_event(1, 5, 8);
    put_event(1, 5, 9);
    put_event(0, 5, 6);
    put_event(0, 5, 7);
    read_image();
    assert_values(4, VALUES);
}

/* A producer that writes records itself may leave names out; those of the VM are at
 * least empty. */
static void a_record_without_a_name_defines_one_without(void **state)
{
    static const struct {
        tm__record record;
        const char *text;
    } cases[] = {
        {{.kind = TM__RECORD_CLASS, .class = {.id = 5}}, "class 5 |(null)\n"},
        {{.kind = TM__RECORD_CLASS | TM__RECORD_PLAIN, .class = {.id = 5}},
         "class 5 (null)|(null)\n"},
        {{.kind = TM__RECORD_METHOD, .method = {.id = 6, .class_id = 5}},
         "method 6 5 | 0\n"},
        {{.kind = TM__RECORD_METHOD | TM__RECORD_PLAIN, .method = {.id = 6}},
         "method 6 0 (null)|(null) 0\n"},
        {{.kind = TM__RECORD_THREAD, .thread = {.id = 7}},
         "thread 7 0 0 |(null) 0 0\n"},
        {{.kind = TM__RECORD_THREAD, .thread = {.id = 7, .has_no_name = 1}},
         "thread 7 0 0 (null)|(null) 0 0\n"},
        {{.kind = TM__RECORD_OBJECT, .object = {.id = 8}}, "object 8 0 0 0 1\n"},
        {{.kind = TM__RECORD_OBJECT | TM__RECORD_PLAIN, .object = {.id = 8}},
         "object 8 0 0 0 0\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        recorder emitted;

        recorder_init(&emitted);
        assert_int_equal(tm__record_define(&cases[i].record, &emitted.sink), TM_OK);
        assert_string_equal(emitted.text, cases[i].text);
        recorder_free(&emitted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_of_all_rings_come_by_time_after_those_of_the_trace),
        cmocka_unit_test(what_the_round_in_work_had_written_comes_once),
        cmocka_unit_test(the_producers_own_events_stand_for_none_of_the_rings),
        cmocka_unit_test(room_that_is_being_handed_back_is_not_read_again),
        cmocka_unit_test(ring_that_wrapped_is_read_in_its_order),
        cmocka_unit_test(ring_that_began_again_is_read_from_its_beginning),
        cmocka_unit_test(losses_that_were_not_reported_are),
        cmocka_unit_test(events_that_the_trace_once_had_are_missed),
        cmocka_unit_test(events_of_one_time_come_in_the_order_of_their_rings),
        cmocka_unit_test(a_record_without_a_name_defines_one_without),
    };

    return cmocka_run_group_tests(tests, open_folder, remove_folder);
}
