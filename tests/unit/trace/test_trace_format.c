/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes are as docs/trace-format.md says, and a reader keeps to it when others
 * wrote them: newer releases, or someone who wants to see it fall. */
#include "support/paper.h"

#include <zstd.h>

/* A reader of the specification's own words, of what the writer made. */
static uint64_t spec_number(const uint8_t **at)
{
    uint64_t value = 0;

    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = *(*at)++;

        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return value;
    }
}

static int64_t spec_signed(const uint8_t **at)
{
    uint64_t code = spec_number(at);

    return code % 2 ? -(int64_t)(code / 2) - 1 : (int64_t)(code / 2);
}

static uint8_t *spec_unpack(const struct paper *paper, uint64_t offset, int type)
{
    const uint8_t *header = paper->bytes + offset;
    size_t packed = (size_t)tm__fixed(header + 4, 4);
    size_t raw = (size_t)tm__fixed(header + 8, 4);
    uint8_t *bytes = malloc(raw + 1);

    assert_memory_equal(header, "\xb1TB", 3);
    assert_int_equal(header[3], type);
    assert_int_equal(ZSTD_decompress(bytes, raw, header + 40, packed), raw);
    return bytes;
}

static void index_leads_from_the_trailer_to_every_block(void **state)
{
    enum { BLOCKS = 9000 };
    struct paper paper = plain_trace(BLOCKS, 1);
    uint64_t end = tm__fixed(paper.bytes + paper.length - 16, 8);
    uint8_t *raw = spec_unpack(&paper, end, 3);
    const uint8_t *at = raw;
    uint64_t index = spec_number(&at), left = BLOCKS;

    (void)state;
    assert_memory_equal(paper.bytes + paper.length - 8, "TMT end\n", 8);
    assert_int_equal(spec_number(&at), BLOCKS);
    assert_int_equal(spec_number(&at), BLOCKS);
    assert_int_equal(spec_number(&at), BLOCKS / 10);
    free(raw);
    while (index != 0) {
        uint64_t count, offset = 0;
        int64_t last_ns = 0;

        at = raw = spec_unpack(&paper, index, 2);
        index = spec_number(&at);
        count = spec_number(&at);
        assert_true(count > 0 && count <= left);
        for (uint64_t i = 0; i < count; i++) {
            uint64_t block = left - count + i;

            offset += spec_number(&at);
            assert_memory_equal(paper.bytes + offset, "\xb1TB\x01", 4);
            assert_int_equal(spec_number(&at), 1);
            assert_int_equal(spec_number(&at), block % 10 == 0);
            last_ns += spec_signed(&at);
            assert_int_equal(last_ns, (int64_t)block * 1000000);
            assert_int_equal(tm__fixed(paper.bytes + offset + 16, 4), block);
            assert_int_equal(tm__fixed(paper.bytes + offset + 20, 8), last_ns);
            last_ns += (int64_t)spec_number(&at);
        }
        left -= count;
        free(raw);
    }
    assert_int_equal(left, 0);
    free(paper.bytes);
}

/* The checksum of all data blocks, of what they state of themselves and what they
 * unpack to; zstd packs it as its release does. */
static uint32_t data_crc(const struct paper *paper)
{
    struct paper data = {0};
    uint32_t crc;

    for (uint64_t at = 16; paper->bytes[at + 3] == 1;
         at += 40 + tm__fixed(paper->bytes + at + 4, 4)) {
        uint8_t *raw = spec_unpack(paper, at, 1);

        paper_write(&data, (const char *)paper->bytes + at + 8, 28);
        paper_write(&data, (const char *)raw,
                    (size_t)tm__fixed(paper->bytes + at + 8, 4));
        free(raw);
    }
    crc = tm__crc32(data.bytes, data.length);
    free(data.bytes);
    return crc;
}

/* The number is that of x86-64: other processors have other orders and sizes. */
static void a_trace_is_the_same_on_every_machine(void **state)
{
    struct paper paper = small_trace(23, 5000, 500);

    (void)state;
    assert_int_equal(data_crc(&paper), 0x7e058ba0);
    free(paper.bytes);
}

static void newer_major_version_is_refused(void **state)
{
    struct paper paper = {0};
    recorder actual;

    (void)state;
    put_file_header(&paper, 3, 1);
    recorder_init(&actual);
    assert_int_equal(read_all(&actual, paper.bytes, paper.length), TM_EVERSION);
    assert_string_equal(tm_error_text(),
                        "t.tmt: trace format 3.1; this release reads 1.x and 2.x");
    recorder_free(&actual);
    free(paper.bytes);
}

