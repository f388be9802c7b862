/* SPDX-License-Identifier: Apache-2.0 */
/* Rings that are of others, damaged or cut, and memory that runs out. */
#include "support/rings_image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cmocka.h>

#include <threadmodel/threadmodel.h>

#include "support/recorder.h"
#include "support/scarce.h"
#include "trace/coding.h"
#include "trace/ring_layout.h"
#include "trace/ring_record.h"

static void rings_that_are_not_this_trace_s_are_refused(void **state)
{
    (void)state;
    make_trace(RUN_ID + 1, 1);
    make_rings();
    put_event(0, 1, 9);
    read_image();
    assert_int_equal(got.event_count, 1);
    assert_non_null(strstr(got.caveat, "of another run"));

    make_trace(RUN_ID, 1);
    image[8] = TM__RINGS_VERSION + 1;
    read_image();
    assert_non_null(strstr(got.caveat, "damaged"));
    make_rings();
    tm__ring_mark_set(&header()->is_advancing, 2);
    read_image();
    assert_non_null(strstr(got.caveat, "damaged"));
    unlink(rings_path);
    assert_int_equal(symlink("/dev/zero", rings_path), 0);
    read_all();
    assert_non_null(strstr(got.caveat, "or was cut"));
    unlink(rings_path);
}

/* Another release's, with its own checksum. */
static void set_version(uint32_t version)
{
    tm__rings_header *of = header();

    of->version = version;
    of->constant =
        tm__crc32((const uint8_t *)of, offsetof(tm__rings_header, constant)) ^
        tm__crc32((const uint8_t *)&of->run_id, sizeof(of->run_id));
}

static void rings_of_an_older_release_are_read_and_newer_ones_not(void **state)
{
    (void)state;
    make_trace(RUN_ID, 1);
    make_rings();
    put_event(0, 1, 9);
    set_version(1);
    read_image();
    assert_int_equal(got.event_count, 2);
    set_version(TM__RINGS_VERSION + 1);
    read_image();
    assert_int_equal(got.event_count, 1);
    assert_non_null(strstr(got.caveat, "of a newer release"));
}

/* They are mapped memory of the machine that made them. */
static void rings_of_another_byte_order_are_reported_as_that(void **state)
{
    unsigned char *magic = image;

    (void)state;
    make_trace(RUN_ID, 1);
    make_rings();
    put_event(0, 1, 9);
    for (int i = 0; i < 4; i++) {
        unsigned char byte = magic[i];

        magic[i] = magic[7 - i];
        magic[7 - i] = byte;
    }
    read_image();
    assert_int_equal(got.event_count, 1);
    assert_non_null(strstr(got.caveat, "another byte order"));
}

static void rings_in_use_are_left_alone(void **state)
{
    int file;

    (void)state;
    make_trace(RUN_ID, 1);
    make_rings();
    put_event(0, 1, 9);
    write_file(rings_path, image, sizeof(image));
    file = open(rings_path, O_RDWR);
    assert_int_equal(flock(file, LOCK_EX), 0);
    read_all();
    assert_int_equal(got.event_count, 1);
    assert_non_null(strstr(got.caveat, "still going on"));
    close(file);
    read_all();
    assert_int_equal(got.event_count, 2);
}

static void a_header_that_was_being_written_is_no_damage(void **state)
{
    (void)state;
    make_trace(RUN_ID, 1);
    make_rings();
    put_event(0, 100, 9);
    /* Killed in the middle of a round's end: what is torn is not asked for. */
    tm__ring_mark_set(&header()->is_advancing, 1);
    atomic_store(&header()->events.value, 7);
    read_image();
    assert_int_equal(got.event_count, 2);
    tm__ring_mark_set(&header()->events, 1);
    atomic_store(&header()->horizon.value, 7);
    read_image();
    assert_int_equal(got.event_count, 2);
    /* Otherwise it is. */
    tm__ring_mark_set(&header()->is_advancing, 0);
    read_image();
    assert_int_equal(got.event_count, 1);
    assert_non_null(strstr(got.caveat, "are damaged, or cannot be read"));
    tm__ring_mark_set(&header()->horizon, 0);
    atomic_store(&header()->events.value, 7);
    read_image();
    assert_int_equal(got.event_count, 1);
}

