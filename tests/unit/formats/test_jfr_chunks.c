/* SPDX-License-Identifier: Apache-2.0 */
/* Where the chunks of a recording are, in files, in pipes and in what is left of them.
 */
#include "support/jfr_chunk.h"

#define _POSIX_C_SOURCE 200809L
#include "support/chunk_paper.h"
#include "support/hardship.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A chunk in which threads end so many seconds behind its start. */
static void make_ends(uint64_t start_ns, const uint64_t *seconds, size_t count)
{
    begin_chunk(&paper, start_ns, 1000000000);
    for (size_t i = 0; i < count; i++) {
        begin_event(&paper, TYPE_END);
        PUT(&paper, 1000 + seconds[i] * 1000000000, 2);
        end_event(&paper);
    }
    put_constants(&paper);
    put_metadata(&paper, chunk_classes, CHUNK_CLASSES);
    end_chunk(&paper);
}

static void chunks_follow_one_another(void **state)
{
    (void)state;
    length = 0;
    for (uint64_t i = 0; i < 3; i++) {
        make_chunk(5000000000 + 10000000000 * i);
        append();
    }
    assert_reads(TM_OK, "", "event 25000000400 7 0 0 0 0 3 0\n", 3);
}

/* As async-profiler's beside the JDK's, or of two processes. */
static void chunks_that_overlap_are_merged_by_the_time_of_each_event(void **state)
{
    static const uint64_t first[] = {1, 40, 90}, second[] = {0, 35, 36}, third[] = {5};
    const char *at;
    recorder all;
    int64_t last = 0;
    int rc, count = 0;

    (void)state;
    length = 0;
    make_ends(50000000000, first, 3);
    append();
    make_ends(110000000000, third, 1);
    append();
    make_ends(60000000000, second, 3);
    append();
    all = emit_all((const char *)bytes, length, &rc);
    assert_int_equal(rc, TM_OK);
    for (at = strstr(all.text, "\nevent "); at; at = strstr(at + 1, "\nevent ")) {
        int64_t time_ns = strtoll(at + 7, NULL, 10);

        if (time_ns < last)
            fail_msg("%lld after %lld", (long long)time_ns, (long long)last);
        last = time_ns;
        count++;
    }
    assert_int_equal(count, 7);
    assert_int_equal(last, INT64_C(140000000000));
    recorder_free(&all);
}

static void a_recording_without_events_is_a_caveat(void **state)
{
    recorder all;
    int rc;

    (void)state;
    length = 0;
    make_ends(50000000000, NULL, 0);
    append();
    all = emit_all((const char *)bytes, length, &rc);
    assert_int_equal(rc, TM_OK);
    assert_non_null(strstr(all.text, "caveat The recording holds no event of locks"));
    recorder_free(&all);
}

static void a_chunk_that_was_not_finished_ends_where_another_begins(void **state)
{
    size_t whole;
    char text[160];

    (void)state;
    length = 0;
    make_chunk(5000000);
    put_big_endian(&paper, 8, 100, 8);
    paper.bytes[64] = 3;
    append();
    /* Its own header, as checkpoints may have it, and what is not quite one. */
    whole = length;
    memset(bytes + length, 0, 300);
    memcpy(bytes + length + 1, bytes, CHUNK_HEADER);
    memcpy(bytes + length + 1 + CHUNK_HEADER, "FLR\0FLFFFLR", 11);
    length += 300;
    make_chunk(60000000000);
    append();
    snprintf(
        text, sizeof(text),
        "the chunk at byte 0 was not finished: its JVM was killed, or still ran when "
        "the file was copied; it was read up to byte %zu",
        whole);
    assert_reads(TM_EDAMAGED, text, "event 60000000400 7 0 0 0 0 3 0\n", 2);
    /* Or with the same start by the wall clock. */
    length -= paper.length;
    make_chunk(5000000);
    put_big_endian(&paper, 48, 1001, 8);
    append();
    assert_reads(TM_EDAMAGED, text, "event 5000400 7 0 0 0 0 3 0\n", 2);
    /* And to the end where none does. */
    length = whole + 200;
    assert_reads(TM_EDAMAGED, text, "event 5000400 7 0 0 0 0 3 0\n", 1);
    length = whole + 40;
    assert_reads(TM_EDAMAGED, text, "event 5000400 7 0 0 0 0 3 0\n", 1);
    memset(bytes + whole, 0, 40);
    assert_reads(TM_EDAMAGED, text, "event 5000400 7 0 0 0 0 3 0\n", 1);
}

