/* SPDX-License-Identifier: Apache-2.0 */
/* Threads and methods of contention logs: hashes, and metadata beside a log. */
#include "support/log_text.h"

#define _POSIX_C_SOURCE 200809L
#include "support/paper.h"

#include <unistd.h>

#include <threadmodel/source.h>

#include "formats/contention/dialect.h"
#include "formats/decimal.h"
#include "support/recorded.h"
#include "support/scarce.h"

static void a_thread_that_was_started_is_not_started_again(void **state)
{
    recorder heard;

    (void)state;
    /* 0B is started twice before it runs; 0C had waited before; 0D and 0E had ended,
     * the one before its start and the other before the call. */
    assert_int_equal(emit_text(&heard,
                               "ThreadStart,1,0000000A,0000000B,0\n"
                               "ThreadStart,2,0000000A,0000000B,0\n"
                               "ObjectWaitEnter,3,0000000C,00000100\n"
                               "ThreadStarted,4,0000000C,c\n"
                               "ThreadEnded,5,0000000D\n"
                               "ThreadStarted,6,0000000D,d\n"
                               "ThreadEnded,7,0000000E\n"
                               "ThreadStart,8,0000000A,0000000E\n"
                               "ObjectWaitEnter,9,0000000A,00000100\n"
                               "ObjectNotify,10,0000000A,00000100\n",
                               NULL),
                     TM_OK);
    assert_recorded(&heard, "object 10 0 0 10 3\n"
                            "thread 10 10 0 (null)|(null) 0 0\n"
                            "object 11 0 0 11 3\n"
                            "thread 11 11 0 (null)|(null) 0 0\n"
                            "event 1000000000 10 0 11 0 0 1 4\n"
                            "thread 4294967307 0 0 (null)|(null) 0 0\n"
                            "event 2000000000 10 0 4294967307 0 0 1 4\n"
                            "object 12 0 0 12 3\n"
                            "thread 12 12 0 (null)|(null) 0 0\n"
                            "object 256 0 0 256 3\n"
                            "event 3000000000 12 256 0 0 0 6 0\n"
                            "thread 4294967308 0 0 c|(null) 0 0\n"
                            "event 4000000000 4294967308 0 0 0 0 2 0\n"
                            "object 13 0 0 13 3\n"
                            "thread 13 13 0 (null)|(null) 0 0\n"
                            "event 5000000000 13 0 0 0 0 3 0\n"
                            "thread 4294967309 0 0 d|(null) 0 0\n"
                            "event 6000000000 4294967309 0 0 0 0 2 0\n"
                            "object 14 0 0 14 3\n"
                            "thread 14 14 0 (null)|(null) 0 0\n"
                            "event 7000000000 14 0 0 0 0 3 0\n"
                            "thread 4294967310 0 0 (null)|(null) 0 0\n"
                            "event 8000000000 10 0 4294967310 0 0 1 4\n"
                            "event 9000000000 10 256 0 0 0 6 0\n"
                            "event 10000000000 10 256 0 0 0 8 0\n");
    assert_non_null(strstr(heard.text, "caveat 2 times two live threads had one hash"));
    assert_non_null(strstr(heard.text, "caveat 2 times a thread had the hash of one"));
    assert_non_null(strstr(heard.text, "caveat 1 events are of a thread that was "
                                       "blocked just then"));
    recorder_free(&heard);
}

