/* SPDX-License-Identifier: Apache-2.0 */
/* All that goes into a trace comes out of it, in order; values that cannot go in are
 * reported. */
#include "support/paper.h"
#include "support/patient.h"
#include "support/scarce.h"

static void every_field_of_everything_is_read_back_in_order(void **state)
{
    static const uint32_t block_events[] = {1, 7, 300, 0};

    (void)state;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        struct paper paper = {0};
        recorder expected, actual;
        tm_writer *writer = new_writer(&paper, block_events[seed % 4]);

        recorder_init(&expected);
        recorder_init(&actual);
        assert_int_equal(emit_random(&expected.sink, seed, 2000), TM_OK);
        assert_int_equal(emit_random(tm_writer_sink(writer), seed, 2000), TM_OK);
        assert_int_equal(tm_writer_close(writer), TM_OK);
        assert_int_equal(read_all(&actual, paper.bytes, paper.length), TM_OK);
        assert_same_text(after_first_line(&actual), expected.text);
        recorder_free(&expected);
        recorder_free(&actual);
        free(paper.bytes);
    }
}

static void events_of_a_block_are_sorted_and_equal_times_keep_their_order(void **state)
{
    struct paper paper = {0};
    tm_writer *writer = new_writer(&paper, 1000);
    const tm_sink *sink = tm_writer_sink(writer);
    uint64_t seed = 7;
    recorder actual, expected;

    (void)state;
    recorder_init(&actual);
    recorder_init(&expected);
    for (int64_t i = 0; i < 1000; i++) {
        tm_event event = {.time_ns = (int64_t)(random_next(&seed) >> 58), .value = i};

        assert_int_equal(sink->events(sink->payload, &event, 1), TM_OK);
    }
    seed = 7;
    for (int64_t time_ns = 0; time_ns < 64; time_ns++) {
        uint64_t again = 7;

        for (int64_t i = 0; i < 1000; i++) {
            tm_event event = {.time_ns = (int64_t)(random_next(&again) >> 58),
                              .value = i};

            if (event.time_ns == time_ns)
                recorder_events(&expected, &event, 1);
        }
    }
    assert_int_equal(tm_writer_close(writer), TM_OK);
    assert_int_equal(read_all(&actual, paper.bytes, paper.length), TM_OK);
    assert_same_text(after_first_line(&actual), expected.text);
    recorder_free(&actual);
    recorder_free(&expected);
    free(paper.bytes);
}

/* Counts definitions, and knows how many each event must come after. */
struct witness {
    uint64_t defined;
    uint64_t events;
    int64_t latest_ns;
    uint64_t backward;
};

static int witness_run(void *payload, const tm_run *run)
{
    (void)payload;
    assert_string_equal(run->format, "tmt");
    return TM_OK;
}

static int witness_thread(void *payload, const tm_thread *given)
{
    struct witness *witness = payload;

    assert_int_equal(given->id, ++witness->defined);
    return TM_OK;
}

static int witness_events(void *payload, const tm_event *events, size_t count)
{
    struct witness *witness = payload;

    for (size_t i = 0; i < count; i++) {
        assert_true(events[i].thread <= witness->defined);
        witness->backward +=
            witness->events > 0 && events[i].time_ns < witness->latest_ns;
        witness->latest_ns = events[i].time_ns;
        witness->events++;
    }
    return TM_OK;
}

static void sorting_never_puts_an_event_before_a_definition_it_came_after(void **state)
{
    struct paper paper = {0};
    struct witness witness = {0};
    tm_sink watching = {.size = sizeof(watching),
                        .payload = &witness,
                        .run = witness_run,
                        .define_thread = witness_thread,
                        .events = witness_events};
    tm_writer *writer = new_writer(&paper, 500);
    const tm_sink *sink = tm_writer_sink(writer);
    uint64_t seed = 3, defined = 0;
    tm_source *source;
    int rc;

    (void)state;
    for (int i = 0; i < 5000; i++) {
        tm_thread thread = {.size = sizeof(thread), .id = defined + 1, .name = "t"};
        tm_event event = {.time_ns = i / 500 * 1000 +
                                     (int64_t)(random_next(&seed) >> 54) % 900,
                          .thread = defined};

        if (random_next(&seed) >> 62 == 0) {
            assert_int_equal(sink->define_thread(sink->payload, &thread), TM_OK);
            defined++;
        }
        event.thread = defined;
        assert_int_equal(sink->events(sink->payload, &event, 1), TM_OK);
    }
    assert_int_equal(tm_writer_close(writer), TM_OK);
    assert_int_equal(
        tm__source_open_memory(&source, "t", paper.bytes, paper.length, NULL), TM_OK);
    while ((rc = tm_source_read(source, &watching)) == TM_MORE)
        ;
    assert_int_equal(rc, TM_OK);
    tm_source_close(source);
    assert_int_equal(witness.events, 5000);
    assert_int_equal(witness.defined, defined);
    assert_int_equal(witness.backward, 0);
    free(paper.bytes);
}

