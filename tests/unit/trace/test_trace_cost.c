/* SPDX-License-Identifier: Apache-2.0 */
/* A small trace cannot ask for much memory or time: a block that unpacks to too much is
 * left out and reported. A file that could would run into the time limit of tests, too.
 */
#include "support/paper.h"

#include <threadmodel/model.h>

#include "trace/columns.h"
#include "trace/definition_coding.h"

enum { FREE_BYTES = 64 << 20, BYTES_A_BYTE = 64, EVENT_BYTES = 16 };

/* A trace of so many blocks of this content. */
static struct paper trace_of(const tm__bytes *raw, tm__block_header header, int blocks)
{
    struct paper block = {0}, paper = {0};

    put_block(&block, header, raw->data, raw->length);
    assert_true(tm__block_header_get(&header, block.bytes));
    put_file_header(&paper, 1, 0);
    for (int i = 0; i < blocks; i++) {
        tm__block_header_put(block.bytes, &header);
        paper_write(&paper, (const char *)block.bytes, block.length);
        header.events_before += header.events;
    }
    put_end(&paper, header.events_before);
    free(block.bytes);
    return paper;
}

/* Emit it. @return what was taken, with the trace's length and error text checked */
static tm_model *model_of(const struct paper *paper)
{
    tm_source *source;
    tm_model *model;
    int rc;

    assert_int_equal(tm_model_new(&model, NULL), TM_OK);
    assert_int_equal(
        tm__source_open_memory(&source, "t.tmt", paper->bytes, paper->length, NULL),
        TM_OK);
    while ((rc = tm_source_read(source, tm_model_sink(model))) == TM_MORE)
        ;
    assert_int_equal(rc, TM_EDAMAGED);
    assert_non_null(
        strstr(tm_error_text(), "unpack to more than a trace of this size may"));
    tm_source_close(source);
    return model;
}

static void assert_memory_is_bounded(const tm__bytes *raw, tm__block_header header,
                                     int blocks)
{
    struct paper paper = trace_of(raw, header, blocks);
    tm_model *model = model_of(&paper);

    assert_in_range(tm_model_memory_bytes(model), 1,
                    FREE_BYTES + BYTES_A_BYTE * paper.length);
    tm_model_free(model);
    free(paper.bytes);
}

static void put_numbers(tm__bytes *out, size_t count, uint64_t first, uint64_t step)
{
    for (size_t i = 0; i < count; i++, first += step) {
        assert_int_equal(tm__bytes_reserve(out, TM__VARINT_BYTES), TM_OK);
        out->length =
            (size_t)(tm__encode_varint(out->data + out->length, first) - out->data);
    }
}

static void put_column(tm__bytes *out, enum tm__section tag, size_t count,
                       uint64_t first, uint64_t step)
{
    tm__bytes column = {.memory = out->memory};

    put_numbers(&column, count, first, step);
    assert_int_equal(tm__section_put(out, tag, column.data, column.length), TM_OK);
    tm__bytes_free(&column);
}

static void assert_stacks_are_bounded(uint64_t next_method)
{
    enum { FRAMES = 1 << 20 };
    tm__memory memory;
    tm__bytes body = {.memory = &memory}, records = body, raw = body;

    tm__memory_init(&memory, NULL);
    put_numbers(&body, 1, 1, 0); /* id */
    put_numbers(&body, 1, 0, 0); /* flags */
    put_numbers(&body, 1, FRAMES, 0);
    for (int i = 0; i < FRAMES; i++) {
        put_numbers(&body, 1, tm__zigzag(next_method), 0);
        put_numbers(&body, 2, 0, 0);
    }
    for (int i = 0; i < 3; i++) {
        put_numbers(&records, 2, 0, TM__DEFINE_STACK);
        put_numbers(&records, 1, body.length, 0);
        assert_int_equal(tm__bytes_append(&records, body.data, body.length), TM_OK);
    }
    tm__section_put(&raw, TM__SECTION_DEFINITIONS, records.data, records.length);
    assert_memory_is_bounded(&raw, (tm__block_header){.type = TM__BLOCK_DATA}, 1000);
    tm__bytes_free(&body);
    tm__bytes_free(&records);
    tm__bytes_free(&raw);
}

static void stacks_of_a_million_frames_are_left_out_and_reported(void **state)
{
    (void)state;
    assert_stacks_are_bounded(0);
    assert_stacks_are_bounded(1);
}

