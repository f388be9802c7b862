/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hardships that the reader of any file must stand: to be cut at every byte, to have
 * any byte changed, memory and sinks that fail anywhere. The file is whole and gives
 * `events` events.
 */
#ifndef TM_TESTS_HARDSHIP_H
#define TM_TESTS_HARDSHIP_H

#include "support/paper.h"
#include "support/scarce.h"
#include "support/slow_machine.h"

typedef struct subject {
    const char *bytes;
    size_t length;
    uint64_t events;
} subject;

/* All that is emitted, as text; the code that ended it in `rc`. */
static inline recorder emit_all(const char *bytes, size_t length, int *rc)
{
    recorder all;

    recorder_init(&all);
    *rc = read_all(&all, (const uint8_t *)bytes, length);
    return all;
}

static inline void assert_emits(const char *bytes, size_t length, int code,
                                const char *text)
{
    int rc;
    recorder all = emit_all(bytes, length, &rc);

    if (rc != code)
        fail_msg("%s: %s", tm_error_name(rc), tm_error_text());
    if (!strstr(all.text ? all.text : "", text))
        fail_msg("no \"%s\" in:\n%s", text, all.text ? all.text : "");
    recorder_free(&all);
}

static inline void any_prefix_is_read_or_refused(void **state)
{
    const subject *it = *state;
    for (size_t length = 0; length < it->length; length += stride()) {
        int rc;
        recorder all = emit_all(it->bytes, length, &rc);

        assert_true(rc == TM_OK || rc == TM_EDAMAGED || rc == TM_EFORMAT);
        assert_true(all.events <= it->events);
        recorder_free(&all);
    }
}

static inline void no_byte_does_harm(void **state)
{
    const subject *it = *state;
    static const uint8_t values[] = {0, 1, 10, 34, 47, 92, 127, 128, 192, 237, 255};
    char *changed = malloc(it->length);

    assert_non_null(changed);
    memcpy(changed, it->bytes, it->length);
    for (size_t at = 0; at < it->length; at += stride())
        for (size_t i = 0; i < sizeof(values); i++) {
            int rc;
            recorder all;

            changed[at] = (char)values[i];
            all = emit_all(changed, it->length, &rc);
            assert_true(rc == TM_OK || rc == TM_EDAMAGED || rc == TM_EFORMAT ||
                        rc == TM_EVERSION);
            recorder_free(&all);
            changed[at] = it->bytes[at];
        }
    free(changed);
}

/** Opens what is to be read by a test. */
typedef int open_source(tm_source **source, const void *what,
                        const tm_source_options *options);

/* Memory runs out at each call in turn, and is there again when the source is asked
 * once more: it then gives `code`, all events and `text`. */
static inline void assert_whole_where_memory_fails(open_source *open, const void *what,
                                                   int code, uint64_t events,
                                                   const char *text)
{
    struct scarce scarce;

    for (size_t calls = 0;; calls++) {
        tm_allocator hook = scarce_hook(&scarce, calls);
        tm_source_options options = {.size = sizeof(options), .allocator = &hook};
        tm_source *source;
        recorder all;
        int rc = open(&source, what, &options);

        recorder_init(&all);
        for (rc = rc == TM_OK ? TM_MORE : rc; rc == TM_MORE;) {
            rc = tm_source_read(source, &all.sink);
            if (rc == TM_ENOMEM) {
                scarce.calls_left = SIZE_MAX;
                rc = TM_MORE;
            }
        }
        assert_int_equal(rc, source ? code : TM_ENOMEM);
        if (source && all.events != events)
            fail_msg("%zu calls: %llu events", calls, (unsigned long long)all.events);
        if (source && !strstr(all.text, text))
            fail_msg("%zu calls: no \"%s\" in:\n%s", calls, text, all.text);
        tm_source_close(source);
        recorder_free(&all);
        assert_int_equal(scarce.live_blocks, 0);
        if (!scarce.has_failed)
            break;
    }
}

static inline int open_subject(tm_source **source, const void *what,
                               const tm_source_options *options)
{
    const subject *it = what;

    return tm__source_open_memory(source, "t", it->bytes, it->length, options);
}

static inline void memory_may_run_out(void **state)
{
    const subject *it = *state;

    assert_whole_where_memory_fails(open_subject, it, TM_OK, it->events, "");
}

static inline void a_sink_may_fail(void **state)
{
    const subject *it = *state;
    for (uint64_t calls = 1, is_over = 0; !is_over; calls++) {
        recorder all;
        int rc;

        recorder_init(&all);
        all.fail_after = calls;
        rc = read_all(&all, (const uint8_t *)it->bytes, it->length);
        assert_true(rc == TM_ESTOPPED || rc == TM_OK);
        is_over = rc == TM_OK;
        recorder_free(&all);
    }
}

/* All of them, on one subject. */
#define HARDSHIP_TESTS(subject)                                                        \
    cmocka_unit_test_prestate(any_prefix_is_read_or_refused, (void *)(subject)),       \
        cmocka_unit_test_prestate(no_byte_does_harm, (void *)(subject)),               \
        cmocka_unit_test_prestate(memory_may_run_out, (void *)(subject)),              \
        cmocka_unit_test_prestate(a_sink_may_fail, (void *)(subject))

#endif
