/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings of JFR that are damaged or cut. */
#include "support/jfr_recording.h"

#include "support/chunk_paper.h"
#include "support/hardship.h"

static void assert_damaged(const char *text)
{
    int rc;
    recorder all = read_recording(paper.bytes, paper.length, &rc);

    assert_int_equal(rc, TM_EDAMAGED);
    if (!strstr(tm_error_text(), text))
        fail_msg("\"%s\" is not in \"%s\"", text, tm_error_text());
    recorder_free(&all);
}

static void zeros_behind_are_no_damage_and_anything_else_is(void **state)
{
    size_t whole;
    char text[80];

    (void)state;
    make_recording(&paper);
    whole = paper.length;
    memset(paper.bytes + whole, 0, 1000);
    paper.length += 1000;
    assert_reads(TM_OK, "event 5000100 1 256");
    paper.bytes[whole + 500] = 'F';
    snprintf(text, sizeof(text), "bytes %zu to %zu are not a chunk", whole,
             whole + 1000);
    assert_damaged(text);
}

static void an_event_that_cannot_be_so_long_ends_its_chunk(void **state)
{
    static const uint8_t sizes[][9] = {
        {0},                                                    /* 0 */
        {1},                                                    /* 1 */
        {0xff, 0xff, 0xff, 0x7f},                               /* 2^28 */
        {0xff, 0xff, 0xff, 0xff, 0x07},                         /* 2^31 */
        {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, /* 2^64 - 1 */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        size_t at;
        char text[80];

        make_recording(&paper);
        at = paper.length;
        for (size_t j = 0; j < 9; j++)
            put_byte(&paper, sizes[i][j]);
        put_byte(&paper, 9);
        end_chunk(&paper);
        snprintf(text, sizeof(text), "the event at byte %zu cannot be ", at);
        assert_damaged(text);
        assert_reads(TM_EDAMAGED, "event 5000100 1 256 0 0 1 4 0\n");
    }
}

static void an_event_longer_than_its_length_is_left_out(void **state)
{
    size_t at;
    char text[80];

    (void)state;
    begin_chunk(&paper, 5000000, 1000000000);
    put_events(&paper);
    at = paper.length;
    begin_event(&paper, TYPE_ENTER);
    PUT(&paper, 1100, 50, 1);
    end_event(&paper);
    put_constants(&paper);
    put_metadata(&paper, chunk_classes, CHUNK_CLASSES);
    end_chunk(&paper);
    snprintf(text, sizeof(text), "the event at byte %zu is longer than it says", at);
    assert_damaged(text);
    assert_reads(TM_EDAMAGED, "event 5000100 1 256 0 0 1 4 0\n");
}

static void an_event_of_no_type_is_reported(void **state)
{
    size_t at;
    char text[80];

    (void)state;
    make_recording(&paper);
    at = paper.length;
    begin_event(&paper, 999);
    end_event(&paper);
    end_chunk(&paper);
    snprintf(text, sizeof(text), "the event at byte %zu is of a type", at);
    assert_damaged(text);
}

static void a_checkpoint_keeps_what_comes_before_its_damage(void **state)
{
    static const uint64_t counts[] = {2, UINT32_MAX, INT64_MAX, UINT64_MAX};

    (void)state;
    for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
        size_t at;
        char text[80];

        begin_chunk(&paper, 5000000, 1000000000);
        put_events(&paper);
        at = paper.length;
        begin_event(&paper, 1);
        PUT(&paper, 1000, 0, 0);
        put_byte(&paper, 0);
        PUT(&paper, 1, TYPE_THREAD, counts[i], 1);
        put_text(&paper, "main");
        PUT(&paper, 1, 0);
        end_event(&paper);
        put_metadata(&paper, chunk_classes, CHUNK_CLASSES);
        end_chunk(&paper);
        snprintf(text, sizeof(text), "the checkpoint event at byte %zu is damaged", at);
        assert_damaged(text);
        assert_reads(TM_EDAMAGED, "thread 1 0 0 main|");
    }
}

/* Behind the end of its chunk all numbers are 0, which may be a type. */
static void a_checkpoint_has_no_more_pools_than_bytes(void **state)
{
    static const chunk_class classes[] = {
        {"int", TYPE_INT, {{NULL}}},
        {"a.Zero", 0, {{"number", TYPE_INT, 0, 0, NULL}}},
    };

    (void)state;
    begin_chunk(&paper, 5000000, 1000000000);
    put_metadata(&paper, classes, sizeof(classes) / sizeof(*classes));
    begin_event(&paper, 1);
    PUT(&paper, 1000, 0, 0);
    put_byte(&paper, 0);
    PUT(&paper, UINT64_MAX);
    end_event(&paper);
    end_chunk(&paper);
    assert_damaged("the checkpoint event at byte ");
}