static void methods_of_a_class_with_an_endless_name_are_bounded(void **state)
{
    enum { NAME_BYTES = 1 << 20, METHODS = 10000 };
    tm__memory memory;
    tm__bytes records = {.memory = &memory}, body = records, raw = records;

    (void)state;
    tm__memory_init(&memory, NULL);
    put_numbers(&body, 1, 1, 0);
    put_numbers(&body, 1, NAME_BYTES + 1, 0);
    put_numbers(&body, NAME_BYTES, 'n', 0);
    put_numbers(&body, 2, 0, 0);
    put_numbers(&records, 2, 0, TM__DEFINE_CLASS);
    put_numbers(&records, 1, body.length, 0);
    assert_int_equal(tm__bytes_append(&records, body.data, body.length), TM_OK);
    for (uint64_t id = 0; id < METHODS; id++) {
        char name[16];

        body.length = 0;
        put_numbers(&body, 2, 128 + id, (uint64_t)1 - 128 - id);
        snprintf(name, sizeof(name), "m%06u", (unsigned)id);
        put_numbers(&body, 1, 8, 0);
        assert_int_equal(tm__bytes_append(&body, name, 8), TM_OK);
        put_numbers(&body, 2, 0, 0);
        put_numbers(&records, 2, 0, TM__DEFINE_METHOD);
        put_numbers(&records, 1, body.length, 0);
        assert_int_equal(tm__bytes_append(&records, body.data, body.length), TM_OK);
    }
    tm__section_put(&raw, TM__SECTION_DEFINITIONS, records.data, records.length);
    assert_memory_is_bounded(&raw, (tm__block_header){.type = TM__BLOCK_DATA}, 1000);
    tm__bytes_free(&body);
    tm__bytes_free(&records);
    tm__bytes_free(&raw);
}

static void events_that_hardly_take_a_byte_are_left_out_and_reported(void **state)
{
    tm__memory memory;
    tm__bytes raw = {.memory = &memory}, kinds = raw;
    struct paper paper;
    tm_model *model;

    (void)state;
    tm__memory_init(&memory, NULL);
    for (int i = 0; i < TM__BLOCK_EVENT_LIMIT / 2; i++)
        put_numbers(&kinds, 2, TM_EVENT_PARK, TM_EVENT_UNPARKED - TM_EVENT_PARK);
    tm__section_put(&raw, TM__SECTION_KIND, kinds.data, kinds.length);
    put_column(&raw, TM__SECTION_THREAD_IDS, 1, 2, 0);
    put_column(&raw, TM__SECTION_THREAD, TM__BLOCK_EVENT_LIMIT, 1, 0);
    paper = trace_of(
        &raw,
        (tm__block_header){.type = TM__BLOCK_DATA, .events = TM__BLOCK_EVENT_LIMIT},
        1000);
    model = model_of(&paper);
    assert_in_range(tm_model_event_count(model), TM__BLOCK_EVENT_LIMIT,
                    (FREE_BYTES + BYTES_A_BYTE * paper.length) / EVENT_BYTES);
    tm_model_free(model);
    free(paper.bytes);
    tm__bytes_free(&kinds);
    tm__bytes_free(&raw);
}

static void threads_and_objects_by_the_million_are_left_out_and_reported(void **state)
{
    tm__memory memory;
    tm__bytes raw = {.memory = &memory};

    (void)state;
    tm__memory_init(&memory, NULL);
    put_column(&raw, TM__SECTION_KIND, TM__BLOCK_EVENT_LIMIT, TM_EVENT_CONTENDED_ENTER,
               0);
    put_column(&raw, TM__SECTION_THREAD_IDS, 2 * TM__BLOCK_EVENT_LIMIT, 2, 0);
    put_column(&raw, TM__SECTION_THREAD, TM__BLOCK_EVENT_LIMIT, 1, 2);
    put_column(&raw, TM__SECTION_PEER, TM__BLOCK_EVENT_LIMIT, 2, 2);
    put_column(&raw, TM__SECTION_OBJECT_IDS, TM__BLOCK_EVENT_LIMIT, 2, 0);
    put_column(&raw, TM__SECTION_OBJECT, TM__BLOCK_EVENT_LIMIT, 1, 1);
    assert_memory_is_bounded(
        &raw,
        (tm__block_header){.type = TM__BLOCK_DATA, .events = TM__BLOCK_EVENT_LIMIT},
        20);
    tm__bytes_free(&raw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_of_a_million_frames_are_left_out_and_reported),
        cmocka_unit_test(methods_of_a_class_with_an_endless_name_are_bounded),
        cmocka_unit_test(events_that_hardly_take_a_byte_are_left_out_and_reported),
        cmocka_unit_test(threads_and_objects_by_the_million_are_left_out_and_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
