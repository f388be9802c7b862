/* SPDX-License-Identifier: Apache-2.0 */
/* Those parts of the JVM agent that need no VM: options, names, rings. */
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

static void options_have_defaults(void **state)
{
    tm__options options;
    char error[512];

    (void)state;
    assert_int_equal(tm__options_parse(&options, NULL, 17, error, sizeof(error)), 0);
    assert_string_equal(options.file, "threadmodel-17.tmt");
    assert_int_equal(options.depth, 128);
    assert_int_equal(options.buffer_bytes, 512 * 1024);
    assert_int_equal(options.help, 0);
    assert_int_equal(tm__options_parse(&options, "", 17, error, sizeof(error)), 0);
    assert_string_equal(options.file, "threadmodel-17.tmt");
}

static void options_are_read_in_any_order_and_the_last_counts(void **state)
{
    tm__options options;
    char error[512];

    (void)state;
    assert_int_equal(tm__options_parse(&options,
                                       "depth=0,file=a,,b/%p-%%p-%d,depth=256", 99,
                                       error, sizeof(error)),
                     0);
    assert_string_equal(options.file, "a,b/99-%p-%d");
    assert_int_equal(options.depth, 256);
    assert_int_equal(
        tm__options_parse(&options, "help,buffer=100", 1, error, sizeof(error)), 0);
    assert_int_equal(options.help, 1);
    assert_int_equal(options.buffer_bytes, 128 * 1024);
}

