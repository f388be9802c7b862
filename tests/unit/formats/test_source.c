/* SPDX-License-Identifier: Apache-2.0 */
/* Files of any kind are opened by what is in them; what cannot be is said in a line. */
#define _POSIX_C_SOURCE 200809L
#include "support/paper.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <threadmodel/source.h>

#include "base/input.h"

/* A new file in the working folder. */
static const char *scratch(void)
{
    static char path[64];
    int descriptor;

    snprintf(path, sizeof(path), "/tmp/threadmodel-source-XXXXXX");
    descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    return path;
}

static void put_file(const char *path, const void *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

static void assert_open_fails(const char *path, int code, const char *text)
{
    tm_source *source = (tm_source *)-1;

    assert_int_equal(tm_source_open(&source, path, NULL), code);
    assert_null(source);
    assert_string_equal(tm_error_text(), text);
}

static void what_is_no_recording_is_reported_in_one_line(void **state)
{
    const char *path = scratch();
    char text[200];

    (void)state;
    assert_open_fails("no/such.tmt", TM_EIO, "no/such.tmt: No such file or directory");
    assert_open_fails("/", TM_EIO, "/: Is a directory");
    snprintf(text, sizeof(text), "%s: empty file", path);
    assert_open_fails(path, TM_EFORMAT, text);
    assert_open_fails("/dev/null", TM_EFORMAT, "/dev/null: empty file");
    put_file(path, "\x7f\x45\x4c\x46", 4);
    snprintf(text, sizeof(text),
             "%s: not a recording of any known format (starts with 7f 45 4c 46)", path);
    assert_open_fails(path, TM_EFORMAT, text);
    assert_open_fails("/dev/zero", TM_EFORMAT,
                      "/dev/zero: not a recording of any known format (starts with 00 "
                      "00 00 00 00 00 00 00)");
    if (geteuid() != 0) {
        assert_int_equal(chmod(path, 0), 0);
        snprintf(text, sizeof(text), "%s: Permission denied", path);
        assert_open_fails(path, TM_EIO, text);
    }
    unlink(path);
}

static void regular_file_reports_format_length_and_position(void **state)
{
    const char *path = scratch();
    struct paper paper = plain_trace(40000, 5000);
    uint64_t before = 0;
    tm_source *source;
    recorder actual;
    char run[200];
    int rc, calls = 0;

    (void)state;
    put_file(path, paper.bytes, paper.length);
    assert_int_equal(tm_source_open(&source, path, NULL), TM_OK);
    assert_string_equal(tm_source_format(source), "tmt");
    assert_int_equal(tm_source_length_bytes(source), paper.length);
    recorder_init(&actual);
    while ((rc = tm_source_read(source, &actual.sink)) == TM_MORE) {
        assert_true(tm_source_position_bytes(source) >= before);
        before = tm_source_position_bytes(source);
        calls++;
    }
    assert_int_equal(rc, TM_OK);
    assert_int_equal(tm_source_read(source, &actual.sink), TM_OK);
    assert_true(calls >= 8);
    assert_int_equal(tm_source_position_bytes(source), paper.length);
    assert_int_equal(actual.events, 40000);
    snprintf(run, sizeof(run), "run %s|tmt|(null)|(null)|(null) 0 0 0 0 0 0 0 0\n",
             path);
    assert_memory_equal(actual.text, run, strlen(run));
    tm_source_close(source);
    tm_source_close(NULL);
    recorder_free(&actual);
    unlink(path);
    free(paper.bytes);
}

static void one_call_emits_some_ten_thousand_events_at_most(void **state)
{
    struct paper paper = plain_trace(60000, 65536);
    uint64_t before = 0;
    tm_source *source;
    recorder actual;
    int rc;

    (void)state;
    recorder_init(&actual);
    assert_int_equal(
        tm__source_open_memory(&source, "t", paper.bytes, paper.length, NULL), TM_OK);
    do {
        rc = tm_source_read(source, &actual.sink);
        assert_true(actual.events - before <= 16384);
        before = actual.events;
    } while (rc == TM_MORE);
    assert_int_equal(rc, TM_OK);
    assert_int_equal(actual.events, 60000);
    tm_source_close(source);
    recorder_free(&actual);
    free(paper.bytes);
}

/* Another process that writes into a pipe, some bytes at a time. */
static pid_t emit_into_pipe(const struct paper *paper, int *end)
{
    int ends[2];
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(ends[0]);
        for (size_t at = 0; at < paper->length;) {
            size_t part = paper->length - at < 777 ? paper->length - at : 777;
            ssize_t written = write(ends[1], paper->bytes + at, part);

            if (written < 0)
                _exit(1);
            at += (size_t)written;
        }
        _exit(0);
    }
    close(ends[1]);
    *end = ends[0];
    return child;
}