static void threads_of_one_hash_are_distinguished(void **state)
{
    recorder heard;

    (void)state;
    assert_int_equal(emit_text(&heard,
                               "ThreadStarted,1,0000000A,first\n"
                               "ObjectWaitEnter,2,0000000A,00000100\n"
                               "ThreadStarted,3,0000000A,second\n"
                               "MonitorContendedEnter,4,0000000A,00000200,0000000C\n"
                               "ObjectWaitExit,5,0000000A,00000100\n"
                               "MonitorContendedEntered,6,0000000A,00000200,0000000A\n"
                               "ThreadEnded,7,0000000A\n"
                               "ThreadEnded,8,0000000A\n"
                               "ThreadStarted,9,0000000A,third\n"
                               "MonitorContendedEnter,10,0000000A,00000300,0000000A\n",
                               NULL),
                     TM_OK);
    assert_recorded(&heard, "object 10 0 0 10 3\n"
                            "thread 10 10 0 first|(null) 0 0\n"
                            "event 1000000000 10 0 0 0 0 2 0\n"
                            "object 256 0 0 256 3\n"
                            "event 2000000000 10 256 0 0 0 6 0\n"
                            "thread 4294967306 0 0 second|(null) 0 0\n"
                            "event 3000000000 4294967306 0 0 0 0 2 0\n"
                            "object 12 0 0 12 3\n"
                            "thread 12 12 0 (null)|(null) 0 0\n"
                            "object 512 0 0 512 3\n"
                            "event 4000000000 4294967306 512 12 0 0 4 4\n"
                            "event 5000000000 10 256 0 0 0 7 0\n"
                            "event 6000000000 4294967306 512 0 0 0 5 0\n"
                            "event 7000000000 4294967306 0 0 0 0 3 0\n"
                            "event 8000000000 10 0 0 0 0 3 0\n"
                            "thread 8589934602 0 0 third|(null) 0 0\n"
                            "event 9000000000 8589934602 0 0 0 0 2 0\n"
                            "object 768 0 0 768 3\n"
                            "event 10000000000 8589934602 768 0 0 0 4 0\n");
    assert_non_null(strstr(heard.text, "caveat 1 times two live threads"));
    assert_non_null(strstr(heard.text,
                           "caveat 1 times a thread had the hash of one that "
                           "had ended"));
    assert_non_null(
        strstr(heard.text, "caveat 1 times a thread was blocked by itself"));
    recorder_free(&heard);
}

static void put_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int emit_file(recorder *to, const char *path)
{
    tm_source *source;
    int rc = tm_source_open(&source, path, NULL);

    recorder_init(to);
    if (rc < 0)
        return rc;
    do
        rc = tm_source_read(source, &to->sink);
    while (rc == TM_MORE);
    tm_source_close(source);
    return rc;
}

#define CLASSES                                                                        \
    "LShop;,Shop.java\n"                                                               \
    "LShop$a,b;,\n"
#define METHODS                                                                        \
    "0000002A,put,(I[Ljava/lang/String;)V,LShop;,2,00000000,610,0000000A,611\n"        \
    "0000002B,a,b,(LShop$a,b;)LShop$a,b;,[LShop$a,b;,-1\n"
#define LOG                                                                            \
    "ObjectNotify,1,0000000A,00000100,2,0000002A,00000003,7FFF0000002B,FFFFFFFF\n"     \
    "ObjectNotify,2,0000000A,00000100,1,00000099,00000000\n"
#define REPORTED                                                                       \
    "class 1 Shop|Shop.java\n"                                                         \
    "class 2 Shop$a,b|(null)\n"                                                        \
    "class 3 Shop$a,b[]|(null)\n"                                                      \
    "object 10 0 0 10 3\n"                                                             \
    "thread 10 10 0 (null)|(null) 0 0\n"                                               \
    "object 256 0 0 256 3\n"                                                           \
    "method 42 1 put|(I[Ljava/lang/String;)V 2\n"                                      \
    "  line 0 610\n"                                                                   \
    "  line 10 611\n"                                                                  \
    "method 140733193388075 3 a,b|(LShop$a,b;)LShop$a,b; 0\n"                          \
    "stack 1 0 2\n"                                                                    \
    "  frame 42 3 0\n"                                                                 \
    "  frame 140733193388075 -1 0\n"                                                   \
    "event 1000000000 10 256 0 0 1 8 0\n"                                              \
    "stack 2 0 1\n"                                                                    \
    "  frame 153 0 0\n"                                                                \
    "event 2000000000 10 256 0 0 2 8 0\n"