static void rings_of_sizes_that_cannot_be_are_damaged(void **state)
{
    static const uint64_t sizes[] = {TM__RING_BYTES_MIN / 2,
                                     UINT64_C(2) * TM__RING_BYTES_MAX,
                                     TM__RING_BYTES_MIN + 8};

    (void)state;
    make_trace(RUN_ID, 0);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        make_rings();
        put_event(0, 1, 7);
        put_event(1, 2, 8);
        ring(0)->capacity = sizes[i];
        ring(0)->constant =
            tm__crc32((const uint8_t *)&ring(0)->capacity, 2 * sizeof(uint64_t));
        read_image();
        assert_int_equal(got.event_count, 1);
        assert_int_equal(got.events[0].value, 8);
        assert_non_null(strstr(got.caveat, "0 bytes and 1 whole rings of these are "
                                           "damaged"));
    }
}

static void a_jump_to_no_lap_is_not_taken(void **state)
{
    static const int64_t VALUES[] = {6, 7};

    (void)state;
    make_trace(RUN_ID, 0);
    make_rings();
    put_event(0, 1, 6);
    atomic_store(&ring(0)->skip_from, atomic_load(&ring(0)->head));
    atomic_store(&ring(0)->skip_to, RING_BYTES + 64);
    put_event(0, 2, 7);
    read_image();
    assert_values(2, VALUES);
}

/* All of a trace and its rings, as text, where something failed and was tried again. */
static void read_patiently(recorder *heard, const tm_allocator *allocator)
{
    tm_source_options options = {.size = sizeof(options), .allocator = allocator};
    tm_source *source;
    int rc = tm_source_open(&source, trace_path, &options);

    if (rc == TM_ENOMEM)
        rc = tm_source_open(&source, trace_path, &options);
    assert_int_equal(rc, TM_OK);
    do
        rc = tm_source_read(source, &heard->sink);
    while (rc == TM_MORE || rc == TM_ENOMEM);
    tm_source_close(source);
    assert_int_equal(rc, expected(heard->text));
}

static void make_much(void)
{
    make_trace(RUN_ID, 2);
    make_rings();
    tm__ring_mark_set(&header()->events, 2);
    put_class(0, "Lp/Q;");
    put_method(0);
    for (int i = 0; i < 20; i++)
        put_event(i % RINGS, 100 + i, i);
    tm__ring_mark_set(&ring(1)->lost, 3);
    write_file(rings_path, image, sizeof(image));
}

static void memory_that_runs_out_costs_nothing_of_the_rings(void **state)
{
    recorder whole;
    size_t calls = 0;
    int has_failed;

    (void)state;
    make_much();
    recorder_init(&whole);
    read_patiently(&whole, NULL);
    assert_non_null(strstr(whole.text, "21 more events were recovered"));
    do {
        struct scarce scarce;
        const tm_allocator hook = scarce_hook(&scarce, calls++);
        recorder heard;

        scarce.fails_once = 1;
        recorder_init(&heard);
        read_patiently(&heard, &hook);
        has_failed = scarce.has_failed;
        assert_int_equal(heard.events, whole.events);
        assert_non_null(strstr(heard.text, "class 5 p.Q|(null)\n"));
        assert_non_null(strstr(heard.text, "21 more events were recovered"));
        assert_int_equal(scarce.live_blocks, 0);
        recorder_free(&heard);
    } while (has_failed);
    assert_true(calls > 20);
    recorder_free(&whole);
}

/* Fails at one call, which is made again. */
static void a_sink_that_stops_gets_the_rest_of_the_rings_later(void **state)
{
    recorder whole;
    int is_over = 0;

    (void)state;
    make_much();
    recorder_init(&whole);
    read_patiently(&whole, NULL);
    for (uint64_t calls = 1; !is_over; calls++) {
        tm_source *source;
        recorder heard;
        int rc;

        recorder_init(&heard);
        heard.fail_after = calls;
        assert_int_equal(tm_source_open(&source, trace_path, NULL), TM_OK);
        while ((rc = tm_source_read(source, &heard.sink)) == TM_MORE ||
               rc == TM_ESTOPPED)
            if (rc == TM_ESTOPPED)
                heard.fail_after = 0;
        is_over = heard.fail_after != 0;
        tm_source_close(source);
        assert_int_equal(rc, expected(heard.text));
        assert_true(heard.events >= whole.events);
        assert_non_null(strstr(heard.text, "method 7000 5 run|(I)V 2\n"));
        assert_non_null(strstr(heard.text, "event 119 2 1 0 19 "));
        recorder_free(&heard);
    }
    recorder_free(&whole);
}

