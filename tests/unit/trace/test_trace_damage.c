/* SPDX-License-Identifier: Apache-2.0 */
/* Traces that are truncated, damaged or incomplete: whole blocks are read, the rest is
 * reported.
 */
#include "support/paper.h"
#include "support/slow_machine.h"

static void file_cut_anywhere_yields_its_whole_blocks_and_reports_it(void **state)
{
    struct paper whole = small_trace(14, 260, 40);
    struct map map = map_of(&whole);
    recorder expected;

    (void)state;
    recorder_init(&expected);
    assert_int_equal(read_all(&expected, whole.bytes, whole.length), TM_OK);
    for (size_t length = 1; length < whole.length; length += stride()) {
        uint64_t events = 0, lost = 0;
        uint8_t *cut = malloc(length); /* exactly, so that ASan sees its end */
        recorder actual;
        size_t same;
        int rc;

        memcpy(cut, whole.bytes, length);
        for (size_t i = 0; i < map.count; i++) {
            size_t body = map.offsets[i] + TM__BLOCK_HEADER_BYTES;

            if (body + map.headers[i].packed_bytes <= length)
                events += map.headers[i].events;
            else if (body <= length)
                lost = map.headers[i].events;
        }
        recorder_init(&actual);
        rc = read_all(&actual, cut, length);
        assert_int_equal(rc, length < 4 ? TM_EFORMAT : TM_EDAMAGED);
        if (rc == TM_EDAMAGED) {
            assert_int_equal(actual.events, events + (lost > 0));
            assert_non_null(strstr(tm_error_text(), actual.last_caveat));
            for (same = 0; actual.text[same] == expected.text[same]; same++)
                ;
            while (same > 0 && actual.text[same - 1] != '\n')
                same--;
            assert_memory_equal(actual.text + same, "caveat ", 6);
        }
        recorder_free(&actual);
        free(cut);
    }
    recorder_free(&expected);
    free(whole.bytes);
}

/* Events emitted without those that say how many were lost. */
static uint64_t true_events(const recorder *read, uint64_t *lost)
{
    const char *line = read->text;
    uint64_t events = 0;

    *lost = 0;
    for (; line; line = strchr(line, '\n')) {
        int64_t time_ns, value;
        uint64_t thread, object, peer;
        unsigned stack, kind, flags;

        line += *line == '\n';
        if (sscanf(line,
                   "event %" SCNd64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNd64
                   " %u %u %u",
                   &time_ns, &thread, &object, &peer, &value, &stack, &kind,
                   &flags) != 8)
            continue;
        if (kind == TM_EVENT_LOST && thread == 0)
            *lost += (uint64_t)value;
        else
            events++;
    }
    return events;
}

static void every_flipped_bit_costs_at_most_its_own_block(void **state)
{
    struct paper whole = plain_trace(120, 30);
    struct map map = map_of(&whole);
    recorder expected;

    (void)state;
    recorder_init(&expected);
    assert_int_equal(read_all(&expected, whole.bytes, whole.length), TM_OK);
    for (size_t bit = 0; bit < 8 * whole.length; bit += stride()) {
        size_t at = bit / 8;
        uint64_t hit = 0, lost, events;
        recorder actual;
        int rc;

        whole.bytes[at] ^= (uint8_t)(1 << bit % 8);
        for (size_t i = 0; i < map.count; i++)
            if (at >= map.offsets[i])
                hit = i + 1 < map.count && at >= map.offsets[i + 1]
                          ? 0
                          : map.headers[i].events;
        recorder_init(&actual);
        rc = read_all(&actual, whole.bytes, whole.length);
        if (rc == TM_OK) /* a bit that zstd gives no meaning */
            assert_same_text(actual.text, expected.text);
        else {
            assert_int_equal(rc, TM_EDAMAGED);
            assert_true(actual.caveats > 0);
            events = true_events(&actual, &lost);
            assert_int_equal(events, map.events - hit);
            assert_int_equal(lost, hit);
        }
        recorder_free(&actual);
        whole.bytes[at] ^= (uint8_t)(1 << bit % 8);
    }
    recorder_free(&expected);
    free(whole.bytes);
}

