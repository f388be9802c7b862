/* SPDX-License-Identifier: Apache-2.0 */
/* Where the chunks of a recording are, in files, in pipes and in what is left of them.
 */
#define _POSIX_C_SOURCE 200809L
#include "support/chunk_paper.h"
#include "support/hardship.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROOM = 1 << 20 };

static chunk_paper paper;
static uint8_t bytes[ROOM];
static size_t length;

/* A chunk in which a thread ends, 400 ns behind its start. */
static void make_chunk(uint64_t start_ns)
{
    begin_chunk(&paper, start_ns, 1000000000);
    begin_event(&paper, TYPE_END);
    PUT(&paper, 1400, 2);
    end_event(&paper);
    put_constants(&paper);
    put_metadata(&paper, chunk_classes, CHUNK_CLASSES);
    end_chunk(&paper);
}

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

static void append(void)
{
    assert_true(length + paper.length <= ROOM);
    memcpy(bytes + length, paper.bytes, paper.length);
    length += paper.length;
}

static recorder read_path(const char *path, int *rc)
{
    tm_source *source;
    recorder all;

    recorder_init(&all);
    *rc = tm_source_open(&source, path, NULL);
    while (*rc == TM_OK || *rc == TM_MORE) {
        *rc = tm_source_read(source, &all.sink);
        if (*rc == TM_OK)
            break;
    }
    tm_source_close(source);
    return all;
}

/* By a pipe that another process writes into. */
static recorder read_pipe(const uint8_t *from, size_t count, int *rc)
{
    char path[32];
    int ends[2], status;
    recorder all;
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(ends[0]);
        for (size_t at = 0; at < count;) {
            ssize_t written = write(ends[1], from + at, count - at);

            if (written < 0)
                _exit(1);
            at += (size_t)written;
        }
        _exit(0);
    }
    close(ends[1]);
    snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
    all = read_path(path, rc);
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    return all;
}

static void assert_reports(const recorder *all, int rc, int code, const char *damage,
                           const char *event, uint64_t events)
{
    if (rc != code || (code != TM_OK && !strstr(tm_error_text(), damage)))
        fail_msg("%d, and no \"%s\" in \"%s\"", rc, damage, tm_error_text());
    if (all->events != events || !strstr(all->text, event))
        fail_msg("%d events, and no \"%s\" in:\n%s", (int)all->events, event,
                 all->text);
}

/* From memory as from a pipe. */
static void assert_reads(int code, const char *damage, const char *event,
                         uint64_t events)
{
    int rc;
    recorder all = emit_all((const char *)bytes, length, &rc);

    assert_reports(&all, rc, code, damage, event, events);
    recorder_free(&all);
    all = read_pipe(bytes, length, &rc);
    assert_reports(&all, rc, code, damage, event, events);
    recorder_free(&all);
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

/* What is behind it may begin as a header does. */
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
             "the file ends at byte %zu within the chunk at byte 0, of which 100 bytes "
             "are missing; it was read up to byte %zu",
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

/* Longer than what of a pipe is looked at at first. */
static void a_long_chunk_is_read_by_a_pipe(void **state)
{
    enum { EVENT = 1 << 16, EVENTS = 40 };
    uint8_t *all;
    size_t behind;
    recorder read;
    int rc;

    (void)state;
    make_chunk(5000000);
    behind = paper.length - CHUNK_HEADER;
    all = calloc(1, CHUNK_HEADER + EVENTS * EVENT + behind);
    length = CHUNK_HEADER + EVENTS * (size_t)EVENT + behind;
    put_big_endian(&paper, 8, length, 8);
    put_big_endian(&paper, 24, paper.metadata + EVENTS * (size_t)EVENT, 8);
    memcpy(all, paper.bytes, CHUNK_HEADER);
    for (size_t i = 0; i < EVENTS; i++) {
        static const uint8_t head[] = {0x80, 0x80, 0x84, 0, TYPE_LONG};

        memcpy(all + CHUNK_HEADER + i * EVENT, head, sizeof(head));
    }
    memcpy(all + CHUNK_HEADER + EVENTS * (size_t)EVENT, paper.bytes + CHUNK_HEADER,
           behind);
    read = read_pipe(all, length, &rc);
    assert_reports(&read, rc, TM_OK, "", "event 5000400 7 0 0 0 0 3 0\n", 1);
    recorder_free(&read);
    free(all);
}

/* Two dumps of one recording share chunks; what differs in anything is another. */
static void a_chunk_that_is_there_twice_is_read_once(void **state)
{
    static const struct {
        size_t place;
        uint64_t value;
        uint64_t events;
    } changes[] = {{4, 2, 1}, {48, 1001, 2}, {56, 1000000001, 2}, {40, 5, 2}};

    (void)state;
    for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
        recorder all;
        int rc;

        length = 0;
        make_chunk(5000000);
        append();
        put_big_endian(&paper, changes[i].place, changes[i].value,
                       changes[i].place == 4 ? 2 : 8);
        append();
        all = emit_all((const char *)bytes, length, &rc);
        assert_int_equal(rc, TM_OK);
        assert_int_equal(all.events, changes[i].events);
        if ((strstr(all.text, "caveat The file holds 1 chunks twice; each was read "
                              "once.\n") != NULL) != (changes[i].events == 1))
            fail_msg("%zu: %s", i, all.text);
        recorder_free(&all);
    }
    /* Of another length. */
    length = 0;
    make_chunk(5000000);
    append();
    put_byte(&paper, 0);
    end_chunk(&paper);
    append();
    assert_reads(TM_OK, "", "event 5000400 7 0 0 0 0 3 0\n", 2);
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

static const char *scratch(void)
{
    static char path[64];
    int descriptor;

    snprintf(path, sizeof(path), "/tmp/threadmodel-chunks-XXXXXX");
    descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, bytes, length), length);
    close(descriptor);
    return path;
}

