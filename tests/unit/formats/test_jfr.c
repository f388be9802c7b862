/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings of the JDK Flight Recorder made by hand, right and wrong in every way. */
#include "support/jfr_recording.h"

#include "support/chunk_paper.h"
#include "support/hardship.h"

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
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(a_sink_that_fails_ends_the_reading),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