static void every_changed_byte_is_survived_in_a_trace_of_everything(void **state)
{
    struct paper whole = small_trace(15, 120, 25);
    uint64_t seed = 99;

    (void)state;
    for (size_t at = 0; at < whole.length; at += stride()) {
        uint8_t before = whole.bytes[at];
        recorder actual;
        int rc;

        whole.bytes[at] = (uint8_t)(before + 1 + random_next(&seed) % 255);
        recorder_init(&actual);
        rc = read_all(&actual, whole.bytes, whole.length);
        assert_true(rc == TM_OK || rc == TM_EDAMAGED || (at < 8 && rc == TM_EFORMAT));
        recorder_free(&actual);
        whole.bytes[at] = before;
    }
    free(whole.bytes);
}

static void damage_is_reported_with_bytes_events_and_time(void **state)
{
    struct paper whole = plain_trace(120, 30);
    struct map map = map_of(&whole);
    char expected[300];
    recorder actual;

    (void)state;
    whole.bytes[map.offsets[1] + TM__BLOCK_HEADER_BYTES + 20] ^= 1;
    recorder_init(&actual);
    assert_int_equal(read_all(&actual, whole.bytes, whole.length), TM_EDAMAGED);
    snprintf(
        expected, sizeof(expected),
        "caveat bytes %zu to %zu are damaged: 1 block, 30 events between 0.030 s and "
        "0.059 s are missing\nevent 59000000 0 30000000 0 30 0 %d 0\n",
        map.offsets[1], map.offsets[2], TM_EVENT_LOST);
    assert_non_null(strstr(actual.text, expected));
    snprintf(expected, sizeof(expected), "t.tmt: bytes %zu to", map.offsets[1]);
    assert_non_null(strstr(tm_error_text(), expected));
    recorder_free(&actual);
    /* Without its header as well, only the headers around it know. */
    whole.bytes[map.offsets[1] + 9] ^= 1;
    recorder_init(&actual);
    assert_int_equal(read_all(&actual, whole.bytes, whole.length), TM_EDAMAGED);
    snprintf(expected, sizeof(expected),
             "bytes %zu to %zu are damaged: 30 events between 0.029 s and 0.060 s are "
             "missing",
             map.offsets[1], map.offsets[2]);
    assert_string_equal(actual.last_caveat, expected);
    recorder_free(&actual);
    free(whole.bytes);
}

/* Read a trace without its bytes [from, to). */
static int read_without(recorder *to, const struct paper *whole, size_t from,
                        size_t end)
{
    size_t length = whole->length - (end - from);
    uint8_t *bytes = malloc(length);
    int rc;

    memcpy(bytes, whole->bytes, from);
    memcpy(bytes + from, whole->bytes + end, whole->length - end);
    recorder_init(to);
    rc = read_all(to, bytes, length);
    free(bytes);
    return rc;
}

static void bytes_lost_from_the_middle_cost_only_the_blocks_they_were_in(void **state)
{
    struct paper whole = plain_trace(200, 20);
    struct map map = map_of(&whole);
    uint64_t lost;
    recorder actual;

    (void)state;
    /* From within one block to within the next: both are gone, no more. */
    assert_int_equal(
        read_without(&actual, &whole, map.offsets[2] + 50, map.offsets[3] + 50),
        TM_EDAMAGED);
    assert_int_equal(true_events(&actual, &lost), map.events - 40);
    assert_int_equal(lost, 40);
    recorder_free(&actual);
    /* Part of one block: the next header is within the first one's claim. */
    assert_int_equal(
        read_without(&actual, &whole, map.offsets[2] + 50, map.offsets[2] + 60),
        TM_EDAMAGED);
    assert_int_equal(true_events(&actual, &lost), map.events - 20);
    assert_int_equal(lost, 20);
    recorder_free(&actual);
    /* Whole blocks: nothing looks damaged, but the count does not go on. */
    assert_int_equal(read_without(&actual, &whole, map.offsets[4], map.offsets[7]),
                     TM_EDAMAGED);
    assert_int_equal(true_events(&actual, &lost), map.events - 60);
    assert_int_equal(lost, 60);
    assert_non_null(strstr(actual.last_caveat, "blocks are missing at byte"));
    recorder_free(&actual);
    free(whole.bytes);
}

