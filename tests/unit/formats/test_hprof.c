/* SPDX-License-Identifier: Apache-2.0 */
/* Binary HPROF files made by hand, right and wrong in every way. */
#include "support/hardship.h"
#include "support/heap_paper.h"

static heap_paper paper;

static heap_paper heap;

static subject the_heap(void)
{
    make_heap(&heap, "1.0.2", 8);
    return (subject){(const char *)heap.bytes, heap.length, 3};
}

static void assert_reads(int code, const char *expected)
{
    assert_emits((const char *)paper.bytes, paper.length, code, expected);
}

static void assert_damaged(const char *expected)
{
    assert_reads(TM_EDAMAGED, "caveat ");
    if (!strstr(tm_error_text(), expected))
        fail_msg("\"%s\" is not in \"%s\"", expected, tm_error_text());
}

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

static void what_is_wrong_is_reported_with_its_place(void **state)
{
    size_t segment;

    (void)state;
    /* A kind of record that a heap does not have. */
    begin_file(&paper, "1.0.2", 8);
    put_names(&paper);
    begin_record(&paper, 0x1c, 7);
    put_heap_classes(&paper);
    put_heap_objects(&paper);
    put(&paper, 0x77, 1);
    end_record(&paper);
    assert_reads(TM_EDAMAGED, "event 5000007000 11 3700 12 8 1 22 4\n");
    assert_non_null(strstr(tm_error_text(), "cannot be read from byte"));
    /* Lengths of 2^31 and more. */
    make_heap(&paper, "1.0.2", 8);
    segment = paper.length - 9;
    for (uint64_t length = 0x7fffffff; length <= UINT32_MAX; length *= 2) {
        paper.length = segment + 5;
        put(&paper, length, 4);
        assert_damaged("is cut off by the end of the file");
    }
    begin_file(&paper, "1.0.2", 8);
    put_names(&paper);
    begin_record(&paper, 0x1c, 7);
    put_heap_classes(&paper);
    begin_object(&paper, 9, LOCK, UINT32_MAX);
    end_record(&paper);
    assert_damaged("cannot be read from byte");
    begin_file(&paper, "1.0.2", 8);
    begin_record(&paper, 0x05, 0);
    put(&paper, 1, 4);
    put(&paper, 1, 4);
    put(&paper, UINT32_MAX, 4);
    end_record(&paper);
    assert_damaged("the record at byte 31 is shorter than such a record must be");
}

/* A record of a tag with so many bytes of zeros. */
static void put_zeros(int tag, int bytes)
{
    begin_record(&paper, tag, 0);
    for (int i = 0; i < bytes; i++)
        put(&paper, 0, 1);
    end_record(&paper);
}

static void records_too_short_for_what_they_state_are_reported(void **state)
{
    /* Of strings, classes, frames, traces, starts, ends, samples and settings. */
    static const struct {
        int tag, bytes;
    } cases[] = {{0x01, 7},  {0x02, 23}, {0x04, 39}, {0x05, 11},
                 {0x0a, 39}, {0x0b, 3},  {0x0d, 7},  {0x0e, 5}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        begin_file(&paper, "1.0.2", 8);
        put_zeros(cases[i].tag, cases[i].bytes);
        put_names(&paper);
        begin_record(&paper, 0x1c, 7);
        put_heap_classes(&paper);
        put_heap_objects(&paper);
        end_record(&paper);
        assert_reads(TM_EDAMAGED, "event 5000007000 11 3700 12 8 1 22 4\n");
        assert_non_null(strstr(tm_error_text(), "the record at byte 31 is shorter than "
                                                "such a record must be"));
    }
    begin_file(&paper, "1.0.2", 8);
    begin_record(&paper, 0x0d, 0);
    put(&paper, 9, 4);
    put(&paper, 2, 4); /* samples, of one */
    put(&paper, 1, 8);
    end_record(&paper);
    assert_damaged("the record at byte 31 is shorter than such a record must be");
}