static void newer_minor_version_is_read_and_what_is_new_is_passed_over(void **state)
{
    /* Definitions: a kind 99, and a caveat with a byte more than is known; columns:
     * kind of one event; a section 77. */
    static const uint8_t raw[] = {1, 12,  0, 99, 2, 'x', 'y', 0,  2, 4,
                                  2, 'a', 0, 7,  2, 1,   5,   77, 1, 9};
    struct paper paper = {0};
    recorder actual;

    (void)state;
    put_file_header(&paper, 2, 9);
    put_block(&paper,
              (tm__block_header){.type = 1, .events = 1, .first_ns = 4, .last_ns = 4},
              raw, sizeof(raw));
    put_block(&paper, (tm__block_header){.type = 200, .events_before = 1}, "?", 1);
    put_end(&paper, 1);
    recorder_init(&actual);
    assert_int_equal(read_all(&actual, paper.bytes, paper.length), TM_OK);
    assert_same_text(after_first_line(&actual),
                     "caveat a\nevent 4 0 0 0 0 0 5 0\n"
                     "caveat 3 parts of the trace were skipped: its format, 2.9, is "
                     "newer than 2.0\n");
    recorder_free(&actual);
    free(paper.bytes);
}

static void version_1_is_read(void **state)
{
    static const uint8_t raw[] = {2, 1, 5};
    struct paper paper = {0};
    recorder actual;

    (void)state;
    put_file_header(&paper, 1, 0);
    put_block(&paper,
              (tm__block_header){.type = 1, .events = 1, .first_ns = 4, .last_ns = 4},
              raw, sizeof(raw));
    put_end(&paper, 1);
    recorder_init(&actual);
    assert_int_equal(read_all(&actual, paper.bytes, paper.length), TM_OK);
    assert_same_text(after_first_line(&actual), "event 4 0 0 0 0 0 5 0\n");
    recorder_free(&actual);
    free(paper.bytes);
}

/* A reader of version 1 knows neither acquisitions nor shared owners nor conditions. */
static void a_trace_is_written_in_a_version_that_readers_of_version_1_refuse(
    void **state)
{
    static const tm_event acquired = {.thread = 1,
                                      .object = 2,
                                      .kind = TM_EVENT_ACQUIRED,
                                      .flags = TM_EVENT_SHARED | TM_EVENT_OWNER_READ};
    struct paper paper = {0};
    tm_writer *writer = new_writer(&paper, 10);
    const tm_sink *sink = tm_writer_sink(writer);
    recorder actual;

    (void)state;
    assert_int_equal(sink->events(sink->payload, &acquired, 1), TM_OK);
    assert_int_equal(tm_writer_close(writer), TM_OK);
    assert_int_equal(tm__fixed((const uint8_t *)paper.bytes + 8, 2), 2);
    recorder_init(&actual);
    assert_int_equal(read_all(&actual, paper.bytes, paper.length), TM_OK);
    assert_same_text(after_first_line(&actual), "event 0 1 2 0 0 0 29 1280\n");
    recorder_free(&actual);
    free(paper.bytes);
}

/* A block that must not be emitted, before one that must be. */
static void assert_refused(tm__block_header header, const void *raw, size_t length)
{
    static const uint8_t good[] = {2, 1, 6};
    struct paper paper = {0};
    recorder actual;

    header.type = TM__BLOCK_DATA;
    put_file_header(&paper, 2, 0);
    put_block(&paper, header, raw, length);
    put_block(
        &paper,
        (tm__block_header){.type = 1, .events = 1, .events_before = header.events},
        good, sizeof(good));
    put_end(&paper, header.events + 1);
    recorder_init(&actual);
    assert_int_equal(read_all(&actual, paper.bytes, paper.length), TM_EDAMAGED);
    assert_null(strstr(actual.text, "class"));
    assert_non_null(strstr(actual.text, "event 0 0 0 0 0 0 6 0\n"));
    recorder_free(&actual);
    free(paper.bytes);
}

#define REFUSED(bytes, ...)                                                            \
    assert_refused((tm__block_header){__VA_ARGS__}, bytes, sizeof(bytes) - 1)