static void a_chunk_that_is_cut_is_read_as_far_as_it_is_there(void **state)
{
    char text[160];

    (void)state;
    length = 0;
    make_chunk(5000000);
    put_big_endian(&paper, 8, paper.length + 100, 8);
    append();
    snprintf(text, sizeof(text),
             "the file ends at byte %zu within the chunk at byte 0, and 100 bytes of "
             "the chunk are missing; it was read up to byte %zu",
             length, length);
    assert_reads(TM_EDAMAGED, text, "event 5000400 7 0 0 0 0 3 0\n", 1);
    /* Finished, and shorter than a header. */
    make_chunk(5000000);
    put_big_endian(&paper, 8, 10, 8);
    length = 0;
    append();
    assert_reads(TM_EDAMAGED, "the file ends at byte ", "event 5000400 7 0 0 0 0 3 0\n",
                 1);
}

/* A chunk that is cut may end before the constants of its threads. */
static void a_thread_is_known_by_the_constants_of_earlier_chunks(void **state)
{
    recorder all;
    int rc;

    (void)state;
    length = 0;
    make_chunk(5000000);
    append();
    begin_chunk(&paper, 60000000000, 1000000000);
    for (uint64_t key = 2; key < 4; key++) {
        begin_event(&paper, TYPE_END);
        PUT(&paper, 1400 + key, key);
        end_event(&paper);
    }
    put_metadata(&paper, chunk_classes, CHUNK_CLASSES);
    end_chunk(&paper);
    append();
    all = emit_all((const char *)bytes, length, &rc);
    assert_int_equal(rc, TM_OK);
    assert_non_null(strstr(all.text, "event 60000000402 7 0 0 0 0 3 0\n"));
    /* No constant of any chunk is of key 3. */
    assert_non_null(strstr(all.text, "event 60000000403 9223372036854775811 0 0 0"));
    assert_non_null(
        strstr(all.text, "caveat 1 events name threads that the recording"));
    recorder_free(&all);
}

static void a_header_is_of_versions_1_and_2_and_of_a_time_that_can_be(void **state)
{
    static const struct {
        size_t place, count;
        uint64_t value;
    } wrong[] = {{0, 1, 'f'}, {4, 2, 0},           {4, 2, 3},
                 {56, 8, 0},  {56, 8, UINT64_MAX}, {32, 8, UINT64_MAX}};

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        char text[80];
        size_t whole;

        length = 0;
        make_chunk(5000000);
        append();
        whole = length;
        put_big_endian(&paper, wrong[i].place, wrong[i].value, (int)wrong[i].count);
        append();
        make_chunk(60000000000);
        append();
        snprintf(text, sizeof(text), "bytes %zu to %zu are not a chunk of a recording",
                 whole, length - paper.length);
        assert_reads(TM_EDAMAGED, text, "event 60000000400 7 0 0 0 0 3 0\n", 2);
    }
}

/* Chunks of one JVM are on one clock, unless it cannot be so. */
static void a_clock_goes_on_as_long_as_it_can_be_the_same(void **state)
{
    static const struct {
        uint64_t start_ns, start_ticks, rate;
        const char *event;
    } clocks[] = {
        {5500000000, 1000, 1000000000,
         "event 5000000900 "}, /* the wall clock was set */
        {7000000000, 1000, 1000000000, "event 7000000900 "},
        /* The rate that is stated is off by 0.9 %. */
        {2005000000000, 1982000001000, 1000000000, "event 5000000900 "},
        {6000000000, 1000, 1000000, "event 6000900000 "},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(clocks) / sizeof(*clocks); i++) {
        length = 0;
        make_chunk(5000000000);
        append();
        begin_chunk(&paper, clocks[i].start_ns, clocks[i].rate);
        put_big_endian(&paper, 48, clocks[i].start_ticks, 8);
        begin_event(&paper, TYPE_END);
        PUT(&paper, 1900, 2);
        end_event(&paper);
        put_metadata(&paper, chunk_classes, CHUNK_CLASSES);
        end_chunk(&paper);
        append();
        assert_reads(TM_OK, "", clocks[i].event, 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_follow_one_another),
        cmocka_unit_test(chunks_that_overlap_are_merged_by_the_time_of_each_event),
        cmocka_unit_test(a_recording_without_events_is_a_caveat),
        cmocka_unit_test(a_chunk_that_was_not_finished_ends_where_another_begins),
        cmocka_unit_test(a_chunk_that_is_cut_is_read_as_far_as_it_is_there),
        cmocka_unit_test(a_thread_is_known_by_the_constants_of_earlier_chunks),
        cmocka_unit_test(a_header_is_of_versions_1_and_2_and_of_a_time_that_can_be),
        cmocka_unit_test(a_clock_goes_on_as_long_as_it_can_be_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
