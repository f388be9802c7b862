/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings of the JDK Flight Recorder made by hand, right and wrong in every way. */
#include "support/chunk_paper.h"
#include "support/hardship.h"

static chunk_paper paper;

/* All that a recording emits, as text; the code that ended it in `rc`. */
static recorder read_recording(const uint8_t *bytes, size_t length, int *rc)
{
    recorder all;

    recorder_init(&all);
    *rc = read_all(&all, bytes, length);
    return all;
}

static void assert_reads(int code, const char *text)
{
    int rc;
    recorder all = read_recording(paper.bytes, paper.length, &rc);

    assert_int_equal(rc, code);
    if (!strstr(all.text ? all.text : "", text))
        fail_msg("no \"%s\" in:\n%s", text, all.text ? all.text : "");
    recorder_free(&all);
}

static void assert_damaged(const char *text)
{
    int rc;
    recorder all = read_recording(paper.bytes, paper.length, &rc);

    assert_int_equal(rc, TM_EDAMAGED);
    if (!strstr(tm_error_text(), text))
        fail_msg("\"%s\" is not in \"%s\"", text, tm_error_text());
    recorder_free(&all);
}

static void each_event_becomes_its_two_ends_in_order(void **state)
{
    (void)state;
    make_recording(&paper);
    assert_reads(TM_OK, "event 5000010 7 0 1 0 0 2 4\n"         /* start */
                        "event 5000100 1 256 0 0 1 4 0\n"       /* enter */
                        "event 5000120 7 256 0 5000000 1 6 0\n" /* wait */
                        "event 5000150 1 256 7 0 0 5 4\n"       /* entered */
                        "event 5000210 1 256 0 0 1 8 0\n"       /* notify */
                        "event 5000220 7 256 1 0 0 7 4\n");     /* waited */
    assert_reads(TM_OK, "event 5000340 7 0 0 9 1 12 0\n"
                        "event 5000350 7 0 0 0 0 13 0\n"
                        "event 5000400 7 0 0 0 0 3 0\n");
    assert_reads(TM_OK, "thread 7 0 0 other|workers 0 0\n");
    assert_reads(TM_OK, "app.Lock|(null)\n");
    assert_reads(TM_OK, " use|(null) 0\n");
    assert_reads(TM_OK, " 42\n");
}

/* JDK 9 and 10 name the packages of types in another way. */
static void types_of_jdk_9_are_those_of_later_ones(void **state)
{
    static chunk_class classes[CHUNK_CLASSES];
    static char names[CHUNK_CLASSES][64];

    (void)state;
    for (size_t i = 0; i < CHUNK_CLASSES; i++) {
        const char *name = chunk_classes[i].name;

        classes[i] = chunk_classes[i];
        if (strncmp(name, "jdk.types.", 10) == 0)
            snprintf(names[i], sizeof(names[i]), "com.oracle.jfr.types.%s", name + 10);
        else if (strncmp(name, "jdk.", 4) == 0)
            snprintf(names[i], sizeof(names[i]), "com.oracle.%s", name);
        else
            continue;
        classes[i].name = names[i];
    }
    begin_chunk(&paper, 5000000, 1000000000);
    put_events(&paper);
    put_constants(&paper);
    put_metadata(&paper, classes, CHUNK_CLASSES);
    end_chunk(&paper);
    assert_reads(TM_OK, "event 5000100 1 256 0 0 1 4 0\n");
    assert_reads(TM_OK, "thread 7 0 0 other|workers 0 0\n");
    assert_reads(TM_OK, "app.Lock|(null)\n");
    assert_reads(TM_OK, " use|(null) 0\n");
}

static void ticks_of_any_rate_become_nanoseconds(void **state)
{
    (void)state;
    make_recording(&paper);
    put_big_endian(&paper, 56, 2000000000, 8);
    assert_reads(TM_OK, "event 5000050 1 256 0 0 1 4 0\n");
    put_big_endian(&paper, 56, 100, 8);
    assert_reads(TM_OK, "event 1005000000 1 256 0 0 1 4 0\n");
    put_big_endian(&paper, 56, INT64_MAX, 8);
    assert_reads(TM_OK, "event 5000000 1 256 0 0 1 4 0\n");
}

static void times_beyond_all_bounds_stay_in_64_bits(void **state)
{
    (void)state;
    begin_chunk(&paper, INT64_MAX, 1);
    begin_event(&paper, TYPE_ENTER);
    PUT(&paper, INT64_MAX, UINT64_MAX, 1, 1, 1, 0x100, 2);
    end_event(&paper);
    put_constants(&paper);
    put_metadata(&paper, chunk_classes, CHUNK_CLASSES);
    end_chunk(&paper);
    assert_reads(TM_OK, "event 9223372036854775807 1 256 7 0 0 5 4\n");
}

static void a_sleep_that_is_over_too_early_was_interrupted(void **state)
{
    (void)state;
    begin_chunk(&paper, 5000000, 1000000000);
    begin_event(&paper, TYPE_SLEEP);
    PUT(&paper, 1000, 40000, 2, 1, 90000);
    end_event(&paper);
    begin_event(&paper, TYPE_SLEEP);
    PUT(&paper, 200000, 90001, 2, 1, 90000);
    end_event(&paper);
    put_constants(&paper);
    put_metadata(&paper, chunk_classes, CHUNK_CLASSES);
    end_chunk(&paper);
    assert_reads(TM_OK, "event 5040000 7 0 0 0 0 13 2\n");
    assert_reads(TM_OK, "event 5289001 7 0 0 0 0 13 0\n");
}

