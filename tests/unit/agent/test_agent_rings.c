/* SPDX-License-Identifier: Apache-2.0 */
/* Rings of threads, and the buffers that they serve. */
#include "support/agent_rings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include <threadmodel/error.h>

#include "ring/buffer.h"
#include "rings/clock.h"
#include "ring/slow_clock.h"
#include "rings/mirror.h"
#include "writer/model_tee.h"
#include "vm/options.h"
#include "rings/ring_file.h"

static int append(tm__buffer *buffer, uint64_t number, size_t extra)
{
    tm__record *record = tm__thread_ring_reserve(&buffer->ring, extra);

    if (!record)
        return -1;
    record->kind = TM_EVENT_WAIT;
    record->event.frame_count = (uint16_t)extra;
    record->event.fact = (tm_event){.time_ns = (int64_t)number, .kind = TM_EVENT_WAIT};
    memset(record + 1, (int)(number & 0xff), extra);
    tm__thread_ring_commit(&buffer->ring, record, extra);
    return 0;
}

/* Take what is there; records must come whole and in order. @return how many */
static uint64_t read_all(tm__buffer *buffer, uint64_t next)
{
    uint64_t at = buffer->ring.taken;
    uint64_t end = atomic_load(&buffer->ring.page->head);
    uint64_t first = next;
    tm__record *record;

    while ((record = tm__thread_ring_at(&buffer->ring, &at, end))) {
        const unsigned char *extra = (const unsigned char *)(record + 1);

        if (record->kind == TM_EVENT_WAIT) {
            assert_int_equal(record->event.fact.time_ns, next);
            for (uint32_t i = 0; i < record->event.frame_count; i++)
                assert_int_equal(extra[i], next & 0xff);
            next++;
        }
        at += record->bytes;
    }
    buffer->ring.scanned = at;
    buffer->ring.taken = at;
    tm__ring_mark_set(&buffer->ring.page->tail, at);
    return next - first;
}

static void *make_buffer(void *out)
{
    *(tm__buffer **)out = tm__buffer_new();
    return NULL;
}

/* A buffer whose thread has already gone. */
static tm__buffer *orphan(void)
{
    tm__buffer *buffer = NULL;
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, make_buffer, &buffer), 0);
    pthread_join(thread, NULL);
    assert_non_null(buffer);
    assert_int_equal(atomic_load(&buffer->orphan), 1);
    return buffer;
}

static void full_ring_counts_what_it_loses_and_reports_it(void **state)
{
    tm__buffer *buffer = orphan();
    uint64_t fitted = 0, wakes = 0;
    uint64_t at;
    tm__record *record;

    (void)state;
    while (append(buffer, fitted, 0) == 0)
        fitted++;
    assert_int_equal(fitted, RING_BYTES / sizeof(tm__record));
    assert_int_equal(read(wake_fd, &wakes, sizeof(wakes)), sizeof(wakes));
    assert_int_equal(wakes, 1);
    tm__buffer_lose(buffer, 70);
    tm__buffer_lose(buffer, 80);
    tm__buffer_report_loss(buffer, 90);
    assert_int_equal(atomic_load(&buffer->ring.page->lost.value), 2);

    assert_int_equal(read_all(buffer, 0), fitted);
    tm__buffer_report_loss(buffer, 100);
    assert_int_equal(atomic_load(&buffer->ring.page->lost.value), 0);
    at = buffer->ring.taken;
    record =
        tm__thread_ring_at(&buffer->ring, &at, atomic_load(&buffer->ring.page->head));
    assert_non_null(record);
    assert_int_equal(record->event.fact.kind, TM_EVENT_LOST);
    assert_int_equal(record->event.fact.value, 2);
    assert_int_equal(record->event.fact.object, 70);
    assert_int_equal(record->event.fact.time_ns, 100);
    read_all(buffer, 0);
    tm__buffer_recycle(buffer);
}

static void quiet_thread_touches_only_the_ring_s_beginning(void **state)
{
    tm__buffer *buffer = orphan();
    size_t furthest = 0;

    (void)state;
    for (uint64_t i = 0; i < 5000; i++) {
        assert_int_equal(append(buffer, i, i % 300), 0);
        furthest = (buffer->ring.reserved & (RING_BYTES - 1)) > furthest
                       ? buffer->ring.reserved & (RING_BYTES - 1)
                       : furthest;
        assert_int_equal(read_all(buffer, i), 1);
    }
    assert_int_equal(furthest, 0);
    tm__buffer_recycle(buffer);
}

static void ring_that_began_again_has_room_for_as_much_as_a_new_one(void **state)
{
    tm__buffer *buffer = orphan();
    uint64_t fitted = 0, next = 0;

    (void)state;
    for (int round = 0; round < 3; round++) {
        /* So far that the ring begins again, which leaves most of it behind. */
        for (int i = 0; i < 300; i++)
            assert_int_equal(append(buffer, next + (uint64_t)i, 0), 0);
        assert_int_equal(read_all(buffer, next), 300);
        next += 300;
        for (fitted = 0; append(buffer, next + fitted, 0) == 0;)
            fitted++;
        assert_int_equal(fitted, RING_BYTES / sizeof(tm__record));
        assert_int_equal(read_all(buffer, next), fitted);
        next += fitted;
    }
    tm__buffer_recycle(buffer);
}