static void a_file_that_is_cut_while_it_is_read_lacks_what_is_gone(void **state)
{
    const char *path;
    char text[160];
    tm_source *source;
    recorder all;
    size_t whole;
    int rc;

    (void)state;
    length = 0;
    make_chunk(5000000);
    append();
    whole = length;
    /* Far from the first, so that both are not seen at once. */
    memset(bytes + length, 0, ROOM / 2);
    length += ROOM / 2;
    make_chunk(6000000);
    append();
    path = scratch();
    recorder_init(&all);
    assert_int_equal(tm_source_open(&source, path, NULL), TM_OK);
    assert_int_equal(tm_source_read(source, &all.sink), TM_MORE);
    assert_int_equal(truncate(path, (off_t)whole), 0);
    while ((rc = tm_source_read(source, &all.sink)) == TM_MORE)
        ;
    assert_int_equal(rc, TM_EDAMAGED);
    snprintf(text, sizeof(text),
             "the chunk at byte %zu is gone: the file was cut while it was read",
             length - paper.length);
    if (!strstr(tm_error_text(), text))
        fail_msg("%s", tm_error_text());
    assert_non_null(strstr(all.text, "event 5000400 7 0 0 0 0 3 0\n"));
    tm_source_close(source);
    recorder_free(&all);
    unlink(path);
}

/* All of its bytes but the header are a hole. */
static void a_chunk_of_more_than_4_gb_is_not_read(void **state)
{
    const uint64_t huge = (UINT64_C(1) << 32) + 1;
    const char *path;
    recorder all;
    int rc;

    (void)state;
    length = 0;
    make_chunk(5000000);
    put_big_endian(&paper, 8, huge, 8);
    append();
    path = scratch();
    assert_int_equal(truncate(path, (off_t)huge), 0);
    all = read_path(path, &rc);
    assert_int_equal(rc, TM_EDAMAGED);
    if (!strstr(tm_error_text(), "the chunk at byte 0 is not read: it has 4294967297 "
                                 "bytes, more than 4294967295"))
        fail_msg("%s", tm_error_text());
    recorder_free(&all);
    unlink(path);
}

static int open_path(tm_source **source, const void *what,
                     const tm_source_options *options)
{
    return tm_source_open(source, what, options);
}

static void memory_may_run_out_in_a_file(void **state)
{
    const char *path;

    (void)state;
    length = 0;
    make_chunk(5000000);
    append();
    memset(bytes + length, 1, 1000);
    length += 1000;
    make_chunk(6000000);
    append();
    path = scratch();
    assert_whole_where_memory_fails(open_path, path, TM_EDAMAGED, 2, "");
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_follow_one_another),
        cmocka_unit_test(chunks_that_overlap_are_merged_by_the_time_of_each_event),
        cmocka_unit_test(a_recording_without_events_is_a_caveat),
        cmocka_unit_test(a_chunk_that_was_not_finished_ends_where_another_begins),
        cmocka_unit_test(a_chunk_that_is_cut_is_read_as_far_as_it_is_there),
        cmocka_unit_test(a_long_chunk_is_read_by_a_pipe),
        cmocka_unit_test(a_chunk_that_is_there_twice_is_read_once),
        cmocka_unit_test(a_header_is_of_versions_1_and_2_and_of_a_time_that_can_be),
        cmocka_unit_test(a_clock_goes_on_as_long_as_it_can_be_the_same),
        cmocka_unit_test(a_file_that_is_cut_while_it_is_read_lacks_what_is_gone),
        cmocka_unit_test(a_chunk_of_more_than_4_gb_is_not_read),
        cmocka_unit_test(memory_may_run_out_in_a_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