static void constants_may_be_missing(void **state)
{
    (void)state;
    begin_chunk(&paper, 5000000, 1000000000);
    put_events(&paper);
    put_metadata(&paper, chunk_classes, CHUNK_CLASSES);
    end_chunk(&paper);
    /* The key stands for the thread, in a number space of its own. */
    assert_reads(TM_OK, "event 5000100 9223372036854775809 256 0 0 0 4 0\n");
    assert_reads(TM_OK, "name threads that the recording does not define.\n");
}

static void a_string_that_names_itself_is_none(void **state)
{
    static const uint8_t encodings[] = {0, 1, 2, 3, 4, 5, 6, 255};

    (void)state;
    for (size_t i = 0; i < sizeof(encodings); i++) {
        int rc;
        recorder all;

        begin_chunk(&paper, 5000000, 1000000000);
        put_events(&paper);
        begin_event(&paper, 1);
        PUT(&paper, 1000, 0, 0);
        put_byte(&paper, 0);
        PUT(&paper, 2, TYPE_STRING, 1, 5);
        put_byte(&paper, encodings[i]);
        PUT(&paper, 5, 'a', 'b', 'c', 'd', 'e');
        paper.length -= encodings[i] == 2 ? 5 : encodings[i] < 2 ? 6 : 0;
        PUT(&paper, TYPE_THREAD, 1, 1);
        put_byte(&paper, 2);
        PUT(&paper, 5, 1, 0);
        end_event(&paper);
        put_metadata(&paper, chunk_classes, CHUNK_CLASSES);
        end_chunk(&paper);
        all = read_recording(paper.bytes, paper.length, &rc);
        assert_int_equal(rc, encodings[i] > 5 ? TM_EDAMAGED : TM_OK);
        if (encodings[i] < 6)
            assert_non_null(strstr(all.text, encodings[i] > 2 ? "thread 1 0 0 abcde|"
                                             : encodings[i] == 1
                                                 ? "thread 1 0 0 |"
                                                 : "thread 1 0 0 (null)|"));
        recorder_free(&all);
    }
}

static void a_thread_dump_shows_a_deadlock_once(void **state)
{
    int rc;
    recorder all;
    const char *first;

    (void)state;
    begin_chunk(&paper, 5000000, 1000000000);
    put_events(&paper);
    begin_event(&paper, TYPE_DUMP);
    PUT(&paper, 1600);
    put_text(&paper, chunk_dump);
    end_event(&paper);
    put_constants(&paper);
    put_metadata(&paper, chunk_classes, CHUNK_CLASSES);
    end_chunk(&paper);
    all = read_recording(paper.bytes, paper.length, &rc);
    assert_int_equal(rc, TM_OK);
    assert_non_null(strstr(all.text, "thread 21 0 0 one|"));
    assert_non_null(strstr(all.text, "app.Left|"));
    /* Snapshots of both, blocked, the owner reported; then what each holds. */
    first = strstr(all.text, "event 5000500 21 ");
    assert_non_null(first);
    assert_non_null(strstr(first, " 22 3 "));
    assert_non_null(strstr(all.text, "event 5000500 22 "));
    assert_non_null(strstr(all.text, " 0 0 0 21 16\n"));
    assert_null(strstr(all.text, "event 5000600 "));
    recorder_free(&all);
}

static void settings_report_thresholds_and_kinds(void **state)
{
    (void)state;
    make_recording(&paper);
    assert_reads(TM_OK, " 20000000 30 3 3\n"); /* threshold, kinds, policy, identity */
    assert_reads(TM_OK, "caveat JFR did not record waits on monitors");
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
        assert_non_null(strstr(tm_error_text(), "of which"));
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

static int open_paper(tm_source **source, const void *what,
                      const tm_source_options *options)
{
    const chunk_paper *it = what;

    return tm__source_open_memory(source, "t.jfr", it->bytes, it->length, options);
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    make_recording(&paper);
    assert_whole_where_memory_fails(open_paper, &paper, TM_OK, 15,
                                    "event 5000100 1 256 0 0 1 4 0\n");
}

static void a_sink_that_fails_ends_the_reading(void **state)
{
    (void)state;
    make_recording(&paper);
    for (uint64_t calls = 1; calls < 30; calls++) {
        recorder all;
        int rc;

        recorder_init(&all);
        all.fail_after = calls;
        rc = read_all(&all, paper.bytes, paper.length);
        assert_true(rc == TM_ESTOPPED || rc == TM_OK);
        recorder_free(&all);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_event_becomes_its_two_ends_in_order),
        cmocka_unit_test(types_of_jdk_9_are_those_of_later_ones),
        cmocka_unit_test(ticks_of_any_rate_become_nanoseconds),
        cmocka_unit_test(times_beyond_all_bounds_stay_in_64_bits),
        cmocka_unit_test(a_sleep_that_is_over_too_early_was_interrupted),
        cmocka_unit_test(constants_may_be_missing),
        cmocka_unit_test(a_string_that_names_itself_is_none),
        cmocka_unit_test(a_thread_dump_shows_a_deadlock_once),
        cmocka_unit_test(settings_report_thresholds_and_kinds),
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
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(a_sink_that_fails_ends_the_reading),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