static void impossible_blocks_are_damage_and_nothing_of_them_is_emitted(void **state)
{
    static const char large[TM__BLOCK_RAW_LIMIT + 1];
    tm__block_header header = {.events = TM__BLOCK_EVENT_LIMIT};

    (void)state;
    /* A class, and then: a section without length, one longer than the block, tag 0,
     * a section twice. */
    REFUSED("\1\6\0\3\3\1\0\0\2", .events = 1);
    REFUSED("\1\6\0\3\3\1\0\0\2\7\1", .events = 1);
    REFUSED("\1\6\0\3\3\1\0\0\0\1\1", .events = 1);
    REFUSED("\1\6\0\3\3\1\0\0\2\1\1\2\1\1", .events = 1);
    REFUSED("\1\6\0\3\3\1\0\0\2\377\377\377\377\377\377\377\377\377\1", .events = 1);
    REFUSED("\1\6\0\3\3\1\0\0\2\377\377\377\377\377\377\377\377\377\177\1",
            .events = 1);
    /* Columns: too short, too long, a kind of more than 16 bits, an id that is not
     * listed, a list longer than the events need, a stack id of more than 32 bits. */
    REFUSED("\1\6\0\3\3\1\0\0\2\1\1", .events = 2);
    REFUSED("\1\6\0\3\3\1\0\0\2\2\1\1", .events = 1);
    REFUSED("\1\6\0\3\3\1\0\0\2\3\200\200\4", .events = 1);
    REFUSED("\1\6\0\3\3\1\0\0\6\1\2\7\1\2", .events = 1);
    REFUSED("\1\6\0\3\3\1\0\0\11\2\2\2", .events = 1);
    REFUSED("\1\6\0\3\3\1\0\0\13\5\200\200\200\200\40\14\1\1", .events = 1);
    /* Each column with a number more than there are events, and flags of more than 16
     * bits. */
    REFUSED("\3\2\1\1", .events = 1);
    REFUSED("\4\2\0\0", .events = 1);
    REFUSED("\5\2\1\1", .events = 1);
    REFUSED("\7\2\0\0", .events = 1);
    REFUSED("\10\2\0\0", .events = 1);
    REFUSED("\12\2\0\0", .events = 1);
    REFUSED("\14\2\0\0", .events = 1);
    REFUSED("\3\3\200\200\4", .events = 1);
    REFUSED("\4\1\200", .events = 1);
    /* Times: later than the block's last, and not as late. */
    REFUSED("\1\6\0\3\3\1\0\0\4\1\1", .events = 1);
    REFUSED("\1\6\0\3\3\1\0\0\4\1\1", .events = 1, .last_ns = 5);
    /* Definitions: behind the last event, longer than the section, a string that
     * has no end or holds a zero, more lines than bytes, more frames than any. */
    REFUSED("\1\6\2\3\3\1\0\0", .events = 1);
    REFUSED("\1\6\0\3\11\1\0\0", .events = 1);
    REFUSED("\1\7\0\3\4\1\2ab", .events = 1);
    REFUSED("\1\10\0\3\5\1\3\0a\0", .events = 1);
    REFUSED("\1\11\0\4\6\1\1\0\0\5\1", .events = 1);
    REFUSED("\1\12\0\5\7\1\0\377\377\377\377\1", .events = 1);
    /* A method with lines beyond 32 bits, above and below; an object cut short. */
    REFUSED("\1\16\0\4\13\1\0\0\0\1\0\200\200\200\200\40", .events = 1);
    REFUSED("\1\16\0\4\13\1\0\0\0\1\0\377\377\377\377\37", .events = 1);
    REFUSED("\1\4\0\7\1\1", .events = 1);
    /* Headers that claim too much. */
    REFUSED("\2\1\1", .events = TM__BLOCK_EVENT_LIMIT + 1);
    REFUSED("\2\1\1", .events = UINT32_MAX);
    REFUSED("\1\6\0\3\3\1\0\0", .raw_bytes = 2);
    REFUSED("\1\6\0\3\3\1\0\0", .raw_bytes = TM__BLOCK_RAW_LIMIT + 1);
    REFUSED("\1\6\0\3\3\1\0\0", .packed_bytes = UINT32_MAX);
    REFUSED("\1\6\0\3\3\1\0\0", .packed_bytes = 3);
    REFUSED("\1\6\0\3\3\1\0\0", .first_ns = 1);
    assert_refused((tm__block_header){0}, large, sizeof(large));
    /* All zeros unpack to much, and still to no section. */
    assert_refused(header, large, TM__BLOCK_RAW_LIMIT);
}