static void metadata_lie_beside_the_log_in_one_file_or_two(void **state)
{
    recorder heard;

    (void)state;
    put_text("test_contention.orca", LOG);
    put_text("test_contention.meta", CLASSES METHODS);
    assert_int_equal(emit_file(&heard, "test_contention.orca"), TM_OK);
    assert_recorded(&heard, REPORTED);
    assert_non_null(strstr(heard.text, "caveat 1 methods of stacks are not in the "
                                       "metadata."));
    recorder_free(&heard);

    assert_int_equal(emit_file(&heard, "test_contention.meta"), TM_EFORMAT);
    assert_string_equal(tm_error_text(), "test_contention.meta: the metadata of a "
                                         "contention log, which is read with it: open "
                                         "the log");
    recorder_free(&heard);
    unlink("test_contention.meta");

    put_text("test_contention.classtable", CLASSES);
    put_text("test_contention.method", METHODS);
    assert_int_equal(emit_file(&heard, "test_contention.orca"), TM_OK);
    assert_recorded(&heard, REPORTED);
    recorder_free(&heard);

    put_text("test_contention.method", METHODS "0000002C,cut,(I\n");
    assert_int_equal(emit_file(&heard, "test_contention.orca"), TM_EDAMAGED);
    assert_recorded(&heard, REPORTED);
    assert_string_equal(tm_error_text(),
                        "test_contention.orca: test_contention.method, the line at "
                        "byte 123: the method has no signature");
    recorder_free(&heard);
    unlink("test_contention.classtable");
    unlink("test_contention.method");
    unlink("test_contention.orca");
}

#define NO_CLASS "the class is not a descriptor followed by a comma"
#define NO_NUMBER "the method's number is not hexadecimal"
#define NO_SIGNATURE "the method has no signature"
#define NO_DESCRIPTOR "the method's class is not a descriptor"
#define NO_TABLE "the line table is not as long as it says"

static void wrong_metadata_are_reported_and_the_rest_is_used(void **state)
{
    static const char *const cases[][2] = {
        {"LShop", NO_CLASS},
        {"LShop;", NO_CLASS},
        {"LShop;Shop.java", NO_CLASS},
        {"[[", NO_CLASS},
        {"run,()V,LShop;,-1", NO_NUMBER},
        {"2C", NO_NUMBER},
        {"2C;run,()V,LShop;,-1", NO_NUMBER},
        {"11112222333344445,run,()V,LShop;,-1", NO_NUMBER},
        {"2C,", NO_SIGNATURE},
        {"2C,run", NO_SIGNATURE},
        {"2C,run,", NO_SIGNATURE},
        {"2C,run,x", NO_SIGNATURE},
        {"2C,run,(I", NO_SIGNATURE},
        {"2C,run,(Q)V,LShop;,-1", NO_SIGNATURE},
        {"2C,run,()", NO_SIGNATURE},
        {"2C,run,()V", NO_SIGNATURE},
        {"2C,run,()V;LShop;,-1", NO_SIGNATURE},
        {"2C,run,()V,", NO_DESCRIPTOR},
        {"2C,run,()V,LShop", NO_DESCRIPTOR},
        {"2C,run,()V,LShop;", NO_DESCRIPTOR},
        {"2C,run,()V,LShop;-1", NO_DESCRIPTOR},
        {"2C,run,()V,LShop;,", NO_TABLE},
        {"2C,run,()V,LShop;,-2", NO_TABLE},
        {"2C,run,()V,LShop;,12", NO_TABLE},
        {"2C,run,()V,LShop;,2147483648", NO_TABLE},
        {"2C,run,()V,LShop;,99999999999", NO_TABLE},
        {"2C,run,()V,LShop;,1;00,5", NO_TABLE},
        {"2C,run,()V,LShop;,1,0000", NO_TABLE},
        {"2C,run,()V,LShop;,1,xx,5", NO_TABLE},
        {"2C,run,()V,LShop;,1,00;5", NO_TABLE},
        {"2C,run,()V,LShop;,1,00,x", NO_TABLE},
        {"2C,run,()V,LShop;,1,00,99999999999", NO_TABLE},
        {"2C,run,()V,LShop;,1,8000000000000000,5", NO_TABLE},
        {"2C,run,()V,LShop;,1,00,5,6", NO_TABLE},
        {"2C,run,()V,LShop;,2,00,5,01", NO_TABLE},
    };

    (void)state;
    put_text("test_contention.orca", "ThreadSleepEnter,1,0000000A,1,0000002B,0\n");
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char text[200];
        recorder heard;

        snprintf(text, sizeof(text), "\n%s\n2B,go,()V,LShop;,-1\n", cases[i][0]);
        put_text("test_contention.meta", text);
        assert_int_equal(emit_file(&heard, "test_contention.orca"), TM_EDAMAGED);
        snprintf(text, sizeof(text),
                 "test_contention.orca: test_contention.meta, the line at byte 1: %s",
                 cases[i][1]);
        assert_string_equal(tm_error_text(), text);
        assert_non_null(strstr(heard.text, "method 43 1 go|()V 0\n"));
        assert_int_equal(heard.events, 1);
        recorder_free(&heard);
    }
    unlink("test_contention.meta");
    unlink("test_contention.orca");
}

