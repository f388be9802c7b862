/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rings that lie beside a trace: files made here after docs/trace-format.md, whole,
 * cut at every byte and with every byte changed. Whatever comes out of them must
 * have been put in.
 */
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

enum { RING_BYTES = TM__RING_BYTES_MIN, RINGS = 2, METHOD = 7000 };
enum { FILE_BYTES = TM__RING_PAGE_BYTES + RINGS * (TM__RING_PAGE_BYTES + RING_BYTES) };
static const uint64_t RUN_ID = UINT64_C(0x1122334455667788);

static char folder[] = "/tmp/threadmodel-leftover-XXXXXX";
static char trace_path[64], rings_path[80];
static unsigned char image[FILE_BYTES] __attribute__((aligned(4096)));

/* What was read. */
static struct {
    tm_event events[4000];
    size_t event_count;
    tm_frame frame;
    uint32_t stack;
    char class_name[64], method_name[64], method_signature[64], caveat[512];
    tm_method method;
    tm_line lines[2];
    int lost;
} got;

static int register_run(void *payload, const tm_run *run)
{
    (void)payload;
    (void)run;
    return TM_OK;
}

static int register_caveat(void *payload, const char *sentence)
{
    (void)payload;
    snprintf(got.caveat, sizeof(got.caveat), "%s", sentence);
    return TM_OK;
}

static int register_class(void *payload, const tm_class *definition)
{
    (void)payload;
    snprintf(got.class_name, sizeof(got.class_name), "%s", definition->name);
    return TM_OK;
}

static int register_method(void *payload, const tm_method *definition)
{
    (void)payload;
    got.method = *definition;
    snprintf(got.method_name, sizeof(got.method_name), "%s", definition->name);
    snprintf(got.method_signature, sizeof(got.method_signature), "%s",
             definition->signature);
    assert_int_equal(definition->line_count, 2);
    memcpy(got.lines, definition->lines, sizeof(got.lines));
    return TM_OK;
}

static int register_stack(void *payload, const tm_stack *definition)
{
    (void)payload;
    assert_int_equal(definition->frame_count, 1);
    got.stack = definition->id;
    got.frame = definition->frames[0];
    return TM_OK;
}

static int register_thread(void *payload, const tm_thread *definition)
{
    (void)payload;
    (void)definition;
    return TM_OK;
}

static int register_object(void *payload, const tm_object *definition)
{
    (void)payload;
    (void)definition;
    return TM_OK;
}

static int ingest_events(void *payload, const tm_event *events, size_t count)
{
    (void)payload;
    for (size_t i = 0; i < count; i++) {
        if (events[i].kind == TM_EVENT_LOST) {
            got.lost += (int)events[i].value;
            continue;
        }
        assert_in_range(got.event_count, 0, 3999);
        got.events[got.event_count++] = events[i];
    }
    return TM_OK;
}

static const tm_sink sink = {
    sizeof(tm_sink), NULL,           register_run,    register_caveat, register_class,
    register_method, register_stack, register_thread, register_object, ingest_events};

