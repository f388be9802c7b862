/* SPDX-License-Identifier: Apache-2.0 */
/* Binary HPROF files made by hand, right and wrong in every way. */
#include "support/hprof_paper.h"

#include "support/hardship.h"
#include "support/heap_paper.h"

static void threads_come_out_of_a_heap(void **state)
{
    static const struct {
        const char *version;
        int id_bytes;
    } kinds[] = {{"1.0.2", 8}, {"1.0.2", 4}, {"1.0.1", 4}, {"1.0.1", 8}};

    (void)state;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        make_heap(&paper, kinds[i].version, kinds[i].id_bytes);
        assert_reads(TM_OK, "thread 11 0 0 one|a\xc3\xbc 0 0\n");
        /* A pair of UTF-16, and half of one. */
        assert_reads(TM_OK, "thread 12 0 0 t\xf0\x9f\x98\x80\xef\xbf\xbd|a\xc3\xbc "
                            "0 2\n");
        assert_reads(TM_OK, "object 3700 3 0 0 4\n");
        /* Parked for the lock, which 12 has; blocked; holds it. */
        assert_reads(TM_OK, "event 5000007000 11 3700 12 8 1 22 4\n"
                            "event 5000007000 12 0 0 3 2 22 0\n"
                            "event 5000007000 12 3700 0 0 0 21 0\n");
        assert_reads(TM_OK, "  frame 2 -1 7\n");
        assert_reads(TM_OK, "class 2 shop.Bank|Bank.java\n");
        assert_reads(TM_OK, "Of the heap 9 objects, 3 arrays, 7 classes and 2 roots");
    }
}

static void objects_may_come_before_their_classes(void **state)
{
    (void)state;
    begin_file(&paper, "1.0.2", 8);
    begin_record(&paper, 0x1c, 7);
    put_heap_objects(&paper);
    end_record(&paper);
    begin_record(&paper, 0x1c, 7);
    put_heap_classes(&paper);
    end_record(&paper);
    put_names(&paper);
    assert_reads(TM_OK, "event 5000007000 11 3700 12 8 1 22 4\n");
    assert_reads(TM_OK, "thread 11 0 0 one|a\xc3\xbc 0 0\n");
}

static void starts_ends_samples_and_settings_of_the_agent(void **state)
{
    (void)state;
    begin_file(&paper, "1.0.1", 4);
    put_names(&paper);
    put_string(&paper, 201, "worker, \"1\"");
    put_string(&paper, 202, "main");
    begin_record(&paper, 0x0a, 10);
    put(&paper, 1, 4);
    put_id(&paper, 3000);
    put(&paper, 1, 4);
    put_id(&paper, 201);
    put_id(&paper, 202);
    put_id(&paper, 0);
    end_record(&paper);
    begin_record(&paper, 0x0b, 30);
    put(&paper, 1, 4);
    end_record(&paper);
    begin_record(&paper, 0x0d, 40);
    put(&paper, 5, 4);
    put(&paper, 2, 4);
    put(&paper, 3, 4);
    put(&paper, 1, 4);
    put(&paper, 2, 4);
    put(&paper, 99, 4);
    end_record(&paper);
    begin_record(&paper, 0x0e, 0);
    put(&paper, 2, 4);
    put(&paper, 16, 2);
    end_record(&paper);
    begin_record(&paper, 0x06, 0);
    put(&paper, 0, 4);
    end_record(&paper);
    assert_reads(TM_OK, "thread 1 0 0 worker, \"1\"|main 0 0\n");
    assert_reads(TM_OK, "event 5000010000 1 0 0 0 0 2 0\n"
                        "event 5000030000 1 0 0 0 0 3 0\n"
                        "event 5000040000 1 0 0 0 1 24 0\n"
                        "event 5000040000 1 0 0 0 1 24 0\n"
                        "event 5000040000 1 0 0 0 1 24 0\n");
    assert_reads(TM_OK, "2 samples of the processor were left out");
    assert_reads(TM_OK, "not trace allocations and to sample the processor, with "
                        "stacks of 16 frames");
    assert_reads(TM_OK, "1 records of allocation sites");
}