static void metadata_beside_a_log_may_state_little_or_much(void **state)
{
    size_t length = 2 << 20;
    char *text = malloc(length + 100);
    recorder heard;

    (void)state;
    assert_non_null(text);
    /* A method again, one without a signature, and a line that no memory is taken
     * for; beside a log whose name has no extension. */
    memset(text, 'x', length);
    strcpy(text + length, "\n2A,go,()V,I,-1\n2A,gone,,LShop;,0\n");
    put_text("test_contention.log", "ThreadSleepEnter,1,0000000A,1,2A,0\n");
    put_text("test_contention.log.meta", text);
    assert_int_equal(emit_file(&heard, "test_contention.log"), TM_EDAMAGED);
    assert_string_equal(tm_error_text(),
                        "test_contention.log: test_contention.log.meta, the line at "
                        "byte 0: the line has over a million bytes");
    assert_recorded(&heard, "class 1 int|(null)\n"
                            "class 2 Shop|(null)\n"
                            "object 10 0 0 10 3\n"
                            "thread 10 10 0 (null)|(null) 0 0\n"
                            "method 42 2 gone|(null) 0\n"
                            "stack 1 0 1\n"
                            "  frame 42 0 0\n"
                            "event 1000000000 10 0 0 0 1 12 0\n");
    recorder_free(&heard);
    unlink("test_contention.log");
    unlink("test_contention.log.meta");
    put_text("test_contention", "ThreadSleepEnter,1,0000000A,1,2A,0\n");
    put_text("test_contention.meta", "2A,go,()V,LShop;,-1\n");
    assert_int_equal(emit_file(&heard, "test_contention"), TM_OK);
    assert_non_null(strstr(heard.text, "method 42 1 go|()V 0\n"));
    recorder_free(&heard);
    unlink("test_contention");
    unlink("test_contention.meta");
    free(text);
}

static void running_out_of_memory_leaks_nothing(void **state)
{
    size_t calls = 0;
    int rc;

    (void)state;
    put_text("test_contention.orca", LOG);
    put_text("test_contention.meta", CLASSES METHODS);
    do {
        struct scarce scarce;
        tm_allocator hook = scarce_hook(&scarce, calls++);
        tm_source_options options = {.size = sizeof(options), .allocator = &hook};
        tm_source *source;
        recorder heard;

        recorder_init(&heard);
        rc = tm_source_open(&source, "test_contention.orca", &options);
        if (rc == TM_OK)
            do
                rc = tm_source_read(source, &heard.sink);
            while (rc == TM_MORE);
        assert_true(rc == TM_OK || rc == TM_ENOMEM);
        tm_source_close(source);
        assert_int_equal(scarce.live_blocks, 0);
        recorder_free(&heard);
    } while (rc == TM_ENOMEM);
    assert_true(calls > 20);
    unlink("test_contention.orca");
    unlink("test_contention.meta");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_that_was_started_is_not_started_again),
        cmocka_unit_test(threads_of_one_hash_are_distinguished),
        cmocka_unit_test(metadata_lie_beside_the_log_in_one_file_or_two),
        cmocka_unit_test(wrong_metadata_are_reported_and_the_rest_is_used),
        cmocka_unit_test(metadata_beside_a_log_may_state_little_or_much),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