enum { PUT = 12 };

static void make_both(void)
{
    make_trace(RUN_ID, 0);
    make_rings();
    for (int i = 0; i < PUT; i++) {
        if (i == 3)
            put_class(0, "La/B;");
        put_event(i % RINGS, 10 * i, 1000 + i);
    }
}

/* All that came was put in, in its order, each once. */
static void assert_true_events(void)
{
    int64_t last = 0;

    for (size_t i = 0; i < got.event_count; i++) {
        const tm_event *event = &got.events[i];
        int64_t number = event->value - 1000;

        assert_in_range(number, 0, PUT - 1);
        assert_true(event->value > last);
        assert_int_equal(event->time_ns, 10 * number);
        assert_int_equal(event->thread, number % RINGS + 1);
        assert_int_equal(event->kind, TM_EVENT_WAIT);
        last = event->value;
    }
    if (got.class_name[0])
        assert_string_equal(got.class_name, "a.B");
    if (got.stack)
        assert_int_equal(got.frame.method, METHOD);
}

/* The pages that are in use, and how much of each. */
static const size_t PAGES[] = {0, TM__RING_PAGE_BYTES, 2 * TM__RING_PAGE_BYTES,
                               FILE_BYTES - RING_BYTES - TM__RING_PAGE_BYTES,
                               FILE_BYTES - RING_BYTES};
enum { PAGE_COUNT = sizeof(PAGES) / sizeof(*PAGES), USED_BYTES = 700 };

static void rings_cut_anywhere_yield_what_is_whole(void **state)
{
    size_t before = PUT;

    (void)state;
    make_both();
    read_image();
    assert_int_equal(got.event_count, PUT);
    for (size_t page = PAGE_COUNT; page-- > 0;)
        for (size_t used = USED_BYTES; used-- > 0;) {
            assert_int_equal(truncate(rings_path, (off_t)(PAGES[page] + used)), 0);
            read_all();
            assert_true_events();
            assert_in_range(got.event_count, 0, before);
            before = got.event_count;
        }
    assert_int_equal(before, 0);
}

static void rings_with_a_changed_byte_yield_nothing_that_was_not(void **state)
{
    size_t whole = 0, said = 0;
    int file;

    (void)state;
    make_both();
    write_file(rings_path, image, sizeof(image));
    file = open(rings_path, O_WRONLY);
    assert_true(file >= 0);
    for (size_t page = 0; page < PAGE_COUNT; page++)
        for (size_t i = PAGES[page]; i < PAGES[page] + USED_BYTES; i++) {
            unsigned char changed = image[i] ^ (unsigned char)(1u << i % 8);
            int is_reported;

            assert_int_equal(pwrite(file, &changed, 1, (off_t)i), 1);
            read_all();
            assert_true_events();
            is_reported =
                strstr(got.caveat, "damaged") || strstr(got.caveat, "another run");
            whole += got.event_count == PUT && got.class_name[0];
            said += is_reported != 0;
            if (!is_reported && got.event_count < PUT)
                fail_msg("byte %zu: %zu events, and no word", i, got.event_count);
            assert_int_equal(pwrite(file, &image[i], 1, (off_t)i), 1);
        }
    close(file);
    assert_true(whole > 0 && said > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rings_that_are_not_this_trace_s_are_refused),
        cmocka_unit_test(rings_of_an_older_release_are_read_and_newer_ones_not),
        cmocka_unit_test(rings_of_another_byte_order_are_reported_as_that),
        cmocka_unit_test(rings_in_use_are_left_alone),
        cmocka_unit_test(a_header_that_was_being_written_is_no_damage),
        cmocka_unit_test(rings_of_sizes_that_cannot_be_are_damaged),
        cmocka_unit_test(a_jump_to_no_lap_is_not_taken),
        cmocka_unit_test(memory_that_runs_out_costs_nothing_of_the_rings),
        cmocka_unit_test(a_sink_that_stops_gets_the_rest_of_the_rings_later),
        cmocka_unit_test(rings_cut_anywhere_yield_what_is_whole),
        cmocka_unit_test(rings_with_a_changed_byte_yield_nothing_that_was_not),
    };

    return cmocka_run_group_tests(tests, open_folder, remove_folder);
}