/* A file in which a thread starts. */
static void begin_with_a_thread(uint32_t time_us)
{
    begin_file(&paper, "1.0.1", 4);
    put_names(&paper);
    put_string(&paper, 201, "one");
    begin_record(&paper, 0x0a, time_us);
    put(&paper, 1, 4);
    put_id(&paper, 3000);
    put(&paper, 1, 4);
    put_id(&paper, 201);
    put_id(&paper, 0);
    put_id(&paper, 0);
    end_record(&paper);
}

/* After 72 minutes the microseconds begin anew. */
static void times_go_on_where_the_counter_turns(void **state)
{
    (void)state;
    begin_with_a_thread(0xfffffff0);
    begin_record(&paper, 0x0b, 0x10);
    put(&paper, 1, 4);
    end_record(&paper);
    assert_reads(TM_OK, "event 4299967280000 ");
    assert_reads(TM_OK, "event 4299967312000 ");
}

static void many_samples_are_emitted_in_parts_and_too_many_left_out(void **state)
{
    int rc;
    recorder all;

    (void)state;
    begin_with_a_thread(10);
    begin_record(&paper, 0x0d, 40);
    put(&paper, 5, 4);
    put(&paper, 2, 4);
    put(&paper, 20000, 4);
    put(&paper, 1, 4);
    put(&paper, 1 << 20, 4);
    put(&paper, 1, 4);
    end_record(&paper);
    all = emit_all((const char *)paper.bytes, paper.length, &rc);
    assert_int_equal(rc, TM_OK);
    assert_int_equal(all.events, 1 + 20000);
    assert_non_null(strstr(all.text, "1048576 samples of the processor were left out"));
    recorder_free(&all);
}

