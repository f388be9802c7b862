/* SPDX-License-Identifier: Apache-2.0 */
/* Several files that are opened as one, and what of a source may be asked for. */
#define _POSIX_C_SOURCE 200809L
#include "support/chunk_paper.h"
#include "support/hardship.h"
#include "support/recorded.h"

#include <unistd.h>

enum { PATHS = 4 };

static chunk_paper paper;
static char paths[PATHS][64];

static void put_file(int number, const void *bytes, size_t length)
{
    int descriptor;

    snprintf(paths[number], sizeof(paths[number]), "/tmp/threadmodel-parts-XXXXXX");
    descriptor = mkstemp(paths[number]);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, bytes, length), length);
    close(descriptor);
}

/* A recording in which thread 7 ends 400 ns behind its start. */
static void put_recording(int number, uint64_t start_ns)
{
    begin_chunk(&paper, start_ns, 1000000000);
    begin_event(&paper, TYPE_END);
    PUT(&paper, 1400, 2);
    end_event(&paper);
    put_constants(&paper);
    put_metadata(&paper, chunk_classes, CHUNK_CLASSES);
    end_chunk(&paper);
    put_file(number, paper.bytes, paper.length);
}

/* A dump of one thread, whose number tells it from others. */
static void put_dump(int number, const char *head, int thread)
{
    char text[400];

    snprintf(text, sizeof(text), "%s#%d \"t\"\n      a.Job.run(Job.java:9)\n\n", head,
             thread);
    put_file(number, text, strlen(text));
}

static void remove_files(void)
{
    for (int i = 0; i < PATHS; i++)
        if (*paths[i])
            unlink(paths[i]);
    memset(paths, 0, sizeof(paths));
}

static int open_parts(tm_source **source, size_t more, const tm_allocator *allocator)
{
    const char *others[] = {paths[1], paths[2], paths[3]};
    tm_source_options options = {.size = sizeof(options),
                                 .allocator = allocator,
                                 .more_paths = others,
                                 .more_count = more};

    return tm_source_open(source, paths[0], &options);
}

/* Everything of all files; the code that ended it. */
static int read_parts(recorder *all, size_t more)
{
    tm_source *source;
    int rc = open_parts(&source, more, NULL);

    recorder_init(all);
    if (rc < 0)
        return rc;
    do
        rc = tm_source_read(source, &all->sink);
    while (rc == TM_MORE);
    tm_source_close(source);
    return rc;
}

static void files_are_read_in_the_order_of_their_times(void **state)
{
    static const char *const times[] = {"05", "03", "09"};
    char head[80], run[160];
    recorder all;
    const char *first, *second, *third;

    (void)state;
    for (int i = 0; i < 3; i++) {
        snprintf(head, sizeof(head), "4711\n1970-01-01T00:00:%sZ\n21\n\n", times[i]);
        put_dump(i, head, 11 + i);
    }
    assert_int_equal(read_parts(&all, 2), TM_OK);
    snprintf(run, sizeof(run), "run %s and 2 more|plain|", paths[1]);
    if (!strstr(all.text, run))
        fail_msg("no \"%s\" in:\n%s", run, all.text);
    first = strstr(all.text, "event 3000000000 12 ");
    second = strstr(all.text, "event 5000000000 11 ");
    third = strstr(all.text, "event 9000000000 13 ");
    assert_true(first && second && third && first < second && second < third);
    recorder_free(&all);
    remove_files();
}

static void files_of_the_same_time_stay_in_the_order_given(void **state)
{
    recorder all;

    (void)state;
    for (int i = 0; i < 3; i++)
        put_dump(i, "4711\n1970-01-01T00:00:05Z\n21\n\n", 11 + i);
    assert_int_equal(read_parts(&all, 2), TM_OK);
    assert_true(strstr(all.text, "thread 11 ") < strstr(all.text, "thread 12 "));
    assert_true(strstr(all.text, "thread 12 ") < strstr(all.text, "thread 13 "));
    recorder_free(&all);
    remove_files();
}

/* A dump that has text before it does not say when it was. */
static void one_without_a_time_leaves_all_in_the_order_given(void **state)
{
    static const char dump[] =
        "1970-01-01 00:00:05\nFull thread dump VM (21 mixed mode):\n\n"
        "\"a\" #1 prio=5 tid=0x01 nid=0x1 runnable\n"
        "   java.lang.Thread.State: RUNNABLE\n\nJNI global refs: 5, weak refs: 0\n\n";
    recorder all;

    (void)state;
    put_file(0, dump, sizeof(dump) - 1);
    put_file(1, "nothing yet\n", 12);
    assert_int_equal(read_parts(&all, 1), TM_OK);
    assert_non_null(strstr(all.text, " and 1 more|jstack|"));
    assert_non_null(strstr(all.text, paths[0]));
    recorder_free(&all);
    remove_files();
}