static void event_later_than_its_block_is_kept_out_of_order(void **state)
{
    struct paper paper = {0};
    tm_writer *writer = new_writer(&paper, 2);
    const tm_sink *sink = tm_writer_sink(writer);
    const tm_event events[] = {
        {.time_ns = 10}, {.time_ns = 20}, {.time_ns = -5}, {.time_ns = 30}};
    recorder actual, expected;

    (void)state;
    recorder_init(&actual);
    recorder_init(&expected);
    recorder_events(&expected, events, 4);
    assert_int_equal(sink->events(sink->payload, events, 4), TM_OK);
    assert_int_equal(tm_writer_close(writer), TM_OK);
    assert_int_equal(read_all(&actual, paper.bytes, paper.length), TM_OK);
    assert_same_text(after_first_line(&actual), expected.text);
    recorder_free(&actual);
    recorder_free(&expected);
    free(paper.bytes);
}

/* A library with debug checks ends the program there instead. */
#ifndef TM_DEBUG
static void what_defines_nothing_is_refused_in_words(void **state)
{
    struct paper paper = {0};
    tm_writer *writer = new_writer(&paper, 0);
    const tm_sink *sink = tm_writer_sink(writer);

    (void)state;
    assert_int_equal(sink->run(sink->payload, NULL), TM_EINVAL);
    assert_string_equal(tm_error_text(), "register_run: not so: given");
    assert_int_equal(sink->caveat(sink->payload, NULL), TM_EINVAL);
    assert_string_equal(tm_error_text(), "register_caveat: not so: given");
    assert_int_equal(sink->define_class(sink->payload, NULL), TM_EINVAL);
    assert_string_equal(tm_error_text(), "register_class: not so: given");
    assert_int_equal(sink->define_method(sink->payload, NULL), TM_EINVAL);
    assert_string_equal(tm_error_text(), "register_method: not so: given");
    assert_int_equal(sink->define_stack(sink->payload, NULL), TM_EINVAL);
    assert_string_equal(tm_error_text(), "register_stack: not so: given");
    assert_int_equal(sink->define_thread(sink->payload, NULL), TM_EINVAL);
    assert_string_equal(tm_error_text(), "register_thread: not so: given");
    assert_int_equal(sink->define_object(sink->payload, NULL), TM_EINVAL);
    assert_string_equal(tm_error_text(), "register_object: not so: given");
    assert_int_equal(tm_writer_close(writer), TM_OK);
    free(paper.bytes);
}
#endif

static void a_block_holds_no_more_events_than_readers_take(void **state)
{
    enum { EVENTS = TM__BLOCK_EVENT_LIMIT + 1 };
    tm_event *events = calloc(EVENTS, sizeof(*events));
    struct paper paper = {0};
    tm_writer *writer = new_writer(&paper, UINT32_MAX);
    const tm_sink *sink = tm_writer_sink(writer);
    struct map map;

    (void)state;
    assert_non_null(events);
    assert_int_equal(sink->events(sink->payload, events, EVENTS), TM_OK);
    assert_int_equal(tm_writer_close(writer), TM_OK);
    map = map_of(&paper);
    assert_int_equal(map.headers[0].events, TM__BLOCK_EVENT_LIMIT);
    assert_int_equal(map.headers[1].events, 1);
    free(events);
    free(paper.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_of_everything_is_read_back_in_order),
        cmocka_unit_test(events_of_a_block_are_sorted_and_equal_times_keep_their_order),
        cmocka_unit_test(sorting_never_puts_an_event_before_a_definition_it_came_after),
        cmocka_unit_test(event_later_than_its_block_is_kept_out_of_order),
#ifndef TM_DEBUG
        cmocka_unit_test(what_defines_nothing_is_refused_in_words),
#endif
        cmocka_unit_test(a_block_holds_no_more_events_than_readers_take),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