/* Two blocks that cannot be read, the second of an earlier time, and one that can. */
static void what_is_lost_between_good_blocks_has_the_times_of_all_bad_ones(void **state)
{
    static const uint8_t good[] = {2, 1, 6}, bad[] = {0};
    struct paper paper = {0};
    recorder actual;

    (void)state;
    put_file_header(&paper, 2, 0);
    put_block(
        &paper,
        (tm__block_header){
            .type = 1, .events = 1, .first_ns = 1000000000, .last_ns = 1000000000},
        good, sizeof(good));
    put_block(&paper,
              (tm__block_header){.type = 1,
                                 .events = 2,
                                 .events_before = 1,
                                 .first_ns = 5000000000,
                                 .last_ns = 6000000000},
              bad, sizeof(bad));
    put_block(&paper,
              (tm__block_header){.type = 1,
                                 .events = 3,
                                 .events_before = 3,
                                 .first_ns = 4000000000,
                                 .last_ns = 5000000000},
              bad, sizeof(bad));
    put_block(&paper,
              (tm__block_header){.type = 1,
                                 .events = 1,
                                 .events_before = 6,
                                 .first_ns = 9000000000,
                                 .last_ns = 9000000000},
              good, sizeof(good));
    put_end(&paper, 7);
    recorder_init(&actual);
    assert_int_equal(read_all(&actual, paper.bytes, paper.length), TM_EDAMAGED);
    assert_non_null(strstr(actual.last_caveat, "are damaged: 2 blocks, 5 events "
                                               "between 3.000 s and 5.000 s are "
                                               "missing"));
    assert_non_null(strstr(actual.text, "event 6000000000 0 4000000000 0 5 0 23 0\n"));
    recorder_free(&actual);
    free(paper.bytes);
}

static void blocks_that_count_backward_are_missing_nobody_knows_how_many(void **state)
{
    static const uint8_t good[] = {2, 1, 6};
    struct paper paper = {0};
    recorder actual;

    (void)state;
    put_file_header(&paper, 2, 0);
    for (int i = 0; i < 2; i++)
        put_block(&paper, (tm__block_header){.type = 1, .events = 1}, good,
                  sizeof(good));
    put_end(&paper, 1);
    recorder_init(&actual);
    assert_int_equal(read_all(&actual, paper.bytes, paper.length), TM_EDAMAGED);
    assert_int_equal(actual.events, 2);
    assert_non_null(strstr(actual.last_caveat, ": an unknown number of events is "
                                               "missing"));
    recorder_free(&actual);
    free(paper.bytes);
}

static void nested_headers_cannot_make_the_search_quadratic(void **state)
{
    struct paper paper = {0};
    tm__block_header header = {.type = 1,
                               .events = 1,
                               .packed_bytes = 4 << 20,
                               .raw_bytes = TM__BLOCK_RAW_LIMIT};
    uint8_t bytes[TM__BLOCK_HEADER_BYTES];
    recorder actual;

    (void)state;
    put_file_header(&paper, 2, 0);
    tm__block_header_put(bytes, &header);
    for (int i = 0; i < 200000; i++)
        paper_write(&paper, (const char *)bytes, sizeof(bytes));
    recorder_init(&actual);
    assert_int_equal(read_all(&actual, paper.bytes, paper.length), TM_EDAMAGED);
    assert_int_equal(actual.events, 1); /* the Lost one */
    recorder_free(&actual);
    free(paper.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(index_leads_from_the_trailer_to_every_block),
        cmocka_unit_test(a_trace_is_the_same_on_every_machine),
        cmocka_unit_test(newer_major_version_is_refused),
        cmocka_unit_test(version_1_is_read),
        cmocka_unit_test(
            a_trace_is_written_in_a_version_that_readers_of_version_1_refuse),
        cmocka_unit_test(newer_minor_version_is_read_and_what_is_new_is_passed_over),
        cmocka_unit_test(impossible_blocks_are_damage_and_nothing_of_them_is_emitted),
        cmocka_unit_test(
            what_is_lost_between_good_blocks_has_the_times_of_all_bad_ones),
        cmocka_unit_test(blocks_that_count_backward_are_missing_nobody_knows_how_many),
        cmocka_unit_test(nested_headers_cannot_make_the_search_quadratic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
