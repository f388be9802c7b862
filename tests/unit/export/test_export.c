/* SPDX-License-Identifier: Apache-2.0 */
/* Exports where memory runs out, and of what cannot be; their content is tested by the
 * readers of these formats, in tests/python/test_export.py. */
#include "support/hostile.h"

#include <stdio.h>
#include <unistd.h>

#include <threadmodel/export.h>

#include "support/scarce.h"

static void memory_may_run_out_at_any_allocation(void **state)
{
    enum { EVENTS = 400 };
    static tm_event events[EVENTS];
    char path[] = "/tmp/tm-export-XXXXXX";
    tm_model *model = new_model(TM_POLICY_HOTSPOT, 0);
    int descriptor = mkstemp(path);

    (void)state;
    assert_true(descriptor >= 0);
    close(descriptor);
    define_some(model);
    take(model, events, honest_run(events, EVENTS));
    for (int format = TM_EXPORT_PERFETTO; format <= TM_EXPORT_OTLP; format++) {
        int rc = TM_ENOMEM;

        for (size_t calls = 0; rc != TM_OK; calls++) {
            struct scarce scarce;
            tm_allocator hook = scarce_hook(&scarce, calls);
            tm_export_options options = {
                .size = sizeof(options), .allocator = &hook, .format = format};

            assert_true(calls < 400);
            rc = tm_export_write(model, path, &options);
            assert_true(rc == TM_OK || rc == TM_ENOMEM);
            assert_int_equal(scarce.live_blocks, 0);
        }
    }
    tm_model_free(model);
    unlink(path);
}

static void what_is_no_format_or_state_is_refused(void **state)
{
    static const tm_export_options wrong[] = {
        {.size = sizeof(*wrong)},
        {.size = sizeof(*wrong), .format = -1},
        {.size = sizeof(*wrong), .format = TM_EXPORT_OTLP + 1},
        {.size = sizeof(*wrong), .format = TM_EXPORT_COLLAPSED, .state = 2},
        {.size = sizeof(*wrong), .format = TM_EXPORT_COLLAPSED, .state = 99},
        {.size = sizeof(*wrong), .format = TM_EXPORT_PPROF, .side = 2},
        {.size = sizeof(*wrong), .format = TM_EXPORT_OTLP, .side = TM_EXPORT_OWNERS},
        {.size = sizeof(*wrong), .format = TM_EXPORT_CHROME, .from_ns = -1},
        {.size = sizeof(*wrong), .format = TM_EXPORT_CHROME, .from_ns = 9, .to_ns = 9},
        {.size = sizeof(*wrong), .format = TM_EXPORT_DOT, .from_ns = 1},
        {.size = sizeof(*wrong), .format = TM_EXPORT_HPROF, .to_ns = 1},
    };
    tm_model *model = new_model(TM_POLICY_HOTSPOT, 0);

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
        assert_int_equal(tm_export_write(model, "/nowhere/to/be/found", &wrong[i]),
                         TM_EINVAL);
    assert_int_equal(tm_export_write(model, "/nowhere/to/be/found",
                                     &(tm_export_options){.size = sizeof(*wrong),
                                                          .format = TM_EXPORT_DOT}),
                     TM_EIO);
    tm_model_free(model);
}

static int refuse(void *payload, const char *bytes, size_t count)
{
    (void)payload;
    (void)bytes;
    (void)count;
    return TM_EIO;
}

static void what_writing_came_to_is_handed_on(void **state)
{
    tm_model *model = new_model(TM_POLICY_HOTSPOT, 0);

    (void)state;
    for (int format = TM_EXPORT_PERFETTO; format <= TM_EXPORT_OTLP; format++) {
        tm_export_options options = {
            .size = sizeof(options), .format = format, .write = refuse};
        int rc = tm_export_write(model, NULL, &options);

        /* An empty run has no stacks to write. */
        assert_int_equal(rc, format == TM_EXPORT_COLLAPSED ? TM_OK : TM_EIO);
    }
    tm_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_may_run_out_at_any_allocation),
        cmocka_unit_test(what_is_no_format_or_state_is_refused),
        cmocka_unit_test(what_writing_came_to_is_handed_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