static void types_that_contain_themselves_are_refused(void **state)
{
    static const chunk_class classes[] = {
        {"long", TYPE_LONG, {{NULL}}},
        {"a.Snake", 40, {{"tail", 41, 0, 0, NULL}}},
        {"a.Tail", 41, {{"snake", 40, 0, 0, NULL}}},
        {"jdk.JavaMonitorEnter", TYPE_ENTER, {FIELD_START, {"snake", 40, 0, 0, NULL}}},
        {"jdk.ThreadSleep", TYPE_SLEEP, {FIELD_START, {"none", 99, 0, 0, NULL}}},
        {"jdk.ThreadEnd", TYPE_END, {FIELD_START, {"thread", TYPE_LONG, 0, 0, NULL}}},
    };

    (void)state;
    begin_chunk(&paper, 5000000, 1000000000);
    begin_event(&paper, TYPE_END);
    PUT(&paper, 1400, 2);
    end_event(&paper);
    put_metadata(&paper, classes, sizeof(classes) / sizeof(*classes));
    end_chunk(&paper);
    assert_damaged("describes events of type jdk.JavaMonitorEnter by types that it "
                   "does not have");
    assert_reads(TM_EDAMAGED, "describes events of type jdk.ThreadSleep");
    assert_reads(TM_EDAMAGED, "event 5000400 ");
}

static void a_chunk_that_was_not_finished_is_read_to_its_end(void **state)
{
    size_t whole;
    char text[160];

    (void)state;
    make_recording(&paper);
    whole = paper.length;
    put_big_endian(&paper, 8, 100, 8); /* as after its first flush */
    paper.bytes[64] = 2;
    snprintf(text, sizeof(text),
             "the chunk at byte 0 was not finished: its JVM was killed, or still ran "
             "when the file was copied; it was read up to byte %zu",
             whole);
    assert_damaged(text);
    assert_reads(TM_EDAMAGED, "event 5000100 1 256 0 0 1 4 0\n");
    /* And what was joined to it is found. */
    memcpy(paper.bytes + whole, paper.bytes, whole);
    paper.length += whole;
    put_big_endian(&paper, whole + 8, whole, 8);
    put_big_endian(&paper, whole + 32, 9000000000000, 8);
    paper.bytes[whole + 64] = 0;
    assert_damaged(text);
    assert_reads(TM_EDAMAGED, "event 9000000000100 1 256 0 0 1 4 0\n");
}

static void chunks_that_cannot_be_read_are_reported(void **state)
{
    (void)state;
    make_recording(&paper);
    paper.bytes[67] = 0;
    assert_damaged("the chunk at byte 0 is not read: its integers are not compressed");
    paper.bytes[67] = 5;
    assert_damaged("its flags, 0x5, are of a newer JVM");
    paper.bytes[67] = 3;
    assert_reads(TM_OK, "event 5000100");
    begin_chunk(&paper, 5000000, 1000000000);
    end_chunk(&paper);
    assert_damaged("the chunk at byte 0 has no whole metadata event");
}

static void any_prefix_is_read_or_reported_as_cut(void **state)
{
    size_t whole;

    (void)state;
    make_recording(&paper);
    whole = paper.length;
    for (size_t length = CHUNK_HEADER; length < whole; length++) {
        int rc;
        recorder all = read_recording(paper.bytes, length, &rc);

        assert_int_equal(rc, TM_EDAMAGED);
        assert_non_null(strstr(tm_error_text(), "of the chunk are missing"));
        recorder_free(&all);
    }
}

/* Every byte in turn made something else: whatever comes, it ends, and well. */
static void no_byte_can_do_harm(void **state)
{
    static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};

    (void)state;
    make_recording(&paper);
    for (size_t at = 0; at < paper.length; at++)
        for (size_t i = 0; i < sizeof(values); i++) {
            uint8_t before = paper.bytes[at];
            int rc;
            recorder all;

            paper.bytes[at] = values[i];
            all = read_recording(paper.bytes, paper.length, &rc);
            assert_true(rc == TM_OK || rc == TM_EDAMAGED || rc == TM_EFORMAT);
            recorder_free(&all);
            paper.bytes[at] = before;
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zeros_behind_are_no_damage_and_anything_else_is),
        cmocka_unit_test(an_event_that_cannot_be_so_long_ends_its_chunk),
        cmocka_unit_test(an_event_longer_than_its_length_is_left_out),
        cmocka_unit_test(an_event_of_no_type_is_reported),
        cmocka_unit_test(a_checkpoint_keeps_what_comes_before_its_damage),
        cmocka_unit_test(a_checkpoint_has_no_more_pools_than_bytes),
        cmocka_unit_test(types_that_contain_themselves_are_refused),
        cmocka_unit_test(a_chunk_that_was_not_finished_is_read_to_its_end),
        cmocka_unit_test(chunks_that_cannot_be_read_are_reported),
        cmocka_unit_test(any_prefix_is_read_or_reported_as_cut),
        cmocka_unit_test(no_byte_can_do_harm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
