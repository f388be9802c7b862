/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings of JFR as files and pipes: large, cut, or read twice. */
#include "support/jfr_chunk.h"

#define _POSIX_C_SOURCE 200809L
#include "support/chunk_paper.h"
#include "support/hardship.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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
    /* A chunk of another length. */
    length = 0;
    make_chunk(5000000);
    append();
    put_byte(&paper, 0);
    end_chunk(&paper);
    append();
    assert_reads(TM_OK, "", "event 5000400 7 0 0 0 0 3 0\n", 2);
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
        cmocka_unit_test(a_long_chunk_is_read_by_a_pipe),
        cmocka_unit_test(a_chunk_that_is_there_twice_is_read_once),
        cmocka_unit_test(a_file_that_is_cut_while_it_is_read_lacks_what_is_gone),
        cmocka_unit_test(a_chunk_of_more_than_4_gb_is_not_read),
        cmocka_unit_test(memory_may_run_out_in_a_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