static void options_that_are_wrong_are_named(void **state)
{
    static const struct {
        const char *text;
        const char *named;
    } WRONG[] = {
        {"depht=3", "\"depht\" is not known; nearest is \"depth\""},
        {"moniter=y", "nearest is \"monitor\""},
        {"Depth=3", "nearest is \"depth\""},
        {"net=here", "\"here\" is neither HOST:PORT nor unix:PATH"},
        {"net=:80", "\":80\""},
        {"net=host:0", "\"host:0\""},
        {"net=host:65536", "\"host:65536\""},
        {"net=unix:", "\"unix:\" has no path"},
        {"net=[::1]:80", NULL},
        {"net=unix:/a", NULL},
        {"format=c", "\"c\" is not one of tmt|a|b"},
        {"cutoff=2", "\"2\" is not a share from 0 to 1"},
        {"cutoff=nan", "\"nan\""},
        {"cutoff= 0", "\" 0\""},
        {"cutoff=-0", "\"-0\""},
        {"cutoff=1e-4", NULL},
        {"heap=dump", "GC.heap_dump"},
        {"gc_okay=y", "no effect"},
        {"monitor", "\"monitor\" has no value"},
        {"monitor=maybe", "\"maybe\" is neither y nor n"},
        {"monitor=", "\"\" is neither"},
        {"depth", "\"depth\" has no value"},
        {"depth=", "\"\""},
        {"depth=-1", "\"-1\""},
        {"depth=257", "\"257\""},
        {"depth=1x", "\"1x\""},
        {"depth=99999999999", "99999"},
        {"depth= 1", "\" 1\""},
        {"file=", "path is empty"},
        {"file", "\"file\" has no value"},
        {"buffer=63", "\"63\""},
        {"buffer=1048577", "\"1048577\""},
        {"=1", "\"\""},
        {"depth=1,", NULL},
        {",depth=1", "\"\""},
        {"foo", "\"foo\" is not known (file, "},
        {"contanalysis", NULL},
        {"contanalysis=true", NULL},
        {"monitor=n", NULL},
        {"budget=0", "\"0\" is not a percentage"},
        {"budget=101%", "\"101%\""},
        {"budget=1%%", "\"1%%\""},
        {"budget=nan", "\"nan\""},
        {"budget=-1", "\"-1\""},
        {"budget=1e2", "\"1e2\""},
        {"budget=%", "\"%\""},
        {"budget=1%", NULL},
        {"budget=0.5", NULL},
        {"memory=15", "not a number of MiB from 16 to"},
        {"memory=16", NULL},
        {"stop_file=", "path is empty"},
        {"stop_file=/tmp/x-%p", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(WRONG) / sizeof(*WRONG); i++) {
        tm__options options;
        char error[512] = "";
        int rc = tm__options_parse(&options, WRONG[i].text, 1, error, sizeof(error));

        assert_int_equal(rc, WRONG[i].named ? -1 : 0);
        if (WRONG[i].named && !strstr(error, WRONG[i].named))
            fail_msg("%s: %s", WRONG[i].text, error);
        assert_null(strchr(error, '\n'));
    }
}

static void options_without_a_file_name_one_after_the_format(void **state)
{
    tm__options options;
    char error[512];

    (void)state;
    assert_int_equal(tm__options_parse(&options, "format=a", 7, error, sizeof(error)),
                     0);
    assert_string_equal(options.file, "threadmodel-7.txt");
    assert_int_equal(tm__options_parse(&options, "format=b", 7, error, sizeof(error)),
                     0);
    assert_string_equal(options.file, "threadmodel-7.hprof");
    assert_int_equal(tm__options_parse(&options, "net=a:1", 7, error, sizeof(error)),
                     0);
    assert_string_equal(options.file, "");
    assert_string_equal(options.net, "a:1");
}

static void options_refuse_a_path_that_is_too_long(void **state)
{
    static char text[3 * TM__PATH_BYTES] = "file=";
    tm__options options;
    char error[512];

    (void)state;
    memset(text + 5, 'x', TM__PATH_BYTES);
    assert_int_equal(tm__options_parse(&options, text, 1, error, sizeof(error)), -1);
    text[5 + TM__PATH_BYTES - 1] = 0;
    assert_int_equal(tm__options_parse(&options, text, 1, error, sizeof(error)), 0);
    assert_int_equal(strlen(options.file), TM__PATH_BYTES - 1);
}

static int refuse_events(void *payload, const tm_event *events, size_t count)
{
    (void)events;
    *(size_t *)payload += count;
    return TM_ESTOPPED;
}

static void live_model_takes_what_the_next_sink_gets_and_decides_nothing(void **state)
{
    size_t emitted = 0;
    tm_sink next = {.size = sizeof(next), .payload = &emitted, .events = refuse_events};
    tm_event event = {.thread = 7, .kind = TM_EVENT_THREAD_START};
    tm__model_tee live;

    (void)state;
    assert_int_equal(tm__model_tee_open(&live, &next, 1 << 20), TM_OK);
    assert_int_equal(live.sink.events(live.sink.payload, &event, 1), TM_ESTOPPED);
    assert_int_equal(emitted, 1);
    assert_int_equal(tm_model_event_count(live.model), 1);
    assert_int_equal(live.lost, 0);
    tm__model_tee_close(&live);
}

static void a_counter_that_only_the_kernel_can_read_is_named(void **state)
{
    static const struct {
        const char *counter;
        int is_slow;
    } COUNTERS[] = {{"tsc\n", 0},   {"kvm-clock\n", 0}, {"hpet\n", 1},
                    {"acpi_pm", 1}, {"\n", 0},          {"", 0}};
    char path[] = "/tmp/threadmodel-clock-XXXXXX", name[64];
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    for (size_t i = 0; i < sizeof(COUNTERS) / sizeof(*COUNTERS); i++) {
        size_t length = strlen(COUNTERS[i].counter);

        assert_int_equal(ftruncate(fd, 0), 0);
        assert_int_equal(pwrite(fd, COUNTERS[i].counter, length, 0), length);
        assert_int_equal(tm__clock_is_slow(path, name, sizeof(name)),
                         COUNTERS[i].is_slow);
        if (COUNTERS[i].is_slow)
            assert_memory_equal(name, COUNTERS[i].counter, strlen(name));
    }
    close(fd);
    unlink(path);
    assert_int_equal(tm__clock_is_slow(path, name, sizeof(name)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_counter_that_only_the_kernel_can_read_is_named),
        cmocka_unit_test(options_have_defaults),
        cmocka_unit_test(options_are_read_in_any_order_and_the_last_counts),
        cmocka_unit_test(options_that_are_wrong_are_named),
        cmocka_unit_test(options_without_a_file_name_one_after_the_format),
        cmocka_unit_test(options_refuse_a_path_that_is_too_long),
        cmocka_unit_test(live_model_takes_what_the_next_sink_gets_and_decides_nothing),
    };

    return cmocka_run_group_tests(tests, open_rings, close_rings);
}
