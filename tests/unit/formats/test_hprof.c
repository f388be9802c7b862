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
        assert_damaged("longer than what is left of the file");
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

static void headers_that_cannot_be_are_refused(void **state)
{
    static const struct {
        const char *version;
        int id_bytes;
        int code;
        const char *text;
    } cases[] = {
        {"1.0.3", 8, TM_EVERSION, "HPROF of version 1.0.3; 1.0.1 and 1.0.2 are read"},
        {"1.0.2", 0, TM_EFORMAT, "identifiers of 0 bytes"},
        {"1.0.2", 16, TM_EFORMAT, "identifiers of 16 bytes"},
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
        cmocka_unit_test(headers_that_cannot_be_are_refused),
        HARDSHIP_TESTS(&it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
