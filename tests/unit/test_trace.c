/* SPDX-License-Identifier: Apache-2.0 */
/* What goes into a .tmt comes out of it: whole, ordered, or with what is missing said.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <threadmodel/error.h>
#include <threadmodel/trace.h>

#include "formats/source.h"
#include "recorder.h"
#include "trace/frame.h"

/* A trace in memory, whose n-th write fails. */
struct paper {
    uint8_t *bytes;
    size_t length;
    size_t writes;
    size_t fail_at; ///< 1 the first; 0 never
    int failure;
};

static int paper_write(void *payload, const char *bytes, size_t count)
{
    struct paper *paper = payload;

    if (++paper->writes == paper->fail_at)
        return paper->failure;
    paper->bytes = realloc(paper->bytes, paper->length + count);
    memcpy(paper->bytes + paper->length, bytes, count);
    paper->length += count;
    return TM_OK;
}

/* Everything of a trace; the code that reading ended with. */
static int read_all(recorder *to, const uint8_t *bytes, size_t length)
{
    tm_source *source;
    int rc = tm__source_open_memory(&source, "t.tmt", bytes, length, NULL);

    if (rc < 0)
        return rc;
    while ((rc = tm_source_read(source, &to->sink)) == TM_MORE)
        assert_true(tm_source_position(source) <= length + 40);
    tm_source_close(source);
    return rc;
}

static const char *after_first_line(const recorder *read)
{
    return strchr(read->text, '\n') + 1;
}

static void assert_same_text(const char *actual, const char *expected)
{
    size_t i = 0;

    if (strcmp(actual, expected) == 0)
        return;
    while (actual[i] && actual[i] == expected[i])
        i++;
    while (i > 0 && actual[i - 1] != '\n')
        i--;
    fail_msg("at %zu: got '%.200s', expected '%.200s'", i, actual + i, expected + i);
}

static tm_trace_writer *new_writer(struct paper *paper, uint32_t block_events)
{
    tm_trace_writer_options options = {.size = sizeof(options),
                                       .block_events = block_events};
    tm_trace_writer *writer;

    assert_int_equal(tm_trace_writer_new(&writer, paper_write, paper, &options), TM_OK);
    return writer;
}

static void every_field_of_everything_is_read_back_in_order(void **state)
{
    static const uint32_t block_events[] = {1, 7, 300, 0};

    (void)state;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        struct paper paper = {0};
        recorder expected, actual;
        tm_trace_writer *writer = new_writer(&paper, block_events[seed % 4]);

        recorder_init(&expected);
        recorder_init(&actual);
        assert_int_equal(pour_random(&expected.sink, seed, 2000), TM_OK);
        assert_int_equal(pour_random(tm_trace_writer_sink(writer), seed, 2000), TM_OK);
        assert_int_equal(tm_trace_writer_close(writer), TM_OK);
        assert_int_equal(read_all(&actual, paper.bytes, paper.length), TM_OK);
        assert_same_text(after_first_line(&actual), expected.text);
        recorder_free(&expected);
        recorder_free(&actual);
        free(paper.bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_of_everything_is_read_back_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