static void pipe_is_read_as_a_file_is_also_where_it_is_damaged(void **state)
{
    (void)state;
    for (int damaged = 0; damaged < 2; damaged++) {
        struct paper paper = small_trace(21, 30000, 3000);
        recorder expected, actual;
        tm_source *source;
        char path[32];
        int end, status, rc, expected_rc;
        pid_t child;

        if (damaged)
            for (size_t at = 100000; at < 700000 && at < paper.length; at++)
                paper.bytes[at] = 0xb1;
        recorder_init(&expected);
        recorder_init(&actual);
        expected_rc = read_all(&expected, paper.bytes, paper.length);
        assert_int_equal(expected_rc, damaged ? TM_EDAMAGED : TM_OK);
        child = emit_into_pipe(&paper, &end);
        snprintf(path, sizeof(path), "/dev/fd/%d", end);
        assert_int_equal(tm_source_open(&source, path, NULL), TM_OK);
        assert_int_equal(tm_source_length_bytes(source), 0);
        while ((rc = tm_source_read(source, &actual.sink)) == TM_MORE)
            ;
        assert_int_equal(rc, expected_rc);
        assert_same_text(after_first_line(&actual), after_first_line(&expected));
        tm_source_close(source);
        close(end);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        recorder_free(&expected);
        recorder_free(&actual);
        free(paper.bytes);
    }
}

static void file_that_is_being_written_is_read_to_its_last_whole_block(void **state)
{
    const char *path = scratch();
    tm_writer *writer;
    tm_source *source;
    recorder actual;
    int rc;

    (void)state;
    assert_int_equal(tm_writer_open(&writer, path, NULL), TM_OK);
    for (int64_t i = 0; i < 100; i++) {
        const tm_sink *sink = tm_writer_sink(writer);
        tm_event event = {.time_ns = i, .thread = 1, .kind = TM_EVENT_THREAD_START};

        assert_int_equal(sink->events(sink->payload, &event, 1), TM_OK);
        if (i % 10 == 9)
            assert_int_equal(tm_writer_flush(writer), TM_OK);
        if (i != 54)
            continue;
        recorder_init(&actual);
        assert_int_equal(tm_source_open(&source, path, NULL), TM_OK);
        while ((rc = tm_source_read(source, &actual.sink)) == TM_MORE)
            ;
        assert_int_equal(rc, TM_EDAMAGED);
        assert_int_equal(actual.events, 50);
        assert_int_equal(actual.caveats, 1);
        tm_source_close(source);
        recorder_free(&actual);
    }
    assert_int_equal(tm_writer_close(writer), TM_OK);
    recorder_init(&actual);
    assert_int_equal(tm_source_open(&source, path, NULL), TM_OK);
    while ((rc = tm_source_read(source, &actual.sink)) == TM_MORE)
        ;
    assert_int_equal(rc, TM_OK);
    assert_int_equal(actual.events, 100);
    tm_source_close(source);
    recorder_free(&actual);
    unlink(path);
}

/* Views of all sizes, at any place, of an input that holds these bytes; closes it. */
static void assert_views(tm__input *input, const uint8_t *bytes, size_t length)
{
    uint64_t seed = 37;

    assert_int_equal(input->length, length);
    for (int i = 0; i < 300; i++) {
        size_t offset = (size_t)(random_next(&seed) % (length + 1000));
        size_t wanted = (size_t)(random_next(&seed) % (i % 3 ? 5000 : 600000));
        size_t there = offset >= length           ? 0
                       : length - offset < wanted ? length - offset
                                                  : wanted;
        const uint8_t *seen = NULL;
        size_t available;

        assert_int_equal(tm__input_view(input, offset, wanted, &seen, &available),
                         TM_OK);
        assert_int_equal(available, there);
        if (there > 0)
            assert_memory_equal(seen, bytes + offset, there);
    }
    tm__input_close(input);
    assert_int_equal(input->memory->used_bytes, 0);
}

static void views_of_files_are_their_bytes_wherever_they_are(void **state)
{
    static const size_t lengths[] = {900000, 1, 0, 300000, 77777};
    enum { FILES = sizeof(lengths) / sizeof(*lengths) };
    char paths[FILES][64];
    size_t total = 0;
    uint8_t *bytes = malloc(2000000);
    uint64_t seed = 31;
    tm__memory memory;
    tm__input input;

    (void)state;
    for (size_t i = 0; i < 2000000; i++)
        bytes[i] = (uint8_t)random_next(&seed);
    tm__memory_init(&memory, NULL);
    for (size_t i = 0; i < FILES; i++) {
        snprintf(paths[i], sizeof(paths[i]), "%s", scratch());
        put_file(paths[i], bytes + total, lengths[i]);
        total += lengths[i];
    }
    assert_int_equal(tm__input_open(&input, &memory, paths[0]), TM_OK);
    assert_views(&input, bytes, lengths[0]);
    assert_int_equal(tm__input_open(&input, &memory, paths[0]), TM_OK);
    for (size_t i = 1; i < FILES; i++)
        assert_int_equal(tm__input_append(&input, paths[i]), TM_OK);
    assert_views(&input, bytes, total);
    assert_int_equal(tm__input_open(&input, &memory, paths[0]), TM_OK);
    assert_int_equal(tm__input_append(&input, "/dev/null"), TM_EUNSUPPORTED);
    assert_int_equal(tm__input_append(&input, "/"), TM_EIO);
    assert_views(&input, bytes, lengths[0]);
    for (size_t i = 0; i < FILES; i++)
        unlink(paths[i]);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_recording_is_reported_in_one_line),
        cmocka_unit_test(regular_file_reports_format_length_and_position),
        cmocka_unit_test(one_call_emits_some_ten_thousand_events_at_most),
        cmocka_unit_test(pipe_is_read_as_a_file_is_also_where_it_is_damaged),
        cmocka_unit_test(file_that_is_being_written_is_read_to_its_last_whole_block),
        cmocka_unit_test(views_of_files_are_their_bytes_wherever_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