static void every_damaged_place_is_reported_also_the_last_two(void **state)
{
    struct paper whole = plain_trace(80, 20);
    struct map map = map_of(&whole);
    recorder actual;

    (void)state;
    whole.bytes[map.offsets[1] + 60] ^= 1;
    whole.bytes[map.offsets[3] + 60] ^= 1;
    whole.bytes[map.offsets[4] + 45] ^= 1; /* the index */
    recorder_init(&actual);
    assert_int_equal(read_all(&actual, whole.bytes, whole.length - 3), TM_EDAMAGED);
    assert_int_equal(actual.caveats, 3);
    assert_int_equal(actual.lost, 40);
    assert_non_null(strstr(tm_error_text(), "; and 2 more such places"));
    assert_non_null(
        strstr(actual.last_caveat, "after the end marker: nothing is missing"));
    recorder_free(&actual);
    free(whole.bytes);
}

static void bytes_after_the_end_are_reported(void **state)
{
    struct paper whole = plain_trace(20, 20);
    recorder actual;

    (void)state;
    paper_write(&whole, "more", 4);
    recorder_init(&actual);
    assert_int_equal(read_all(&actual, whole.bytes, whole.length), TM_EDAMAGED);
    assert_non_null(strstr(actual.last_caveat, "after the end of the trace"));
    recorder_free(&actual);
    free(whole.bytes);
}

static void flushed_blocks_can_be_read_before_the_end_is_written(void **state)
{
    struct paper paper = {0};
    tm_writer *writer = new_writer(&paper, 0);
    const tm_sink *sink = tm_writer_sink(writer);
    tm_event event = {.time_ns = 5};
    recorder actual;

    (void)state;
    assert_int_equal(tm_writer_flush(writer), TM_OK);
    assert_int_equal(paper.writes, 1); /* nothing to flush but the file header */
    assert_int_equal(sink->events(sink->payload, &event, 1), TM_OK);
    assert_int_equal(paper.writes, 1);
    assert_int_equal(tm_writer_flush(writer), TM_OK);
    assert_int_equal(paper.writes, 2);
    assert_int_equal(tm_writer_written_bytes(writer), paper.length);
    recorder_init(&actual);
    assert_int_equal(read_all(&actual, paper.bytes, paper.length), TM_EDAMAGED);
    assert_int_equal(actual.events, 1);
    assert_non_null(strstr(actual.last_caveat, "without its end marker"));
    recorder_free(&actual);
    assert_int_equal(tm_writer_close(writer), TM_OK);
    free(paper.bytes);
}

static void reading_stopped_by_the_sink_goes_on_where_it_stopped(void **state)
{
    struct paper whole = small_trace(16, 400, 50);
    recorder expected, actual;
    tm_source *source;
    int rc, stops = 0;

    (void)state;
    recorder_init(&expected);
    recorder_init(&actual);
    whole.bytes[whole.length / 2] ^= 16;
    assert_int_equal(read_all(&expected, whole.bytes, whole.length), TM_EDAMAGED);
    actual.fail_after = 1;
    actual.calls = 1; /* every callback from the first on */
    assert_int_equal(
        tm__source_open_memory(&source, "t.tmt", whole.bytes, whole.length, NULL),
        TM_OK);
    while ((rc = tm_source_read(source, &actual.sink)) == TM_MORE || rc == TM_ESTOPPED)
        stops += rc == TM_ESTOPPED;
    assert_int_equal(rc, TM_EDAMAGED);
    assert_true(stops > 100);
    assert_int_equal(tm_source_read(source, &actual.sink), TM_EDAMAGED);
    assert_same_text(actual.text, expected.text);
    tm_source_close(source);
    recorder_free(&expected);
    recorder_free(&actual);
    free(whole.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file_cut_anywhere_yields_its_whole_blocks_and_reports_it),
        cmocka_unit_test(every_flipped_bit_costs_at_most_its_own_block),
        cmocka_unit_test(every_changed_byte_is_survived_in_a_trace_of_everything),
        cmocka_unit_test(damage_is_reported_with_bytes_events_and_time),
        cmocka_unit_test(bytes_lost_from_the_middle_cost_only_the_blocks_they_were_in),
        cmocka_unit_test(every_damaged_place_is_reported_also_the_last_two),
        cmocka_unit_test(bytes_after_the_end_are_reported),
        cmocka_unit_test(flushed_blocks_can_be_read_before_the_end_is_written),
        cmocka_unit_test(reading_stopped_by_the_sink_goes_on_where_it_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