static void assert_refused(size_t more, int code, const char *text)
{
    recorder all;

    assert_int_equal(read_parts(&all, more), code);
    if (!strstr(tm_error_text(), text))
        fail_msg("no \"%s\" in \"%s\"", text, tm_error_text());
    remove_files();
}

static void files_that_are_not_alike_are_refused(void **state)
{
    char text[200];

    (void)state;
    put_recording(0, 5000000);
    put_file(1, "FLR", 3);
    snprintf(text, sizeof(text), "%s: not of the same format as %s (jfr)", paths[1],
             paths[0]);
    assert_refused(1, TM_EFORMAT, text);
    put_recording(0, 5000000);
    snprintf(paths[1], sizeof(paths[1]), "/nowhere/at/all");
    assert_refused(1, TM_EIO, "/nowhere/at/all: No such file or directory");
    put_recording(0, 5000000);
    snprintf(paths[1], sizeof(paths[1]), "/");
    assert_refused(1, TM_EIO, "/: Is a directory");
    put_recording(0, 5000000);
    assert_refused(UINT32_MAX / 64 + 1, TM_ELIMIT, "67108864 files");
}

static void a_file_shorter_than_a_header_has_no_time(void **state)
{
    recorder all;

    (void)state;
    put_recording(0, 5000000);
    put_file(1, "FLR\0\0\2", 6);
    assert_int_equal(read_parts(&all, 1), TM_EDAMAGED);
    assert_non_null(strstr(tm_error_text(), "are not a chunk of a recording"));
    assert_non_null(strstr(all.text, "event 5000400 7 0 0 0 0 3 0\n"));
    recorder_free(&all);
    remove_files();
}

static void traces_of_go_are_read_one_at_a_time(void **state)
{
    char text[160];

    (void)state;
    put_file(0, "go 1.25 trace\0\0\0", 16);
    put_file(1, "go 1.25 trace\0\0\0", 16);
    snprintf(text, sizeof(text), "%s: files of format go are read one at a time",
             paths[0]);
    assert_refused(1, TM_EUNSUPPORTED, text);
}

static int open_three(tm_source **source, const void *what,
                      const tm_source_options *options)
{
    (void)what;
    return open_parts(source, 2, options->allocator);
}

static void memory_may_run_out_between_files(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        put_recording(i, 60000000000 - 20000000000 * (uint64_t)i);
    assert_whole_where_memory_fails(open_three, NULL, TM_OK, 3, "");
    remove_files();
}

static void nothing_is_asked_of_nothing(void **state)
{
    tm_source *source;
    recorder all;
    tm_sink none = {0};

    (void)state;
    recorder_init(&all);
    assert_int_equal(tm_source_open(NULL, "a", NULL), TM_EINVAL);
    assert_int_equal(tm_source_open(&source, NULL, NULL), TM_EINVAL);
    assert_null(source);
    assert_int_equal(tm_source_read(NULL, &all.sink), TM_EINVAL);
    assert_int_equal(tm_source_follow(NULL, 1), TM_EINVAL);
    put_recording(0, 5000000);
    assert_int_equal(open_parts(&source, 0, NULL), TM_OK);
    assert_int_equal(tm_source_read(source, NULL), TM_EINVAL);
    assert_int_equal(tm_source_read(source, &none), TM_EINVAL);
    assert_int_equal(tm_source_follow(source, 1), TM_EUNSUPPORTED);
    assert_non_null(strstr(tm_error_text(),
                           ": a file of format jfr can be read only when it is "
                           "complete"));
    tm_source_close(source);
    recorder_free(&all);
    remove_files();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_read_in_the_order_of_their_times),
        cmocka_unit_test(files_of_the_same_time_stay_in_the_order_given),
        cmocka_unit_test(one_without_a_time_leaves_all_in_the_order_given),
        cmocka_unit_test(files_that_are_not_alike_are_refused),
        cmocka_unit_test(a_file_shorter_than_a_header_has_no_time),
        cmocka_unit_test(traces_of_go_are_read_one_at_a_time),
        cmocka_unit_test(memory_may_run_out_between_files),
        cmocka_unit_test(nothing_is_asked_of_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