/* The state of a platform thread by its bits alone. */
static void bits_of_a_thread_are_its_state(void **state)
{
    static const struct {
        uint32_t status;
        const char *event;
    } cases[] = {
        {0x0, "event 5000007000 11 0 0 0 2 22 0\n"},
        {0x2, "event 5000007000 11 0 0 0 0 3 0\n"},
        {0x5, "event 5000007000 11 0 0 2 2 22 0\n"},
        {0x41, "event 5000007000 11 0 0 7 2 22 0\n"},
        {0x101, "event 5000007000 11 0 0 4 2 22 0\n"},
        {0x201, "event 5000007000 11 0 0 8 2 22 0\n"},
        {0x401, "event 5000007000 11 0 0 3 2 22 0\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char event[100];

        begin_file(&paper, "1.0.2", 8);
        put_names(&paper);
        begin_record(&paper, 0x1c, 7);
        put_heap_classes(&paper);
        put_thread_root(&paper, 3000, 1, 2);
        put_thread(&paper, 3000, 11, 0, 0, cases[i].status);
        end_record(&paper);
        snprintf(event, sizeof(event), "%s", cases[i].event);
        if (strstr(event, " 2 22 "))
            *strstr(event, " 2 22 ") = '\0'; /* whatever number its stack has */
        assert_reads(TM_OK, event);
    }
}

/* One that is an object alone, or has no number at all. */
static void a_thread_without_a_number_is_known_by_its_object(void **state)
{
    (void)state;
    begin_file(&paper, "1.0.2", 8);
    put_names(&paper);
    begin_record(&paper, 0x1c, 7);
    put_heap_classes(&paper);
    put_thread_root(&paper, 3000, 0, 0);
    put_thread(&paper, 3000, 0, 0, 0, 0x5);
    put_thread_root(&paper, 3100, 7, 0);
    put_thread(&paper, 3100, 0, 0, 0, 0x5);
    put_thread(&paper, 3200, 12, 0, 0, 0x5); /* of no root: it has not begun */
    end_record(&paper);
    assert_reads(TM_OK, "thread 9223372036854778808 0 0 (null)|(null) 0 0\n");
    assert_reads(TM_OK, "thread 7 0 0 (null)|(null) 0 0\n");
    assert_reads(TM_OK, "event 5000007000 9223372036854778808 0 0 2 0 22 0\n"
                        "event 5000007000 7 0 0 2 0 22 0\n");
}

enum { VIRTUAL = 10, FIELD_STATE = 301, FIELD_CARRIER, FIELD_PERMIT };

/* A virtual thread of a state, and its carrier of another. */
static void make_virtual(uint32_t state, uint32_t carrier_status, int has_permit)
{
    static const uint64_t fields[][2] = {{FIELD_STATE, TYPE_INT},
                                         {FIELD_CARRIER, TYPE_OBJECT},
                                         {FIELD_PERMIT, TYPE_BOOLEAN}};

    begin_file(&paper, "1.0.2", 8);
    put_names(&paper);
    put_string(&paper, FIELD_STATE, "state");
    put_string(&paper, FIELD_CARRIER, "carrierThread");
    put_string(&paper, FIELD_PERMIT, "blockPermit");
    put_class(&paper, VIRTUAL, "java/lang/VirtualThread");
    begin_record(&paper, 0x1c, 7);
    put_heap_classes(&paper);
    put_class_dump(&paper, VIRTUAL, THREAD, fields, has_permit ? 3 : 2);
    put_thread_root(&paper, 3000, 1, 0);
    put_thread(&paper, 3000, 11, 0, 0, carrier_status);
    begin_object(&paper, 4000, VIRTUAL, 12 + (uint32_t)has_permit + 3 * 8 + 8);
    put(&paper, state, 4);
    put_id(&paper, carrier_status ? 3000 : 0);
    if (has_permit)
        put(&paper, 0, 1);
    put_id(&paper, 0);
    put(&paper, 21, 8);
    put_id(&paper, 0);
    put_id(&paper, 0);
    end_record(&paper);
}

static void a_virtual_thread_is_as_its_carrier_or_as_its_number_shows(void **state)
{
    static const struct {
        uint32_t state, carrier_status;
        int has_permit;
        const char *event; ///< NULL: it is not there
    } cases[] = {
        {1, 0x5, 0,
         "event 5000007000 21 0 11 0 0 19 0\n"
         "event 5000007000 21 0 0 2 0 22 0\n"},
        {1, 0x401, 0, "event 5000007000 21 0 0 3 0 22 0\n"},
        {1, 0x101, 0, "event 5000007000 21 0 0 4 0 22 0\n"},
        {1, 0x201, 0, "event 5000007000 21 0 0 8 0 22 0\n"},
        {1, 0, 0, "event 5000007000 21 0 0 0 0 22 0\n"},
        {1, 0, 1, "event 5000007000 21 0 0 2 0 22 0\n"},
        {12, 0, 1, "event 5000007000 21 0 0 3 0 22 0\n"},
        {13, 0, 1, "event 5000007000 21 0 0 3 0 22 0\n"},
        {13, 0, 0, "event 5000007000 21 0 0 0 0 22 0\n"},
        {0, 0, 1, NULL},
        {99, 0, 1, NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        recorder all;
        int rc;

        make_virtual(cases[i].state, cases[i].carrier_status, cases[i].has_permit);
        if (cases[i].event) {
            assert_reads(TM_OK, "thread 21 0 0 (null)|(null) 0 1\n");
            assert_reads(TM_OK, cases[i].event);
            continue;
        }
        all = emit_all((const char *)paper.bytes, paper.length, &rc);
        assert_int_equal(rc, TM_OK);
        assert_null(strstr(all.text, "thread 21 "));
        recorder_free(&all);
    }
}

int main(void)
{
    const subject it = the_heap();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_come_out_of_a_heap),
        cmocka_unit_test(objects_may_come_before_their_classes),
        cmocka_unit_test(starts_ends_samples_and_settings_of_the_agent),
        cmocka_unit_test(times_go_on_where_the_counter_turns),
        cmocka_unit_test(many_samples_are_emitted_in_parts_and_too_many_left_out),
        cmocka_unit_test(bits_of_a_thread_are_its_state),
        cmocka_unit_test(a_thread_without_a_number_is_known_by_its_object),
        cmocka_unit_test(a_virtual_thread_is_as_its_carrier_or_as_its_number_shows),
        HARDSHIP_TESTS(&it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