static void what_is_defined_again_stays_as_it_was(void **state)
{
    (void)state;
    make_heap(&paper, "1.0.2", 8);
    put_string(&paper, FIELD_NAME, "other");
    put_string(&paper, 900, "");
    put_frame(&paper, 502, METHOD_PARK, 0, UNSAFE, 99);
    put_trace(&paper, 1, 1, 502, 0);
    assert_reads(TM_OK, "thread 11 0 0 one|a\xc3\xbc 0 0\n");
    assert_reads(TM_OK, "  frame 2 -1 7\n");
}

/* Frames of a class that has no name, and of one that is not there. */
static void a_frame_of_an_unknown_class_has_a_question_mark(void **state)
{
    (void)state;
    begin_file(&paper, "1.0.2", 8);
    begin_record(&paper, 0x02, 0);
    put(&paper, 70, 4);
    put_id(&paper, 2070);
    put(&paper, 0, 4);
    put_id(&paper, 0);
    end_record(&paper);
    put_names(&paper);
    put_frame(&paper, 601, METHOD_LOCK, SOURCE, 70, 8);
    put_frame(&paper, 602, METHOD_LOCK, 0, 71, 0);
    put_trace(&paper, 9, 1, 601, 602);
    begin_record(&paper, 0x1c, 7);
    put_heap_classes(&paper);
    put_thread_root(&paper, 3000, 1, 9);
    put_thread(&paper, 3000, 11, 0, 0, 0x5);
    end_record(&paper);
    assert_reads(TM_OK, "class 1 ?|Bank.java\n");
    assert_reads(TM_OK, "method 1 1 lock|(null) 0\n");
    assert_reads(TM_OK, "stack 1 0 2\n  frame 1 -1 8\n  frame 1 -1 0\n");
    assert_reads(TM_OK, "event 5000007000 11 0 0 2 1 22 0\n");
}

static void a_class_that_is_its_own_ancestor_is_survived(void **state)
{
    (void)state;
    begin_file(&paper, "1.0.2", 8);
    put_names(&paper);
    begin_record(&paper, 0x1c, 7);
    put_class_dump(&paper, BANK, LOCK, NULL, 0);
    put_class_dump(&paper, LOCK, BANK, NULL, 0);
    put_heap_classes(&paper);
    begin_object(&paper, 9, BANK, 0);
    put_heap_objects(&paper);
    end_record(&paper);
    assert_reads(TM_OK, "thread 11 0 0 one|a\xc3\xbc 0 0\n");
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

static void headers_that_cannot_be_are_refused(void **state)
{
    static const struct {
        const char *version;
        int id_bytes;
        int code;
        const char *text;
    } cases[] = {
        {"1.0.3", 8, TM_EVERSION, "HPROF of version 1.0.3; 1.0.1 and 1.0.2 are read"},
        {"1.0.2", 0, TM_EFORMAT, "identifier size: 0 bytes"},
        {"1.0.2", 16, TM_EFORMAT, "identifier size: 16 bytes"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        int rc;
        recorder all;

        begin_file(&paper, cases[i].version, cases[i].id_bytes);
        all = emit_all((const char *)paper.bytes, paper.length, &rc);
        assert_int_equal(rc, cases[i].code);
        assert_non_null(strstr(tm_error_text(), cases[i].text));
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
        cmocka_unit_test(what_is_wrong_is_reported_with_its_place),
        cmocka_unit_test(records_too_short_for_what_they_state_are_reported),
        cmocka_unit_test(what_is_defined_again_stays_as_it_was),
        cmocka_unit_test(a_frame_of_an_unknown_class_has_a_question_mark),
        cmocka_unit_test(a_class_that_is_its_own_ancestor_is_survived),
        cmocka_unit_test(times_go_on_where_the_counter_turns),
        cmocka_unit_test(many_samples_are_emitted_in_parts_and_too_many_left_out),
        cmocka_unit_test(bits_of_a_thread_are_its_state),
        cmocka_unit_test(a_thread_without_a_number_is_known_by_its_object),
        cmocka_unit_test(a_virtual_thread_is_as_its_carrier_or_as_its_number_shows),
        cmocka_unit_test(headers_that_cannot_be_are_refused),
        HARDSHIP_TESTS(&it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
