/* SPDX-License-Identifier: Apache-2.0 */
/* Heap dumps that are damaged, or contradict themselves. */
#include "support/hprof_paper.h"

#include "support/hardship.h"
#include "support/heap_paper.h"

static void assert_damaged(const char *expected)
{
    assert_reads(TM_EDAMAGED, "caveat ");
    if (!strstr(tm_error_text(), expected))
        fail_msg("\"%s\" is not in \"%s\"", expected, tm_error_text());
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
    /* Records of strings, classes, frames, traces, starts, ends, samples and
     * settings. */
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_wrong_is_reported_with_its_place),
        cmocka_unit_test(records_too_short_for_what_they_state_are_reported),
        cmocka_unit_test(what_is_defined_again_stays_as_it_was),
        cmocka_unit_test(a_frame_of_an_unknown_class_has_a_question_mark),
        cmocka_unit_test(a_class_that_is_its_own_ancestor_is_survived),
        cmocka_unit_test(headers_that_cannot_be_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