static void write_file(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static struct {
    char bytes[4096];
    size_t count;
} trace;

static int keep_bytes(void *payload, const char *bytes, size_t count)
{
    (void)payload;
    assert_in_range(count, 0, sizeof(trace.bytes) - trace.count);
    memcpy(trace.bytes + trace.count, bytes, count);
    trace.count += count;
    return TM_OK;
}

/* A trace of a run with some events, of which the end is missing. */
static void make_trace(uint64_t run_id, size_t event_count)
{
    tm_run run = {.size = sizeof(run), .pid = 1, .id = run_id};
    tm_writer_options options = {.size = sizeof(options), .write = keep_bytes};
    tm_writer *writer;
    const tm_sink *to;
    size_t whole;

    trace.count = 0;
    assert_int_equal(tm_writer_open(&writer, NULL, &options), TM_OK);
    to = tm_writer_sink(writer);
    assert_int_equal(to->run(to->payload, &run), TM_OK);
    for (size_t i = 0; i < event_count; i++) {
        tm_event event = {.time_ns = (int64_t)i + 1,
                          .thread = 1,
                          .object = 1,
                          .value = (int64_t)i,
                          .kind = TM_EVENT_WAIT};

        assert_int_equal(to->events(to->payload, &event, 1), TM_OK);
    }
    assert_int_equal(tm_writer_flush(writer), TM_OK);
    whole = trace.count;
    tm_writer_close(writer);
    write_file(trace_path, trace.bytes, whole);
}

static tm__rings_header *header(void)
{
    return (tm__rings_header *)image;
}

static tm__ring *ring(int number)
{
    return (tm__ring *)(image + TM__RING_PAGE_BYTES +
                        (size_t)number * (TM__RING_PAGE_BYTES + RING_BYTES));
}

static void make_rings(void)
{
    memset(image, 0, sizeof(image));
    tm__rings_header_init(header(), RUN_ID);
    for (int i = 0; i < RINGS; i++)
        tm__ring_init(ring(i), RING_BYTES,
                      (uint64_t)((unsigned char *)ring(i) - image));
}

static tm__record *place(int number, uint64_t position)
{
    return (tm__record *)((unsigned char *)ring(number) + TM__RING_PAGE_BYTES +
                          (position & (RING_BYTES - 1)));
}

static void commit(int number, tm__record *record, size_t extra)
{
    uint64_t head = atomic_load(&ring(number)->head);

    record->bytes = (uint16_t)tm__record_bytes(extra);
    record->check = tm__record_check(record, record->bytes, head);
    atomic_store(&ring(number)->head, head + record->bytes);
}

/* An event of thread number + 1, with its number as the value, and a frame. */
static void put_event(int number, int64_t time_ns, int64_t value)
{
    tm__record *record = place(number, atomic_load(&ring(number)->head));
    tm__record_frame frame = {METHOD, 3};

    *record = (tm__record){.kind = TM_EVENT_WAIT, .event.frame_count = 1};
    record->event.fact = (tm_event){.time_ns = time_ns,
                                    .thread = (uint64_t)number + 1,
                                    .object = 1,
                                    .value = value,
                                    .kind = TM_EVENT_WAIT};
    memcpy(record + 1, &frame, sizeof(frame));
    commit(number, record, sizeof(frame));
}

static void put_class(int number, const char *signature)
{
    tm__record *record = place(number, atomic_load(&ring(number)->head));

    *record =
        (tm__record){.kind = TM__RECORD_CLASS,
                     .class = {.name_bytes = (uint16_t)strlen(signature), .id = 5}};
    memcpy(record + 1, signature, strlen(signature));
    commit(number, record, strlen(signature));
}

/* Two texts of seven bytes, so that the lines begin a byte behind them. */
static void put_method(int number)
{
    static const char TEXT[] = "run(I)V";
    static const tm__record_line LINES[] = {{0, 10}, {65535, 65534}};
    tm__record *record = place(number, atomic_load(&ring(number)->head));

    *record = (tm__record){.kind = TM__RECORD_METHOD,
                           .method = {.name_bytes = 3,
                                      .signature_bytes = 4,
                                      .id = METHOD,
                                      .class_id = 5,
                                      .line_count = 2}};
    memcpy(record + 1, TEXT, sizeof(TEXT));
    memcpy((char *)(record + 1) + sizeof(TEXT), LINES, sizeof(LINES));
    commit(number, record, sizeof(TEXT) + sizeof(LINES));
}

/* The trace has no end. Where its rings had all that is missing, it is not damaged. */
static int expected(const char *caveat)
{
    return strstr(caveat, "nothing is missing") ? TM_OK : TM_EDAMAGED;
}

static int read_all(void)
{
    tm_source *source;
    int rc;

    memset(&got, 0, sizeof(got));
    assert_int_equal(tm_source_open(&source, trace_path, NULL), TM_OK);
    do
        rc = tm_source_read(source, &sink);
    while (rc == TM_MORE);
    tm_source_close(source);
    assert_int_equal(rc, expected(got.caveat));
    return rc;
}

static void read_image(void)
{
    write_file(rings_path, image, sizeof(image));
    read_all();
}

static void assert_values(size_t count, const int64_t *values)
{
    assert_int_equal(got.event_count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(got.events[i].value, values[i]);
}

static void events_of_all_rings_come_by_time_after_those_of_the_trace(void **state)
{
    static const int64_t VALUES[] = {0, 1, 10, 20, 11, 21, 12};

    (void)state;
    make_trace(RUN_ID, 2);
    make_rings();
    tm__ring_mark_set(&header()->events, 2);
    put_class(1, "[Lp/Q;");
    put_event(0, 100, 10);
    put_method(0);
    put_event(0, 300, 11);
    put_event(0, 500, 12);
    put_event(1, 200, 20);
    put_event(1, 400, 21);
    read_image();
    assert_values(7, VALUES);
    assert_string_equal(got.class_name, "p.Q[]");
    assert_int_equal(got.frame.method, METHOD);
    assert_int_equal(got.frame.location, 3);
    assert_int_equal(got.method.id, METHOD);
    assert_int_equal(got.method.class_id, 5);
    assert_string_equal(got.method_name, "run");
    assert_string_equal(got.method_signature, "(I)V");
    assert_int_equal(got.lines[0].line, 10);
    assert_int_equal(got.lines[1].location, 65535);
    assert_int_equal(got.lines[1].line, 65534);
    assert_int_equal(got.events[6].stack, got.stack);
    assert_non_null(strstr(got.caveat, "5 more events were recovered from its rings: "
                                       "nothing is missing"));
}

static void what_the_round_in_work_had_written_comes_once(void **state)
{
    static const int64_t VALUES[] = {0, 1, 2, 3, 4};

    (void)state;
    /* The last round ended with one event in the trace; of the next two are in. */
    make_trace(RUN_ID, 3);
    make_rings();
    tm__ring_mark_set(&header()->events, 1);
    tm__ring_mark_set(&header()->horizon, 1000);
    put_event(0, 2, 1);
    put_event(1, 3, 2);
    put_event(0, 4, 3);
    put_event(1, 2000, 4);
    read_image();
    assert_values(5, VALUES);
    /* More than the rings had before the round's end: the producer's own events. */
    tm__ring_mark_set(&header()->events, UINT32_MAX - 100);
    read_image();
    assert_int_equal(got.event_count, 4);
    assert_int_equal(got.events[3].value, 4);
}

static void room_that_is_being_handed_back_is_not_read_again(void **state)
{
    static const int64_t VALUES[] = {0, 1, 2};

    (void)state;
    make_trace(RUN_ID, 2);
    make_rings();
    put_event(0, 1, 0);
    tm__ring_mark_set(&ring(0)->next, atomic_load(&ring(0)->head));
    put_event(0, 5, 2);
    put_event(1, 2, 1);
    tm__ring_mark_set(&ring(1)->next, atomic_load(&ring(1)->head));
    tm__ring_mark_set(&header()->is_advancing, 1);
    tm__ring_mark_set(&ring(1)->tail, atomic_load(&ring(1)->head));
    read_image();
    assert_values(3, VALUES);
}

static void ring_that_wrapped_is_read_in_its_order(void **state)
{
    (void)state;
    make_trace(RUN_ID, 0);
    make_rings();
    for (int64_t i = 0; i < 5000; i++) {
        size_t bytes = tm__record_bytes(sizeof(tm__record_frame));
        uint64_t head = atomic_load(&ring(0)->head);
        size_t to_end = RING_BYTES - (head & (RING_BYTES - 1));

        if (to_end < bytes) {
            tm__record *pad = place(0, head);

            pad->bytes = 0;
            pad->kind = TM__RECORD_PAD;
            pad->check = tm__record_check(pad, sizeof(uint64_t), head);
            atomic_store(&ring(0)->head, head + to_end);
        }
        if (i == 4500)
            tm__ring_mark_set(&ring(0)->tail, atomic_load(&ring(0)->head));
        put_event(0, i, i);
    }
    read_image();
    assert_int_equal(got.event_count, 500);
    for (int64_t i = 0; i < 500; i++)
        assert_int_equal(got.events[i].value, 4500 + i);
    assert_null(strstr(got.caveat, "damaged"));
}

static void ring_that_began_again_is_read_from_its_beginning(void **state)
{
    static const int64_t VALUES[] = {7, 8};
    uint64_t head;

    (void)state;
    make_trace(RUN_ID, 0);
    make_rings();
    put_event(0, 1, 6);
    head = atomic_load(&ring(0)->head);
    tm__ring_mark_set(&ring(0)->tail, head);
    atomic_store(&ring(0)->skip_from, head);
    atomic_store(&ring(0)->skip_to, RING_BYTES);
    atomic_store(&ring(0)->head, RING_BYTES);
    put_event(0, 2, 7);
    put_event(0, 3, 8);
    read_image();
    assert_values(2, VALUES);
}

static void losses_that_were_not_reported_are(void **state)
{
    (void)state;
    make_trace(RUN_ID, 0);
    make_rings();
    put_event(0, 1, 0);
    tm__ring_mark_set(&ring(0)->lost, 40);
    /* Killed while it counted one more, and while it reported them. */
    tm__ring_mark_set(&ring(1)->lost, 3);
    atomic_store(&ring(1)->lost.value, 4);
    read_image();
    assert_int_equal(got.lost, 44);
    atomic_store(&ring(1)->lost.value, 0);
    read_image();
    assert_int_equal(got.lost, 40);
}

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

static void events_that_the_trace_once_had_are_missed(void **state)
{
    (void)state;
    make_trace(RUN_ID, 3);
    make_rings();
    tm__ring_mark_set(&header()->events, 10);
    put_event(0, 100, 9);
    read_image();
    assert_int_equal(got.event_count, 4);
    assert_int_equal(got.lost, 7);
    assert_non_null(strstr(got.caveat, "7 events between are missing"));
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

static void events_of_one_time_come_in_the_order_of_their_rings(void **state)
{
    static const int64_t VALUES[] = {6, 7, 8, 9};

    (void)state;
    make_trace(RUN_ID, 0);
    make_rings();
    put_event(1, 5, 8);
    put_event(1, 5, 9);
    put_event(0, 5, 6);
    put_event(0, 5, 7);
    read_image();
    assert_values(4, VALUES);
}

/* Who writes records himself may leave names out; the VM's are empty at least. */
static void a_record_without_a_name_defines_one_without(void **state)
{
    static const struct {
        tm__record record;
        const char *text;
    } cases[] = {
        {{.kind = TM__RECORD_CLASS, .class = {.id = 5}}, "class 5 |(null)\n"},
        {{.kind = TM__RECORD_CLASS | TM__RECORD_PLAIN, .class = {.id = 5}},
         "class 5 (null)|(null)\n"},
        {{.kind = TM__RECORD_METHOD, .method = {.id = 6, .class_id = 5}},
         "method 6 5 | 0\n"},
        {{.kind = TM__RECORD_METHOD | TM__RECORD_PLAIN, .method = {.id = 6}},
         "method 6 0 (null)|(null) 0\n"},
        {{.kind = TM__RECORD_THREAD, .thread = {.id = 7}},
         "thread 7 0 0 |(null) 0 0\n"},
        {{.kind = TM__RECORD_THREAD, .thread = {.id = 7, .has_no_name = 1}},
         "thread 7 0 0 (null)|(null) 0 0\n"},
        {{.kind = TM__RECORD_OBJECT, .object = {.id = 8}}, "object 8 0 0 0 1\n"},
        {{.kind = TM__RECORD_OBJECT | TM__RECORD_PLAIN, .object = {.id = 8}},
         "object 8 0 0 0 0\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        recorder told;

        recorder_init(&told);
        assert_int_equal(tm__record_define(&cases[i].record, &told.sink), TM_OK);
        assert_string_equal(told.text, cases[i].text);
        recorder_free(&told);
    }
}

/* All of a trace and its rings, as text, where something failed and was tried again. */
static void read_patiently(recorder *told, const tm_allocator *allocator)
{
    tm_source_options options = {.size = sizeof(options), .allocator = allocator};
    tm_source *source;
    int rc = tm_source_open(&source, trace_path, &options);

    if (rc == TM_ENOMEM)
        rc = tm_source_open(&source, trace_path, &options);
    assert_int_equal(rc, TM_OK);
    do
        rc = tm_source_read(source, &told->sink);
    while (rc == TM_MORE || rc == TM_ENOMEM);
    tm_source_close(source);
    assert_int_equal(rc, expected(told->text));
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
        recorder told;

        scarce.fails_once = 1;
        recorder_init(&told);
        read_patiently(&told, &hook);
        has_failed = scarce.has_failed;
        assert_int_equal(told.events, whole.events);
        assert_non_null(strstr(told.text, "class 5 p.Q|(null)\n"));
        assert_non_null(strstr(told.text, "21 more events were recovered"));
        assert_int_equal(scarce.live_blocks, 0);
        recorder_free(&told);
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
        recorder told;
        int rc;

        recorder_init(&told);
        told.fail_after = calls;
        assert_int_equal(tm_source_open(&source, trace_path, NULL), TM_OK);
        while ((rc = tm_source_read(source, &told.sink)) == TM_MORE ||
               rc == TM_ESTOPPED)
            if (rc == TM_ESTOPPED)
                told.fail_after = 0;
        is_over = told.fail_after != 0;
        tm_source_close(source);
        assert_int_equal(rc, expected(told.text));
        assert_true(told.events >= whole.events);
        assert_non_null(strstr(told.text, "method 7000 5 run|(I)V 2\n"));
        assert_non_null(strstr(told.text, "event 119 2 1 0 19 "));
        recorder_free(&told);
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

/* The pages of which something is used, and how much of each. */
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

static int open_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(trace_path, sizeof(trace_path), "%s/run.tmt", folder);
    snprintf(rings_path, sizeof(rings_path), "%s" TM__RINGS_SUFFIX, trace_path);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(trace_path);
    unlink(rings_path);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_of_all_rings_come_by_time_after_those_of_the_trace),
        cmocka_unit_test(what_the_round_in_work_had_written_comes_once),
        cmocka_unit_test(room_that_is_being_handed_back_is_not_read_again),
        cmocka_unit_test(ring_that_wrapped_is_read_in_its_order),
        cmocka_unit_test(ring_that_began_again_is_read_from_its_beginning),
        cmocka_unit_test(losses_that_were_not_reported_are),
        cmocka_unit_test(rings_that_are_not_this_trace_s_are_refused),
        cmocka_unit_test(rings_of_an_older_release_are_read_and_newer_ones_not),
        cmocka_unit_test(rings_of_another_byte_order_are_reported_as_that),
        cmocka_unit_test(rings_in_use_are_left_alone),
        cmocka_unit_test(events_that_the_trace_once_had_are_missed),
        cmocka_unit_test(a_header_that_was_being_written_is_no_damage),
        cmocka_unit_test(rings_of_sizes_that_cannot_be_are_damaged),
        cmocka_unit_test(a_jump_to_no_lap_is_not_taken),
        cmocka_unit_test(events_of_one_time_come_in_the_order_of_their_rings),
        cmocka_unit_test(a_record_without_a_name_defines_one_without),
        cmocka_unit_test(memory_that_runs_out_costs_nothing_of_the_rings),
        cmocka_unit_test(a_sink_that_stops_gets_the_rest_of_the_rings_later),
        cmocka_unit_test(rings_cut_anywhere_yield_what_is_whole),
        cmocka_unit_test(rings_with_a_changed_byte_yield_nothing_that_was_not),
    };

    return cmocka_run_group_tests(tests, open_folder, remove_folder);
}