static void buffer_of_a_gone_thread_serves_another(void **state)
{
    tm__buffer *first = orphan();
    tm__buffer *second;

    (void)state;
    append(first, 0, 40);
    read_all(first, 0);
    second = orphan();
    assert_ptr_not_equal(first, second);
    tm__buffer_recycle(first);
    assert_ptr_equal(orphan(), first);
    assert_int_equal(append(first, 5, 8), 0);
    assert_int_equal(read_all(first, 5), 1);
    tm__buffer_recycle(first);
    tm__buffer_recycle(second);
}

/* The writer looks at the rings of all buffers at any time, used or not. */
static void ring_without_room_stays_with_its_buffer(void **state)
{
    tm__buffer *taken[64] = {NULL}, *last = NULL;
    char error[256];
    size_t count = 0;
    tm__ring *ring;

    (void)state;
    tm__rings_open(&tm__the_rings, RING_BYTES, NULL, "", 1, 1, error, sizeof(error));
    while (count < 64 && (!last || last->ring.capacity))
        last = taken[count++] = orphan();
    assert_int_equal(last->ring.capacity, 0);
    ring = last->ring.page;
    tm__buffer_recycle(last);
    assert_ptr_equal(orphan(), last);
    assert_ptr_equal(last->ring.page, ring);
    assert_int_equal(atomic_load(&ring->head), 0);
    tm__rings_open(&tm__the_rings, RING_BYTES, NULL, "", 1, 0, error, sizeof(error));
    /* But for the one without room, which no other test is to get. */
    for (size_t i = 0; i + 1 < count; i++)
        tm__buffer_recycle(taken[i]);
}

enum { RACE_RECORDS = 200000 };

static void *race(void *out)
{
    tm__buffer *buffer = tm__buffer_new();

    atomic_store((tm__buffer * _Atomic *)out, buffer);
    for (uint64_t i = 0; buffer && i < RACE_RECORDS;)
        if (append(buffer, i, i % 7 * 40) == 0)
            i++;
        else
            sched_yield(); /* valgrind runs one thread at a time */
    return NULL;
}

static void reader_gets_every_record_whole_and_in_order(void **state)
{
    tm__buffer *_Atomic buffer = NULL;
    uint64_t next = 0;
    pthread_t thread;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, race, (void *)&buffer), 0);
    while (next < RACE_RECORDS) {
        uint64_t before = next;

        if (atomic_load(&buffer))
            next += read_all(buffer, next);
        if (next == before)
            sched_yield();
    }
    pthread_join(thread, NULL);
    assert_int_equal(next, RACE_RECORDS);
    tm__buffer_recycle(buffer);
}

static sigjmp_buf after_fault;

static void leave(int number)
{
    (void)number;
    siglongjmp(after_fault, 1);
}

static void mirror_whose_file_is_cut_harms_nobody(void **state)
{
    static const uint64_t WORDS[4] = {1, 2, 3, 4};
    struct sigaction own = {.sa_handler = leave}, now;
    FILE *file = tmpfile();
    atomic_int was_cut = 0;
    tm__mirror mirror = {.length = 4 * TM__RING_PAGE_BYTES, .was_cut = &was_cut};
    volatile int was_passed_on = 0;

    (void)state;
    assert_non_null(file);
    assert_int_equal(ftruncate(fileno(file), (off_t)mirror.length), 0);
    mirror.bytes =
        mmap(NULL, mirror.length, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
    assert_ptr_not_equal(mirror.bytes, MAP_FAILED);
    assert_int_equal(sigaction(SIGBUS, &own, NULL), 0);
    tm__mirrors_open();
    tm__mirror_put(&mirror, TM__RING_PAGE_BYTES - 16, WORDS, sizeof(WORDS));
    assert_int_equal(atomic_load(&was_cut), 0);
    assert_int_equal(ftruncate(fileno(file), TM__RING_PAGE_BYTES), 0);
    /* The handler before ours still gets the faults of others. */
    if (sigsetjmp(after_fault, 1))
        was_passed_on = 1;
    else
        mirror.bytes[3 * TM__RING_PAGE_BYTES] = 1;
    assert_int_equal(was_passed_on, 1);
    tm__mirror_put(&mirror, TM__RING_PAGE_BYTES - 16, WORDS, sizeof(WORDS));
    assert_int_equal(atomic_load(&was_cut), 1);
    assert_memory_equal(mirror.bytes + TM__RING_PAGE_BYTES - 16, WORDS, sizeof(WORDS));
    assert_int_equal(pread(fileno(file), &now, 16, TM__RING_PAGE_BYTES - 16), 16);
    assert_memory_equal(&now, WORDS, 16);
    tm__mirrors_close();
    assert_int_equal(sigaction(SIGBUS, NULL, &now), 0);
    assert_ptr_equal(now.sa_handler, leave);
    signal(SIGBUS, SIG_DFL);
    munmap(mirror.bytes, mirror.length);
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_ring_counts_what_it_loses_and_reports_it),
        cmocka_unit_test(quiet_thread_touches_only_the_ring_s_beginning),
        cmocka_unit_test(ring_that_began_again_has_room_for_as_much_as_a_new_one),
        cmocka_unit_test(buffer_of_a_gone_thread_serves_another),
        cmocka_unit_test(ring_without_room_stays_with_its_buffer),
        cmocka_unit_test(reader_gets_every_record_whole_and_in_order),
        cmocka_unit_test(mirror_whose_file_is_cut_harms_nobody),
    };

    return cmocka_run_group_tests(tests, open_rings, close_rings);
}
